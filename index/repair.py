"""Repair the rows of a rules data set, and name each row that was repaired or refused.

Such data sets come from a parser that mistakes some lines: an example that mentions "rule 704.5a" becomes a second
rule 704.5a, rows are sorted as strings (110.10 before 110.2), headings lose their text.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from index.corpus import Rule, Section
from index.errors import RulesError
from index.numbers import RuleNumber
from index.parse import EXAMPLE

FIELDS = ("number", "text", "examples")
MAX_TEXT = 20_000
"""Characters; the longest paragraph of any edition has under 3,000."""

# How examples talk and rules seldom do. Measured on 23 editions: this holds for 70 % of the examples, 3 % of the rules.
LIKE_EXAMPLE = re.compile(
    r"^You (?:control|cast|have|attack|own|draw|put|activate|discard)\b"
    r"|\b(?:says?|reads?|states?|has)(?:, in part)?,? [“\"]"
    r"|^(?:An?|The|One|Two|Three) (?:player|opponent|creature|permanent|card|spell|effect)s? "
    r"(?:controls?|casts?|has|have|attacks?|with|is|activates|taps|blocks|sacrifices)\b"
    r"|\b(?:Alex|Rob|Carissa|Nicole)\b"
)


PLAINLY_ODD = 3
"""The oddity from which a text can't be a rule: labelled as an example, or it reads like one and cites its own number."""


class Outcome(StrEnum):
    """What became of a row that had a fault."""

    REPAIRED = "repaired"
    MOVED = "moved"  # it is an example now, not a rule
    SORTED = "sorted"
    REFUSED = "refused"


@dataclass(frozen=True)
class Repair:
    """One fault of one row.

    Attributes:
        row: its index in the data set, from 0.
        number: its number as far as known.
        problem: what was wrong.
        outcome: what was done.
        text: how the row's text begins.
    """

    row: int
    number: str
    problem: str
    outcome: Outcome
    text: str = ""

    def __str__(self) -> str:
        quote = f": “{self.text}”" if self.text else ""
        return f"row {self.row} ({self.number or 'no number'}) {self.outcome}: {self.problem}{quote}"


@dataclass
class RepairReport:
    """What became of the rows of a data set.

    Each row is counted once: it is a rule, a heading, refused, or moved to another row's examples.

    Attributes:
        rows: how many there were.
        rules: how many rows became rules.
        headings: how many became section or chapter titles.
        repairs: every fault found, in the order of the rows.
        notes: what is not about a single row.
    """

    rows: int = 0
    rules: int = 0
    headings: int = 0
    repairs: list[Repair] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def of(self, outcome: Outcome) -> list[Repair]:
        return [repair for repair in self.repairs if repair.outcome == outcome]

    def lines(self, most: int = 20) -> list[str]:
        """The report as lines for people: a summary, then at most this many rows of each outcome by name."""
        counts = Counter(repair.outcome for repair in self.repairs)
        done = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in Outcome if counts[outcome])
        lines = [f"{self.rows:,} rows: {self.rules:,} rules, {self.headings:,} headings; {done or 'no faults'}"]
        for outcome in (Outcome.REFUSED, Outcome.MOVED, Outcome.REPAIRED):
            lines += _shortened([str(repair) for repair in self.of(outcome)], most)
        moved = [repair.number for repair in self.of(Outcome.SORTED)]
        if moved:
            lines.append(f"rows out of order, sorted into place: {', '.join(_shortened(moved, most))}")
        return lines + _shortened(self.notes, most)


@dataclass(frozen=True)
class Unreadable:
    """A row that could not even be read from its file."""

    problem: str


@dataclass(frozen=True)
class _Row:
    """A row whose fields have the right types."""

    index: int
    number: RuleNumber
    text: str
    examples: tuple[str, ...]


class _RowRefusedError(Exception):
    """Why a row can't be used."""


def repair_rows(rows: Iterable[object]) -> tuple[list[Rule], list[Section], RepairReport]:
    """Turn rows into rules and sections in natural order.

    Args:
        rows: mappings with ``number``, ``text`` and ``examples``; whatever else is there is refused and named.
    """
    report = RepairReport()
    by_number: dict[RuleNumber, list[_Row]] = defaultdict(list)
    for row in _without_copied_examples(_readable(rows, report), report):
        by_number[row.number].append(row)
    kept = [best for same in by_number.values() if (best := _best(same, report))]
    _report_order(kept, report)
    kept.sort(key=lambda row: row.number)
    titles = {row.number: row.text for row in kept if row.number.rule is None}
    rules = [Rule(r.number, r.text, r.examples, titles.get(r.number.head, "")) for r in kept if r.number.rule is not None]
    _note_orphans(rules, report)
    report.rules, report.headings = len(rules), len(titles)
    report.repairs.sort(key=lambda repair: repair.row)
    return rules, [Section(number, title) for number, title in titles.items()], report


