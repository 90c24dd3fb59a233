"""The commands of judge training: ``python -m ui quiz``. What is heavy is imported when a command runs."""

import json
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from index.cli import INDEX, OutputFile, chosen, say
from index.errors import RulesError
from ui.train.files import hand_out
from ui.train.options import chosen_questions, filters_of

if TYPE_CHECKING:
    from index.citations import Citations
    from index.corpus import Corpus
    from ui.train.deck import Deck
    from ui.train.quiz import Quiz

FORMATS = ("md", "pdf", "json")


@click.command()
@INDEX
@click.option("--make", "count", default=20, show_default=True, type=click.IntRange(1, 500), help="How many questions.")
@click.option("--seed", type=int, help="The same seed makes the same quiz; else a new one is drawn and named.")
@click.option("--format", "form", default="md", show_default=True, type=click.Choice(FORMATS), help="Markdown, PDF or JSON.")
@click.option("--out", type=OutputFile(), help="The file; else standard output.")
@chosen_questions
def quiz(index: Path | None, count: int, seed: int | None, form: str, out: Path | None, own: Path | None, **choice: Any) -> None:
    """Print a quiz and its key with the rules that decide each question.

    Example: python -m ui quiz --make 20 --level 2 --seed 7 --format pdf --out quiz.pdf
    """
    if form == "pdf" and out is None and sys.stdout.isatty():
        raise RulesError("a PDF can't be shown in the terminal; name a file: --out quiz.pdf")
    filters = filters_of(**choice)
    deck, corpus, citations = _deck(index, own)
    from ui.train.deck import BANK_NO_CARDS, NO_CARDS
    from ui.train.quiz import make

    drawn = secrets.randbelow(1_000_000) if seed is None else seed
    made = make(deck, corpus, count, filters, drawn)
    for note in deck.notes:
        if note not in (NO_CARDS, BANK_NO_CARDS):  # who asked for cards has been told already
            say(f"note: {note}")
    if seed is None:
        say(f"seed {drawn}: --seed {drawn} makes this quiz again")
    hand_out(_written(made, form, corpus, citations), out)


def _deck(index: Path | None, own: Path | None) -> "tuple[Deck, Corpus, Citations]":
    """The questions to choose from, with the rulebook. No index is needed: nothing is searched."""
    from index import store
    from index.citations import Citations
    from ui.train.deck import Deck
    from ui.train.opening import open_index

    if own is not None and (index is not None or (chosen(None) / "config.json").exists()):
        corpus = store.read_corpus(chosen(index))  # of an index a team's own questions need the rulebook alone
        return Deck.read(own, corpus), corpus, Citations(corpus)
    loaded = open_index(index, say, meaning=False)
    deck = Deck.of_index(loaded) if own is None else Deck.read(own, loaded.corpus)
    return deck, loaded.corpus, loaded.citations


def _written(made: "Quiz", form: str, corpus: "Corpus", citations: "Citations") -> bytes:
    from ui.train import sheet

    if form == "pdf":
        return sheet.to_pdf(made, corpus, citations)
    if form == "json":
        return (json.dumps(sheet.to_json(made, corpus, citations), ensure_ascii=False, indent=1) + "\n").encode()
    return sheet.to_markdown(made, corpus, citations).encode()
