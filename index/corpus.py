"""The types at the bottom: one parsed edition of the rules."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import PurePath
from typing import Any

from index.errors import RulesError
from index.numbers import RuleNumber


@dataclass(frozen=True)
class Section:
    """A chapter or a section with its title: ``702``, "Keyword Abilities"."""

    number: RuleNumber
    title: str


@dataclass(frozen=True)
class Rule:
    """One numbered paragraph, exactly as its source has it.

    Attributes:
        text: without the number; continuation lines follow after a newline.
        examples: the texts after "Example:", in order.
        title: the title of the section it stands in.
    """

    number: RuleNumber
    text: str
    examples: tuple[str, ...] = ()
    title: str = ""

    @property
    def is_heading(self) -> bool:
        """Whether the rule is only a name that its subrules explain ("702.19. Trample")."""
        return not self.number.letter and len(self.text) < 80 and self.text[-1:] not in (".", ")", ":", "”", '"')


@dataclass(frozen=True)
class GlossaryEntry:
    """A glossary term and its definition; numbered senses stay on lines of their own."""

    term: str
    text: str


@dataclass(frozen=True)
class Source:
    """Where a corpus came from.

    Attributes:
        kind: ``file``, ``official``, ``dataset`` or ``digest``.
        where: the path or address.
        sha256: of the bytes that were read.
        fetched: when the text was brought here, ISO 8601 in UTC; empty for a file that was given.
        notice: what a user must know about it ("not yet in force", "digest: our own wording"); may be empty.
    """

    kind: str
    where: str = ""
    sha256: str = ""
    fetched: str = ""
    notice: str = ""

    @property
    def public(self) -> "Source":
        """The same without the folders of this computer: of a file only its name."""
        return self if "://" in self.where or self.kind == "dataset" else replace(self, where=PurePath(self.where).name)


@dataclass(frozen=True)
class Corpus:
    """One parsed edition.

    Attributes:
        edition: the day from which the rules are effective; None where the source does not say.
        source: where it came from.
        rules: in the order of the text; each number once.
        sections: chapters and sections in the order of the text.
        glossary: in the order of the text.
    """

    edition: date | None
    source: Source
    rules: tuple[Rule, ...]
    sections: tuple[Section, ...] = ()
    glossary: tuple[GlossaryEntry, ...] = ()

    @cached_property
    def by_number(self) -> dict[RuleNumber, Rule]:
        return {rule.number: rule for rule in self.rules}

    @cached_property
    def titles(self) -> dict[RuleNumber, str]:
        return {section.number: section.title for section in self.sections}

    @cached_property
    def _families(self) -> dict[RuleNumber, tuple[Rule, ...]]:
        families: dict[RuleNumber, list[Rule]] = {}
        for rule in self.rules:
            families.setdefault(rule.number.family, []).append(rule)
        return {number: tuple(rules) for number, rules in families.items()}

    @cached_property
    def _sections(self) -> dict[RuleNumber, tuple[Rule, ...]]:
        sections: dict[RuleNumber, list[Rule]] = {}
        for rule in self.rules:
            sections.setdefault(rule.number.head, []).append(rule)
        return {number: tuple(rules) for number, rules in sections.items()}

    def __contains__(self, number: RuleNumber) -> bool:
        return number in self.by_number or number in self.titles

    def rule(self, number: RuleNumber) -> Rule:
        """The rule with this number.

        Raises:
            RulesError: the edition has no such rule; names the nearest that it has.
        """
        found = self.by_number.get(number)
        if found is None:
            near = self._nearest(number)
            hint = f"; the nearest is {near}" if near else ""
            raise RulesError(f"this edition ({self.name}) has no rule {number}{hint}")
        return found

    def _nearest(self, number: RuleNumber) -> RuleNumber | None:
        typed = RuleNumber(number.section, number.rule, number.letter[:1])
        if typed in self.by_number and not any(rule.number.letter[:-1] == typed.letter for rule in self.family(number)):
            return typed  # 704.5fg is 704.5f with a letter too many, and not what follows 704.5z
        for level in (number.family, number.head):
            inside = [rule.number for rule in self.rules if level.contains(rule.number)]
            if inside:
                return max((other for other in inside if other < number), default=inside[0])
        return None

    def family(self, number: RuleNumber) -> tuple[Rule, ...]:
        """A rule with all its subrules, in order; empty where there is none."""
        return self._families.get(number.family, ())

    def under(self, number: RuleNumber) -> tuple[Rule, ...]:
        """All rules at or below a chapter, section, rule or subrule, in order."""
        if number.letter:
            return (self.by_number[number],) if number in self.by_number else ()
        if number.rule is not None:
            return self.family(number)
        if number.section >= 10:
            return self._sections.get(number, ())
        return tuple(rule for rule in self.rules if rule.number.chapter == number)

    def heading(self, number: RuleNumber) -> str:
        """What names the rule: its family's heading ("Trample") or else its section's title."""
        family = self.by_number.get(number.family)
        if number.rule is not None and family is not None and family.is_heading:
            return family.text
        return self.titles.get(number.head, "")

    @property
    def name(self) -> str:
        """The edition as people say it: ``2026-04-17``, or "undated"."""
        return self.edition.isoformat() if self.edition else "undated"

    def with_source(self, source: Source) -> "Corpus":
        return replace(self, source=source)

    def to_json(self) -> dict[str, Any]:
        """A JSON object that ``from_json`` reads back unchanged."""
        return {
            "edition": self.edition.isoformat() if self.edition else None,
            "source": asdict(self.source),
            "rules": [[str(r.number), r.text, list(r.examples), r.title] for r in self.rules],
            "sections": [[str(s.number), s.title] for s in self.sections],
            "glossary": [[g.term, g.text] for g in self.glossary],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Corpus":
        """Read what ``to_json`` wrote."""
        return cls(
            edition=date.fromisoformat(data["edition"]) if data["edition"] else None,
            source=Source(**data["source"]),
            rules=tuple(Rule(RuleNumber.parse(n), t, tuple(e), h) for n, t, e, h in data["rules"]),
            sections=tuple(Section(RuleNumber.parse(n), t) for n, t in data["sections"]),
            glossary=tuple(GlossaryEntry(t, x) for t, x in data["glossary"]),
        )

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)
