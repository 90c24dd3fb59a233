"""Where the program keeps what it fetched and built, and how it writes there."""

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


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that a crash leaves either the old one or the new one whole.

    Raises:
        RulesError: the file can't be written there.
    """
    # The name is random, so that two programs that write at the same time don't share a temporary file.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise RulesError(f"can't write {path} ({reason}); make room there, or choose another folder") from error
