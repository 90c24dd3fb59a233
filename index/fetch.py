"""Bring the official rulebook from its page, and keep it in the user's data folder.

The folder holds ``rulebook.txt``, byte for byte as published, and ``rulebook.json``: a ``Record`` as a JSON object.
Nothing replaces the kept text before it has been checked to be a whole rulebook.
"""

import hashlib
import json
import os
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal

from index.corpus import Corpus, Source
from index.decode import decode
from index.errors import RulesError
from index.folders import rulebook_file, write_atomic
from index.links import newest_link
from index.parse import ParseReport, parse
from index.transport import Patience, Progress, Reply, Transport

OFFICIAL_PAGE = "https://magic.wizards.com/en/rules"
PAGE_VARIABLE = "RULES_LAWYER_PAGE"
REMEDY = "; try again later, or download the TXT yourself and give it with --rules FILE"
MAX_BYTES = 20 * 2**20
"""No rulebook is larger; the newest has 1 MB."""
MIN_RULES = 500
FORMATS = {
    b"%PDF": "a PDF",
    b"PK\3\4": "a ZIP archive or a DOCX",
    b"\xd0\xcf\x11\xe0": "a DOC",
    b"{\\rtf": "an RTF",
    b"\x1f\x8b": "a gzip archive",
    b"\xfd7zXZ": "an xz archive",
    b"PAR1": "a Parquet file (that goes with --dataset FILE)",
}
"""What people give by mistake, by its first bytes."""


@dataclass(frozen=True)
class Limits(Patience):
    """How long to wait, in seconds, and how much to take."""

    page_bytes: int = 5 * 2**20
    text_bytes: int = MAX_BYTES


@dataclass(frozen=True)
class Record:
    """What is known of the kept text: the content of ``rulebook.json``.

    Attributes:
        address: where it was downloaded.
        etag: the server's ETag header; empty where there was none.
        last_modified: the server's Last-Modified header; empty where there was none.
        sha256: of the kept bytes.
        fetched: when, ISO 8601 in UTC.
        edition: the day from which it is effective, ISO 8601; empty where the text does not say.
    """

    address: str
    etag: str
    last_modified: str
    sha256: str
    fetched: str
    edition: str


@dataclass(frozen=True)
class Fetched:
    """The kept official text.

    Attributes:
        corpus: parsed; its source has the notice "not yet in force" where that is so.
        report: of the parser.
        path: of the text.
        state: ``new``, ``corrected`` (other bytes under the same address), ``unchanged``, or ``kept`` (read
            without asking the server).
    """

    corpus: Corpus
    report: ParseReport
    path: Path
    state: Literal["new", "corrected", "unchanged", "kept"]

    def __str__(self) -> str:
        said = {
            "new": "fetched from",
            "corrected": "corrected under the same name; the new text was fetched from",
            "unchanged": f"unchanged since {self.corpus.source.fetched} at",
            "kept": f"fetched {self.corpus.source.fetched} from",
        }
        notice = f"; {self.corpus.source.notice}" if self.corpus.source.notice else ""
        rules = f"{len(self.corpus.rules):,} rules"
        return f"official rulebook {self.corpus.name} ({rules}): {said[self.state]} {self.corpus.source.where}{notice}"


def fetch(
    page: str | None = None,
    folder: Path | None = None,
    *,
    limits: Limits | None = None,
    progress: Progress | None = None,
    today: date | None = None,
) -> Fetched:
    """Download the newest official text, unless the kept one is still the same.

    Args:
        page: the page that links to the texts; otherwise ``RULES_LAWYER_PAGE``, otherwise the official page.
        folder: the data folder; the user's by default.
        limits: time-outs, tries and sizes.
        progress: called while the text arrives.
        today: decides whether an edition is in force.

    Raises:
        RulesError: no connection, no TXT on the page, or what came is not a whole rulebook. The kept text stays.
    """
    limits = limits or Limits()
    page = page or os.environ.get(PAGE_VARIABLE) or OFFICIAL_PAGE
    old = _usable(folder, today)
    kept = _kept_record(folder) if old else None
    with Transport(limits, REMEDY, "rulebook") as web:
        index, html = web.get(page, limits.page_bytes)
        index.require(200)
        address = newest_link(decode(html), index.address, REMEDY)
        headers = _conditions(kept) if kept is not None and kept.address == address else {}
        reply, data = web.get(address, limits.text_bytes, headers, progress)
    if old is not None and headers and reply.status == 304:
        return replace(old, state="unchanged")
    reply.require(200)
    return _keep(reply, data, address, kept, folder, today)


def read_kept(folder: Path | None = None, today: date | None = None) -> Fetched | None:
    """The official text that an earlier ``fetch`` kept; None where there is none.

    Raises:
        RulesError: it is there, but can't be read or is no whole rulebook.
    """
    if not rulebook_file(folder).exists():
        return None
    return _opened(folder, today)


