"""What every face offers: ask, show a rule, search, define, check a citation.

The pages, the HTTP routes and the MCP tools are thin over this one class. Its methods return JSON objects as docs/http.md
describes them, and raise ``RulesError`` with a text for people.
"""

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import islice
from typing import Any

from index.corpus import Corpus, GlossaryEntry, Rule
from index.errors import RulesError
from index.passages import glossary_rules
from qa.answer import Answer
from qa.judge import Judge
from ui.find import Finder, fold
from ui.graph import neighbours
from ui.places import Place, Places
from ui.reader import Reader
from ui.text import Writer, tidy

QUESTION_READ = 20_000
"""Characters of a question that are handed on; the judge reads fewer and says so."""


class Library:
    """One index with all that the faces show of it."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.corpus: Corpus = judge.index.corpus
        self.places = Places(self.corpus)
        self.writer = Writer(self.corpus)

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.writer, self.places, self.judge.index.citations)

    @cached_property
    def finder(self) -> Finder:
        return Finder(self.corpus)

    def warm(self) -> None:
        """Do now what the first visitor would wait for."""
        self.answer("warm up")
        _ = (self.finder, self.reader.citations, self.writer.terms)

    def answer(self, question: str, k: int = 10, previous: str = "") -> Answer:
        """The answer to a question.

        Raises:
            RulesError: k is out of range.
        """
        return self.judge.ask(_encodable(question[:QUESTION_READ]), k, previous=_encodable(previous[:QUESTION_READ]))

    def ask(self, question: str, k: int = 10, previous: str = "") -> dict[str, Any]:
        """The answer as ``./ask --json`` prints it."""
        return self.answer(question, k, previous).to_json()

    def show_rule(self, number: str) -> dict[str, Any]:
        """A rule, family, section, chapter or range with its neighbours and citations.

        Raises:
            RulesError: it is no rule number, or this edition lacks it.
        """
        place = self.places.find(tidy(number))
        before, after = self.places.beside(place)
        own = [place.number, *(rule.number for rule in place.rules)] if place.kind != "chapter" else []
        cites, cited_by = neighbours(self.judge.index.citations, own)
        return self._head() | {
            "number": place.name,
            "kind": place.kind,
            "title": place.title,
            "rules": [self._rule(rule) for rule in place.rules],
            "parents": [{"number": str(n), "title": self.places.title(n)} for n in self.places.parents(place.number)],
            "previous": str(before) if before else None,
            "next": str(after) if after else None,
            "cites": [str(n) for n in cites],
            "cited_by": [str(n) for n in cited_by],
        }

    def search_rules(self, query: str, limit: int = 12) -> dict[str, Any]:
        """The families that match a query by number, title, quoted phrase or words.

        Raises:
            RulesError: the limit is out of range.
        """
        if not 1 <= limit <= 100:
            raise RulesError(f"limit is {limit}; it must lie between 1 and 100")
        found = self.finder.find(tidy(query), limit)
        return self._head() | {
            "query": tidy(query)[:200],
            "total": found.total,
            "families": [
                {
                    "number": str(match.number),
                    "title": match.title,
                    "hits": [str(n) for n in sorted(match.hits)],
                    "rules": [self._rule(rule) for rule in match.rules],
                }
                for match in found.matches
            ],
        }

    def define(self, term: str) -> dict[str, Any]:
        """A glossary term with its rules.

        Raises:
            RulesError: the glossary lacks it; names terms that are near.
        """
        entry = self.entry(tidy(term))
        rules = [str(n) for n in glossary_rules(self.corpus, entry.text)]
        return self._head() | {"term": entry.term, "text": entry.text, "rules": rules}

    def check_citation(self, number: str, quote: str = "") -> dict[str, Any]:
        """Whether a number, family, section or range exists, what it says, and whether a quote stands in it exactly."""
        answer = self._head() | {"number": tidy(number).strip()[:40], "quote": tidy(quote)[:2_000]}
        nothing: dict[str, Any] = {"exists": False, "text": None, "examples": [], "title": None, "rules": [], "quoted": None}
        wanted = quote.strip()
        try:
            place = self.places.cited(tidy(number))
        except RulesError as error:
            return answer | nothing | {"stands_in": self._holding(wanted), "message": str(error)}
        rule = None if place.last else self.corpus.by_number.get(place.number)
        return answer | {
            "number": place.name,
            "exists": True,
            "title": place.title,
            "text": rule.text if rule else None,
            "examples": list(rule.examples) if rule else [],
            "rules": [str(rule.number) for rule in place.rules],
            "quoted": any(_holds(rule, wanted) for rule in place.rules) if wanted else None,
            "stands_in": self._holding(wanted, place.rules),
            "message": "",
        }

    def _holding(self, wanted: str, first: Sequence[Rule] = ()) -> list[str]:
        """The rules, at most 20, in which a quote stands exactly; those that come first are named first."""
        if len(wanted) < 4:
            return []
        inside = {rule.number for rule in first}
        rules = (*first, *(rule for rule in self.corpus if rule.number not in inside))
        return [str(rule.number) for rule in islice((rule for rule in rules if _holds(rule, wanted)), 20)]

    def entry(self, term: str) -> GlossaryEntry:
        """The glossary entry of a term.

        Raises:
            RulesError: there is none; names terms that are near.
        """
        wanted = fold(term.strip()[:100])
        for entry in self.corpus.glossary:
            if wanted in self._names(entry):
                return entry
        near = [entry.term for entry in self.corpus.glossary if wanted and fold(entry.term).startswith(wanted[:4])][:5]
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise RulesError(f"the glossary of {self.corpus.name} has no term {term.strip()[:60]!r}{hint}")

    def _names(self, entry: GlossaryEntry) -> set[str]:
        whole = fold(entry.term)
        return {whole, whole.split(" (")[0], *(part.strip() for part in whole.split(","))}

    def glossary(self, query: str = "", letter: str = "") -> list[GlossaryEntry]:
        """The terms that hold a text, those that begin with it first; or those under a letter ("#" for the rest)."""
        entries = self.corpus.glossary
        if query.strip():
            wanted = fold(tidy(query).strip()[:100])
            found = [e for e in entries if wanted in fold(e.term) or wanted in fold(e.text)]
            return sorted(found, key=lambda e: (not fold(e.term).startswith(wanted), wanted not in fold(e.term)))[:60]
        return [e for e in entries if first_letter(e) == letter]

    def place(self, number: str) -> Place:
        """What a deep link names.

        Raises:
            RulesError: it names nothing in this edition.
        """
        return self.places.find(tidy(number))

    def _head(self) -> dict[str, Any]:
        return {"edition": self.corpus.name, "source": asdict(self.corpus.source.public)}

    def _rule(self, rule: Rule) -> dict[str, Any]:
        return {
            "number": str(rule.number),
            "title": self.corpus.heading(rule.number),
            "section": rule.title,
            "text": rule.text,
            "examples": list(rule.examples),
        }


def first_letter(entry: GlossaryEntry) -> str:
    """The letter under which a term stands; "#" for what begins with a digit or sign."""
    letter = entry.term[:1].upper()
    return letter if letter.isascii() and letter.isalpha() else "#"


def _holds(rule: Rule, quote: str) -> bool:
    """Whether a quote stands exactly in a rule or in one of its examples."""
    return any(quote in text for text in (rule.text, *rule.examples))


def _encodable(text: str) -> str:
    """A text without lone surrogates, which no JSON in UTF-8 can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")
