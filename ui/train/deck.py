"""A deck: the questions that can be drilled in the loaded edition, and how they are chosen from."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path

from index.bank import Question
from index.corpus import Corpus
from index.numbers import RuleNumber
from index.store import REBUILD, Index
from ui.train.filters import EVERYTHING, Filters

BANK_NAME = "the question bank"
KEYWORD_SECTIONS = ("keyword abilities", "keyword actions")
"""The sections whose families are keywords, by title: 701 and 702 today, other numbers in old editions."""
COMMANDER = "commander"
"""The title of the section about Commander, 903."""
NO_CARDS = "This deck does not know which cards its questions name, so it can't be filtered by cards."
REBUILD_CARDS = "rebuild the index: python -m index build"
BANK_NO_CARDS = f"This index does not know which cards its questions name, so they can't be filtered by cards; {REBUILD_CARDS}."
UNRECORDED = f"This index was built before it was recorded which questions move or fall away; to see it, {REBUILD}."
REMARKS = (NO_CARDS, BANK_NO_CARDS, UNRECORDED)
"""Notes about the deck and the index, not about the questions."""

_COMMANDER = re.compile(r"\b(?:commanders?|c?edh)\b", re.IGNORECASE)


class Deck:
    """The questions of one source that may be shown in one edition.

    Args:
        questions: those that may be shown; ids are unique.
        notes: sentences for people on what was moved or set aside.
    """

    def __init__(self, name: str, corpus: Corpus, questions: Iterable[Question], notes: Iterable[str] = ()) -> None:
        self.name = name
        self.corpus = corpus
        self.questions: dict[str, Question] = {question.id: question for question in questions}
        self.notes = tuple(notes)

    @classmethod
    def of_index(cls, index: Index) -> "Deck":
        """The bank's questions in an index."""
        placed, counts = list(index.questions.values()), index.config.get("bank")
        notes = [] if placed else [f"This index holds no questions; {REBUILD}."]
        if placed and index.config and counts is None:
            notes = [UNRECORDED]
        dropped = int((counts or {}).get("dropped", 0))
        return cls.placed(BANK_NAME, index.corpus, placed, dropped=dropped, notes=notes)

    @classmethod
    def read(cls, path: Path, corpus: Corpus) -> "Deck":
        """A team's own questions from a file in the set format: JSON Lines, or a JSON list.

        Raises:
            RulesError: the file can't be read, or a row is broken; names the file and the line.
        """
        from ui.train.sets import read_file

        return cls.parse(read_file(path), path.name, corpus)

    @classmethod
    def parse(cls, data: bytes | str, name: str, corpus: Corpus) -> "Deck":
        """A team's own questions, for example uploaded; limits and errors as ``sets.parse_set``."""
        from ui.train.sets import parse_set, place_set

        placed, dropped, notes = place_set(parse_set(data, name), corpus)
        return cls.placed(name, corpus, placed, dropped=dropped, notes=notes)

    @classmethod
    def placed(
        cls, name: str, corpus: Corpus, questions: Sequence[Question], dropped: int = 0, notes: Sequence[str] = ()
    ) -> "Deck":
        """The deck of questions that already have this edition's numbers; those that may not be shown are set aside.

        Args:
            dropped: how many more have lost their decisive rule on the way here.
        """
        shown = [question for question in questions if _may_be_shown(question, corpus)]
        unknown = BANK_NO_CARDS if name == BANK_NAME else NO_CARDS
        own = [] if any(question.cards for question in shown) or not shown else [unknown]
        return cls(name, corpus, shown, [*notes, *_set_aside(questions, shown, dropped, corpus), *own])

    @cached_property
    def knows_cards(self) -> bool:
        """Whether any question says which cards it names."""
        return any(question.cards for question in self.questions.values())

    def select(self, filters: Filters = EVERYTHING, only: Collection[str] | None = None) -> list[Question]:
        """The questions that pass all filters, in the deck's order.

        Args:
            only: ids that alone count, for example those missed so far; all, if None.
        """
        return [q for q in self.questions.values() if (only is None or q.id in only) and self._passes(q, filters)]

    def narrowed(self, filters: Filters = EVERYTHING, only: Collection[str] | None = None) -> "Deck":
        """The deck of what ``select`` chooses."""
        return Deck(self.name, self.corpus, self.select(filters, only), self.notes)

    def _passes(self, question: Question, filters: Filters) -> bool:
        if filters.levels and question.level and question.level not in filters.levels:
            return False  # a team's row may have no level (0), and is then of any
        if filters.kinds and question.kind not in filters.kinds:
            return False
        if filters.chapters and question.rules[0].chapter.section not in filters.chapters:
            return False
        if filters.sections and question.rules[0].section not in filters.sections:
            return False
        if filters.keyword and filters.keyword.casefold() not in self._keywords_of(question):
            return False
        if filters.commander is not None and self.is_commander(question) != filters.commander:
            return False
        # A deck that does not know its cards has neither questions with cards nor without.
        return filters.cards is None or (self.knows_cards and bool(question.cards) == filters.cards)

    def remedy(self, filters: Filters, only: Collection[str] | None = None) -> str:
        """What to do where ``select`` finds too little, in a sentence for people."""
        if not self.questions:
            return "this deck has no question that the loaded edition can show; load the official rules, or another deck"
        if filters.cards is not None and not self.knows_cards:
            how = f"{REBUILD_CARDS}, or " if self.name == BANK_NAME else ""
            return f"this deck does not know which cards its questions name; {how}leave the cards filter out"
        if filters.keyword and filters.keyword.casefold() not in {name.casefold() for name in self.keywords()}:
            from difflib import get_close_matches

            near = get_close_matches(filters.keyword.title(), self.keywords(), 3, 0.5) or self.keywords()[:3]
            return f"no question is about a keyword {filters.keyword!r}; near it: {', '.join(near) or 'none'}"
        if only is not None and self.select(filters):
            return "choose from all questions, not only from some"
        return "ask for fewer questions or leave a filter out" if self.select(filters, only) else self._blame(filters, only)

    def _blame(self, filters: Filters, only: Collection[str] | None) -> str:
        """Without which filter something matches."""
        counts = {said: len(self.select(less, only)) for said, less in filters.left_out().items()}
        helps = [f"{said} (then {count:,} match{'es' * (count == 1)})" for said, count in counts.items() if count]
        if helps:
            return f"leave a filter out: {' or '.join(helps)}"
        return "leave more than one filter out; without any single one of them no question matches either"

    @cached_property
    def deciding(self) -> dict[RuleNumber, tuple[Question, ...]]:
        """The questions by the rule that decides them."""
        found: dict[RuleNumber, list[Question]] = {}
        for question in self.questions.values():
            found.setdefault(question.rules[0], []).append(question)
        return {number: tuple(questions) for number, questions in found.items()}

    def is_commander(self, question: Question) -> bool:
        """Whether a question is about Commander: by its rules, or by its words."""
        return any(n.head in self._commander for n in question.rules) or bool(_COMMANDER.search(question.question))

    @cached_property
    def _commander(self) -> set[RuleNumber]:
        return {number for number, title in self.corpus.titles.items() if title.casefold() == COMMANDER}

    @cached_property
    def _keyword_sections(self) -> set[RuleNumber]:
        return {number for number, title in self.corpus.titles.items() if title.casefold() in KEYWORD_SECTIONS}

    def _keywords_of(self, question: Question) -> set[str]:
        return {self.corpus.heading(n).casefold() for n in question.rules if self._is_keyword(n)}

    def _is_keyword(self, number: RuleNumber) -> bool:
        family = self.corpus.by_number.get(number.family)
        return number.head in self._keyword_sections and family is not None and family.is_heading

    def keywords(self) -> list[str]:
        """The keywords that questions are about, alphabetically."""
        numbers = {n.family for question in self.questions.values() for n in question.rules if self._is_keyword(n)}
        return sorted({self.corpus.heading(number) for number in numbers}, key=str.casefold)

    def chapters(self) -> dict[int, str]:
        """The chapters that have questions, with their titles."""
        found = {question.rules[0].chapter for question in self.questions.values()}
        return {chapter.section: self.corpus.titles.get(chapter, "") for chapter in sorted(found)}

    def moved(self, question: Question) -> str:
        """What to say of a question whose rules had other numbers when it was written; else an empty text."""
        if not question.was or question.was == question.rules:
            return ""
        pairs = list(zip(question.was, question.rules, strict=False))
        if len(question.was) == len(question.rules):  # else two of its rules have become one
            pairs = [(was, now) for was, now in pairs if was != now]
            was, now = [str(a) for a, _ in pairs], [str(b) for _, b in pairs]
        else:
            was, now = [str(n) for n in question.was], [str(n) for n in question.rules]
        return f"written for {', '.join(was)}; this edition numbers it {', '.join(now)}"


def _may_be_shown(question: Question, corpus: Corpus) -> bool:
    if question.changed or question.lost or not question.rules:
        return False
    return all(number in corpus.by_number and not corpus.by_number[number].is_heading for number in question.rules)


def _set_aside(questions: Sequence[Question], shown: Sequence[Question], dropped: int, corpus: Corpus) -> list[str]:
    """The notes on what was moved and what was set aside."""
    kept = {question.id for question in shown}
    others = [question for question in questions if question.id not in kept and not question.changed]
    lost = sum(bool(q.lost) or any(n.rule is not None and n not in corpus.by_number for n in q.rules) for q in others)
    found = {
        f"moved to the rule numbers of the loaded edition ({corpus.name})": sum(bool(q.was) for q in shown),
        "set aside, because the loaded rulebook words one of the rules otherwise": sum(q.changed for q in questions),
        "set aside, because the loaded rulebook lacks one of the rules": lost + dropped,
        "set aside, because a whole section or heading is named and not the rule that decides": len(others) - lost,
    }
    return [f"{count:,} question{'s' * (count != 1)}: {what}." for what, count in found.items() if count]
