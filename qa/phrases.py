"""Which phrases of our table a question uses."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from index.phrases import GAP, Phrase
from index.store import Index
from index.words import STOP, TOKEN, Words, stem

LONGEST_GAP = 6
"""So many words at most stand where a phrase has a gap."""
USED = 3
"""A word that stands in a rule, or in so many of the bank's questions, is not a misspelt one."""
COMMON = 4.0
"""A phrase that tells less than this ("dies") says little by itself: most questions use such words anyway."""
SMALLEST = 1_000
"""In a rulebook smaller than this, too, a word that hardly stands in it tells much."""

_WORD = re.compile(rf"[+\-−–]?[\dxX*]{{1,2}}/[+\-−–]?[\dxX*]{{1,2}}|{TOKEN.pattern}")  # +1/+1 and 0/0 are words here
_SAME = {"cannot": "cant"}


def stems_of(text: str) -> list[str]:
    """The stemmed words of a text, stop words too; apostrophes don't count, since players leave them out."""
    return [_stem(word) for word in _WORD.findall(text)]


def parts_of(form: str) -> tuple[tuple[str, ...], ...]:
    """The stems of a phrase's parts, between which there are gaps; forms that give the same are the same phrase."""
    return tuple(tuple(stems_of(part)) for part in form.split(GAP))


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    plain = stem(word.replace("−", "-").replace("–", "-")).replace("'", "")
    return _SAME.get(plain, plain)


@dataclass(frozen=True)
class PhraseHit:
    """A phrase found in a question.

    Attributes:
        written: how the question says it, without what stands in its gaps.
        weight: how much it tells: long phrases and rare words tell most.
    """

    phrase: Phrase
    written: str
    weight: float

    @property
    def common(self) -> bool:
        return self.weight < COMMON


@dataclass(frozen=True)
class _Form:
    """One way to say a phrase: the stems of its parts, between which there are gaps."""

    phrase: Phrase
    parts: tuple[tuple[str, ...], ...]
    weight: float

    @property
    def stems(self) -> list[str]:
        return [stem for part in self.parts for stem in part]


class PhraseFinder:
    """All phrases of an index, looked up by the stem of each that the fewest others use.

    Args:
        used: the words of the rules and, where there are any, of the bank's questions.
    """

    def __init__(self, phrases: Iterable[Phrase], used: Sequence[Words]) -> None:
        self._used = used
        split = [(phrase, parts) for phrase in phrases for form in phrase.forms if all(parts := parts_of(form))]
        shared = Counter(stem for _, parts in split for stem in {stem for part in parts for stem in part})
        weights = self._weights(shared)
        self._forms: dict[str, list[_Form]] = defaultdict(list)
        for phrase, parts in split:
            form = _Form(phrase, parts, sum(weights[stem] for part in parts for stem in part))
            self._forms[min(form.stems, key=lambda stem: (shared[stem], -len(stem)))].append(form)
        self._stems = frozenset(shared)
        self._spellings = {
            word.lower(): _stem(word)
            for phrase, _ in split
            for word in _WORD.findall(" ".join(phrase.forms))
            if len(word) >= 5 and word.isalpha()
        }
        self._spellings |= {stem: stem for stem in self._spellings.values() if len(stem) >= 5}

    def _weights(self, stems: Iterable[str]) -> dict[str, float]:
        """The rarer a word among the rules and questions, the more it tells; stop words tell next to nothing."""
        counts = {stem: sum(words.frequency(stem) for words in self._used) for stem in stems}
        most = max(SMALLEST, 1 + max(counts.values(), default=0))
        stops = {_stem(word) for word in STOP}
        return {stem: 0.1 if stem in stops else 1 + math.log(most / (1 + count)) for stem, count in counts.items()}

    def find(self, text: str, names: Sequence[tuple[int, int]] = ()) -> list[PhraseHit]:
        """The phrases in a text, the most telling first, each once; a phrase within a longer one is left out.

        Args:
            names: places of the text, from and to, that are cards' names and no phrases.
        """
        found = list(_WORD.finditer(text))
        written = ["" if any(a < m.end() and m.start() < b for a, b in names) else m[0] for m in found]
        stems = [self._read(word) for word in written]
        there = frozenset(stems)
        spans = [
            (form, place)
            for stem in there & self._forms.keys()
            for form in self._forms[stem]
            if there.issuperset(form.stems) and (place := _place(form.parts, stems))
        ]
        hits: dict[str, PhraseHit] = {}
        covered: list[frozenset[int]] = []
        for form, place in sorted(spans, key=lambda span: (-len(span[1]), -span[0].weight, span[0].phrase.phrase)):
            if form.phrase.phrase not in hits and not any(longer.issuperset(place) for longer in covered):
                hits[form.phrase.phrase] = PhraseHit(form.phrase, " ".join(written[i] for i in place), form.weight)
                covered.append(frozenset(place))
        return sorted(hits.values(), key=lambda hit: (-hit.weight, hit.phrase.phrase))

    def _read(self, word: str) -> str:
        """The stem of a word, or of the word of a phrase that it misspells."""
        stemmed = _stem(word)
        if stemmed in self._stems or len(word) < 5 or not word.isalpha():
            return stemmed
        if stemmed in self._used[0] or any(words.frequency(stemmed) >= USED for words in self._used[1:]):
            return stemmed
        return self._misspelt(word.lower()) or self._misspelt(stemmed) or stemmed  # "fizzels" has the stem "fizzel"

    def _misspelt(self, word: str) -> str:
        """The stem of the one word that a word of five letters or more misspells; empty where none is or two are as near."""
        if len(word) < 5:
            return ""
        from rapidfuzz import process
        from rapidfuzz.distance import DamerauLevenshtein

        allowed = 1 if len(word) < 8 else 2
        close = process.extract(word, self._spellings.keys(), scorer=DamerauLevenshtein.distance, score_cutoff=allowed, limit=5)
        nearest = {self._spellings[spelling] for spelling, distance, _ in close if distance == close[0][1]}
        return nearest.pop() if len(nearest) == 1 else ""


def phrases_of(index: Index) -> PhraseFinder:
    """The finder for the phrases of an index; one that was built without them has none."""
    start, end = index.ranges.get("phrase", (0, 0))
    used = [index.words[kind] for kind in ("rule", "question") if kind in index.words]
    return PhraseFinder(map(Phrase.of, index.passages[start:end]), used)


def _place(parts: Sequence[tuple[str, ...]], stems: Sequence[str]) -> tuple[int, ...]:
    """Where the parts of a phrase stand among the stems of a text: the first place at which all fit; empty if none."""
    for start in _starts(parts[0], stems, 0, len(stems)):
        place = _rest(parts, stems, start)
        if place:
            return place
    return ()


def _rest(parts: Sequence[tuple[str, ...]], stems: Sequence[str], start: int) -> tuple[int, ...]:
    end = start + len(parts[0])
    here = tuple(range(start, end))
    if len(parts) == 1:
        return here
    for following in _starts(parts[1], stems, end, end + LONGEST_GAP + 1):
        rest = _rest(parts[1:], stems, following)
        if rest:
            return here + rest
    return ()


def _starts(part: tuple[str, ...], stems: Sequence[str], first: int, last: int) -> Iterator[int]:
    size = len(part)
    for start in range(first, min(last, len(stems) - size + 1)):
        if stems[start] == part[0] and tuple(stems[start : start + size]) == part:
            yield start
