"""Rules that are easily taken for one another, and in which words they differ."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from functools import cached_property
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from index.corpus import Corpus, Rule
from index.encoder import Vectors
from index.numbers import RuleNumber
from index.store import Index
from ui.train.twins import same_words

SIBLING = 0.05
"""So much nearer a rule of the same family counts: it stands beside the other and is read in its place."""
CANDIDATES = 24
"""So many rules that are nearest in meaning have their words compared."""
BLOCK = 512
"""So many rules are compared with all others at once; more would only take more memory."""

LITTLE = 0.25
"""Where two texts have a smaller share in common, nearly every word would be marked, and none is."""
SCATTERED = 3
"""Words that differ on both sides of a few that happen to be the same, from which on those few are marked too."""

_TOKEN = re.compile(r"\s+|\{[^{}\s]*\}|\w+(?:['’.–-]\w+)*|[^\w\s]")


@dataclass(frozen=True)
class Piece:
    """A stretch of a text.

    Attributes:
        differs: whether the other text has something else in its place.
    """

    text: str
    differs: bool


@dataclass(frozen=True)
class Compared:
    """Two texts side by side.

    Attributes:
        first, second: the pieces of each; none differs where ``marked`` is false.
        told: what can be said of the two, to follow a comma.
    """

    first: tuple[Piece, ...]
    second: tuple[Piece, ...]
    told: str

    @property
    def marked(self) -> bool:
        return any(piece.differs for piece in (*self.first, *self.second))


MARKED, LITTLE_IN_COMMON, THE_SAME = "what differs is marked", "little in common in words", "the same words"


def compared(a: str, b: str) -> Compared:
    """Two texts with what differs marked, as far as that helps to read them."""
    first, second = differences(a, b)
    both = (*first, *second)
    length = sum(len(piece.text) for piece in both)
    plain = (Piece(a, differs=False),), (Piece(b, differs=False),)
    if same_words(a, b):
        return Compared(*plain, THE_SAME)
    if sum(len(piece.text) for piece in both if not piece.differs) < LITTLE * length:
        return Compared(*plain, LITTLE_IN_COMMON)
    return Compared(tuple(first), tuple(second), MARKED)


def differences(a: str, b: str) -> tuple[list[Piece], list[Piece]]:
    """Two texts cut where they differ, by words; each side's pieces, joined, give its text back exactly."""
    first, second = _TOKEN.findall(a), _TOKEN.findall(b)
    words, others = [t for t in first if not t.isspace()], [t for t in second if not t.isspace()]
    matcher = SequenceMatcher(None, [w.casefold() for w in words], [w.casefold() for w in others], autojunk=False)
    same, same_there = set[int](), set[int]()
    for block in _telling(matcher.get_matching_blocks(), words, others):
        same.update(range(block.a, block.a + block.size))
        same_there.update(range(block.b, block.b + block.size))
    return _pieces(first, same), _pieces(second, same_there)


def _telling(blocks: Sequence[Match], words: Sequence[str], others: Sequence[str]) -> list[Match]:
    """The matches without those few words that two long differing runs happen to share: marks that they break can't be read."""
    kept = [*blocks[:-1]]  # the last is empty and says where the texts end
    end = Match(len(words), len(others), 0)

    def run(start: Match, stop: Match) -> int:
        """How many words differ between two matches, on the side that has more."""
        mine, theirs = words[start.a + start.size : stop.a], others[start.b + start.size : stop.b]
        return max(_count(mine), _count(theirs))

    def scattered(place: int) -> bool:
        here = kept[place]
        runs = run(kept[place - 1] if place else Match(0, 0, 0), here), run(here, [*kept, end][place + 1])
        size = _count(words[here.a : here.a + here.size])
        # A lone full stop at the end is nothing in common either.
        return min(runs) >= max(SCATTERED, 2 * size) if size else max(runs) >= SCATTERED

    while True:
        # The smallest goes first: without it the runs beside the others are longer.
        chosen = min((place for place in range(len(kept)) if scattered(place)), key=lambda p: kept[p].size, default=None)
        if chosen is None:
            return kept
        del kept[chosen]


def _count(tokens: Sequence[str]) -> int:
    """How many of the tokens are words."""
    return sum(token[0].isalnum() or token[0] == "{" for token in tokens)


def _pieces(tokens: Sequence[str], same: set[int]) -> list[Piece]:
    """Tokens joined where they are alike; ``same`` counts words only, space between two differing words differs too."""
    marks: list[bool | None] = []
    word = 0
    for token in tokens:
        marks.append(None if token.isspace() else word not in same)
        word += not token.isspace()
    pieces: list[Piece] = []
    for place, token in enumerate(tokens):
        mark = marks[place]
        if mark is None:
            mark = 0 < place < len(tokens) - 1 and bool(marks[place - 1]) and bool(marks[place + 1])
        if pieces and pieces[-1].differs == mark:
            pieces[-1] = Piece(pieces[-1].text + token, mark)
        else:
            pieces.append(Piece(token, mark))
    return pieces


