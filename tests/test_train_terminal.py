"""Drills in a real terminal (a pty) and through pipes."""

import io
import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from index import store
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from tests.serving import trained_index
from tests.test_train_trainer import ROWS, RULES
from tests.tiny import HashEncoder
from ui.train.lines import Lines
from ui.train.progress import Progress
from ui.train.session import Plan
from ui.train.terminal import Terminal
from ui.train.trainer import Trainer
from ui.train.typed import Typed, read_answer

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 30
"""Seconds until a text must have appeared."""
DRIVER = """
from index import store
from tests.tiny import HashEncoder
load = store.load
store.load = lambda folder, encoder=None: load(folder, HashEncoder())
from index.cli import run
from ui.__main__ import main
run(main, "python -m ui")
"""


@pytest.fixture(scope="module", name="folder")
def a_folder(tiny_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained_index(tiny_corpus, tmp_path_factory.mktemp("trained"), ROWS)


class Pty:
    """A command in a terminal of its own."""

    def __init__(self, *words: str, columns: int = 80, rows: int = 24) -> None:
        import fcntl
        import pty
        import termios

        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.chdir(ROOT)
            # readline puts COLUMNS into the environment behind Python's back; the terminal itself shall say its size.
            own = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
            os.execve(sys.executable, [sys.executable, "-c", DRIVER, *words], own | {"TERM": "xterm"})
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.text = ""
        self.seen = 0

    def until(self, wanted: str) -> str:
        """Read until a text appears; what came before it since the last time."""
        end = time.monotonic() + PATIENCE
        while wanted not in self.text[self.seen :]:
            if not self._read(end - time.monotonic()):
                raise AssertionError(f"{wanted!r} did not appear after:\n{self.text[self.seen :]}")
        start, self.seen = self.seen, self.text.index(wanted, self.seen) + len(wanted)
        return self.text[start : self.seen]

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], max(0.0, seconds))
        try:
            data = os.read(self.master, 65536) if ready else b""
        except OSError:  # the other side has closed
            data = b""
        self.text += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", data.decode(errors="replace")).replace("\r", "")
        return bool(data)

    def send(self, text: str) -> None:
        os.write(self.master, text.encode())

    def end(self) -> int:
        """Read to the end; the exit code."""
        while self._read(PATIENCE):
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.master)
        return os.waitstatus_to_exitcode(status)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.master)


@pytest.fixture
def drill(folder: Path, own_home: Path) -> Iterator[Any]:
    started: list[Pty] = []

    def start(*words: str, **size: int) -> Pty:
        started.append(Pty("drill", "--index", str(folder), "--profile", "Anna", *words, **size))
        return started[-1]

    yield start
    for process in started:
        with suppress(OSError):  # most have ended by themselves
            process.kill()


def answer(terminal: Pty) -> None:
    """Answer the question on the screen rightly, and go on."""
    shown = terminal.until("rule> ")
    question = next(row["id"] for row in ROWS if " ".join(row["question"].split()) in " ".join(shown.split()))
    terminal.send(f"{RULES[question]} 80%\n")
    terminal.until("Right")
    terminal.until("[Enter]")
    terminal.send("\n")


def test_a_first_session_from_start_to_result(drill: Any, own_home: Path) -> None:
    terminal = drill("--length", "3", "--seed", "2")
    assert "7 questions, edition 2025-03-04" in terminal.until("Type the number")
    for _ in range(3):
        answer(terminal)
    terminal.until("Session: 3 of 3 (100%)")
    terminal.until("how you stand: python -m ui progress")
    assert terminal.end() == 0
    assert [review.confidence for review in Progress().reviews("Anna")] == [80, 80, 80]


def test_each_dead_end_says_what_to_do(drill: Any) -> None:
    terminal = drill("--length", "1", "--seed", "2")
    for typed, said in (
        ("", "? for help"),
        ("?", "search the rules"),
        ("hello", "begin with the rule's number"),
        ("999.1", "this edition"),
        ("702.19b 500%", "between 0 and 100"),
        ("s", "s first strike searches"),
        ("s trample", "b NUMBER shows"),
        ("s zebra", "nothing matches"),
        ("b 702", "702.19"),
        ("b 999", "no rule"),
    ):
        terminal.until("rule> ")
        terminal.send(f"{typed}\n")
        terminal.until(said)
    terminal.until("rule> ")
    terminal.send("-\n")
    terminal.until("no rule was named")
    terminal.until("[Enter] result> ")
    terminal.send("nonsense\n")
    terminal.until("Enter goes on")
    terminal.send("l\n?\n\n")
    terminal.until("Session: 0 of 1")
    assert terminal.end() == 0