def _readable(rows: Iterable[object], report: RepairReport) -> list[_Row]:
    """The rows whose number and text can be read."""
    good: list[_Row] = []
    unknown: Counter[str] = Counter()
    for index, row in enumerate(rows):
        report.rows += 1
        repairs: list[Repair] = []
        try:
            good.append(_read(index, row, repairs))
            report.repairs += repairs
        except _RowRefusedError as refused:
            number, text = (row.get("number"), row.get("text")) if isinstance(row, dict) else ("", "")
            report.repairs.append(Repair(index, _shown(number, 20), str(refused), Outcome.REFUSED, _shown(text)))
        if isinstance(row, dict):
            unknown.update(str(name) for name in row if name not in (*FIELDS, "__index_level_0__"))
    if unknown:
        report.notes.append(f"unknown columns were left out: {_shown(', '.join(unknown), 200)}")
    return good


def _read(index: int, row: object, repairs: list[Repair]) -> _Row:
    """Check and clean one row.

    Raises:
        _RowRefusedError: it can't be used.
    """
    if isinstance(row, Unreadable):
        raise _RowRefusedError(row.problem)
    if not isinstance(row, dict):
        raise _RowRefusedError(f"the row is {_kind(row)}, not an object with number and text")
    number = _number(row.get("number"))
    problems = []
    if isinstance(row["number"], int) or row["number"].strip().rstrip(".") != str(number):
        problems.append(f"the number was written {_shown(row['number'], 20)!r}")
    text = _text(row.get("text"), number)
    examples, faults = _examples(row.get("examples"))
    problems += faults
    prefix = re.match(rf"{re.escape(str(number))}(?:\.\s+|\s+|\.?$)", text)
    if prefix:
        problems.append("the text began with the rule's number")
        text = _filled(text[prefix.end() :], number)
    text, *inside = re.split(r"\n\s*(?=_?examples?:)", text, flags=re.IGNORECASE)
    if inside:
        problems.append("the text held its examples")
        examples += [EXAMPLE.sub("", example.strip(), count=1) for example in inside]
    repairs += [Repair(index, str(number), problem, Outcome.REPAIRED) for problem in problems]
    return _Row(index, number, text.strip(), tuple(examples))


def _number(value: object) -> RuleNumber:
    if _missing(value) or (isinstance(value, str) and not value.strip()):
        raise _RowRefusedError("it has no number")
    if isinstance(value, float):
        raise _RowRefusedError(f"the number is {value:g}, a decimal: such a value can't tell 702.1 from 702.10")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _RowRefusedError(f"the number is {_kind(value)}, not text")
    try:
        return RuleNumber.parse(str(value))
    except RulesError as error:
        raise _RowRefusedError(str(error)) from error


def _text(value: object, number: RuleNumber) -> str:
    if _missing(value):
        raise _RowRefusedError("it has no text")
    if not isinstance(value, str):
        raise _RowRefusedError(f"the text is {_kind(value)}, not text")
    if len(value) > MAX_TEXT:
        raise _RowRefusedError(f"the text has {len(value):,} characters; no rule has more than {MAX_TEXT:,}")
    if not _encodable(value):
        raise _RowRefusedError("the text has characters that Unicode does not allow")
    return _filled(value, number)


def _filled(text: str, number: RuleNumber) -> str:
    if not text.strip():
        raise _RowRefusedError(f"the {'rule' if number.letter else 'heading or rule'} {number} is empty")
    return text.strip()


def _examples(value: object) -> tuple[list[str], list[str]]:
    """The usable examples of a row, and what was wrong with the others."""
    if _missing(value):
        return [], []
    faults = []
    if isinstance(value, str):
        value = [value] if value.strip() else []
        faults = ["the examples were one text, not a list"] if value else []
    if not isinstance(value, list | tuple):
        return [], [f"the examples were {_kind(value)}, not a list; they were left out"]
    good = [e for e in value if isinstance(e, str) and e.strip() and len(e) <= MAX_TEXT and _encodable(e)]
    if len(good) < len(value):
        faults.append(f"{len(value) - len(good)} of its examples can't be read as text and were left out")
    return [EXAMPLE.sub("", e.strip(), count=1) if EXAMPLE.match(e.strip()) else e.strip() for e in good], faults


