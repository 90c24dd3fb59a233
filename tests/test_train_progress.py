"""The progress file: kept whole by crashes and crowds, scheduled by FSRS, refused where it is not ours."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fsrs import Card, Rating, Scheduler

from index.errors import RulesError
from ui.train.progress import Progress, Review, default_profile
from ui.train.schedule import reviewed
from ui.train.session import Answered, Item, Plan, Session

ROOT = Path(__file__).resolve().parent.parent
START = datetime(2025, 3, 4, 9, 30, 15, 123456, tzinfo=UTC)
SEQUENCE = [
    (3, 0),
    (3, 11),
    (1, 3 * 24 * 60),
    (2, 9),
    (3, 15),
    (3, 2 * 24 * 60),
    (4, 9 * 24 * 60),
    (2, 40 * 24 * 60),
    (1, 90),
    (3, 5),
]
"""Ratings, each with the minutes since the one before."""


def a_review(uid: str, **changes: Any) -> Review:
    plain = Review(uid, "q1", "rule", START, 3, "exact", "right", guess="702.19b", rule="702.19b", kind="timing", level=2)
    return replace(plain, **changes)


@pytest.fixture(name="progress")
def a_progress(tmp_path: Path) -> Progress:
    made = Progress(tmp_path / "training.sqlite")
    made.add_profile("Anna")
    return made


def the_sequence() -> list[Review]:
    at, reviews = START, []
    for place, (rating, minutes) in enumerate(SEQUENCE):
        at += timedelta(minutes=minutes)
        reviews.append(a_review(f"u{place}", at=at, rating=rating))
    return reviews


def test_scheduling_equals_the_librarys_own(progress: Progress) -> None:
    scheduler, card = Scheduler(enable_fuzzing=False), Card(card_id=0, due=START)
    for review in the_sequence():
        card, _ = scheduler.review_card(card, Rating(review.rating), review.at)
        memory = progress.add("Anna", review)
        assert memory is not None
        state = json.loads(memory.state)
        assert memory.due == card.due
        assert (state["stability"], state["difficulty"]) == (card.stability, card.difficulty)
        assert Card.from_json(memory.state) == card
    assert progress.memory("Anna", "rule", "q1") == memory


def test_a_second_review_of_a_place_is_ignored(progress: Progress) -> None:
    first = progress.add("Anna", a_review("a", session="s", place=1))
    assert progress.add("Anna", a_review("b", session="s", place=1, rating=1, at=START + timedelta(days=1))) == first
    assert progress.add("Anna", a_review("a", rating=1)) == first
    assert [review.uid for review in progress.reviews("Anna")] == ["a"]


def test_what_is_due_missed_and_mistaken(progress: Progress) -> None:
    progress.add("Anna", a_review("a", grade="wrong", rating=1, nearness="family", guess="702.19c"))
    progress.add("Anna", a_review("b", item="q2"))
    progress.add("Anna", a_review("c", item="q3", grade="wrong", rating=1, nearness="none", guess=""))
    progress.add("Anna", a_review("d", item="q3", at=START + timedelta(minutes=5)))
    progress.add("Anna", a_review("e", item="q2", drill="ruling", grade="wrong", rating=1, nearness="", guess=""))
    assert progress.due("Anna", "rule", START + timedelta(minutes=2)) == ["q1"]
    assert set(progress.due("Anna", "rule", START + timedelta(days=1))) == {"q1", "q2", "q3"}
    assert progress.missed("Anna", "rule") == {"q1"}
    assert progress.missed("Anna") == {"q1", "q2"}
    assert {(str(a), str(b)): n for (a, b), n in progress.mistaken("Anna").items()} == {("702.19b", "702.19c"): 1}


def test_profiles(progress: Progress) -> None:
    assert progress.add_profile("  Jörg  Müller ") == "Jörg Müller"
    for name in ("ANNA", "jörg müller", "", "   ", "x" * 41, "a\nb\x07", "\u200b", "\ud800"):
        with pytest.raises(RulesError):
            progress.add_profile(name)
    assert progress.ensure_profile("anna") == "Anna"
    progress.add("anna", a_review("a"))
    assert progress.rename("ANNA", "anna") == "anna"
    with pytest.raises(RulesError, match="already"):
        progress.rename("anna", "JÖRG MÜLLER")
    assert [r.uid for r in progress.reviews("Anna")] == ["a"]
    progress.remove("Anna")
    assert progress.profiles() == ["Jörg Müller"]
    with pytest.raises(RulesError, match="there are Jörg Müller"):
        progress.reviews("anna")
    with pytest.raises(RulesError, match="no profile"):
        progress.reviews("\ud800")


def test_the_profile_of_someone_who_names_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Progress(tmp_path / "p.sqlite")
    monkeypatch.setattr("getpass.getuser", lambda: "Kim")
    assert default_profile(kept) == "Kim"
    kept.add_profile("Anna")
    assert default_profile(kept) == "Anna"
    kept.add_profile("kim")
    assert default_profile(kept) == "kim"

    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert default_profile(kept) == "me"


def test_the_file_lies_in_the_data_folder(own_home: Path) -> None:
    Progress().add_profile("Anna")
    assert (own_home / "training.sqlite").exists()


def a_session(place_count: int, **changes: Any) -> Session:
    items = tuple(Item(f"q{n}", f"q{n}", ("702.2b", "702.2c") if n == 1 else None) for n in range(1, place_count + 1))
    return replace(Session("s1", "Anna", Plan(seed=4), items, {}, START), **changes)


def test_sessions_are_kept(progress: Progress) -> None:
    saved = a_session(2, deadline=START + timedelta(minutes=20))
    progress.save_session(saved)
    assert progress.session("s1") == saved
    answered = Answered(1, "702.2b", "it dies", 80, 2.5, at=START)
    assert progress.record("s1", answered, a_review("a", session="s1", place=1))
    assert not progress.record("s1", Answered(1, "100.1"), a_review("b", session="s1", place=1))
    assert progress.session("s1").answers == {1: answered}
    assert progress.record_grade("s1", 1, "half", a_review("c", drill="ruling"))
    assert not progress.record_grade("s1", 1, "right", a_review("d", drill="ruling"))
    assert progress.open_sessions("Anna") == [progress.session("s1")]
    assert progress.finish("s1", START)
    assert not progress.finish("s1", START, lambda _: [a_review("e")])
    assert progress.open_sessions("Anna") == []
    assert [r.uid for r in progress.reviews("Anna")] == ["a", "c"]
    assert not progress.record("s1", Answered(2, "100.1"), replace=True)
    with pytest.raises(RulesError, match="start a new one"):
        progress.session("nothing")


def test_own_sets_are_kept(progress: Progress) -> None:
    progress.add_deck("team", '{"id": 1}')
    progress.add_deck("team", '{"id": 2}')
    assert (progress.decks(), progress.deck_text("team")) == (["team"], '{"id": 2}')
    progress.remove_deck("team")
    with pytest.raises(RulesError, match="no set"):
        progress.deck_text("team")


# Crashes and crowds, with real processes.

WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from ui.train.progress import Progress, Review

path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
progress = Progress(path)
progress.ensure_profile("Anna")
for n in range(count):
    at = datetime.now(UTC)
    progress.add("Anna", Review(f"{name}-{n}", f"q{n % 5}", "rule", at, 3, "exact", "right", session=name, place=n))
    print(n, flush=True)
"""


