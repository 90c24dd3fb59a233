"""What each rule cites, and what cites it."""

import re
from dataclasses import dataclass
from functools import cached_property

from index.corpus import Corpus
from index.numbers import RuleNumber, complete

_DOTTED = r"[1-9]\d{2}\.\d{1,3}[a-z]{0,2}"
# A range: "510.1c–d", "119.7-8", "409.1a–409.1f", "601.2a through 601.2d".
_RANGE = rf"(?:[–-](?P<tail>{_DOTTED}|\d{{1,3}}|[a-z]{{1,2}})\b|\s(?:through|to)\s(?P<far>{_DOTTED})\b)"
_RANGE_ANY = re.sub(r"\?P<\w+>", "?:", _RANGE)
_DOTTED_ITEM = rf"{_DOTTED}\b{_RANGE_ANY}?"
_SECTION = r"[1-9](?:\d{2})?\b(?!\.\d)"
_ITEM = rf"(?:{_DOTTED_ITEM}|{_SECTION}(?:[–-]{_SECTION})?)"
_JOIN = r"(?:\s*,\s*(?:and|or)\s+|\s*,\s*|\s+(?:and|or)\s+)"
# "rules 601.2b and 601.2f–h", "rules 608.3a and b", "section 6": whole sections count only after one of these words.
_LISTED = re.compile(
    rf"\b(?P<word>rules?|sections?)\s+(?P<list>{_ITEM}(?:{_JOIN}(?:rules?\s+|sections?\s+)?(?:{_ITEM}|[b-z]\b(?=[\s,.)])))*)",
    re.IGNORECASE,
)
_BARE = re.compile(_DOTTED_ITEM)
_PART = re.compile(rf"(?P<first>{_DOTTED}|[1-9](?:\d{{2}})?\b)(?:{_RANGE})?|(?<=\s)(?P<letter>[b-z])\b")


@dataclass(frozen=True)
class Mention:
    """A place in a text that cites: ``text[start:end]`` names ``first``, or the range from ``first`` to ``last``."""

    start: int
    end: int
    first: RuleNumber
    last: RuleNumber | None = None


def mentions(text: str) -> list[Mention]:
    """All citations in a text, in order; "rules 601.2b and 601.2f–h" gives two."""
    found: dict[int, Mention] = {}
    for listed in _LISTED.finditer(text):
        before: RuleNumber | None = None
        for part in _PART.finditer(text, *listed.span("list")):
            mention = _mention(part, before)
            if mention is None:
                continue
            # "rule 702, 3 creatures": a lone digit is a chapter only after "section".
            named = listed["word"] + text[listed.start("list") : part.start()]
            if mention.first.section >= 100 or "section" in named.lower():
                found[mention.start] = mention
                before = mention.last or mention.first
    for bare in _BARE.finditer(text):
        part_match = _PART.match(text, bare.start())
        if part_match and bare.start() not in found and text[bare.start() - 1 : bare.start()] not in (".", "$"):
            mention = _mention(part_match, None)
            assert mention is not None  # a bare item is never a lone letter
            found[bare.start()] = mention
    return [found[start] for start in sorted(found)]


def _mention(part: re.Match[str], before: RuleNumber | None) -> Mention | None:
    """One item of a list; ``before`` is the item that a lone letter continues ("608.3a and b")."""
    if part["letter"]:
        lettered = complete(before, part["letter"]) if before else None
        return Mention(part.start(), part.end(), lettered) if lettered else None
    first = RuleNumber.parse(part["first"])
    tail = part["tail"] or part["far"]
    last = complete(first, tail) if tail else None
    if last is None or last <= first:
        return Mention(part.start(), part.end("first"), first)
    return Mention(part.start(), part.end(), first, last)


def covered(mention: Mention, corpus: Corpus) -> list[RuleNumber]:
    """The numbers that a citation names in this edition: of a range, all from first to last at its level."""
    if mention.last is None:
        return [mention.first] if mention.first in corpus else []
    first, last = mention.first, mention.last
    if first.rule is None:
        return [n for n in corpus.titles if first <= n <= last and (n.section >= 10) == (first.section >= 10)]
    inside = corpus.family(first) if first.letter else corpus.under(first.head)
    return [r.number for r in inside if first <= r.number <= last and bool(r.number.letter) == bool(first.letter)]


class Citations:
    """The citation graph of a corpus; nodes are rules, sections and chapters.

    A rule's examples cite for it. Numbers that the edition lacks are kept apart in ``dangling``.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._cites: dict[RuleNumber, tuple[RuleNumber, ...]] = {}
        self.dangling: dict[RuleNumber, tuple[RuleNumber, ...]] = {}
        for rule in corpus:
            found = [m for text in (rule.text, *rule.examples) for m in mentions(text)]
            targets = [number for mention in found for number in covered(mention, corpus)]
            self._cites[rule.number] = tuple(dict.fromkeys(n for n in targets if n != rule.number))
            missing = tuple(m.first for m in found if not covered(m, corpus))
            if missing:
                self.dangling[rule.number] = missing

    def cites(self, number: RuleNumber) -> tuple[RuleNumber, ...]:
        """The numbers that a rule cites, in the order of its text."""
        return self._cites.get(number, ())

    @cached_property
    def _cited_by(self) -> dict[RuleNumber, tuple[RuleNumber, ...]]:
        reverse: dict[RuleNumber, list[RuleNumber]] = {}
        for source, targets in self._cites.items():
            for target in targets:
                reverse.setdefault(target, []).append(source)
        return {target: tuple(sources) for target, sources in reverse.items()}

    def cited_by(self, number: RuleNumber) -> tuple[RuleNumber, ...]:
        """The rules that cite this number itself, in the order of the text."""
        return self._cited_by.get(number, ())

    @property
    def edges(self) -> list[tuple[RuleNumber, RuleNumber]]:
        """All (citing, cited) pairs."""
        return [(source, target) for source, targets in self._cites.items() for target in targets]
