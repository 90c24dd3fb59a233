"""Files that a user names: what comes in is read, what goes out is handed out."""

import sys
from pathlib import Path

from index.cli import say
from index.errors import RulesError


def read_in(file: Path, most: int) -> bytes:
    """The bytes of a file ("-" for standard input); of a larger one than allowed, one byte more than that.

    Raises:
        RulesError: it can't be read.
    """
    if str(file) == "-":
        if sys.stdin is None:
            raise RulesError("standard input is closed; name a file")
        return sys.stdin.buffer.read(most + 1)
    try:
        with file.open("rb") as source:
            return source.read(most + 1)
    except OSError as error:
        raise RulesError(f"{file} can't be read ({error.strerror}); name the file of an export") from None


def hand_out(data: bytes, file: Path | None) -> None:
    """Write to a file, or to standard output for None and "-".

    Raises:
        RulesError: the file can't be written.
    """
    if file is None or str(file) == "-":
        sys.stdout.buffer.write(data)
        return
    from index.folders import write_atomic

    write_atomic(file, data)
    say(f"written: {file}")