def _without_copied_examples(rows: list[_Row], report: RepairReport) -> list[_Row]:
    """Refuse rows whose text is, word for word, an example of another row."""
    holders: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        for example in row.examples:
            holders[_key(example)].append(row)
    kept = []
    for row in rows:
        other = next((holder for holder in holders[_key(row.text)] if holder.index != row.index), None)
        if other is None:
            kept.append(row)
        else:
            report.repairs.append(_refusal(row, f"its text is an example of {other.number} (row {other.index})"))
    return kept


def _best(same: Sequence[_Row], report: RepairReport) -> _Row | None:
    """Choose among the rows with one number; the others are refused, or moved to its examples.

    Returns:
        The rule, or None where each of the rows is plainly an example.
    """
    best = min(same, key=lambda row: (_oddity(row), row.index))
    if _oddity(best) >= PLAINLY_ODD:
        problem = "it is an example that was taken for a rule, and no other row has its number"
        report.repairs += [_refusal(row, problem) for row in same]
        return None
    for row in same:
        if row.index == best.index:
            continue
        fault = _duplicate_fault(row, best)
        if EXAMPLE.match(row.text) and not _cites_itself(row):
            best = replace(best, examples=(*best.examples, EXAMPLE.sub("", row.text, count=1)))
            report.repairs.append(Repair(row.index, str(row.number), fault, Outcome.MOVED, _shown(row.text)))
            continue
        if _key(row.text) == _key(best.text):
            best = replace(best, examples=tuple(dict.fromkeys((*best.examples, *row.examples))))
        report.repairs.append(_refusal(row, fault))
    return best


def _duplicate_fault(row: _Row, best: _Row) -> str:
    twice = f"{row.number} occurs twice; row {best.index} is the rule"
    if _key(row.text) == _key(best.text):
        return f"it repeats row {best.index}"
    if EXAMPLE.match(row.text):
        return f"it is labelled as an example ({twice})"
    if _cites_itself(row):
        return f"it is an example that cites rule {row.number} ({twice})"
    if _oddity(row) > _oddity(best):
        return f"it reads like an example ({twice})"
    return f"{row.number} occurs twice with different texts; row {best.index}, the first, was kept"


def _oddity(row: _Row) -> int:
    """How little a text looks like the rule of its number; 0 is nothing odd."""
    label, example, cites = EXAMPLE.match(row.text), LIKE_EXAMPLE.search(row.text), _cites_itself(row)
    return 4 * bool(label) + 2 * cites + bool(example) + row.text[0].islower()


def _cites_itself(row: _Row) -> bool:
    """Whether the text names its own number: of 11,595 different rules in 23 editions, one does."""
    return re.search(rf"(?<![\d.]){re.escape(str(row.number))}(?![a-z\d]|\.\d)", row.text) is not None


def _report_order(rows: Sequence[_Row], report: RepairReport) -> None:
    highest: RuleNumber | None = None
    for row in sorted(rows, key=lambda row: row.index):
        if highest is not None and row.number < highest:
            report.repairs.append(Repair(row.index, str(row.number), f"it stood after {highest}", Outcome.SORTED))
        else:
            highest = row.number


def _note_orphans(rules: Sequence[Rule], report: RepairReport) -> None:
    numbers = {rule.number for rule in rules}
    orphans: dict[RuleNumber, list[str]] = defaultdict(list)
    for rule in rules:
        if rule.number.letter and rule.number.family not in numbers:
            orphans[rule.number.family].append(str(rule.number))
    for family, subrules in orphans.items():
        report.notes.append(f"{family} is missing; its subrules stand without it: {', '.join(subrules)}")


def _refusal(row: _Row, problem: str) -> Repair:
    return Repair(row.index, str(row.number), problem, Outcome.REFUSED, _shown(row.text))


def _missing(value: object) -> bool:
    """Whether a field is null; tables write that as NaN, too."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _key(text: str) -> str:
    return " ".join(text.split())


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a whole number", float: "a decimal"}
    return "null" if value is None else names.get(type(value), type(value).__name__)


def _encodable(text: str) -> bool:
    """Whether it can be saved: JSON may hold half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(value: Any, most: int = 60) -> str:
    """A value in a one-line message: shortened, and without characters that a terminal would act on."""
    if value is None:
        return ""
    head = value[: most + 1] if isinstance(value, str) else f"{value}"[: most + 1]
    line = "".join(char if char.isprintable() else " " for char in head)
    return line[: most - 1] + "…" if len(line) > most else line


def _shortened(items: list[str], most: int) -> list[str]:
    return items if len(items) <= most else [*items[:most], f"and {len(items) - most:,} more"]
