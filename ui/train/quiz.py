"""A quiz for those who teach: questions drawn from a deck by a seed."""

from collections.abc import Sequence
from dataclasses import dataclass

from index.bank import Question
from index.corpus import Corpus, Source
from index.errors import RulesError
from index.numbers import RuleNumber
from ui.train.deck import REMARKS, Deck
from ui.train.draw import drawn
from ui.train.filters import EVERYTHING, Filters

MOST = 500
"""The most questions of one quiz."""


@dataclass(frozen=True)
class Quiz:
    """Questions to be printed, with what is needed to print the same again.

    Attributes:
        deck: the name of the deck that they come from.
        notes: what became of questions of that deck in this edition.
        remarks: by a question's id, that its rules had other numbers when it was written.
    """

    edition: str
    source: Source
    seed: int
    filters: Filters
    deck: str
    questions: tuple[Question, ...]
    notes: tuple[str, ...]
    remarks: dict[str, str]


def make(deck: Deck, corpus: Corpus, count: int, filters: Filters = EVERYTHING, seed: int = 0) -> Quiz:
    """Draw a quiz; the same seed draws the same, and questions that are added to the deck change little of it.

    Each question is decided by another rule, as long as there are such.

    Raises:
        RulesError: fewer questions match than are asked for, or ``count`` is out of range.
    """
    if not 1 <= count <= MOST:
        raise RulesError(f"a quiz of {count} questions can't be made; it must have 1 to {MOST}")
    found = deck.select(filters)
    if len(found) < count:
        raise RulesError(f"{_how_many(len(found))} ({filters}) in {deck.name}, not {count}; {deck.remedy(filters)}")
    chosen = _varied(sorted(found, key=lambda question: drawn(seed, question.id)), count)
    return Quiz(
        edition=corpus.name,
        source=corpus.source.public,
        seed=seed,
        filters=filters,
        deck=deck.name,
        questions=tuple(chosen),
        notes=tuple(note for note in deck.notes if note not in REMARKS),
        remarks={question.id: remark for question in chosen if (remark := deck.moved(question))},
    )


def _how_many(count: int) -> str:
    return f"only {count} questions match" if count > 1 else "only one question matches" if count else "no question matches"


def _varied(drawn_questions: Sequence[Question], count: int) -> list[Question]:
    """So many questions in the order drawn: as far as there are enough, each with a decisive rule of its own."""
    seen: set[RuleNumber] = set()
    fresh: list[Question] = []
    others: list[Question] = []
    for question in drawn_questions:
        (others if question.rules[0] in seen else fresh).append(question)
        seen.add(question.rules[0])
    chosen = {question.id for question in [*fresh, *others][:count]}
    return [question for question in drawn_questions if question.id in chosen]
