"""Measure how well cards are found, on sentences with the cards that they name (``data/questions/cards.jsonl``)."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from index.errors import RulesError
from qa.cards import CardFinder

SENTENCES = Path(__file__).resolve().parent.parent / "data" / "questions" / "cards.jsonl"


@dataclass(frozen=True)
class Sentence:
    """A sentence with the exact names of the cards in it, and the words that may mean several cards."""

    id: str
    text: str
    cards: frozenset[str]
    unclear: frozenset[str]

    @property
    def held_out(self) -> bool:
        """Whether it is kept for the figures: odd numbers are; the finder is tuned on the even ones."""
        return int(self.id[-1]) % 2 == 1


@dataclass(frozen=True)
class Measured:
    """What was found in a set of sentences.

    Attributes:
        right: how many cards were found that are named.
        wrong: sentence and card for each that was found and is not named.
        missed: sentence and card for each that is named and was not found.
        unclear_right: how many ambiguous names were shown as a choice.
        unclear_wrong: sentence and words for each choice shown where no name is ambiguous.
        unclear_missed: sentence and words for each ambiguous name that was not shown as a choice.
    """

    right: int
    wrong: tuple[tuple[str, str], ...]
    missed: tuple[tuple[str, str], ...]
    unclear_right: int
    unclear_wrong: tuple[tuple[str, str], ...]
    unclear_missed: tuple[tuple[str, str], ...]

    @property
    def precision(self) -> float:
        """The share of the found cards that are named."""
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        """The share of the named cards that were found."""
        return self.right / max(1, self.right + len(self.missed))


def read_sentences(path: Path = SENTENCES) -> list[Sentence]:
    """The sentences of a file.

    Raises:
        RulesError: it can't be read, or a line is not of the form.
    """
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [Sentence(r["id"], r["sentence"], frozenset(r["cards"]), frozenset(r.get("unclear", ()))) for r in rows]
    except OSError as error:
        raise RulesError(f"{path} can't be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RulesError(f'{path} is no set of sentences: each line needs "id", "sentence" and "cards"') from None


def measure(finder: CardFinder, sentences: Iterable[Sentence]) -> Measured:
    """Find the cards in each sentence, and compare them with those that it names."""
    right = unclear_right = 0
    wrong: list[tuple[str, str]] = []
    missed: list[tuple[str, str]] = []
    unclear_wrong: list[tuple[str, str]] = []
    unclear_missed: list[tuple[str, str]] = []
    for sentence in sentences:
        found = finder.find(sentence.text)
        cards = {named.card.name for named in found if named.card}
        choices = {sentence.text[named.start : named.end] for named in found if not named.card}
        right += len(cards & sentence.cards)
        wrong += [(sentence.text, card) for card in sorted(cards - sentence.cards)]
        missed += [(sentence.text, card) for card in sorted(sentence.cards - cards)]
        shown = {word for word in sentence.unclear if any(choice.startswith(word) for choice in choices)}
        unclear_right += len(shown)
        unclear_missed += [(sentence.text, word) for word in sorted(sentence.unclear - shown)]
        unclear_wrong += [(s, c) for s, c in ((sentence.text, c) for c in sorted(choices)) if not _expected(c, sentence)]
    return Measured(right, tuple(wrong), tuple(missed), unclear_right, tuple(unclear_wrong), tuple(unclear_missed))


def _expected(choice: str, sentence: Sentence) -> bool:
    return any(choice.startswith(word) for word in sentence.unclear)
