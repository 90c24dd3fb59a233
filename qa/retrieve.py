"""Gather candidate rules: each signal ranks rules on its own; ``qa.rank`` fuses them."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

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
SHORT = 15
"""So few characters are no sentence."""
_SENTENCE = re.compile(r"(?<=[.!?”\"])\s+")
POINTED = 4
"""How many rules the phrases of a question bring; of those after these, fewer than one in twenty decided the bank's questions."""


@dataclass(frozen=True)
class Ranked:
    """A rule in one signal's ranking; ``via`` names what the signal found it by, ``score`` is what it measured."""

    number: RuleNumber
    via: str = ""
    score: float = 0.0


@dataclass(frozen=True)
class Search:
    """A question on its way through the signals; each text is encoded once, when it is first needed."""

    index: Index
    asked: Asked
    _found: dict[tuple[str, int], list[Found]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def vector(self) -> Vectors:
        return self.index.encoder.encode([self.asked.text]).reshape(-1)

    @cached_property
    def end(self) -> str:
        """The last sentence, which says what is asked or what came of it; empty where there is only one."""
        sentences = [sentence for sentence in _SENTENCE.split(self.asked.text) if len(sentence) > SHORT]
        return sentences[-1] if len(sentences) > 1 else ""

    @cached_property
    def end_vector(self) -> Vectors:
        return self.index.encoder.encode([self.end]).reshape(-1)

    def nearest(self, kind: str, k: int) -> list[Found]:
        """The passages of a kind that are nearest in meaning."""
        if (kind, k) not in self._found:  # several signals look at the same neighbours
            self._found[kind, k] = self.index.nearest(self.vector, kind, k)
        return self._found[kind, k]

    def matching(self, kind: str, k: int, oracle: bool = False) -> list[Found]:
        """The passages of a kind that share words with the question; with ``oracle``, with its cards' texts too."""
        return self.index.matching(self.asked.with_oracle if oracle else self.asked.text, kind, k)


Signal = Callable[[Search], list[Ranked]]
Find = Callable[[Search], list[Found]]


def by_meaning(kind: str) -> Find:
    return lambda search: search.nearest(kind, NEIGHBOURS if kind == "question" else DEPTH)


def by_end(kind: str) -> Find:
    """By the meaning of the last sentence alone."""
    return lambda search: search.index.nearest(search.end_vector, kind, DEPTH) if search.end else []


def by_words(kind: str, oracle: bool = False) -> Find:
    return lambda search: search.matching(kind, NEIGHBOURS if kind == "question" else DEPTH, oracle)


def rules_of(find: Find) -> Signal:
    """The rules that the passages found speak for, in their order."""

    def signal(search: Search) -> list[Ranked]:
        ranked: dict[RuleNumber, Ranked] = {}
        for found in find(search):
            for number in _speaks_for(search.index, found):
                ranked.setdefault(number, Ranked(number, found.passage.label, found.score))
        return list(ranked.values())

    return signal


def decided_alike(find: Find) -> Signal:
    """The rules that decide the bank's questions found; near questions and decisive rules count most."""

    def signal(search: Search) -> list[Ranked]:
        scores: dict[RuleNumber, float] = {}
        first: dict[RuleNumber, Found] = {}
        for rank, found in enumerate(find(search)):
            for place, number in enumerate(found.passage.rules):
                scores[number] = scores.get(number, 0.0) + (1.0 if place == 0 else OTHERS) / (SOFT + rank)
                first.setdefault(number, found)
        order = sorted(scores, key=lambda number: (-scores[number], number))
        return [Ranked(number, first[number].passage.label, first[number].score) for number in order]

    return signal


def by_term(search: Search) -> list[Ranked]:
    """The families of the keywords and rarer glossary terms that the question names; within one, by meaning."""
    heads = [(number, hit.term.name) for hit in search.asked.terms if not hit.term.common for number in hit.term.rules]
    wanted = {number.family: name for number, name in heads if number.rule is not None}
    if not wanted:
        return []
    near = [found.passage.rules[0] for found in search.nearest("rule", DEPTH)]
    # Of a family's rules, those near in meaning lead; the others follow as they stand in the rulebook.
    order = dict.fromkeys([*near, *(rule.number for family in wanted for rule in search.index.corpus.family(family))])
    return [Ranked(n, wanted[n.family]) for n in order if n.family in wanted and not is_link(search.index, n)]


def by_phrase(search: Search) -> list[Ranked]:
    """The rules that the phrases of the question point at: the most telling phrase's first, and those of several phrases."""
    scores: dict[RuleNumber, float] = {}
    first: dict[RuleNumber, str] = {}
    for hit in search.asked.phrases:
        for place, number in enumerate(hit.phrase.rules if not hit.common else ()):
            if not is_link(search.index, number):
                scores[number] = scores.get(number, 0.0) + hit.weight / (2 + place)
                first.setdefault(number, hit.phrase.phrase)
    order = sorted(scores, key=lambda number: (-scores[number], number))[:POINTED]
    return [Ranked(number, first[number]) for number in order]


def with_cards(signal: Signal) -> Signal:
    """A signal that has something to say only where the question names cards whose texts are known."""
    return lambda search: signal(search) if search.asked.with_oracle else []


SIGNALS: dict[str, Signal] = {
    "meaning-rule": rules_of(by_meaning("rule")),
    "meaning-end": rules_of(by_end("rule")),
    "meaning-example": rules_of(by_meaning("example")),
    "meaning-glossary": rules_of(by_meaning("glossary")),
    "meaning-question": decided_alike(by_meaning("question")),
    "words-rule": rules_of(by_words("rule")),
    "words-example": rules_of(by_words("example")),
    "words-glossary": rules_of(by_words("glossary")),
    "words-question": decided_alike(by_words("question")),
    "cards-words-rule": with_cards(rules_of(by_words("rule", oracle=True))),
    "cards-words-question": with_cards(decided_alike(by_words("question", oracle=True))),
    "term": by_term,
    "phrase": by_phrase,
}


def is_link(index: Index, number: RuleNumber) -> bool:
    """Whether a number is no answer by itself: a section, or a heading whose subrules say it all."""
    rule = index.corpus.by_number.get(number)
    return rule is None or (rule.is_heading and len(index.corpus.family(number)) > 1)


def _speaks_for(index: Index, found: Found) -> Iterator[RuleNumber]:
    """The rules that a passage brings; a heading hands over to the first rule under it."""
    for number in found.passage.rules:
        if not is_link(index, number):
            yield number
        elif number.rule is not None:
            yield index.corpus.family(number)[1].number


def gather(search: Search, wanted: Iterable[str]) -> dict[str, list[Ranked]]:
    """Every wanted signal's ranking, best first."""
    return {name: SIGNALS[name](search) for name in wanted if name in SIGNALS}
