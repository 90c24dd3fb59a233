"""A team's own questions, in the set format: JSON Lines, or a JSON list, with ``id``, ``question`` and ``rules``.

Optional are ``answer``, ``cards``, ``level`` 1–3, ``kind`` and ``edition`` (whose numbers ``rules`` uses); other fields
are left alone.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from index.bank import BANK, PINS, Question, place, read_pins
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.pins import Pins
from ui.text import tidy
from ui.train.filters import KINDS

MOST_BYTES = 5_000_000
MOST_ROWS = 5_000
LENGTHS = {"id": 100, "question": 4_000, "answer": 4_000, "kind": 40, "edition": 10, "cards": 200, "rules": 40}
"""Characters of each field, or of each text in a list."""
MOST_LISTED = 50
"""Rules or cards of one question."""
FORM = "give JSON Lines (one object a line) or a JSON list, each with id, question and rules"


@dataclass(frozen=True)
class Row:
    """A question as its file has it.

    Attributes:
        edition: whose numbers it uses, YYYY-MM-DD; empty where the file does not say.
    """

    question: Question
    edition: str


def read_file(path: Path) -> bytes:
    """The content of a set's file.

    Raises:
        RulesError: it is not there, can't be read or is too large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise RulesError(f"can't read the questions in {str(path)!r} ({reason}); {FORM}") from None
    return data


def parse_set(data: bytes | str, name: str) -> list[Row]:
    """The questions of a set.

    Raises:
        RulesError: it is named like the bank, is too large, holds nothing, or a row is broken; names the set and the line.
    """
    name = tidy(" ".join(name.split()))[:80] or "the set"
    refuse_banks_name(name)
    rows: list[Row] = []
    seen: set[str] = set()
    for where, value in _values(_text(data, name), name):
        if len(rows) == MOST_ROWS:
            raise RulesError(f"{name} holds more than {MOST_ROWS:,} questions; split it")
        row = _row(value, where)
        if row.question.id in seen:
            raise RulesError(f"{where}: the id {row.question.id!r} occurs twice; give each question its own")
        seen.add(row.question.id)
        rows.append(row)
    if not rows:
        raise RulesError(f"{name} holds no questions; {FORM}")
    return rows


def refuse_banks_name(name: str) -> None:
    """Raises RulesError where a set would pass for the bank: on the page, in a quiz, among Anki's cards."""
    from ui.train.deck import BANK_NAME

    if " ".join(name.split()).casefold() == BANK_NAME.casefold():
        raise RulesError(f"{BANK_NAME!r} is the name of the bank itself; give your set another")


def _text(data: bytes | str, name: str) -> str:
    if len(data) > MOST_BYTES:
        raise RulesError(f"{name} is larger than {MOST_BYTES // 1_000_000} MB; split it")
    try:
        return data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise RulesError(f"{name} is not UTF-8 text; save it as UTF-8") from None


def _values(text: str, name: str) -> Iterator[tuple[str, Any]]:
    """The rows, each with where it stands: its line, or its place in a list."""
    if text.lstrip().startswith("["):
        for number, value in enumerate(_json(text, name), 1):
            yield f"{name}, row {number}", value
        return
    # Not splitlines(): it would also break at the line separators that JSON allows inside strings.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{name}, line {number}"
            yield where, _json(line, where)


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"{where}: not JSON ({error}); {FORM}") from None


def _row(value: Any, where: str) -> Row:
    if not isinstance(value, dict):
        raise RulesError(f"{where}: expected an object, got {type(value).__name__}; {FORM}")
    identity = _field(value, "id", where, required=True)
    where = f"{where} ({identity})"
    kind, level, edition = _field(value, "kind", where), value.get("level"), _field(value, "edition", where)
    if kind and kind not in KINDS:
        raise RulesError(f"{where}: there is no kind {kind!r}; use {', '.join(KINDS)}")
    if level is not None and (type(level) is not int or level not in (1, 2, 3)):
        raise RulesError(f"{where}: level is {str(level)[:20]!r}; use 1, 2 or 3")
    try:
        edition and date.fromisoformat(edition)
    except ValueError:
        raise RulesError(f"{where}: edition is {edition!r}; write it like 2026-04-17") from None
    question = Question(
        id=identity,
        question=_field(value, "question", where, required=True),
        answer=_field(value, "answer", where),
        rules=_rules(value, where),
        level=level or 0,
        kind=kind,
        checked=0,
        cards=_texts(value, "cards", where),
    )
    return Row(question, edition)


def _field(row: dict[str, Any], field: str, where: str, *, required: bool = False) -> str:
    value = row.get(field)
    if field == "id" and type(value) is int:
        value = str(value)
    if value is None:
        value = ""
    if not isinstance(value, str):
        raise RulesError(f"{where}: {field!r} must be text, not {type(value).__name__}")
    if required and not value.strip():
        raise RulesError(f"{where}: {field!r} is {'empty' if field in row else 'missing'}")
    return _short(value, field, where)


def _short(value: str, field: str, where: str) -> str:
    if len(value) > LENGTHS[field]:
        raise RulesError(f"{where}: {field!r} has more than {LENGTHS[field]:,} characters; shorten it")
    return tidy(value.strip())


def _texts(row: dict[str, Any], field: str, where: str) -> tuple[str, ...]:
    values = row.get(field)
    if values is None:
        return ()
    if not isinstance(values, list) or not all(isinstance(value, str) and value.strip() for value in values):
        raise RulesError(f"{where}: {field!r} must be a list of texts")
    if len(values) > MOST_LISTED:
        raise RulesError(f"{where}: {field!r} has more than {MOST_LISTED} entries; shorten it")
    return tuple(_short(value, field, where) for value in values)


def _rules(row: dict[str, Any], where: str) -> tuple[RuleNumber, ...]:
    try:
        numbers = tuple(dict.fromkeys(RuleNumber.parse(text) for text in _texts(row, "rules", where)))
    except RulesError as error:
        raise RulesError(f"{where}: {str(error).removeprefix(f'{where}: ')}") from None
    if not numbers:
        raise RulesError(f"{where}: 'rules' is {'empty' if 'rules' in row else 'missing'}; name the rule that decides it")
    return numbers


def place_set(rows: Sequence[Row], corpus: Corpus) -> tuple[list[Question], int, list[str]]:
    """Give questions the numbers of the loaded edition, as far as their own edition is known.

    Returns:
        The questions in the set's order, how many have lost their decisive rule, and notes for people.

    Raises:
        RulesError: the bank's fingerprints are needed and damaged.
    """
    pins = _pins() if any(row.edition and row.edition != corpus.name for row in rows) else None
    pinned = pins.edition.isoformat() if pins else ""
    moving = [row.question for row in rows if row.edition == pinned != corpus.name] if pins else []
    followed = {q.id: q for q in place(moving, pins, corpus).questions} if pins else {}
    gone = {question.id for question in moving} - followed.keys()
    kept = [followed.get(row.question.id, row.question) for row in rows if row.question.id not in gone]
    unknown = {row.edition for row in rows if row.edition not in ("", corpus.name, pinned)}
    return [replace(q, checked=0) for q in kept], len(gone), _unfollowed(unknown, corpus)


def _pins() -> Pins | None:
    """The bank's fingerprints; None where there is no bank."""
    return read_pins() if (BANK / PINS).exists() else None


def _unfollowed(editions: Iterable[str], corpus: Corpus) -> list[str]:
    named = ", ".join(sorted(editions)[:5])
    if not named:
        return []
    return [f"Some questions use the rule numbers of {named}; they are taken as numbers of this edition ({corpus.name})."]