def writer(path: Path, name: str, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check_whole(path: Path) -> None:
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def check_memories(progress: Progress) -> None:
    """Each memory is what its reviews make, in the order in which they were written."""
    with sqlite3.connect(progress.path) as db:
        rows = db.execute("SELECT item, rating, at FROM reviews ORDER BY n").fetchall()
    for item, memory in progress.memories("Anna", "rule").items():
        made = None
        for _, rating, at in (row for row in rows if row[0] == item):
            made = reviewed(made, rating, datetime.fromisoformat(at))
        assert made == memory


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "training.sqlite"
    rng = random.Random(3)
    said: set[str] = set()
    for turn in range(6):
        process = writer(path, f"p{turn}", 10_000)
        assert process.stdout is not None
        if turn:  # the first is killed while it creates the file, perhaps
            process.stdout.readline()
        time.sleep(rng.uniform(0.0, 0.25))
        os.kill(process.pid, signal.SIGKILL)
        rest, _ = process.communicate()
        said |= {f"p{turn}-{line}" for line in rest.split() if rest.endswith("\n") or line != rest.split()[-1]}
    kept = Progress(path)
    kept.ensure_profile("Anna")
    uids = {review.uid for review in kept.reviews("Anna")}
    assert len(said) > 20
    assert said <= uids
    check_whole(path)
    check_memories(kept)


def test_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "training.sqlite"
    crowd = [writer(path, f"w{n}", 60) for n in range(3)]
    victim = writer(path, "victim", 10_000)
    assert victim.stdout is not None
    for _ in range(15):
        victim.stdout.readline()
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate()
    for process in crowd:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    kept = Progress(path)
    uids = {review.uid for review in kept.reviews("Anna")}
    assert {f"w{n}-{k}" for n in range(3) for k in range(60)} <= uids
    assert {f"victim-{k}" for k in range(15)} <= uids
    assert kept.profiles() == ["Anna"]
    check_whole(path)
    check_memories(kept)


def test_threads_at_once_lose_nothing(progress: Progress) -> None:
    def work(name: str) -> None:
        for n in range(25):
            progress.add("Anna", a_review(f"{name}-{n}", item=f"q{n % 3}", at=datetime.now(UTC)))

    threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(progress.reviews("Anna")) == 150
    check_memories(progress)


# Files that are not ours, or broken.


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE songs (title TEXT)")


def newer(path: Path) -> None:
    Progress(path).add_profile("Anna")
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 2")
    sqlite3.connect(path).close()


def scrambled(path: Path) -> None:
    filled = Progress(path)
    filled.add_profile("Anna")
    for n in range(200):
        filled.add("Anna", a_review(f"u{n}", said="x" * 500))
    data = bytearray(path.read_bytes())
    for start in range(4096, len(data), 4096):
        data[start : start + 2000] = os.urandom(2000)
    path.write_bytes(data)


SPOILT: dict[str, tuple[Callable[[Path], Any], str]] = {
    "text": (lambda p: p.write_text("hello " * 100), "damaged"),
    "short": (lambda p: p.write_bytes(b"SQLite format 3\0"), "damaged"),
    "random": (lambda p: p.write_bytes(random.Random(1).randbytes(10_000)), "damaged"),
    "foreign": (foreign, "another program"),
    "newer": (newer, "newer"),
    "scrambled": (scrambled, "damaged"),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_a_spoilt_file_is_left_as_it_is(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "training.sqlite"
    spoil, said = SPOILT[kind]
    spoil(path)
    before = path.read_bytes()
    for use in (lambda: Progress(path).add("Anna", a_review("a")), lambda: Progress(path).reviews("Anna")):
        with pytest.raises(RulesError, match=said):
            use()
    assert path.read_bytes() == before


def test_an_empty_file_is_begun(tmp_path: Path) -> None:
    path = tmp_path / "training.sqlite"
    path.touch()
    assert Progress(path).ensure_profile("Anna") == "Anna"


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "training.sqlite").mkdir()
    with pytest.raises(RulesError, match="RULES_LAWYER_HOME"):
        Progress(tmp_path / "training.sqlite").profiles()
    (tmp_path / "file").touch()
    with pytest.raises(RulesError, match="RULES_LAWYER_HOME"):
        Progress(tmp_path / "file" / "training.sqlite").profiles()


# A home that can't be written. Root may write everywhere, so that there the user is changed for as long as it takes.


@pytest.fixture
def locked() -> Iterator[Path]:
    """The progress file of Anna, whose folder and file can't be written."""
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to other users
        path = Path(folder) / "training.sqlite"
        made = Progress(path)
        made.add_profile("Anna")
        made.add("Anna", a_review("u1"))
        yield path
        Path(folder).chmod(0o755)


@contextmanager
def locked_away(folder: Path) -> Iterator[None]:
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_progress_is_read_where_nothing_can_be_written(locked: Path) -> None:
    with locked_away(locked.parent):
        kept = Progress(locked)
        assert [review.uid for review in kept.reviews("Anna")] == ["u1"]
        assert (kept.profiles(), len(kept.memories("Anna", "rule"))) == (["Anna"], 1)
        assert [path.name for path in locked.parent.iterdir()] == [locked.name]
        with pytest.raises(RulesError, match="can't be written"):
            kept.add("Anna", a_review("u2"))
        with pytest.raises(RulesError, match="there is no profile 'Ben'"):
            kept.reviews("Ben")


def test_what_a_killed_program_left_is_read_there_too(locked: Path) -> None:
    """Its last answers stand in the log beside the file, which nobody has merged."""
    busy = sqlite3.connect(locked)
    busy.execute("SELECT count(*) FROM reviews").fetchone()  # from now on its log stays
    Progress(locked).add("Anna", a_review("u2", item="q2"))
    kept = {path.name: path.read_bytes() for path in locked.parent.iterdir() if not path.name.endswith("-shm")}
    busy.close()
    assert len(kept) == 2
    for name, data in kept.items():
        (locked.parent / name).write_bytes(data)
    with locked_away(locked.parent):
        assert [review.uid for review in Progress(locked).reviews("Anna")] == ["u1", "u2"]


def test_a_file_that_was_never_begun_is_not_read_there(locked: Path) -> None:
    locked.write_bytes(b"")
    with locked_away(locked.parent), pytest.raises(RulesError, match="can't be written"):
        Progress(locked).profiles()
