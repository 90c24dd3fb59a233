"""Download Scryfall's bulk file of cards: about 170 MB, streamed to the disk."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from index.errors import RulesError
from index.transport import Patience, Progress, Transport

PAGE = "https://api.scryfall.com/bulk-data"
PAGE_VARIABLE = "RULES_LAWYER_CARDS"
REMEDY = f"; try again later, or download the file of type oracle_cards yourself ({PAGE}) and give it with --file FILE"
MAX_BYTES = 2**30
PATIENCE = Patience(whole=3600.0)


@contextmanager
def downloaded(
    folder: Path, page: str | None = None, *, patience: Patience = PATIENCE, progress: Progress | None = None
) -> Iterator[Path]:
    """The bulk file, in a temporary place inside a folder; it is gone afterwards.

    Args:
        page: the list of bulk files; otherwise ``RULES_LAWYER_CARDS``, otherwise Scryfall's.
        progress: called while the file arrives; a bar is shown if None.

    Raises:
        RulesError: no connection, no file of cards in the list, or the disk is full; or what is raised inside.
    """
    page = page or os.environ.get(PAGE_VARIABLE) or PAGE
    with Transport(patience, REMEDY, "file of cards") as web, _place(folder) as path:
        reply, listed = web.get(page, 2**20)
        reply.require(200)
        address = _address(listed, page)
        try:
            with path.open("wb+") as file, bar("download") as shown:
                web.save(address, file, MAX_BYTES, progress=progress or shown).require(200)
        except OSError as error:
            raise RulesError(f"can't write the cards to {folder} ({error.strerror or error}); make room there") from error
        try:
            yield path
        except RulesError as error:  # nobody knows the temporary name
            raise RulesError(str(error).replace(str(path), f"what {address} sends")) from error


@contextmanager
def _place(folder: Path) -> Iterator[Path]:
    """A file name in a temporary folder; not in /tmp, which is often memory."""
    try:
        inside = tempfile.TemporaryDirectory(prefix=".cards-", dir=folder, ignore_cleanup_errors=True)
    except OSError as error:
        raise RulesError(f"can't write to {folder} ({error.strerror}); mend its rights") from error
    with inside as name:
        yield Path(name) / "oracle-cards.json"


def _address(listed: bytes, page: str) -> str:
    """Where the list of bulk files says that the cards are."""
    try:
        entries = json.loads(listed)["data"]
        return next(str(entry["download_uri"]) for entry in entries if entry["type"] == "oracle_cards")
    except (ValueError, KeyError, TypeError, RecursionError, StopIteration):
        raise RulesError(f"{page} lists no file of type oracle_cards{REMEDY}") from None


@contextmanager
def bar(what: str, total: int | None = None) -> Iterator[Progress]:
    """A progress bar in bytes on standard error; nothing is shown where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Bars(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task(what, total=total)
        yield lambda done, size: bars.update(task, completed=done, total=size)


def keep(path: Path, folder: Path) -> int:
    """Keep the cards of a bulk file beside an index, with a progress bar; returns how many.

    Raises:
        RulesError: as ``read_cards`` and ``keep_cards``.
    """
    from index.cards import keep_cards, read_cards

    size = path.stat().st_size if path.is_file() else None
    done = 0
    with bar("cards", size) as progress:

        def step(count: int) -> None:
            nonlocal done
            done += count
            progress(done, None if size is None else max(size, done))

        return keep_cards(read_cards(path, step), folder)
