"""Lines that a trainee types: in a terminal with editing and a clock, or piped in."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType


class TimeUp(Exception):  # noqa: N818  not an error
    """The time has run out while a line was waited for."""


class Lines:
    """Reads from standard input."""

    def __init__(self) -> None:
        self.interactive = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        if sys.stdin is not None and hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")  # a stray byte is no reason to stop
        if self.interactive:
            import readline  # noqa: F401  line editing and history for input()

    def ask(self, prompt: str, until: datetime | None = None) -> str:
        """A line without its end and outer spaces.

        Raises:
            EOFError: there are no more.
            TimeUp: the time came first.
        """
        if sys.stdin is None:
            raise EOFError
        with _alarm(until) if self.interactive else _nothing():
            line = input(prompt) if self.interactive else self._piped(prompt)
        if until is not None and datetime.now(UTC) >= until:
            raise TimeUp
        return line.strip()

    def _piped(self, prompt: str) -> str:
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        # What comes through a pipe is not seen by itself; the record of the session shows it.
        print(f"{prompt}{line.rstrip()}", flush=True)
        return line


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@contextmanager
def _alarm(until: datetime | None) -> Iterator[None]:
    """Raise ``TimeUp`` at a time, where the system can."""
    can = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if until is None or not can:
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    # A time of 0 would mean no alarm at all. It rings again, as one that comes just before readline waits goes unheard.
    signal.setitimer(signal.ITIMER_REAL, max(0.01, (until - datetime.now(UTC)).total_seconds()), 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
