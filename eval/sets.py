"""Question sets: questions with the rules that decide them.

A set is JSONL, one object a line: ``id``, ``question``, ``rules`` (numbers, the decisive one first; family heads and
sections are allowed), and optionally ``answer``, ``cards``, ``level`` 1–3, ``kind``, ``edition`` (whose numbers
``rules`` uses) and ``source``. Other fields are left alone.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from eval.jsonl import read_objects
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber

KINDS = ("definition", "interaction", "timing", "procedure", "variant")
QUESTIONS = Path(__file__).parent.parent / "data" / "questions"
FILES = (".jsonl", ".json", ".parquet")
NAMED = ("dev", "test", "unanswerable")
"""Sets of our own in data/questions; ``examples`` is made from the corpus instead."""


@dataclass(frozen=True)
class Question:
    """One row of a set.

    Attributes:
        rules: the gold, the decisive rule first, each once; empty where the rules do not settle the question.
        level: 1–3, or 0 where the set does not say.
        kind: one of ``KINDS``, or empty.
        edition: the edition whose numbers ``rules`` uses, YYYY-MM-DD, or empty.
    """

    id: str
    question: str
    rules: tuple[RuleNumber, ...]
    answer: str = ""
    cards: tuple[str, ...] = ()
    level: int = 0
    kind: str = ""
    edition: str = ""
    source: str = ""


def read_set(name: str | Path, *, corpus: Corpus | None = None, unanswerable: bool = False) -> list[Question]:
    """Read a set: ``dev``, ``test``, ``unanswerable``, ``examples``, a JSONL or Parquet file, a folder or a data set id.

    Args:
        corpus: what ``examples`` is made from.
        unanswerable: whether ``rules: []`` is allowed; the set of that name allows it by itself.

    Raises:
        RulesError: the set is not there, or a row is broken; names the line.
    """
    if name == "examples":
        if corpus is None:
            raise RulesError("the examples set is made from a rulebook; name an index with --index DIR")
        return examples_set(corpus)
    path = QUESTIONS / f"{name}.jsonl" if name in NAMED else Path(name)
    questions = [_question(row, where, unanswerable or name == "unanswerable") for where, row in _rows(path, str(name))]
    if not questions:
        raise RulesError(f"{name} holds no questions")
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise RulesError(f"{name}: the id {question.id!r} occurs twice; give each question its own")
        seen.add(question.id)
    return questions


def examples_set(corpus: Corpus) -> list[Question]:
    """Each example of the rulebook as a question whose gold is its rule: ``ex-702.19b-1``."""
    return [
        Question(f"ex-{rule.number}-{count}", text, (rule.number,), edition=corpus.name, source="examples")
        for rule in corpus
        for count, text in enumerate(rule.examples, 1)
    ]


def check_gold(questions: Iterable[Question], corpus: Corpus) -> None:
    """Make sure that every gold number is in the corpus: as a rule, a section, or the head of a family.

    Raises:
        RulesError: some number is not; names the question and how many more there are.
    """
    lost = [
        (question.id, number)
        for question in questions
        for number in question.rules
        if number not in corpus and not corpus.under(number)
    ]
    if lost:
        first, number = lost[0]
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        raise RulesError(f"question {first}: the edition {corpus.name} has no rule {number}{more}; put the gold right")


def set_hash(questions: Iterable[Question]) -> str:
    """SHA-256 over what is measured (ids, questions, gold): two sets with the same hash give comparable figures."""
    rows = [[q.id, q.question, [str(number) for number in q.rules]] for q in questions]
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()


def title(name: str | Path) -> str:
    """What a set is called in results: a file's name without folder and ending, else the name itself."""
    return Path(name).stem if Path(name).suffix in FILES else str(name)


def _rows(path: Path, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if path.is_file() and path.suffix == ".parquet":
        return _numbered(_parquet(path), path.name)
    if path.is_file():
        return read_objects(path)
    if path.is_dir() or (name.count("/") == 1 and path.suffix not in FILES and not path.is_absolute()):
        return _numbered(_dataset(name), name)
    raise RulesError(f"no question set {name!r}: give {', '.join(NAMED)}, examples, a JSONL or Parquet file, or a data set id")


def _numbered(rows: Iterable[dict[str, Any]], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((f"{name} row {number}", row) for number, row in enumerate(rows, 1))


def _parquet(path: Path) -> list[dict[str, Any]]:
    import pyarrow
    from pyarrow import parquet

    try:
        rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise RulesError(f"cannot read {path} as Parquet: {error}") from error
    return rows


def _dataset(name: str) -> Iterable[dict[str, Any]]:
    """The rows of a Hugging Face data set, or of a folder in its form: the split ``test``, or else the first."""
    from datasets import load_dataset

    try:
        splits = load_dataset(name)
    except Exception as error:  # the library raises dozens of kinds: network, missing, gated, malformed
        raise RulesError(f"cannot load the data set {name}: {str(error).splitlines()[0] if str(error) else error!r}") from error
    rows: Iterable[dict[str, Any]] = splits["test"] if "test" in splits else next(iter(splits.values()))
    return rows


def _question(row: dict[str, Any], where: str, unanswerable: bool) -> Question:
    identity = _text(row, "id", where, required=True)
    where = f"{where} ({identity})"
    kind = _text(row, "kind", where)
    if kind and kind not in KINDS:
        raise RulesError(f"{where}: unknown kind {kind!r}; use {', '.join(KINDS)}")
    level = row.get("level")
    if level is not None and (isinstance(level, bool) or level not in (1, 2, 3)):
        raise RulesError(f"{where}: level is {level!r}; use 1, 2 or 3")
    return Question(
        id=identity,
        question=_text(row, "question", where, required=True),
        rules=_rules(row, where, unanswerable),
        answer=_text(row, "answer", where),
        cards=tuple(_strings(row, "cards", where)),
        level=int(level or 0),
        kind=kind,
        edition=_text(row, "edition", where),
        source=_text(row, "source", where),
    )


def _text(row: dict[str, Any], field: str, where: str, *, required: bool = False) -> str:
    value = row.get(field)
    if field == "id" and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, date):  # Parquet and datasets make dates of texts that look like one
        value = f"{value:%Y-%m-%d}"
    if value is None:
        value = ""
    if not isinstance(value, str):
        raise RulesError(f"{where}: {field!r} must be text, not {type(value).__name__}")
    if required and not value.strip():
        raise RulesError(f"{where}: {field!r} is {'empty' if field in row else 'missing'}")
    try:
        value.encode()
    except UnicodeEncodeError:  # a lone surrogate, which no file can hold: better refused now than after the run
        raise RulesError(f"{where}: {field!r} holds half a character; write it as whole Unicode") from None
    return value.strip()


def _strings(row: dict[str, Any], field: str, where: str) -> Sequence[str]:
    values = row.get(field)
    if values is None:
        return []
    if not isinstance(values, list) or not all(isinstance(value, str) and value.strip() for value in values):
        raise RulesError(f"{where}: {field!r} must be a list of texts")
    return values


def _rules(row: dict[str, Any], where: str, unanswerable: bool) -> tuple[RuleNumber, ...]:
    if row.get("rules") is None:
        raise RulesError(f"{where}: 'rules' is missing")
    try:
        numbers = tuple(dict.fromkeys(RuleNumber.parse(text) for text in _strings(row, "rules", where)))
    except RulesError as error:
        raise RulesError(f"{where}: {error}") from error
    if not numbers and not unanswerable:
        raise RulesError(f"{where}: 'rules' is empty; only a set of unanswerable questions may have no gold")
    return numbers
