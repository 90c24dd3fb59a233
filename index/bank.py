"""Our own questions with the rules that decide them, placed in the edition at hand."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.passages import Passage
from index.pins import Pins
from index.placing import Place, places

BANK = Path(__file__).resolve().parent.parent / "data" / "bank"
PINS = "pins.json"
Row = TypeVar("Row")


@dataclass(frozen=True)
class Question:
    """A question of the bank.

    Attributes:
        rules: what decides it, the decisive rule first; numbers of the edition it is placed in.
        checked: how many readers have checked it.
        changed: whether a rule's text has changed since, so that the ruling is no longer shown.
        cards: the names of the cards in it.
        lost: how many of its rules the edition lacks; they are left out of ``rules``.
        was: its rules as they were numbered when it was written, where this edition numbers them differently.
    """

    id: str
    question: str
    answer: str
    rules: tuple[RuleNumber, ...]
    level: int
    kind: str
    checked: int = 1
    changed: bool = False
    cards: tuple[str, ...] = ()
    lost: int = 0
    was: tuple[RuleNumber, ...] = ()

    @property
    def text(self) -> str:
        """What is searched: the ruling tells the same case in the words of rules, which its question may lack."""
        return f"{self.question}\n{self.answer}"

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "Question":
        """Read a row of the bank or of a saved index; raises KeyError, TypeError, ValueError or RulesError."""
        rules = tuple(RuleNumber.parse(number) for number in row["rules"])
        if not rules or not str(row["question"]).strip():
            raise ValueError("no rules or no question")
        return cls(
            row["id"],
            row["question"],
            row["answer"],
            rules,
            level=int(row["level"]),
            kind=row["kind"],
            checked=int(row["checked"]),
            changed=bool(row.get("changed", False)),
            cards=tuple(str(name) for name in row.get("cards", ())),
            lost=int(row.get("lost", 0)),
            was=tuple(RuleNumber.parse(number) for number in row.get("was", ())),
        )

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "rules": [str(number) for number in self.rules], "was": [str(number) for number in self.was]}


@dataclass(frozen=True)
class Bank:
    """The questions placed in one corpus, and what became of the others."""

    questions: tuple[Question, ...]
    counts: dict[str, int]

    def passages(self) -> list[Passage]:
        return [Passage(q.text, "question", q.rules, q.id) for q in self.questions]

    def __str__(self) -> str:
        parts = ", ".join(f"{count:,} {what}" for what, count in self.counts.items() if count)
        return f"question bank: {parts}"


def read_bank(folder: Path = BANK) -> list[Question]:
    """Read all questions of a folder; a folder that is not there has none.

    Raises:
        RulesError: a line is not a question; names the file and line.
    """
    paths = sorted(folder.glob("*.jsonl"))
    return [question for path in paths for question in read_rows(path, Question.from_json, "a question of the bank")]


def read_rows(path: Path, read: Callable[[dict[str, Any]], Row], what: str) -> list[Row]:
    """Read a file of one JSON object a line.

    Args:
        read: makes a row of an object; raises KeyError, TypeError, ValueError or RulesError.
        what: is named where a line is none.

    Raises:
        RulesError: a line can't be read; names the file and line.
    """
    found: list[Row] = []
    for line_number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            found.append(read(json.loads(line)))
        except (ValueError, KeyError, TypeError, RulesError) as error:
            raise RulesError(f"{path}, line {line_number}: not {what} ({error}); mend the line") from None
    return found


def place(questions: Iterable[Question], pins: Pins, corpus: Corpus) -> Bank:
    """Give each question the numbers of the corpus; one whose decisive rule the corpus lacks is dropped."""
    where = places(pins, corpus)
    counts = Counter(kept=0, moved=0, changed=0, dropped=0)
    placed: list[Question] = []
    for question in questions:
        found = [where.get(number) for number in question.rules]
        if found[0] is None:
            counts["dropped"] += 1
            continue
        here: list[Place] = [p for p in found if p is not None]
        numbers = tuple(dict.fromkeys(p.number for p in here))
        moved = any(p is not None and p.number != n for p, n in zip(found, question.rules, strict=True))
        new = replace(
            question,
            rules=numbers,
            changed=any(p.changed for p in here),
            lost=len(found) - len(here),
            was=question.rules if moved else (),
        )
        counts["changed" if new.changed else "kept" if new.rules == question.rules else "moved"] += 1
        placed.append(new)
    return Bank(tuple(placed), dict(counts))


def bank_for(corpus: Corpus, folder: Path = BANK) -> Bank:
    """The questions of a folder placed in a corpus; none where the folder has none.

    Raises:
        RulesError: a file of the bank is damaged.
    """
    questions = read_bank(folder)
    if not questions:
        return Bank((), {})
    return place(questions, read_pins(folder), corpus)


def read_pins(folder: Path = BANK) -> Pins:
    """The fingerprints of the rules that a bank and its phrases name.

    Raises:
        RulesError: they are not there, damaged, or of an older form.
    """
    return Pins.read(folder / PINS)
