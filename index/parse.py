"""Read the official text of any edition since 2003.

The text is a title, an introduction, a table of contents, the numbered body, a glossary and credits. Editions
differ in encoding, line ends, blank lines and in small slips (a missing dot, a number printed twice). Nothing is
lost: every non-blank line is accounted for in the ``ParseReport``, and a line that is not understood is listed there
as *unplaced* with its line number.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from statistics import mode

from index.corpus import Corpus, GlossaryEntry, Rule, Section, Source
from index.decode import decode
from index.errors import RulesError
from index.numbers import RuleNumber, follows

# The last two forms are misprints that editions have had: "901.4.All planes", "606. 8b Players".
RULE = re.compile(r"(\d{3})\.(?:(\d{1,3})([a-z]{0,2})(\.?)(\s+|$|(?<=\.)(?=[^\W\d_]))|(\s)(\d{1,3})([a-z]{1,2})\s+)")
SLIP = re.compile(r"\d{3}\.[a-z]\s")  # "306.b": the rule's number is missing
HEADING = re.compile(r"([1-9]\d{2}|[1-9])\.\s+(\S.*)")
EXAMPLE = re.compile(r"_?examples?:_?\s*", re.IGNORECASE)
EFFECTIVE = re.compile(r"(?:effective|current)\s+as\s+of\s+([A-Za-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})", re.I)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True)
class Line:
    """A non-blank line: its 1-based number in the file, its text, and whether a blank line stands before it."""

    number: int
    text: str
    spaced: bool


@dataclass
class ParseReport:
    """What became of every non-blank line.

    Attributes:
        lines: how many lines of each kind: front, contents, heading, rule, example, continuation, glossary, credits.
        unplaced: (line number, text) of what was not understood.
        notes: (line number, remark) of what was understood in spite of a slip in the source; line 0 is the whole file.
        repaired: rules whose number is misprinted, so that a strict reader would miss them.
        missing: the sections that the table of contents names and the body lacks.
        listed: how many the table of contents names.
    """

    lines: Counter[str] = field(default_factory=Counter)
    unplaced: list[tuple[int, str]] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    repaired: int = 0
    missing: list[str] = field(default_factory=list)
    listed: int = 0

    @property
    def total(self) -> int:
        """The number of non-blank lines accounted for, unplaced ones included."""
        return sum(self.lines.values()) + len(self.unplaced)

    def summary(self, corpus: Corpus) -> str:
        """What was read, in a line."""
        examples = sum(len(rule.examples) for rule in corpus)
        misprinted = f" (and {self.repaired} with a misprinted number)" if self.repaired else ""
        return (
            f"edition {corpus.name}: {len(corpus.rules) - self.repaired:,} rules{misprinted}, {examples:,} examples, "
            f"{len(corpus.glossary):,} glossary entries, {len(self.unplaced):,} unplaced lines"
        )


def effective_date(text: str) -> date | None:
    """The day named in "These rules are effective as of April 17, 2026." (before 2009: "current as of")."""
    match = EFFECTIVE.search(text)
    if match is None or match[1].lower() not in MONTHS:
        return None
    try:
        return date(int(match[3]), MONTHS.index(match[1].lower()) + 1, int(match[2]))
    except ValueError:
        return None


def split_lines(text: str) -> list[Line]:
    """The non-blank lines of a text; an even doubling of all line ends does not count as blank lines."""
    raw = re.split(r"\r\r\n|\r\n|\r|\n", text)
    filled = [(number, line.strip()) for number, line in enumerate(raw, 1) if line.strip()]
    gaps = [after[0] - before[0] for before, after in pairwise(filled)]
    least = min(gaps, default=1)
    return [Line(n, line, i == 0 or gaps[i - 1] > least) for i, (n, line) in enumerate(filled)]


def parse(data: bytes | str, source: Source | None = None) -> tuple[Corpus, ParseReport]:
    """Read a rulebook.

    Args:
        data: the file's bytes in any encoding an edition has had, or its text.
        source: where it came from.

    Raises:
        RulesError: it is not a rulebook (no numbered rules in it).
    """
    text = decode(data) if isinstance(data, bytes) else data
    lines = split_lines(text)
    report = ParseReport()
    start = _body_start(lines)
    end = _named_line(lines, "glossary", start)
    credits = _named_line(lines, "credits", end)
    _front(lines[:start], report)
    body = _Body(report)
    body.read(lines[start:end])
    glossary = _glossary(lines[end:credits], report)
    report.lines["credits"] += len(lines) - credits
    _compare(lines[:start], body.sections, report)
    edition = effective_date(" ".join(line.text for line in lines[:start]))
    return Corpus(edition, source or Source("file"), body.finish(), tuple(body.sections), glossary), report


def _body_start(lines: list[Line]) -> int:
    """The index of the first heading of the body: the headings straight above the first numbered rule."""
    first = next((i for i, line in enumerate(lines) if RULE.match(line.text)), None)
    if first is None:
        raise RulesError(
            "this is not a rulebook: no line starts with a rule number such as 100.1; give the TXT of the Comprehensive Rules"
        )
    start = first
    seen: set[int] = set()
    while start > 0 and (match := HEADING.fullmatch(lines[start - 1].text)) and len(match[1]) not in seen:
        seen.add(len(match[1]))
        start -= 1
    return start


def _named_line(lines: list[Line], name: str, start: int) -> int:
    """The index of the first line from ``start`` that is only this name, or the end."""
    for i in range(start, len(lines)):
        if lines[i].text.strip("_*#: ").lower() == name:
            return i
    return len(lines)


def _compare(front: list[Line], sections: list[Section], report: ParseReport) -> None:
    """Note the sections that the table of contents names and the body lacks: the file may be cut off."""
    found = {str(section.number) for section in sections}
    listed = [match[1] for line in front if (match := HEADING.fullmatch(line.text))]
    report.listed = len(listed)
    report.missing = [number for number in listed if number not in found]
    if report.missing:
        shown = ", ".join(report.missing[:5]) + (" …" if len(report.missing) > 5 else "")
        report.notes.append((0, f"{len(report.missing)} of {len(listed)} sections of the contents are missing: {shown}"))


def _front(lines: list[Line], report: ParseReport) -> None:
    contents = next((i for i, line in enumerate(lines) if line.text.strip("_*#: ").lower() == "contents"), len(lines))
    report.lines["front"] += contents
    report.lines["contents"] += len(lines) - contents


class _Body:
    """Reads the numbered part, line by line."""

    def __init__(self, report: ParseReport) -> None:
        self.report = report
        self.sections: list[Section] = []
        self.texts: dict[RuleNumber, list[str]] = {}
        self.examples: dict[RuleNumber, list[list[str]]] = {}
        self.last: RuleNumber | None = None  # the rule that continuation lines belong to
        self.open: list[str] | None = None  # the paragraph that a continuation line lengthens

    def read(self, lines: Iterable[Line]) -> None:
        for line in lines:
            kind = self._rule(line) or self._heading(line) or self._example(line) or self._continuation(line)
            if kind:
                self.report.lines[kind] += 1
            else:
                self.report.unplaced.append((line.number, line.text))

    def finish(self) -> tuple[Rule, ...]:
        titles = {section.number: section.title for section in self.sections}
        return tuple(
            Rule(number, "\n".join(text), tuple("\n".join(e) for e in self.examples[number]), titles.get(number.head, ""))
            for number, text in self.texts.items()
        )

    def _rule(self, line: Line) -> str | None:
        match = RULE.match(line.text)
        if match is None:
            return None
        number = RuleNumber(int(match[1]), int(match[2] or match[7]), match[3] or match[8] or "")
        # Inside a wrapped paragraph a citation may stand at a line's start; only the next number can be a rule there.
        if not line.spaced and not follows(number, self.last) and not self._new_section(number):
            return None
        text = line.text[match.end() :]
        if number in self.texts:
            return self._again(line, number)
        self._remark(line, number, match)
        self.last = number
        self.open = self.texts[number] = [text]
        self.examples[number] = []
        return "rule"

    def _new_section(self, number: RuleNumber) -> bool:
        """Whether this is the first rule under a heading just read."""
        return self.open is None and bool(self.sections) and number.head == self.sections[-1].number

    def _again(self, line: Line, number: RuleNumber) -> str:
        """A number printed twice: its text stays with the rule before it, number and all, so that nothing is lost."""
        self.report.notes.append((line.number, f"{number} is printed twice; the second text was put under {self.last}"))
        assert self.last is not None
        self.open = self.texts[self.last]
        self.open.append(line.text)
        return "continuation"

    def _remark(self, line: Line, number: RuleNumber, match: re.Match[str]) -> None:
        if match[6] or (not match[5] and match.end() < len(line.text)):
            self.report.repaired += 1
            slip = "a space inside" if match[6] else "no space after"
            self.report.notes.append((line.number, f"{number} has {slip} its number"))
        elif self.last is not None and number < self.last:
            self.report.notes.append((line.number, f"{number} stands after {self.last}, out of order"))

    def _heading(self, line: Line) -> str | None:
        match = HEADING.fullmatch(line.text)
        if match is None:
            return None
        number = RuleNumber(int(match[1]))
        last = max((s.number for s in self.sections if len(str(s.number)) == len(match[1])), default=None)
        first = last is None and not self.sections
        ascends = last is None or number.section > last.section
        if not ascends or len(match[2]) > 100 or not (line.spaced or first or self.open is None or self._next(number, last)):
            return None
        self.sections.append(Section(number, match[2]))
        self.open = None
        return "heading"

    def _next(self, number: RuleNumber, last: RuleNumber | None) -> bool:
        return last is not None and number.section == last.section + 1

    def _example(self, line: Line) -> str | None:
        match = EXAMPLE.match(line.text)
        if match is None or self.last is None or self.open is None:
            return None
        self.open = [line.text[match.end() :]]
        self.examples[self.last].append(self.open)
        return "example"

    def _continuation(self, line: Line) -> str | None:
        if self.open is None:
            return None
        if line.spaced:
            if not SLIP.match(line.text):
                return None
            self.report.notes.append(
                (line.number, f"{line.text.split()[0]!r} is a misprinted number; its text was put under {self.last}")
            )
        self.open.append(line.text)
        return "continuation"


def _glossary(lines: list[Line], report: ParseReport) -> tuple[GlossaryEntry, ...]:
    """Entries are blocks: the term, then its text; blank lines part them where the file has any."""
    if not lines:
        return ()
    report.lines["glossary"] += len(lines)
    blocks: list[list[str]] = []
    for line in lines[1:]:
        if line.spaced or not blocks:
            blocks.append([])
        blocks[-1].append(line.text)
    if blocks and mode(len(block) for block in blocks) == 1:  # blank lines everywhere: term and text alternate
        blocks = _pair(blocks)
    return tuple(GlossaryEntry(block[0], "\n".join(block[1:])) for block in blocks)


def _pair(blocks: list[list[str]]) -> list[list[str]]:
    """Join blocks of one line each: a short line without a full stop opens an entry."""
    entries: list[list[str]] = []
    for block in blocks:
        opens = len(block) == 1 and len(block[0]) < 80 and not block[0].rstrip("”\"')").endswith((".", ":", "!", "?"))
        if opens or not entries:
            entries.append([])
        entries[-1].extend(block)
    return entries
