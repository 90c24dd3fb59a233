"""The rulebook's own terms, and which of them a question names."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from index.corpus import Corpus, GlossaryEntry
from index.numbers import RuleNumber
from index.passages import glossary_rules
from index.words import TOKEN, Words, stem

COMMON = 0.03
"""A term whose rarest word stands in more than this share of all rules ("player", "cast") says little by itself."""
RARE = 10
"""But a word in no more rules than this is rare in a rulebook of any size."""


@dataclass(frozen=True)
class Term:
    """A keyword or glossary term.

    Attributes:
        rules: the rules that explain it, the most specific first.
        entry: its glossary entry, if it has one.
        common: whether it is a word that most questions use anyway.
        keyword: whether it heads a family of its own ("702.19. Trample").
    """

    name: str
    rules: tuple[RuleNumber, ...]
    entry: GlossaryEntry | None = None
    common: bool = False
    keyword: bool = False


@dataclass(frozen=True)
class TermHit:
    """A term found in a question; ``written`` is how the question spells it."""

    term: Term
    written: str

    @property
    def exact(self) -> bool:
        return _stems(self.written) == _stems(self.term.name)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in TOKEN.findall(text))


class Lexicon:
    """All terms of a corpus, looked up by their stemmed words."""

    def __init__(self, corpus: Corpus, words: Words) -> None:
        self._words = words
        self._size = max(1, len(corpus.rules))
        self._terms: dict[tuple[str, ...], Term] = {}
        for rule in corpus:
            if rule.is_heading:
                for name in re.split(r",? and |, ", rule.text):
                    self._add(Term(name, (rule.number,), keyword=True))
        for entry in corpus.glossary:
            for name in _names(entry.term):
                self._add(Term(name, glossary_rules(corpus, entry.text), entry))
        self._longest = max((len(stems) for stems in self._terms), default=0)
        self._single = {term.name.lower(): term for stems, term in self._terms.items() if len(stems) == 1}

    def _add(self, new: Term) -> None:
        stems = _stems(new.name)
        if not stems:
            return
        old = self._terms.get(stems, new)
        common = min(self._words.frequency(s) for s in stems) > max(COMMON * self._size, RARE)
        # The family that a keyword heads explains it better than what else its glossary entry cites.
        rules = tuple(dict.fromkeys((*old.rules, *new.rules)))
        self._terms[stems] = Term(old.name, rules, old.entry or new.entry, common, old.keyword or new.keyword)

    def __len__(self) -> int:
        return len(self._terms)

    def find(self, text: str) -> list[TermHit]:
        """The terms in a text, longest first at each place, each once; misspelt single words are matched too."""
        written = TOKEN.findall(text)
        stems = [stem(word) for word in written]
        found: dict[str, TermHit] = {}
        place = 0
        while place < len(stems):
            length, term = self._at(stems, place)
            if term is None:
                term = self._misspelt(written[place], stems[place])
            if term is not None:
                found.setdefault(term.name, TermHit(term, " ".join(written[place : place + length])))
            place += length
        return list(found.values())

    def _at(self, stems: Sequence[str], place: int) -> tuple[int, Term | None]:
        for length in range(min(self._longest, len(stems) - place), 0, -1):
            term = self._terms.get(tuple(stems[place : place + length]))
            if term is not None:
                return length, term
        return 1, None

    def _misspelt(self, word: str, stemmed: str) -> Term | None:
        """The one term that a word of five letters or more misspells; None if it is a word that the rules use."""
        if len(word) < 5 or not word.isalpha() or stemmed in self._words:
            return None
        from rapidfuzz import process
        from rapidfuzz.distance import DamerauLevenshtein

        allowed = 1 if len(word) < 8 else 2
        close = process.extract(
            word.lower(), self._single.keys(), scorer=DamerauLevenshtein.distance, score_cutoff=allowed, limit=2
        )
        if not close or (len(close) > 1 and close[1][1] == close[0][1]):
            return None  # two terms are equally near: no guess
        return self._single[close[0][0]]


def _names(term: str) -> Iterable[str]:
    """The spellings in a glossary heading: "Tap, Untap" → both; remarks in brackets are left out."""
    plain = re.sub(r"\s*\([^)]*\)", "", term)
    return [name for name in re.split(r",\s+", plain) if name]
