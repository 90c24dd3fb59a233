"""A rulebook's text becomes HTML: everything escaped; citations, symbols, terms and matched words marked.

What the browser shows as text is the source's text, character for character; only tags are added.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from urllib.parse import quote

from index.citations import Mention, covered, mentions
from index.corpus import Corpus, GlossaryEntry
from index.numbers import RuleNumber
from index.words import STOP, TOKEN, stem

# Control characters and lone surrogates: no HTML or JSON can carry them.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_SYMBOLS = {"T": "tap", "Q": "untap", "E": "energy", "X": "variable mana", "S": "snow mana", "C": "colorless mana"}
_COLORS = {"W": "white mana", "U": "blue mana", "B": "black mana", "R": "red mana", "G": "green mana"}


def tidy(text: str) -> str:
    """A text from outside without characters that HTML or JSON can't carry; each becomes "\ufffd"."""
    return _UNPRINTABLE.sub("\ufffd", text)


def esc(text: object) -> str:
    """Any text as HTML that shows it; never markup, in content and in attributes alike."""
    return escape(tidy(str(text)), quote=True)


def rule_address(number: object) -> str:
    """Where a rule, family, section or range is shown: ``/rule/702.19b``."""
    return f"/rule/{quote(tidy(str(number)), safe='')}"


def term_address(term: str) -> str:
    """Where a glossary term is shown: ``/term/Trample``."""
    return f"/term/{quote(tidy(term), safe='')}"


def question_address(question: str) -> str:
    """The permalink of a question."""
    return f"/?q={quote(tidy(question), safe='')}"


def search_address(query: str) -> str:
    """The permalink of a search."""
    return f"/search?q={quote(tidy(query), safe='')}"


def ref(number: object, text: str = "", title: str = "", css: str = "ref") -> str:
    """A link that opens a rule on the page; without a text it shows the number."""
    hint = f' title="{esc(title)}"' if title else ""
    return f'<a class="{css}" href="{esc(rule_address(number))}"{hint}>{esc(text or number)}</a>'


@dataclass(frozen=True)
class Marks:
    """Which words of a text are marked: those with these stems, and those that begin so."""

    stems: frozenset[str] = frozenset()
    starts: tuple[str, ...] = ()

    @classmethod
    def asked(cls, question: str) -> "Marks":
        """The words of a question, in any form, without stop words."""
        return cls(stems=frozenset(stem(word) for word in TOKEN.findall(question) if word.lower() not in STOP))

    @classmethod
    def typed(cls, texts: Iterable[str]) -> "Marks":
        """The words that someone is typing: whatever begins with them."""
        return cls(starts=tuple(word.lower() for text in texts for word in TOKEN.findall(text)))

    def __contains__(self, word: str) -> bool:
        return (bool(self.starts) and word.lower().replace("’", "'").startswith(self.starts)) or (
            bool(self.stems) and stem(word) in self.stems
        )


UNMARKED = Marks()


@dataclass(frozen=True)
class Span:
    """A stretch of a text that links somewhere."""

    start: int
    end: int
    opening: str


class Terms:
    """Finds glossary terms in texts by their stemmed words, the longest at each place."""

    def __init__(self, glossary: Iterable[GlossaryEntry]) -> None:
        self._terms: dict[tuple[str, ...], GlossaryEntry] = {}
        for entry in glossary:
            for name in re.split(r",\s+", re.sub(r"\s*\([^)]*\)", "", entry.term)):
                stems = tuple(stem(word) for word in TOKEN.findall(name))
                if stems:
                    self._terms.setdefault(stems, entry)
        self._longest = max((len(stems) for stems in self._terms), default=0)

    def find(self, text: str) -> Iterator[tuple[int, int, GlossaryEntry]]:
        """Each term that occurs, once, where it occurs first."""
        words = list(TOKEN.finditer(text))
        stems = [stem(word[0]) for word in words]
        seen: set[str] = set()
        place = 0
        while place < len(words):
            length, entry = self._at(stems, place)
            if entry is not None and entry.term not in seen:
                seen.add(entry.term)
                yield words[place].start(), words[place + length - 1].end(), entry
            place += length

    def _at(self, stems: list[str], place: int) -> tuple[int, GlossaryEntry | None]:
        for length in range(min(self._longest, len(stems) - place), 0, -1):
            entry = self._terms.get(tuple(stems[place : place + length]))
            if entry is not None:
                return length, entry
        return 1, None


class Writer:
    """Writes the texts of one corpus as HTML."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    @cached_property
    def terms(self) -> Terms:
        return Terms(self.corpus.glossary)

    def text(self, text: str, marks: Marks = UNMARKED, *, terms: bool = False) -> str:
        """A text with its citations linked and its matching words marked.

        Args:
            terms: whether glossary terms are linked too, each once.
        """
        parts: list[str] = []
        place = 0
        for span in self._spans(text, terms):
            parts += [_marked(text[place : span.start], marks), span.opening, _marked(text[span.start : span.end], marks), "</a>"]
            place = span.end
        parts.append(_marked(text[place:], marks))
        return "".join(parts)

    def _spans(self, text: str, terms: bool) -> list[Span]:
        spans = [Span(m.start, m.end, self._citation(m)) for m in mentions(text) if covered(m, self.corpus)]
        if terms:
            taken = [(span.start, span.end) for span in spans]
            for start, end, entry in self.terms.find(text):
                if all(end <= first or start >= last for first, last in taken):
                    opening = f'<a class="term" href="{esc(term_address(entry.term))}" title="Glossary: {esc(entry.term)}">'
                    spans.append(Span(start, end, opening))
        return sorted(spans, key=lambda span: span.start)

    def _citation(self, mention: Mention) -> str:
        target = f"{mention.first}-{mention.last}" if mention.last else str(mention.first)
        return f'<a class="ref" href="{esc(rule_address(target))}" title="{esc(self.title(mention.first))}">'

    def title(self, number: RuleNumber) -> str:
        """What names a number: its family's heading or its section's title."""
        return self.corpus.titles.get(number) or self.corpus.heading(number)


def _marked(text: str, marks: Marks) -> str:
    """Plain text escaped, its symbols set apart and its matching words marked."""
    parts: list[str] = []
    place = 0
    for word in TOKEN.finditer(text):
        written = word[0]
        if written.startswith("{"):
            shown = f'<abbr class="symbol" title="{esc(_symbol(written))}">{esc(written)}</abbr>'
        elif written in marks:
            shown = f"<mark>{esc(written)}</mark>"
        else:
            continue
        parts += [esc(text[place : word.start()]), shown]
        place = word.end()
    parts.append(esc(text[place:]))
    return "".join(parts)


def _symbol(written: str) -> str:
    """What a symbol is called: ``{T}`` tap, ``{2}`` 2 mana, ``{W/U}`` white mana or blue mana."""
    names = []
    for part in written.strip("{}").upper().split("/"):
        named = _SYMBOLS.get(part) or _COLORS.get(part) or ("Phyrexian mana" if part == "P" else "")
        names.append(named or (f"{part} mana" if part.isdigit() else part))
    return " or ".join(names)


def snippet(text: str, length: int = 90) -> str:
    """The beginning of a text on one line, cut between words."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[:length].rsplit(" ", 1)[0].rstrip(",;:.") + "\N{NO-BREAK SPACE}…"