@pytest.mark.parametrize(("key", "code"), [("q\n", 0), ("\x03", 1), ("\x04", 0)])
def test_one_may_leave_at_any_time(key: str, code: int, drill: Any) -> None:
    terminal = drill("--length", "3", "--seed", "2")
    answer(terminal)
    terminal.until("rule> ")
    time.sleep(0.5)  # Python's readline does not hear a signal that comes before it waits; no hand is that quick
    terminal.send(key)
    terminal.until("Stopped; your answer is kept.")
    terminal.until("--resume")
    assert terminal.end() == code
    again = drill()
    again.until("1 of 3 answered")
    again.until("Go on with it? Y/n> ")
    again.send("\n")
    assert "Question 2 of 3" in again.until("rule> ")


def test_a_killed_session_goes_on(drill: Any) -> None:
    terminal = drill("--length", "3", "--seed", "2")
    answer(terminal)
    terminal.until("rule> ")
    terminal.kill()
    again = drill("--resume")
    assert "Question 2 of 3" in again.until("rule> ")
    assert len(Progress().reviews("Anna")) == 1


def test_two_terminals_at_once(drill: Any) -> None:
    first, second = drill("--new", "--length", "3", "--seed", "2"), drill("--new", "--length", "4", "--seed", "3")
    for _ in range(3):
        answer(first)
        answer(second)
    answer(second)
    first.until("Session: 3 of 3")
    second.until("Session: 4 of 4")
    assert (first.end(), second.end()) == (0, 0)
    assert len(Progress().reviews("Anna")) == 7


def test_the_ruling_drill_is_graded(drill: Any) -> None:
    terminal = drill("--drill", "ruling", "--length", "2", "--seed", "2")
    terminal.until("ruling> ")
    terminal.send("they share it 70%\n")
    terminal.until("You: they share it")
    terminal.until("r, h or w> ")
    terminal.kill()
    again = drill("--resume")
    again.until("You: they share it")
    again.until("r, h or w> ")
    again.send("x\n")
    again.until("r for right")
    again.send("h\n")
    again.until("[Enter] next> ")
    again.send("\n")
    again.until("ruling> ")
    again.send("\n")
    again.until("r, h or w> ")
    again.send("w\n")
    again.until("Session: ½ of 2 (25%)")
    assert again.end() == 0
    assert [(r.grade, r.confidence) for r in Progress().reviews("Anna")] == [("half", 70), ("wrong", None)]


def test_the_contrast_drill(drill: Any) -> None:
    terminal = drill("--drill", "contrast", "--length", "1", "--seed", "2")
    assert "1) " in terminal.until("1 or 2> ")
    terminal.send("7\n")
    terminal.until("1 or 2> ")
    terminal.send("2 90%\n")
    terminal.until("[Enter] result> ")
    terminal.send("\n")
    terminal.until("Session: ")
    assert terminal.end() == 0


