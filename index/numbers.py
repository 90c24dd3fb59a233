"""Rule numbers of the Comprehensive Rules: ``7``, ``702``, ``702.19``, ``702.19b``."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache, total_ordering

from index.errors import RulesError

LETTERS = "abcdefghijkmnpqrstuvwxyz"
"""The letters of subrules: the rulebook leaves out ``l`` and ``o``, which look like digits."""

PATTERN = re.compile(r"(?P<section>[1-9][0-9]{2}|[1-9])(?:\.(?P<rule>[0-9]{1,3})(?P<letter>[a-z]{0,2}))?")


@total_ordering
@dataclass(frozen=True)
class RuleNumber:
    """A chapter (``7``), a section (``702``), a rule (``702.19``) or a subrule (``702.19b``).

    Ordered as the rulebook orders them: 110.2 before 110.10, a rule before its subrules, ``z`` before ``aa``.

    Attributes:
        section: 1–9 for a chapter, 100–999 for a section or anything in it.
        rule: the number after the dot; None for a chapter or section.
        letter: the subrule's letters; empty for a rule.
    """

    section: int
    rule: int | None = None
    letter: str = ""

    @classmethod
    def parse(cls, text: str) -> "RuleNumber":
        """Read a number as people write it: ``702.19B``, ``CR 702.19b.``, ``rule 702``.

        Raises:
            RulesError: the text is not a rule number.
        """
        return _parse(text)

    def __str__(self) -> str:
        return f"{self.section}" if self.rule is None else f"{self.section}.{self.rule}{self.letter}"

    def __lt__(self, other: "RuleNumber") -> bool:
        return self._key < other._key

    @cached_property
    def _key(self) -> tuple[int, int, int, int, str]:
        # A chapter sorts just before its sections (7 before 700), as in the table of contents.
        start = self.section * 100 if self.section < 10 else self.section
        return start, self.section >= 10, -1 if self.rule is None else self.rule, len(self.letter), self.letter

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Numbers are dictionary keys everywhere; hashing three fields anew each time is a tenth of an answer.
        return hash((self.section, self.rule, self.letter))

    @cached_property
    def chapter(self) -> "RuleNumber":
        return RuleNumber(int(str(self.section)[0]))

    @cached_property
    def head(self) -> "RuleNumber":
        """The section that a number stands in; a chapter is its own head."""
        return RuleNumber(self.section)

    @cached_property
    def family(self) -> "RuleNumber":
        """The rule without its letter: what 702.19, 702.19a and 702.19b share."""
        return RuleNumber(self.section, self.rule)

    @property
    def parent(self) -> "RuleNumber | None":
        """The number one level up: 702.19b → 702.19 → 702 → 7 → None."""
        if self.letter:
            return self.family
        if self.rule is not None:
            return self.head
        return self.chapter if self.section >= 10 else None

    def contains(self, other: "RuleNumber") -> bool:
        """Whether ``other`` is this number or lies below it."""
        step: RuleNumber | None = other
        while step is not None and step != self:
            step = step.parent
        return step is not None


@lru_cache(maxsize=20_000)  # an index names the same few thousand numbers again and again
def _parse(text: str) -> RuleNumber:
    cleaned = re.sub(r"^(?:cr|rules?|section|chapter)\b\.?\s*", "", text.strip().lower()).rstrip(". ")
    match = PATTERN.fullmatch(cleaned)
    if match is None or (len(match["section"]) == 1 and match["rule"]):
        raise RulesError(f"{text.strip()[:40]!r} is not a rule number; write it like 702, 702.19 or 702.19b")
    return RuleNumber(int(match["section"]), int(match["rule"]) if match["rule"] else None, match["letter"] or "")


def next_letter(letter: str) -> str:
    """The letter that the rulebook would give the next subrule: ``k`` → ``m``, ``z`` → ``aa``."""
    if not letter:
        return "a"
    head, last = letter[:-1], letter[-1]
    following = next((other for other in LETTERS if other > last), None)
    return head + following if following else next_letter(head) + "a"


def follows(new: RuleNumber, last: RuleNumber | None) -> bool:
    """Whether ``new`` may come straight after ``last`` in a rulebook without a gap."""
    if last is None or new.section != last.section:
        return new.rule in (0, 1) and not new.letter
    if new.letter:
        return new.family == last.family and new.letter == next_letter(last.letter)
    return new.rule == (last.rule or 0) + 1


def complete(first: RuleNumber, tail: str) -> RuleNumber | None:
    """Read the end of a range or list that leaves out what it shares with its start.

    ``d`` after 510.1c is 510.1d, ``8`` after 119.7 is 119.8, ``409.1f`` after 409.1a is itself.

    Returns:
        The number meant, or None where the tail does not continue the start (``8`` after 510.1c).
    """
    tail = tail.lower()
    if "." in tail:
        return RuleNumber.parse(tail)
    if tail.isalpha() and first.letter:
        return RuleNumber(first.section, first.rule, tail)
    if tail.isdigit() and first.rule is not None and not first.letter:
        return RuleNumber(first.section, int(tail))
    if tail.isdigit() and first.rule is None and len(tail) == len(str(first.section)):
        return RuleNumber(int(tail))
    return None
