"""Choose a rulebook and read it: a file, the official text, the data set, or the built-in digest."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from index.corpus import Corpus, Source
from index.errors import RulesError
from index.parse import ParseReport, parse

if TYPE_CHECKING:
    from index.fetch import Fetched
    from index.transport import Progress

DIGEST = Path(__file__).resolve().parent.parent / "data" / "digest.txt"
DIGEST_NOTICE = "answers come from the built-in digest, our own short wording of the most used rules"
FILE_REMEDY = "give the TXT of the Comprehensive Rules"
GET_OFFICIAL = "Get the official text: python -m index fetch"


@dataclass(frozen=True)
class Loaded:
    """A rulebook that was read.

    Attributes:
        corpus: its ``source.notice`` says what users must know about it.
        lines: what happened while reading, for people.
        report: of the parser; None for a data set, which has no lines of text.
    """

    corpus: Corpus
    lines: tuple[str, ...]
    report: ParseReport | None = None


def load(
    rules: Path | None = None,
    dataset: str | None = None,
    digest: bool = False,
    fetch_if_missing: bool = True,
    say: Callable[[str], None] = lambda line: None,
) -> Loaded:
    """Read the rulebook that was asked for, or else the best there is.

    When nothing is asked for: the official text that was kept, else it is fetched, else the built-in digest.

    Args:
        rules: a rulebook file of any edition.
        dataset: a data set's name, or a Parquet or JSON Lines file.
        digest: take the built-in digest.
        fetch_if_missing: whether the official text may be downloaded when none is kept.
        say: told what is being done, a line at a time.

    Raises:
        RulesError: what was asked for can't be read, or more than one was asked for.
    """
    if sum((rules is not None, dataset is not None, digest)) > 1:
        raise RulesError("give only one of --rules, --dataset and --digest")
    if rules is not None:
        return _whole(load_file(rules), rules)
    if dataset is not None:
        return _load_dataset(dataset)
    if digest:
        return _load_digest(f"{DIGEST_NOTICE[0].upper()}{DIGEST_NOTICE[1:]}")
    return _load_best(fetch_if_missing, say)


def _whole(loaded: Loaded, path: Path) -> Loaded:
    """Refuse a file that was cut off: a tenth of the sections that its own contents name are not in it."""
    report = loaded.report
    if report is not None and len(report.missing) * 10 > report.listed:
        missing = f"{len(report.missing)} of the {report.listed} sections in its contents are missing"
        raise RulesError(f"{path} is cut off ({missing}); {FILE_REMEDY}, whole")
    return loaded


def load_file(path: Path) -> Loaded:
    """Read a rulebook file of any edition.

    Raises:
        RulesError: it can't be read, or is no rulebook.
    """
    from index.fetch import in_force, refuse_other_formats

    data = _read(path)
    try:
        refuse_other_formats(data)
        corpus, report = parse(data, Source("file", str(path), hashlib.sha256(data).hexdigest()))
    except RulesError as error:
        remedy = "" if FILE_REMEDY in str(error) else f"; {FILE_REMEDY}"
        raise RulesError(f"{path} can't be used: {error}{remedy}") from error
    corpus = corpus.with_source(in_force(corpus.source, corpus.edition))
    return Loaded(corpus, _summary(corpus, report), report)


@contextmanager
def download_bar() -> "Iterator[Progress]":
    """A progress bar on stderr for ``fetch``; nothing is shown where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("rulebook", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _load_dataset(name: str) -> Loaded:
    from index.dataset import load_dataset_corpus

    corpus, repairs = load_dataset_corpus(name)
    return Loaded(corpus, tuple(repairs.lines()))


def _load_best(fetch_if_missing: bool, say: Callable[[str], None]) -> Loaded:
    # Here, not above: whoever only wants a saved index must not wait for an HTTP client.
    from index.fetch import REMEDY, fetch, read_kept

    reason = "none has been fetched yet"
    try:
        kept = read_kept()
        if kept is not None:
            return _official(kept)
    except RulesError as error:
        reason = str(error)
        say(reason)
    if fetch_if_missing:
        say("no official rulebook here yet; fetching it …")
        try:
            with download_bar() as progress:
                return _official(fetch(progress=progress))
        except RulesError as error:
            reason = str(error).replace(REMEDY, "")
            say(reason)
    cause = "No official rulebook could be fetched" if fetch_if_missing else "There is no official rulebook here"
    return _load_digest(f"{cause} ({reason}); {DIGEST_NOTICE}")


def _official(fetched: "Fetched") -> Loaded:
    return Loaded(fetched.corpus, (str(fetched), *_summary(fetched.corpus, fetched.report)), fetched.report)


def _load_digest(why: str) -> Loaded:
    if not DIGEST.is_file():
        remedy = "run: python -m index fetch, or give a text with --rules FILE"
        raise RulesError(f"{why}; but {DIGEST} is missing from this copy of the program; {remedy}")
    loaded = load_file(DIGEST)
    numbers = f" under the rule numbers of {loaded.corpus.name}" if loaded.corpus.edition else ""
    source = Source("digest", str(DIGEST), loaded.corpus.source.sha256, notice=f"{why}{numbers}. {GET_OFFICIAL}")
    return replace(loaded, corpus=loaded.corpus.with_source(source))


def _read(path: Path) -> bytes:
    from index.fetch import MAX_BYTES

    try:
        if path.is_dir():
            raise RulesError(f"{path} is a folder; {FILE_REMEDY}, for example --rules {path / 'MagicCompRules.txt'}")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise RulesError(f"there is no file {path}; {FILE_REMEDY}, or leave --rules out") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise RulesError(f"can't read {str(path)!r} ({error}); {FILE_REMEDY}") from error
    if len(data) > MAX_BYTES:
        raise RulesError(f"{path} has more than {MAX_BYTES // 2**20} MB; no rulebook is that large; {FILE_REMEDY}")
    return data


def _summary(corpus: Corpus, report: ParseReport) -> tuple[str, ...]:
    """What was read, in a line, and further ones on what was printed or read amiss."""
    slips = [f"line {number}: {remark}" if number else remark for number, remark in report.notes]
    line = report.summary(corpus)
    if not report.unplaced:
        return (line, *slips)
    number, text = report.unplaced[0]
    return line, *slips, f"the first unplaced line is {number}: {text[:80]}"
