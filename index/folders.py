"""Where the program keeps what it fetched and built, and how it writes there."""

import errno
import os
import secrets
from pathlib import Path

import platformdirs

from index.errors import RulesError

HOME_VARIABLE = "RULES_LAWYER_HOME"


def data_folder() -> Path:
    """The user's data folder: ``RULES_LAWYER_HOME``, or the platform's usual place. It may not exist yet."""
    home = os.environ.get(HOME_VARIABLE)
    return Path(home) if home else Path(platformdirs.user_data_dir("rules-lawyer", appauthor=False))


def rulebook_file(folder: Path | None = None) -> Path:
    """The cached official text in a data folder; its record lies beside it as ``rulebook.json``."""
    return (folder or data_folder()) / "rulebook.txt"


def index_folder(folder: Path | None = None) -> Path:
    """The saved index in a data folder."""
    return (folder or data_folder()) / "index"


def check_output(path: Path) -> None:
    """Make sure that a file which a user named can be written, before any work is done for it.

    Raises:
        RulesError: it can't; says why. A missing folder is not made: its name is more often a slip than meant.
    """
    if path == Path():
        raise RulesError("can't write a file without a name; name one")
    try:
        why = _obstacle(_target(path))
    except OSError as error:  # a folder on the way that may not be looked into, a name that is too long
        why = f"{error.strerror}; choose another place"
    if why:
        raise RulesError(f"can't write {path}: {why}")


def _obstacle(target: Path) -> str:
    """Why a file can't be written; empty where it can."""
    if target.is_dir():
        return "it is a folder; name a file"
    if not target.parent.is_dir():
        return f"there is no folder {target.parent}; make it, or choose another"
    # A device or pipe is written itself; any other file is made anew in its folder.
    written = target if target.exists() and not target.is_file() else target.parent
    return "" if os.access(written, os.W_OK) else f"{written} is read-only for you; choose another place"


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that a crash leaves either the old one or the new one whole.

    A link stays, and what it leads to is written. A device or pipe stays too, and is written as ``> file`` would.

    Raises:
        RulesError: the file can't be written there.
    """
    try:
        target = _target(path)
        if target.exists() and not target.is_file():
            _pour(target, data)
        else:
            _replace(target, data)
    except OSError as error:
        reason = error.strerror or error
        raise RulesError(f"can't write {path} ({reason}); make room there, or choose another folder") from error


def _target(path: Path) -> Path:
    """What a path leads to: a link that were replaced would leave the file that is meant as it was."""
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return target


def _pour(target: Path, data: bytes) -> None:
    """Write into what is no regular file. To replace it would destroy it: root may do that even to /dev/null."""
    with target.open("wb") as stream:
        stream.write(data)


def _replace(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    # The name is random, so that two programs that write at the same time don't share a temporary file.
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
