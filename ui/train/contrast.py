"""Contrasts: pairs of rules that are taken for one another, and questions that only one of the two decides."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from index.bank import Question
from index.errors import RulesError
from index.numbers import RuleNumber
from index.store import Index
from ui.train.alike import likeness
from ui.train.deck import Deck
from ui.train.draw import drawn
from ui.train.twins import same_words

SIBLINGS, TWINS, MISTAKEN = "siblings", "near twins", "often mistaken"
ALIKE = 0.5
"""From this likeness on two rules are worth telling apart."""
SAME_WORDS = 0.95
"""From this share of common words on two rules say the same: nothing tells them apart."""
RESTATED = 0.6
"""From this share of common words on, two rules that decide a question together restate each other (704.5q and 122.3)."""
PARTNERS = 3
"""So many rules at the most are set against one."""
OFTEN = 2
"""From so many mistakes on a pair is often mistaken."""


@dataclass(frozen=True)
class Contrast:
    """Two rules to be told apart, in the order of the rulebook.

    Attributes:
        why: ``siblings`` (of one family), ``near twins`` or ``often mistaken``.
    """

    first: RuleNumber
    second: RuleNumber
    why: str

    @property
    def pair(self) -> tuple[RuleNumber, RuleNumber]:
        return self.first, self.second


Pair = tuple[RuleNumber, RuleNumber]
_ALIKE: "WeakKeyDictionary[Index, dict[Pair, float]]" = WeakKeyDictionary()
NOBODY: Mapping[Pair, int] = {}


def contrasts(index: Index, deck: Deck, mistaken: Mapping[Pair, int] = NOBODY) -> list[Contrast]:
    """The pairs that the deck can ask about: those often mistaken first, then the most alike.

    Args:
        mistaken: how often a rule (first) was missed by guessing another (second).
    """
    alike = _alike(index)
    asked = _asked_together(deck)
    chosen = {pair: MISTAKEN for pair in _often(mistaken) if _known(pair, index) and _one_decides(pair, deck)}
    for pair in alike:
        if pair not in chosen and _told_apart(pair, index, asked) and _one_decides(pair, deck):
            chosen[pair] = SIBLINGS if pair[0].family == pair[1].family else TWINS
    return [Contrast(first, second, why) for (first, second), why in chosen.items()]


def _alike(index: Index) -> dict[Pair, float]:
    """All pairs of rules that are alike, the most alike first; found once for each index."""
    found = _ALIKE.get(index)
    if found is None:
        pairs: dict[Pair, float] = {}
        for number, others in likeness(index).all(PARTNERS):
            pairs |= {_ordered(number, other): score for other, score in others if score >= ALIKE}
        found = _ALIKE[index] = dict(sorted(pairs.items(), key=lambda item: (-item[1], item[0])))
    return found


def _ordered(a: RuleNumber, b: RuleNumber) -> Pair:
    return (a, b) if a < b else (b, a)


def _often(mistaken: Mapping[Pair, int]) -> list[Pair]:
    counts: dict[Pair, int] = {}
    for (gold, guess), count in mistaken.items():
        pair = _ordered(gold, guess)
        counts[pair] = counts.get(pair, 0) + count
    return sorted((pair for pair, count in counts.items() if count >= OFTEN), key=lambda pair: (-counts[pair], pair))


def _known(pair: Pair, index: Index) -> bool:
    rules = [index.corpus.by_number.get(number) for number in pair]
    first, second = (rule.text if rule and not rule.is_heading else "" for rule in rules)
    return bool(first and second) and not same_words(first, second)  # nothing tells twins apart, nor a rule from itself


def _asked_together(deck: Deck) -> set[Pair]:
    return {_ordered(a, b) for q in deck.questions.values() for a in q.rules for b in q.rules if a < b}


def _told_apart(pair: Pair, index: Index, asked: set[Pair]) -> bool:
    """Whether two alike rules say different things; of two families, where one cites the other, one says the other's again."""
    first, second = pair
    if first.family != second.family and (_cites(first, second, index) or _cites(second, first, index)):
        return False
    shared = likeness(index).words(first, second)
    return shared < (RESTATED if pair in asked else SAME_WORDS)


def _cites(source: RuleNumber, target: RuleNumber, index: Index) -> bool:
    return any(cited.section >= 100 and cited.contains(target) for cited in index.citations.cites(source))


def _one_decides(pair: Pair, deck: Deck) -> bool:
    return next(_questions(pair, deck), None) is not None


def _questions(pair: Pair, deck: Deck) -> Iterator[Question]:
    """The questions that one of two rules decides and in which the other has no part."""
    for number, other in (pair, pair[::-1]):
        yield from (question for question in deck.deciding.get(number, ()) if other not in question.rules)


def prompt(contrast: Contrast, deck: Deck, seed: int) -> Question:
    """A question that one of the two rules decides and the other does not; the same for the same seed.

    Raises:
        RulesError: the deck has none.
    """
    found = min(_questions(contrast.pair, deck), key=lambda question: drawn(seed, question.id), default=None)
    if found is None:
        raise RulesError(
            f"{deck.name} has no question that only one of {contrast.first} and {contrast.second} decides; choose another pair"
        )
    return found
