"""What the command lines of all rooms share."""

import os
import sys
from pathlib import Path
from typing import Any, NoReturn

import click

from index.errors import RulesError
from index.folders import check_output, index_folder

INDEX = click.option(
    "--index",
    "index",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the index; else the one in your data folder.",
)


class OutputFile(click.Path):
    """A file to be written. It is looked at when the command line is read, not when the work for it is done."""

    def __init__(self, allow_dash: bool = False) -> None:
        super().__init__(path_type=Path, allow_dash=allow_dash)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; raises RulesError where it can't be written."""
        path: Any = super().convert(value, param, ctx)
        if not (self.allow_dash and str(path) == "-"):
            check_output(path)
        return path


def chosen(index: Path | None) -> Path:
    """The index folder that an option names, or the user's own."""
    return index if index is not None else index_folder()


def say(line: str) -> None:
    """Tell the user something; data goes to standard output, talk to standard error."""
    click.echo(line, err=True)


def run(command: click.Command, name: str) -> NoReturn:
    """Run a command line; what goes wrong becomes one line on standard error.

    Exits with 0, with 1 for a ``RulesError`` or an interruption, with 2 for a wrong use.
    """
    try:
        if sys.stdout is None:
            raise RulesError("standard output is closed; let it go somewhere, for example: > answer.txt")
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="replace")  # a terminal without Unicode still gets an answer
        result: Any = command.main(prog_name=name, standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        say("stopped")
        sys.exit(1)
    except RulesError as error:
        say(f"error: {' '.join(str(error).split())}")
        sys.exit(1)
    except BrokenPipeError:
        # Whoever read our output has gone ("| head"); Python would complain once more while it closes.
        _discard_output()
        sys.exit(1)
    except OSError as error:
        say(f"error: {error.strerror or error}; the output can't be written there")
        _discard_output()
        sys.exit(1)
    sys.exit(result if isinstance(result, int) else 0)


def _discard_output() -> None:
    """Nothing more is written to standard output, not even what Python holds back until it closes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
