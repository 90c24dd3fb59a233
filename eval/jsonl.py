"""Files of one JSON object a line: read with line numbers in every error, written whole or not at all."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from index.errors import RulesError
from index.folders import write_atomic


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """The non-blank lines of a UTF-8 text, each with where it stands: ``("dev.jsonl line 3", text)``.

    Raises:
        RulesError: the file cannot be read or is not UTF-8.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise RulesError(f"{path} is not UTF-8 text; save it as UTF-8") from error
    except OSError as error:
        raise RulesError(f"cannot read {path}: {error.strerror}") from error
    # Not splitlines(): it would also break at the line separators that JSON allows inside strings.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{path.name} line {number}", line.strip()


def parse_object(text: str, where: str) -> dict[str, Any]:
    """One JSON object.

    Raises:
        RulesError: the text is not JSON, or not an object.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"{where}: not JSON ({error})") from error
    if not isinstance(value, dict):
        raise RulesError(f"{where}: expected a JSON object, got {type(value).__name__}")
    return value


def read_objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSONL file, each with where it stands."""
    return ((where, parse_object(line, where)) for where, line in read_lines(path))


def write_objects(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """One object a line, atomically."""
    write_atomic(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """One indented object, atomically."""
    write_atomic(path, (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        RulesError: the file cannot be read or holds no JSON object.
    """
    return parse_object("\n".join(line for _, line in read_lines(path)), str(path))