def test_an_exam(drill: Any, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.txt"
    terminal = drill("--exam", "--minutes", "5", "--length", "3", "--seed", "2", "--sheet", str(sheet))
    assert "Nothing is revealed" in terminal.until("[4:5")
    terminal.until("rule> ")
    for typed in ("100.1", "-", "702.19b 60%", "g 1"):
        terminal.send(f"{typed}\n")
        shown = terminal.until("rule> ")
        assert "Ruling" not in shown
    assert "Your answer so far: 100.1" in shown
    terminal.send("g 9\n")
    terminal.until("g 1 to g 3")
    terminal.send("q\n")
    terminal.until("1 without an answer; end the exam and see the score? y/N> ")
    terminal.send("\n")
    terminal.until("rule> ")
    terminal.send("\n")
    assert "Question 2 of 3" in terminal.until("rule> ")
    terminal.send("100.1\n")
    terminal.until("All answered.")
    terminal.send("\n")
    terminal.until("The sheet")
    assert "Ruling: " in terminal.until("Exam: ")
    assert terminal.end() == 0
    text = sheet.read_text()
    assert all(f"\n{n}. " in text for n in (1, 2, 3))
    assert "Exam: " in text
    assert "Anna · " in text
    assert "edition 2025-03-04" in text.lower()
    assert "find the rule · all questions · seed 2" in text
    assert len(Progress().reviews("Anna")) == 3


def test_an_exam_ends_while_it_waits(drill: Any, folder: Path) -> None:
    progress = Progress()
    progress.add_profile("Anna")
    early = Trainer(store.load(folder, HashEncoder()), progress, now=lambda: datetime.now(UTC) - timedelta(seconds=55))
    session = early.start("Anna", Plan(length=2, exam=True, minutes=1))
    early.answer(session, 1, "100.1")
    terminal = drill("--resume")
    terminal.until("rule> ")
    terminal.send("702.1")  # not yet sent off when the time comes
    terminal.until("Time is up.")
    terminal.until("Exam: ")
    terminal.until("1 not answered")
    assert terminal.end() == 0


@pytest.mark.parametrize("columns", [20, 36])
def test_a_narrow_terminal(columns: int, drill: Any) -> None:
    terminal = drill("--length", "1", "--seed", "2", columns=columns, rows=10)
    terminal.until("rule> ")
    terminal.send("702.2b\n")
    terminal.until("[Enter]")
    terminal.send("\n")
    terminal.until("Session")
    assert terminal.end() == 0
    printed = [line for line in terminal.text.split("\n") if "> " not in line and "python" not in line]
    assert [line for line in printed if len(line) > columns] == []


def piped(folder: Path, text: bytes, *words: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-c", DRIVER, "drill", "--index", str(folder), "--profile", "Anna", *words]
    return subprocess.run(command, cwd=ROOT, input=text, capture_output=True, timeout=60)


def test_a_drill_through_pipes(folder: Path, own_home: Path) -> None:
    done = piped(folder, b"100.1\n\n\xff\xfe\n-\n", "--length", "3", "--seed", "2")
    assert done.returncode == 0
    out = done.stdout.decode()
    assert "Question 3 of 3" in out
    assert "Stopped; your 2 answers are kept." in out
    assert b"Traceback" not in done.stderr
    assert len(Progress().reviews("Anna")) == 2
    whole = piped(folder, b"100.1\ny\n", "--exam", "--length", "1")
    assert "Exam: " in whole.stdout.decode()


def test_differences_are_marked_without_colour(folder: Path, own_home: Path) -> None:
    out = piped(folder, b"1\n1\n1\n", "--drill", "contrast", "--length", "3", "--seed", "2").stdout.decode()
    assert "[[" in out
    assert "what differs is marked [[so]]" in " ".join(out.split())
    assert "\x1b" not in out


def test_a_second_window_is_told_of(folder: Path, own_home: Path) -> None:
    """The answer of another window came while this one waited."""
    progress = Progress()
    progress.add_profile("Anna")
    trainer = Trainer(store.load(folder, HashEncoder()), progress)
    session = trainer.start("Anna", Plan(length=2, seed=2))

    class Meanwhile(Lines):
        interactive = False

        def ask(self, prompt: str, until: datetime | None = None) -> str:
            if not trainer.resume(session).answers:
                trainer.answer(session, 1, "101.1")
            return "100.1"

    out = io.StringIO()
    Terminal(trainer, Meanwhile(), Console(file=out, width=80)).run(session)
    assert "already answered (in another window?): 101.1" in out.getvalue()
    assert [review.guess for review in progress.reviews("Anna")] == ["101.1", "100.1"]


def test_a_drill_without_input(folder: Path) -> None:
    assert "Stopped" in piped(folder, b"").stdout.decode()


@pytest.mark.parametrize(
    ("line", "drill_name", "expected"),
    [
        ("702.19b", "rule", Typed("702.19b")),
        ("CR 702.19 B", "rule", Typed("702.19b")),
        ("rule 702.19(b) 80 %", "rule", Typed("702.19b", "", 80)),
        ("702.19b 80% the rest tramples over", "rule", Typed("702.19b", "the rest tramples over", 80)),
        ("702.19b: 50% of it goes through", "rule", Typed("702.19b", "of it goes through", 50)),
        ("702.19b the rest, 50% of it, goes through", "rule", Typed("702.19b", "the rest, 50% of it, goes through")),
        ("702.19 a creature tramples", "rule", Typed("702.19", "a creature tramples")),
        ("702.19, as it says", "rule", Typed("702.19", "as it says")),
        ("702,19b because, so 90%", "rule", Typed("702.19b", "because, so", 90)),
        ('"702-19b" 80%', "rule", Typed("702.19b", "", 80)),
        ("-", "rule", Typed()),
        ("- 10%", "rule", Typed(confidence=10)),
        ("yes, 3 points 90%", "ruling", Typed("", "yes, 3 points", 90)),
        ("", "ruling", Typed()),
        ("2 70%", "contrast", Typed("702.2c", "", 70)),
        ("1.", "contrast", Typed("702.2b")),
        ("702.2c", "contrast", Typed("702.2c")),
    ],
)
def test_typed_answers_are_taken_apart(line: str, drill_name: str, expected: Typed, tiny_corpus: Corpus) -> None:
    pair = (RuleNumber.parse("702.2b"), RuleNumber.parse("702.2c"))
    assert read_answer(line, drill_name, pair, tiny_corpus) == expected


@pytest.mark.parametrize("line", ["it dies", "999.1", "999.1 because", "80%", "x" * 5000, "702.19b702.19c"])
def test_what_names_no_rule_is_said(line: str, tiny_corpus: Corpus) -> None:
    with pytest.raises(RulesError):
        read_answer(line, "rule", (), tiny_corpus)
