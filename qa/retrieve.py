"""Gather candidate rules: each signal ranks rules on its own; ``qa.rank`` fuses them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from index.encoder import Vectors
from index.numbers import RuleNumber
from index.store import Found, Index
from qa.question import Asked

DEPTH = 100
"""How many passages each signal looks at."""
NEIGHBOURS = 60
"""How many of the bank's questions speak for their rules."""
SOFT = 10
"""A question of the bank at rank r (from 0) speaks with 1 / (SOFT + r) for its decisive rule."""
OTHERS = 0.7
"""And with this share of it for its other rules."""


@dataclass(frozen=True)
class Ranked:
    """A rule in one signal's ranking; ``via`` names what the signal found it by, ``score`` is what it measured."""

    number: RuleNumber
    via: str = ""
    score: float = 0.0


Signal = Callable[[Index, Asked, Vectors], list[Ranked]]


def by_meaning(kind: str) -> Signal:
    """Rules whose passages of a kind are nearest in meaning."""

    def signal(index: Index, asked: Asked, vector: Vectors) -> list[Ranked]:
        return _rules(index, index.nearest(vector, kind, DEPTH))

    return signal


def by_words(kind: str) -> Signal:
    """Rules whose passages of a kind share words with the question."""

    def signal(index: Index, asked: Asked, vector: Vectors) -> list[Ranked]:
        return _rules(index, index.matching(asked.text, kind, DEPTH))

    return signal


def by_known(find: Callable[[Index, Asked, Vectors], list[Found]]) -> Signal:
    """Rules that decide the bank's questions nearest to this one; near questions and decisive rules count most."""

    def signal(index: Index, asked: Asked, vector: Vectors) -> list[Ranked]:
        scores: dict[RuleNumber, float] = {}
        first: dict[RuleNumber, Found] = {}
        for rank, found in enumerate(find(index, asked, vector)[:NEIGHBOURS]):
            for place, number in enumerate(found.passage.rules):
                scores[number] = scores.get(number, 0.0) + (1.0 if place == 0 else OTHERS) / (SOFT + rank)
                first.setdefault(number, found)
        order = sorted(scores, key=lambda number: (-scores[number], number))
        return [Ranked(number, first[number].passage.label, first[number].score) for number in order]

    return signal


def by_term(index: Index, asked: Asked, vector: Vectors) -> list[Ranked]:
    """The families of the keywords and rarer glossary terms that the question names; within one, by meaning."""
    heads = [Ranked(number, hit.term.name) for hit in asked.terms if not hit.term.common for number in hit.term.rules]
    wanted = {head.number.family: head.via for head in heads if head.number.rule is not None}
    order = (found.passage.rules[0] for found in index.nearest(vector, "rule", len(index.corpus.rules)))
    return [Ranked(n, wanted[n.family]) for n in order if n.family in wanted and not is_link(index, n)]


SIGNALS: dict[str, Signal] = {
    "meaning-rule": by_meaning("rule"),
    "meaning-example": by_meaning("example"),
    "meaning-glossary": by_meaning("glossary"),
    "words-rule": by_words("rule"),
    "words-example": by_words("example"),
    "words-glossary": by_words("glossary"),
    "meaning-question": by_known(lambda index, asked, vector: index.nearest(vector, "question", NEIGHBOURS)),
    "words-question": by_known(lambda index, asked, vector: index.matching(asked.text, "question", NEIGHBOURS)),
    "term": by_term,
}


def is_link(index: Index, number: RuleNumber) -> bool:
    """Whether a number is no answer by itself: a section, or a heading whose subrules say it all."""
    rule = index.corpus.by_number.get(number)
    return rule is None or (rule.is_heading and len(index.corpus.family(number)) > 1)


def _rules(index: Index, found: Iterable[Found]) -> list[Ranked]:
    ranked: dict[RuleNumber, Ranked] = {}
    for hit in found:
        for number in _speaks_for(index, hit):
            ranked.setdefault(number, Ranked(number, hit.passage.label, hit.score))
    return list(ranked.values())


def _speaks_for(index: Index, found: Found) -> Iterator[RuleNumber]:
    """The rules that a passage brings; a heading hands over to the first rule under it."""
    for number in found.passage.rules:
        if not is_link(index, number):
            yield number
        elif number.rule is not None:
            yield index.corpus.family(number)[1].number


def gather(index: Index, asked: Asked, vector: Vectors, wanted: Iterable[str]) -> dict[str, list[Ranked]]:
    """Every wanted signal's ranking, best first."""
    return {name: SIGNALS[name](index, asked, vector) for name in wanted if name in SIGNALS}
