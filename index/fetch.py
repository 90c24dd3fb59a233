"""Bring the official rulebook from its page, and keep it in the user's data folder.

The folder holds ``rulebook.txt``, byte for byte as published, and ``rulebook.json``: a ``Record`` as a JSON object.
Nothing replaces the kept text before it has been checked to be a whole rulebook.
"""

import hashlib
import json
import os
import random
import re
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import unquote, urljoin, urlsplit

import httpx

from index.corpus import Corpus, Source
from index.decode import decode
from index.errors import RulesError
from index.folders import rulebook_file, write_atomic
from index.parse import ParseReport, parse

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
RETRIED = (429, 500, 502, 503, 504)

Progress = Callable[[int, int | None], None]
"""Told the bytes that have arrived, and the total where the server gave one."""


@dataclass(frozen=True)
class Limits:
    """How long to wait, in seconds, and how much to take."""

    connect: float = 5.0
    read: float = 30.0
    whole: float = 300.0
    tries: int = 3
    pause: float = 0.5
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


@dataclass(frozen=True)
class _Reply:
    status: int
    address: str
    data: bytes
    etag: str
    last_modified: str


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
    with _client(limits) as client:
        index = _get(client, page, limits, limits.page_bytes)
        _require(index, 200)
        address = newest_link(decode(index.data), index.address)
        headers = _conditions(kept) if kept is not None and kept.address == address else {}
        reply = _get(client, address, limits, limits.text_bytes, headers, progress)
    if old is not None and headers and reply.status == 304:
        return replace(old, state="unchanged")
    _require(reply, 200)
    return _keep(reply, address, kept, folder, today)


def read_kept(folder: Path | None = None, today: date | None = None) -> Fetched | None:
    """The official text that an earlier ``fetch`` kept; None where there is none.

    Raises:
        RulesError: it is there, but can't be read or is no whole rulebook.
    """
    if not rulebook_file(folder).exists():
        return None
    return _opened(folder, today)


def newest_link(html: str, page: str) -> str:
    """The address of the newest TXT that a page links to.

    The date in the name decides, in the forms that have been seen: ``20260417``, ``2026417`` (a zero lost),
    ``20260431`` (no such day), ``21031101`` (a wrong year: then the folder's year counts). Among the texts of the
    newest year, the first on the page is taken where its date can't be read.

    Raises:
        RulesError: the page links to no TXT.
    """
    links = _Links(page)
    links.feed(html)
    links.close()
    found = list(dict.fromkeys(links.texts))
    rules = [link for link in found if "rules" in _name(link).lower()] or found
    if not rules:
        raise RulesError(f"{page} links to no TXT of the rules; the page may have changed{REMEDY}")
    dates = {link: link_date(link) for link in rules}
    year = max(year for year, _, _ in dates.values())
    newest = [link for link in rules if dates[link][0] == year]
    if dates[newest[0]][1] == 0:
        return newest[0]
    return max(newest, key=lambda link: dates[link])


def link_date(address: str) -> tuple[int, int, int]:
    """Year, month and day in a link's name; month and day are 0 where they can't be read, and so is the year.

    The day may be one that its month lacks: such slips have been published, and they still sort rightly.
    """
    parts = [unquote(part) for part in urlsplit(address).path.split("/")]
    run = re.search(r"[0-9]{4}[0-9._ -]*", parts[-1])
    digits = re.sub(r"[^0-9]", "", run[0])[:8] if run else ""
    folder = max((int(part) for part in parts[:-1] if len(part) == 4 and _plausible(part)), default=0)
    year = int(digits[:4]) if _plausible(digits[:4]) else folder
    rest = digits[4:]
    # Where one zero is lost ("2026417"), it is taken for the month's unless that gives no date.
    for cut in {4: (2,), 3: (1, 2), 2: (1,)}.get(len(rest), ()):
        month, day = int(rest[:cut]), int(rest[cut:])
        if 1 <= month <= 12 and 1 <= day <= 31:
            return year, month, day
    return year, 0, 0


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


