"""What a deep link names: a rule, a family, a section, a chapter, or a range of them."""

import re
from dataclasses import dataclass
from functools import cached_property

from index.citations import Mention, covered
from index.corpus import Corpus, Rule
from index.errors import RulesError
from index.numbers import RuleNumber, complete

LONGEST = 40
"""Characters of a link that are read; a longer one names no rule."""

_RANGE = re.compile(r"\s*(?:[–—‐‑-]|\.\.|\bto\b|\bthrough\b)\s*")


@dataclass(frozen=True)
class Place:
    """A part of the rulebook that can be shown.

    Attributes:
        kind: ``rule``, ``family``, ``section``, ``chapter`` or ``range``.
        last: the end of a range; None for everything else.
        rules: what is in it, in order.
    """

    kind: str
    number: RuleNumber
    title: str
    rules: tuple[Rule, ...]
    last: RuleNumber | None = None

    @property
    def name(self) -> str:
        return f"{self.number}–{self.last}" if self.last else str(self.number)


class Places:
    """Finds places in one corpus, and what comes before and after them."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def find(self, text: str) -> Place:
        """The place that a link or a user names: ``702.19b``, ``CR 702``, ``510.1c-d``.

        Raises:
            RulesError: it is no rule number, or this edition lacks it; names the nearest.
        """
        parts = _RANGE.split(text.strip()[:LONGEST], maxsplit=1)
        first = RuleNumber.parse(parts[0] if parts[0] and len(text.strip()) <= LONGEST else text)
        if len(parts) == 1:
            return self.at(first)
        last = complete(first, parts[1].strip().lower())
        if last is None or last <= first or not _same_level(first, last):
            raise RulesError(f"{text.strip()[:LONGEST]!r} is not a range of rules; write it like 510.1c-d or 119.7-8")
        return self._range(first, last)

    def cited(self, text: str) -> Place:
        """The place that a citation names; of a range, both ends must be in this edition.

        Raises:
            RulesError: it is no rule number, or this edition lacks it; names the nearest.
        """
        place = self.find(text)
        for end in (place.number, place.last) if place.last else ():
            self.at(end)
        return place

    def at(self, number: RuleNumber) -> Place:
        """The place with this number.

        Raises:
            RulesError: this edition lacks it; names the nearest.
        """
        rules = self.corpus.under(number)
        if number not in self.corpus and not rules:
            self.corpus.rule(number)  # raises, naming the nearest
        if number.rule is None:
            kind = "chapter" if number.section < 10 else "section"
        else:
            kind = "family" if not number.letter and len(rules) > 1 else "rule"
        return Place(kind, number, self.title(number), rules)

    def title(self, number: RuleNumber) -> str:
        return self.corpus.titles.get(number) or self.corpus.heading(number)

    def _range(self, first: RuleNumber, last: RuleNumber) -> Place:
        numbers = covered(Mention(0, 0, first, last), self.corpus)
        rules = tuple(rule for number in numbers for rule in self.corpus.under(number))
        if not rules:
            raise RulesError(f"this edition ({self.corpus.name}) has no rules from {first} to {last}")
        return Place("range", first, self.title(first), rules, last)

    @cached_property
    def _orders(self) -> dict[str, list[RuleNumber]]:
        numbers = [rule.number for rule in self.corpus]
        sections = [section.number for section in self.corpus.sections]
        return {
            "rule": numbers,
            "family": list(dict.fromkeys(number.family for number in numbers)),
            "section": [number for number in sections if number.section >= 10],
            "chapter": [number for number in sections if number.section < 10],
        }

    @cached_property
    def _positions(self) -> dict[str, dict[RuleNumber, int]]:
        return {kind: {number: i for i, number in enumerate(order)} for kind, order in self._orders.items()}

    def beside(self, place: Place) -> tuple[RuleNumber | None, RuleNumber | None]:
        """What comes before and after a place, of its own kind; None at an end."""
        kind = place.kind
        if kind == "range":
            kind = "rule" if place.number.letter else "family" if place.number.rule is not None else "section"
        order, positions = self._orders[kind], self._positions[kind]
        start = positions.get(place.number)
        end = positions.get(place.last or place.number)
        before = order[start - 1] if start else None
        after = order[end + 1] if end is not None and end + 1 < len(order) else None
        return before, after

    def parents(self, number: RuleNumber) -> list[RuleNumber]:
        """The way down to a number: 7, 702, 702.19 for 702.19b."""
        way: list[RuleNumber] = []
        step = number.parent
        while step is not None:
            way.insert(0, step)
            step = step.parent
        return way


def _same_level(first: RuleNumber, last: RuleNumber) -> bool:
    """Whether two numbers can span a range: two sections, two rules of a section, or two subrules of a rule."""
    if first.letter or last.letter:
        return bool(first.letter and last.letter) and first.family == last.family
    return (first.rule is None) == (last.rule is None) and (first.rule is None or first.section == last.section)