def check_rulebook(data: bytes, source: Source, today: date | None = None) -> tuple[Corpus, ParseReport]:
    """Parse a text and check that it is a whole official rulebook.

    Raises:
        RulesError: it is another kind of file, has too few rules, or lacks the glossary or the credits at its end.
    """
    refuse_other_formats(data)
    corpus, report = parse(data, source)
    if len(corpus.rules) < MIN_RULES:
        raise RulesError(f"the text has only {len(corpus.rules)} rules; a whole rulebook has thousands")
    if not corpus.glossary or report.lines["credits"] < 2:
        raise RulesError("the text is cut off: its glossary or its credits are missing at the end")
    return corpus.with_source(in_force(source, corpus.edition, today)), report


def in_force(source: Source, edition: date | None, today: date | None = None) -> Source:
    """The source, with a notice where the edition is not yet in force."""
    if edition is None or edition <= (today or date.today()):
        return source
    return Source(source.kind, source.where, source.sha256, source.fetched, f"not yet in force: effective as of {edition}")


def refuse_other_formats(data: bytes) -> None:
    """Name what a file is if it is plainly no rulebook text.

    Raises:
        RulesError: it is empty, HTML, a PDF, an archive, a Word file, a Parquet file or other binary data.
    """
    if not data.strip():
        raise RulesError("the file is empty")
    for magic, kind in FORMATS.items():
        if data.startswith(magic):
            raise RulesError(f"it is {kind}, not the TXT of the rules")
    head = decode(data[:4000]).lstrip("\ufeff \t\r\n").lower()
    if head.startswith(("<!doctype", "<html", "<?xml", "<head", "<body")):
        raise RulesError("it is a web page (HTML), not the TXT of the rules")
    if "\0" in head:
        raise RulesError("it is binary data, not the TXT of the rules")


def _conditions(kept: Record) -> dict[str, str]:
    headers = {"If-None-Match": kept.etag, "If-Modified-Since": kept.last_modified}
    return {name: value for name, value in headers.items() if value}


def _keep(reply: Reply, data: bytes, address: str, kept: Record | None, folder: Path | None, today: date | None) -> Fetched:
    """Check the text that came; if it is whole, put it in the place of the kept one."""
    sha256 = hashlib.sha256(data).hexdigest()
    same = kept is not None and kept.sha256 == sha256
    now = kept.fetched if kept is not None and same else datetime.now(UTC).isoformat(timespec="seconds")
    try:
        corpus, report = check_rulebook(data, Source("official", address, sha256, now), today)
    except RulesError as error:
        raise RulesError(f"what {address} sends can't be used: {error}{REMEDY}") from error
    edition = corpus.edition.isoformat() if corpus.edition else ""
    path = rulebook_file(folder)
    if not same:
        write_atomic(path, data)
    record = Record(address, reply.etag, reply.last_modified, sha256, now, edition)
    write_atomic(_record_file(folder), json.dumps(asdict(record), indent=2).encode())
    if same:
        return Fetched(corpus, report, path, "unchanged")
    return Fetched(corpus, report, path, "corrected" if kept is not None and kept.address == address else "new")


def _record_file(folder: Path | None) -> Path:
    return rulebook_file(folder).with_suffix(".json")


def _kept_record(folder: Path | None) -> Record | None:
    """The record of the kept text; None unless both are there and the record fits the text."""
    try:
        data = json.loads(_record_file(folder).read_bytes())
        record = Record(**{field.name: data[field.name] for field in fields(Record)})
        sha256 = hashlib.sha256(rulebook_file(folder).read_bytes()).hexdigest()
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    strings = all(isinstance(value, str) for value in asdict(record).values())
    return record if strings and record.sha256 == sha256 else None


def _usable(folder: Path | None, today: date | None) -> Fetched | None:
    """The kept text; None where there is none, or where it must be brought anew."""
    try:
        return read_kept(folder, today)
    except RulesError:
        return None


def _opened(folder: Path | None, today: date | None) -> Fetched:
    """Read the kept text; without a record that fits it, its address and time are unknown."""
    path, record = rulebook_file(folder), _kept_record(folder)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RulesError(f"can't read {path} ({error.strerror}); delete it and run: python -m index fetch") from error
    source = Source("official", str(path), hashlib.sha256(data).hexdigest())
    if record is not None:
        source = Source("official", record.address, record.sha256, record.fetched)
    try:
        corpus, report = check_rulebook(data, source, today)
    except RulesError as error:
        raise RulesError(f"{path} can't be used: {error}; get it again: python -m index fetch") from error
    return Fetched(corpus, report, path, "kept")
