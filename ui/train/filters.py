"""Which questions are wanted. Imports nothing heavy: the command lines read it before they know what is asked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from index.errors import RulesError

KINDS = ("definition", "interaction", "timing", "procedure", "variant")
LEVELS = (1, 2, 3)


@dataclass(frozen=True)
class Filters:
    """Which questions are wanted; what is left empty (None) is not asked about.

    Attributes:
        chapters: of the decisive rule, 1–9.
        sections: of the decisive rule, 100–999.
        keyword: the heading of a keyword's family, in any case: "Trample".
        commander: whether the question is about Commander.
        cards: whether the question names cards.
    """

    levels: frozenset[int] = frozenset()
    kinds: frozenset[str] = frozenset()
    chapters: frozenset[int] = frozenset()
    keyword: str = ""
    commander: bool | None = None
    cards: bool | None = None
    sections: frozenset[int] = frozenset()

    def __str__(self) -> str:
        return ", ".join(self.left_out()) or "all questions"

    def left_out(self) -> "dict[str, Filters]":
        """By each filter that is set, as people say it ("level 2"): the filters without it."""
        less = {
            f"level {_listed(self.levels)}": "levels",
            f"kind {_listed(self.kinds)}": "kinds",
            f"chapter {_listed(self.chapters)}": "chapters",
            f"section {_listed(self.sections)}": "sections",
            f"keyword {self.keyword}": "keyword",
            "Commander" if self.commander else "not Commander": "commander",
            "with cards" if self.cards else "without cards": "cards",
        }
        empty: dict[str, Any] = {field.name: field.default for field in fields(self)}
        return {said: replace(self, **{name: empty[name]}) for said, name in less.items() if getattr(self, name) != empty[name]}

    def to_json(self) -> dict[str, Any]:
        """A JSON object that ``from_json`` reads back unchanged."""
        return {
            "levels": sorted(self.levels),
            "kinds": sorted(self.kinds),
            "chapters": sorted(self.chapters),
            "sections": sorted(self.sections),
            "keyword": self.keyword,
            "commander": self.commander,
            "cards": self.cards,
        }

    @classmethod
    def from_json(cls, row: object) -> "Filters":
        """Read filters from anywhere; what is missing is empty.

        Raises:
            RulesError: some filter is unknown or has a value that can't be.
        """
        if not isinstance(row, dict):
            raise RulesError('filters must be a JSON object, for example {"levels": [2]}')
        unknown = sorted(str(name)[:40] for name in row.keys() - {field.name for field in fields(cls)})
        if unknown:
            raise RulesError(f"there is no filter {unknown[0]!r}; use {', '.join(field.name for field in fields(cls))}")
        keyword = row.get("keyword") or ""
        if not isinstance(keyword, str) or len(keyword) > 80:
            raise RulesError("the filter keyword must be a keyword's name, for example Trample")
        return cls(
            levels=frozenset(_among(row, "levels", LEVELS)),
            kinds=frozenset(_among(row, "kinds", KINDS)),
            chapters=frozenset(_among(row, "chapters", range(1, 10))),
            sections=frozenset(_among(row, "sections", range(100, 1000))),
            keyword=" ".join(keyword.split()),
            commander=_whether(row, "commander"),
            cards=_whether(row, "cards"),
        )


EVERYTHING = Filters()


def _listed(values: Iterable[object]) -> str:
    return " or ".join(sorted(str(value) for value in values))


def _among(row: dict[str, Any], name: str, allowed: Sequence[Any]) -> list[Any]:
    values = row.get(name) or []
    # bool is an int, and True would pass for level 1
    good = isinstance(values, list | tuple) and all(type(v) is type(allowed[0]) and v in allowed for v in values)
    if not good:
        raise RulesError(f"the filter {name} must be a list of {_range(allowed)}")
    return list(values)


def _range(allowed: Sequence[Any]) -> str:
    return f"{allowed[0]} to {allowed[-1]}" if isinstance(allowed, range) else ", ".join(str(value) for value in allowed)


def _whether(row: dict[str, Any], name: str) -> bool | None:
    value = row.get(name)
    if value is not None and not isinstance(value, bool):
        raise RulesError(f"the filter {name} must be true, false or null")
    return value
