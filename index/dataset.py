"""Read the rules from the data set ``TrevorJS/mtg-rules-dataset``, or from a local file of its schema.

A row has ``number`` ("704.5a"), ``text`` and ``examples`` (a list of texts); ``__index_level_0__`` is left out.
Files are Parquet, or JSON Lines (one such object a line, UTF-8).
"""

import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from index.corpus import Corpus, Source
from index.errors import RulesError
from index.repair import RepairReport, Unreadable, repair_rows

MAX_BYTES = 100 * 2**20
MAX_ROWS = 100_000
SCHEMA = "rows with number, text and examples, as Parquet or JSON Lines"
HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w.-]+")
SUFFIXES = (".parquet", ".jsonl", ".json", ".ndjson")


def load_dataset_corpus(name_or_path: str) -> tuple[Corpus, RepairReport]:
    """Read a data set, and say what was wrong with it.

    The corpus has no edition and no glossary: the data set holds neither.

    Args:
        name_or_path: a local file, or the name of a Hugging Face data set (``owner/name``).

    Raises:
        RulesError: there is no such file or data set, it can't be read, or no row in it is a rule.
    """
    path = Path(name_or_path)
    if _exists(path):
        rows, sha256 = _file_rows(path)
        fetched = ""
    elif HUB_NAME.fullmatch(name_or_path) and not name_or_path.lower().endswith(SUFFIXES):
        rows = _hub_rows(name_or_path)
        sha256 = hashlib.sha256(json.dumps(rows, sort_keys=True, default=repr).encode()).hexdigest()
        fetched = datetime.now(UTC).isoformat(timespec="seconds")
    else:
        shown = name_or_path[:200]
        raise RulesError(f"there is no file {shown!r}, and it is not a data set's name either; give {SCHEMA}, or owner/name")
    _check_columns(rows, name_or_path)
    rules, sections, report = repair_rows(rows)
    if not rules:
        first = f" ({report.repairs[0]})" if report.repairs else ""
        raise RulesError(f"no row of {name_or_path} can be used as a rule{first}; give {SCHEMA}")
    aside = report.rows - report.rules - report.headings
    notice = f"a data set that does not say which edition it holds; set aside: {aside:,} of its {report.rows:,} rows"
    source = Source("dataset", name_or_path, sha256, fetched, notice)
    return Corpus(None, source, tuple(rules), tuple(sections)), report


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that is too long, or has a NUL in it
        return False


def _file_rows(path: Path) -> tuple[list[object], str]:
    """The rows of a local file, and the SHA-256 of its bytes."""
    if path.is_dir():
        inside = [entry.name for entry in sorted(path.iterdir()) if entry.suffix.lower() in SUFFIXES]
        hint = f"give a file in it: {', '.join(inside[:5])}" if inside else f"give {SCHEMA}"
        raise RulesError(f"{path} is a folder; {hint}")
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RulesError(f"can't read {path} ({error.strerror or error}); give {SCHEMA}") from error
    if len(data) > MAX_BYTES:
        raise RulesError(f"{path} has more than {MAX_BYTES // 2**20} MB; that is no rules data set; give {SCHEMA}")
    rows = _parquet_rows(data, path) if data.startswith(b"PAR1") else list(_json_rows(data, path))
    if not rows:
        raise RulesError(f"{path} is empty; give {SCHEMA}")
    return rows, hashlib.sha256(data).hexdigest()


def _parquet_rows(data: bytes, path: Path) -> list[object]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(data))
        if file.metadata.num_rows > MAX_ROWS:
            raise RulesError(f"{path} has {file.metadata.num_rows:,} rows; that is no rules data set; give {SCHEMA}")
        return list(file.read().to_pylist())
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        reason = " ".join(str(error).split())[:150]
        raise RulesError(f"{path} is a broken Parquet file ({reason}); download it again") from error


def _json_rows(data: bytes, path: Path) -> Iterator[object]:
    """One row for each non-blank line; a line that is no JSON gives an ``Unreadable`` with its line number."""
    count = 0
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        count += 1
        if count > MAX_ROWS:
            raise RulesError(f"{path} has more than {MAX_ROWS:,} lines; that is no rules data set; give {SCHEMA}")
        try:
            yield json.loads(line.decode())
        except UnicodeDecodeError:
            yield Unreadable(f"line {number} is not UTF-8")
        except json.JSONDecodeError as error:
            yield Unreadable(f"line {number} is not JSON ({error.msg}, column {error.colno})")
        except (ValueError, RecursionError):  # a number with thousands of digits; brackets nested too deep
            yield Unreadable(f"line {number} is not JSON that can be read")


def _hub_rows(name: str) -> list[object]:
    """The rows of all splits of a Hugging Face data set."""
    from datasets import load_dataset

    try:
        loaded = load_dataset(name)
        splits = loaded.values() if isinstance(loaded, Mapping) else [loaded]
        return list(chain.from_iterable(splits))
    except Exception as error:  # the library lets through what its many parts raise: HTTP, file system, Arrow, its own
        reason = " ".join(str(error).split())[:200]
        remedy = "check the name and the network, or download its Parquet file and give that with --dataset FILE"
        raise RulesError(f"can't load the data set {name} ({type(error).__name__}: {reason}); {remedy}") from error


def _check_columns(rows: list[object], where: str) -> None:
    names = {str(name) for row in rows if isinstance(row, dict) for name in row}
    missing = [name for name in ("number", "text") if name not in names]
    if names and missing:
        found = ", ".join(sorted(names))[:150]
        raise RulesError(f"{where} has no column {' and no column '.join(missing)}; it has: {found}; give {SCHEMA}")
