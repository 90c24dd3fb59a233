"""Search for those who know what they want: numbers, titles, exact phrases in quotes, plain words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from index.corpus import Corpus, Rule
from index.numbers import PATTERN, RuleNumber

LONGEST = 200
"""Characters of a query that are read."""
FAMILIES = 12
"""How many families are shown; a search that finds more asks for another word."""

_QUOTED = re.compile(r"[\"“”„]([^\"“”„]+)[\"“”„]?")
_STRAIGHT = str.maketrans("’‘“”", "''\"\"")


@dataclass(frozen=True)
class Query:
    """A query as it was read.

    Attributes:
        numbers: what was typed as a rule number, lower case; matched from its beginning.
        phrases: what stood in quotes, folded.
        words: the other words, folded; each must begin a word of the rule.
        text: what was typed, as far as it was read.
    """

    numbers: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    text: str = ""

    @property
    def empty(self) -> bool:
        return not (self.numbers or self.phrases or self.words)


@dataclass(frozen=True)
class Match:
    """A family in which something was found, with the rules of it that match."""

    number: RuleNumber
    title: str
    rules: tuple[Rule, ...]
    hits: frozenset[RuleNumber]


@dataclass(frozen=True)
class Found:
    """What a query found: the best families, and how many there are in all."""

    query: Query
    matches: tuple[Match, ...]
    total: int


def fold(text: str) -> str:
    """Lower case with straight quotes, of the same length as the text."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text).translate(_STRAIGHT)


def read_query(text: str) -> Query:
    """Split a query into numbers, quoted phrases and words."""
    text = text[:LONGEST]
    phrases = tuple(fold(" ".join(found.split())) for found in _QUOTED.findall(text) if found.strip())
    rest = _QUOTED.sub(" ", text)
    words = [fold(word).strip(".,;:!?") for word in re.findall(r"[^\s\"“”„]+", rest)]
    numbers = tuple(word for word in words if PATTERN.fullmatch(word))
    others = tuple(word for word in words if word and word not in numbers and word not in ("cr", "rule", "rules"))
    return Query(numbers, phrases, others, text.strip())


class Finder:
    """Searches one corpus by its letters; no index is needed, so it keeps pace with typing."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._texts = [(rule, fold("\n".join((rule.text, *rule.examples)))) for rule in corpus]
        self._titles = {rule.number: fold(f"{corpus.heading(rule.number)} {rule.title}") for rule in corpus}

    def find(self, text: str, limit: int = FAMILIES) -> Found:
        """The families that match a query, best first."""
        query = read_query(text)
        if query.empty:
            return Found(query, (), 0)
        scores: dict[RuleNumber, float] = {}
        hits: dict[RuleNumber, set[RuleNumber]] = {}
        for rule, score in self._scored(query):
            family = rule.number.family
            scores[family] = max(score, scores.get(family, 0.0))
            hits.setdefault(family, set()).add(rule.number)
        best = sorted(scores, key=lambda number: (-scores[number], number))[:limit]
        matches = tuple(Match(n, self.corpus.heading(n), self.corpus.family(n), frozenset(hits[n])) for n in best)
        return Found(query, matches, len(scores))

    def _scored(self, query: Query) -> Iterator[tuple[Rule, float]]:
        starts = [re.compile(rf"(?<![^\W_]){re.escape(word)}") for word in query.words]
        together = " ".join(query.words)
        for rule, text in self._texts:
            number = _number_score(str(rule.number), query.numbers)
            if number is None or not all(phrase in text for phrase in query.phrases):
                continue
            title = self._titles[rule.number]
            # A plain "in" is many times faster than the pattern and rules most rules out.
            if not all(word in text or word in title for word in query.words):
                continue
            if all(start.search(text) or start.search(title) for start in starts):
                yield rule, number + self._word_score(rule, text, together)

    def _word_score(self, rule: Rule, text: str, together: str) -> float:
        if not together:
            return 0.0
        heading = fold(self.corpus.heading(rule.number))
        named = 100.0 if heading == together else 40.0 if heading.startswith(together) else 10.0 if together in heading else 0.0
        return named + (5.0 if together in text else 0.0)


def _number_score(number: str, wanted: tuple[str, ...]) -> float | None:
    """How well a number fits one of those wanted; None where none fits. 702.1 fits 702.1a better than 702.19."""
    if not wanted:
        return 0.0
    fits = [1000.0 if number == want else 500.0 if _below(number, want) else 200.0 for want in wanted if number.startswith(want)]
    return max(fits, default=None)


def _below(number: str, want: str) -> bool:
    rest = number[len(want) :]
    return rest.startswith(".") or (rest.isalpha() and "." in want)