class _Links(HTMLParser):
    """Collects the addresses of the TXT files that a page links to, in its order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.base = page
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = (dict(attrs).get("href") or "").strip()
        if tag not in ("a", "base") or not href:
            return
        try:
            address = str(httpx.URL(urljoin(self.base, href)))  # writes spaces as %20
            path = urlsplit(address).path
        except (ValueError, httpx.InvalidURL):
            return
        if tag == "base":
            self.base = address
        elif path.lower().endswith(".txt") and address.startswith(("http://", "https://")):
            self.texts.append(address)


def _name(address: str) -> str:
    return PurePosixPath(unquote(urlsplit(address).path)).name


def _plausible(year: str) -> bool:
    """Whether it is a year in which a rulebook can have been published."""
    return year.isascii() and year.isdigit() and 1993 <= int(year) <= date.today().year + 1


def _client(limits: Limits) -> httpx.Client:
    timeout = httpx.Timeout(limits.read, connect=limits.connect)
    headers = {"User-Agent": "rules-lawyer"}
    try:
        return httpx.Client(timeout=timeout, follow_redirects=True, max_redirects=5, headers=headers)
    except (ValueError, ImportError, OSError, httpx.InvalidURL) as error:  # from the proxy and certificate variables
        reason = " ".join(str(error).split())
        raise RulesError(f"the network settings can't be used ({reason}); check HTTPS_PROXY and SSL_CERT_FILE") from error


def _get(
    client: httpx.Client,
    address: str,
    limits: Limits,
    most: int,
    headers: dict[str, str] | None = None,
    progress: Progress | None = None,
) -> _Reply:
    """One address, tried again after passing failures (no connection, a server's 5xx, 429)."""
    for attempt in range(limits.tries):
        last = attempt == limits.tries - 1
        try:
            reply = _get_once(client, address, limits, most, headers or {}, progress)
            if reply.status not in RETRIED or last:
                return reply
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OverflowError) as error:
            if last or not _passing(error):
                raise RulesError(f"{_explained(error, address)}{REMEDY}") from error
        time.sleep(limits.pause * 2**attempt * random.uniform(0.5, 1.5))
    raise AssertionError("unreachable: the last try returns or raises")


def _get_once(
    client: httpx.Client, address: str, limits: Limits, most: int, headers: dict[str, str], progress: Progress | None
) -> _Reply:
    end = time.monotonic() + limits.whole
    data = bytearray()
    with client.stream("GET", address, headers=headers) as response:
        length = response.headers.get("Content-Length", "")
        total = int(length) if length.isascii() and length.isdigit() and len(length) < 16 else None
        if response.status_code == 200:
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > most or (total or 0) > most:
                    raise RulesError(f"{address} sends more than {most // 2**20} MB; no rulebook is that large{REMEDY}")
                if time.monotonic() > end:
                    raise RulesError(f"{address} sends too slowly: not whole after {limits.whole:g} s{REMEDY}")
                if progress:
                    progress(response.num_bytes_downloaded, total)
            if total is not None and response.num_bytes_downloaded != total:
                raise httpx.RemoteProtocolError("fewer bytes than Content-Length says", request=response.request)
        etag, modified = response.headers.get("ETag", ""), response.headers.get("Last-Modified", "")
        return _Reply(response.status_code, str(response.url), bytes(data), etag, modified)


def _passing(error: Exception) -> bool:
    """Whether the failure may be gone at the next try; a name that can't be resolved means: offline."""
    return isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError) and not _is_resolution(error)


def _is_resolution(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, socket.gaierror):
            return True
        error = error.__cause__ or error.__context__
    return False


def _explained(error: Exception, address: str) -> str:
    """A transport failure in plain words."""
    if _is_resolution(error):
        return f"the name in {address} can't be resolved; is there a network?"
    # The socket module raises the last two for a port above 65535 and for a name that is too long.
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol | ValueError | OverflowError):
        return f"{address[:200]!r} is not an address that can be opened (http:// or https://)"
    if isinstance(error, httpx.TimeoutException):
        return f"{address} does not answer in time"
    if isinstance(error, httpx.TooManyRedirects):
        return f"{address} redirects in circles"
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
        return f"the connection to {address} was cut off before all had arrived"
    if isinstance(error, httpx.DecodingError):
        return f"{address} sends data that can't be decompressed"
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"no connection to {address} ({reason})"


def _require(reply: _Reply, status: int) -> None:
    if reply.status != status:
        phrase = httpx.codes.get_reason_phrase(reply.status)
        raise RulesError(f"{reply.address} answers {reply.status} {phrase}".rstrip() + REMEDY)


def _conditions(kept: Record) -> dict[str, str]:
    headers = {"If-None-Match": kept.etag, "If-Modified-Since": kept.last_modified}
    return {name: value for name, value in headers.items() if value}


def _keep(reply: _Reply, address: str, kept: Record | None, folder: Path | None, today: date | None) -> Fetched:
    """Check the text that came; if it is whole, put it in the place of the kept one."""
    sha256 = hashlib.sha256(reply.data).hexdigest()
    same = kept is not None and kept.sha256 == sha256
    now = kept.fetched if kept is not None and same else datetime.now(UTC).isoformat(timespec="seconds")
    try:
        corpus, report = check_rulebook(reply.data, Source("official", address, sha256, now), today)
    except RulesError as error:
        raise RulesError(f"what {address} sends can't be used: {error}{REMEDY}") from error
    edition = corpus.edition.isoformat() if corpus.edition else ""
    path = rulebook_file(folder)
    if not same:
        write_atomic(path, reply.data)
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
