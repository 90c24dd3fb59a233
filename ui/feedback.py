"""What visitors say of an answer, kept in the data folder as question sets that ``python -m eval`` reads."""

import json
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from ui.text import tidy

LONGEST = 2_000
LARGEST = 20_000_000
"""Bytes; a larger file takes no more, so that nobody fills the disk."""


@dataclass(frozen=True)
class Said:
    """One word of feedback.

    Attributes:
        shown: the numbers of the answer, best first.
        number: the rule that decides, where the visitor named it.
    """

    question: str
    helpful: bool
    shown: Sequence[str] = ()
    number: str = ""


class Feedback:
    """Writes feedback.

    ``feedback.jsonl`` holds what names a deciding rule: the one that the visitor gave, else the first of a helpful answer.
    ``feedback-open.jsonl`` holds the rest: questions whose rule somebody must still find.
    """

    def __init__(self, folder: Path, corpus: Corpus) -> None:
        self.folder = folder
        self.corpus = corpus
        self._lock = threading.Lock()

    def add(self, said: Said) -> dict[str, object]:
        """Keep one word of feedback.

        Returns:
            The row that was written.

        Raises:
            RulesError: there is no question, the number is none of this edition, or the file can't be written.
        """
        question = " ".join(tidy(said.question).split())[:LONGEST].encode("utf-8", "ignore").decode()
        if not question:
            raise RulesError("feedback needs the question that it is about")
        shown = [str(number) for number in self._numbers(said.shown[:100])]
        rules = [str(self._given(said.number))] if said.number.strip() else shown[:1] if said.helpful else []
        row: dict[str, object] = {
            "id": f"feedback-{secrets.token_hex(6)}",
            "question": question,
            "rules": rules,
            "edition": self.corpus.name,
            "source": "feedback",
            "helpful": said.helpful,
            "shown": shown,
        }
        self._append(self.folder / ("feedback.jsonl" if rules else "feedback-open.jsonl"), row)
        return row

    def _given(self, text: str) -> RuleNumber:
        number = RuleNumber.parse(tidy(text)[:40])
        if number not in self.corpus:
            self.corpus.rule(number)  # raises, naming the nearest
        return number

    def _numbers(self, texts: Sequence[str]) -> list[RuleNumber]:
        numbers = [RuleNumber.parse(tidy(text)[:40]) for text in texts]
        return [number for number in numbers if number in self.corpus]

    def _append(self, path: Path, row: dict[str, object]) -> None:
        line = json.dumps(row, ensure_ascii=False) + "\n"
        try:
            with self._lock:
                self.folder.mkdir(parents=True, exist_ok=True)
                if path.exists() and path.stat().st_size > LARGEST:
                    raise RulesError(f"{path} is full; move it away to keep more feedback")
                with path.open("a", encoding="utf-8") as file:
                    file.write(line)
        except OSError as error:
            raise RulesError(f"feedback can't be written to {path} ({error.strerror})") from None
