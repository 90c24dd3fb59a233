"""The commands that the terminal proposes, with the options that the trainee gave."""

import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Hints:
    """What must be given again for the same index, set and profile."""

    index: Path | None = None
    own: Path | None = None
    profile: str | None = None

    def drill(self, *more: str) -> str:
        return self._command("drill", ("--index", self.index), ("--set", self.own), ("--profile", self.profile), more=more)

    def progress(self) -> str:
        """Progress counts all sets, so that none is named."""
        return self._command("progress", ("--index", self.index), ("--profile", self.profile))

    @staticmethod
    def _command(name: str, *given: tuple[str, object], more: tuple[str, ...] = ()) -> str:
        options = [part for option, value in given if value for part in (option, shlex.quote(str(value)))]
        return " ".join(["python -m ui", name, *options, *more])