class Likeness:
    """How alike the rules of an index are, in meaning and in words."""

    def __init__(self, index: Index) -> None:
        self._corpus: Corpus = index.corpus
        self._numbers: list[RuleNumber] = []
        self._vectors: Vectors = np.zeros((0, 1), dtype=np.float32)
        if "rule" in index.ranges:
            start, end = index.ranges["rule"]
            rows = [row for row in range(start, end) if self._counts(index.passages[row].rules)]
            self._numbers = [index.passages[row].rules[0] for row in rows]
            self._vectors = index.stored("rule")[[row - start for row in rows]]

    def _counts(self, numbers: tuple[RuleNumber, ...]) -> bool:
        rule = self._corpus.by_number.get(numbers[0]) if numbers else None
        return rule is not None and not rule.is_heading

    @cached_property
    def _rows(self) -> dict[RuleNumber, int]:
        return {number: row for row, number in enumerate(self._numbers)}

    @cached_property
    def _words(self) -> dict[RuleNumber, frozenset[str]]:
        return {rule.number: _bigrams(rule) for rule in self._corpus}

    def words(self, number: RuleNumber, other: RuleNumber) -> float:
        """How many words, and pairs of words, two rules share, 0 to 1."""
        if number not in self._words or other not in self._words:
            return 0.0
        return _shared(self._words[number], self._words[other])

    def of(self, number: RuleNumber, most: int) -> list[tuple[RuleNumber, float]]:
        """The rules most like one, with a likeness from 0 to about 1; never itself or a heading."""
        row = self._rows.get(number)
        return self._ranked(number, [] if row is None else self._near([row])[0])[:most]

    def all(self, most: int) -> Iterator[tuple[RuleNumber, list[tuple[RuleNumber, float]]]]:
        """``of`` for each rule that has a vector, in far less time than one by one."""
        for start in range(0, len(self._numbers), BLOCK):
            rows = range(start, min(start + BLOCK, len(self._numbers)))
            for row, near in zip(rows, self._near(rows), strict=True):
                yield self._numbers[row], self._ranked(self._numbers[row], near)[:most]

    def _ranked(self, number: RuleNumber, close: list[tuple[RuleNumber, float]]) -> list[tuple[RuleNumber, float]]:
        siblings = [r.number for r in self._corpus.family(number) if r.number != number and not r.is_heading]
        near = dict(close)
        scored = {other: self._score(number, other, near.get(other)) for other in dict.fromkeys([*near, *siblings])}
        return sorted(scored.items(), key=lambda item: (-item[1], item[0]))

    def _score(self, number: RuleNumber, other: RuleNumber, cosine: float | None) -> float:
        words = self.words(number, other)
        if cosine is None:
            row, there = self._rows.get(number), self._rows.get(other)
            known = row is not None and there is not None
            cosine = float(self._vectors[row] @ self._vectors[there]) if known else words
        return (cosine + words) / 2 + SIBLING * (other.family == number.family)

    def _near(self, rows: Sequence[int]) -> list[list[tuple[RuleNumber, float]]]:
        """For each row the rules that are nearest in meaning, with their cosine."""
        found = []
        for row, cosines in zip(rows, self._vectors[list(rows)] @ self._vectors.T, strict=True):
            cosines[row] = -2.0
            best = np.argpartition(-cosines, min(CANDIDATES, len(cosines) - 1))[: min(CANDIDATES, len(cosines) - 1)]
            found.append([(self._numbers[place], float(cosines[place])) for place in best if place != row])
        return found


def _bigrams(rule: Rule) -> frozenset[str]:
    words = [token.casefold() for token in _TOKEN.findall(rule.text) if token[0].isalnum() or token[0] == "{"]
    return frozenset({*words, *(f"{a} {b}" for a, b in pairwise(words))})


def _shared(a: frozenset[str], b: frozenset[str]) -> float:
    """The share of what two sets hold that both hold, 0 to 1."""
    return len(a & b) / len(a | b) if a or b else 0.0


_KNOWN: "WeakKeyDictionary[Index, Likeness]" = WeakKeyDictionary()


def likeness(index: Index) -> Likeness:
    """The likeness of an index's rules, made once for each index."""
    found = _KNOWN.get(index)
    if found is None:
        found = _KNOWN[index] = Likeness(index)
    return found


def look_alikes(index: Index, number: RuleNumber, most: int = 3) -> list[RuleNumber]:
    """The rules that are most easily taken for one: its siblings and near twins, the most alike first.

    Where the index has no vector of a rule, its siblings alone are compared, by their words.
    """
    return [other for other, _ in likeness(index).of(number, most)]
