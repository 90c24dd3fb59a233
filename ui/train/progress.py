"""The trainees' progress: one SQLite file, safe against crashes and several programs at once.

Each method opens the file for one short transaction, so that any number of threads and processes may use it together.
All of them raise ``RulesError`` where the file is damaged, of a newer schema, busy or not writable; it is left as it is.
"""

import getpass
import json
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import astuple
from datetime import UTC, datetime
from pathlib import Path

from index.errors import RulesError
from index.folders import data_folder
from index.numbers import RuleNumber
from ui.train.near import Nearness
from ui.train.rows import (
    Review,
    add_review,
    insert_review,
    memories_of,
    memory_of,
    replay,
    review_of,
    session_of,
    session_row,
    time_text,
)
from ui.train.schedule import Memory
from ui.train.session import Answered, Session
from ui.train.storage import Storage

FILE = "training.sqlite"
LONGEST_NAME = 40
LONGEST_DECK_NAME = 80

__all__ = ["Progress", "Review", "default_profile"]


_MISTAKEN = (Nearness.FAMILY, Nearness.CITES, Nearness.SECTION, Nearness.FAR)


class Progress:
    """The progress file.

    Args:
        path: ``training.sqlite`` in the user's data folder, if None. It is created when it is first needed.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or data_folder() / FILE
        self._storage = Storage(self.path)

    # Profiles are named as people typed them, and found ignoring case.

    def profiles(self) -> list[str]:
        """The names, in the order in which they were added."""
        with self._storage.reading() as db:
            return [row["name"] for row in db.execute("SELECT name FROM profiles ORDER BY id")]

    def add_profile(self, name: str) -> str:
        """Add a profile.

        Returns:
            The name as it is kept.

        Raises:
            RulesError: the name is taken, empty, too long or not printable.
        """
        name = _tidy_name(name)
        with self._storage.writing() as db:
            if not _insert_profile(db, name):
                raise RulesError(f"there is a profile {name} already; choose another name, or use that one")
        return name

    def ensure_profile(self, name: str) -> str:
        """The profile of this name, added where it is missing; returns the name as it is kept."""
        name = _tidy_name(name)
        with self._storage.reading() as db:
            row = db.execute("SELECT name FROM profiles WHERE folded = ?", (_fold(name),)).fetchone()
        if row is not None:
            return str(row["name"])
        with self._storage.writing() as db:
            _insert_profile(db, name)
            return str(db.execute("SELECT name FROM profiles WHERE folded = ?", (_fold(name),)).fetchone()["name"])

    def rename(self, profile: str, name: str) -> str:
        """Give a profile another name.

        Raises:
            RulesError: there is no such profile, or the new name can't be had.
        """
        name = _tidy_name(name)
        with self._storage.writing() as db:
            own = _profile(db, profile)
            other = db.execute("SELECT id FROM profiles WHERE folded = ?", (_fold(name),)).fetchone()
            if other is not None and other["id"] != own:
                raise RulesError(f"there is a profile {name} already; choose another name")
            db.execute("UPDATE profiles SET name = ?, folded = ? WHERE id = ?", (name, _fold(name), own))
        return name

    def remove(self, profile: str) -> None:
        """Remove a profile with all its progress; raises RulesError where there is none."""
        with self._storage.writing() as db:
            db.execute("DELETE FROM profiles WHERE id = ?", (_profile(db, profile),))

    # Reviews and memories.

    def add(self, profile: str, review: Review) -> Memory | None:
        """Write a review and the memory that follows from it.

        Returns:
            The item's memory as it now is. A second review of the same place and drill, or with the same uid, is ignored.
        """
        with self._storage.writing() as db:
            own = _profile(db, profile)
            add_review(db, own, review)
            return memory_of(db, own, review.drill, review.item)

    def merge(self, profile: str, reviews: Iterable[Review]) -> int:
        """Add reviews from elsewhere in one transaction; memories are replayed in the order of time.

        Returns:
            How many were new.
        """
        with self._storage.writing() as db:
            own = _profile(db, profile)
            new = [review for review in reviews if insert_review(db, own, review)]
            for drill, item in dict.fromkeys((review.drill, review.item) for review in new):
                replay(db, own, drill, item)
        return len(new)

    def reviews(self, profile: str) -> list[Review]:
        """All reviews, in the order of time."""
        with self._storage.reading() as db:
            rows = db.execute("SELECT * FROM reviews WHERE profile = ? ORDER BY at, n", (_profile(db, profile),))
            return [review_of(row) for row in rows]

    def memories(self, profile: str, drill: str) -> dict[str, Memory]:
        """The memory of each item that was reviewed in a drill, the longest due first."""
        with self._storage.reading() as db:
            return memories_of(db, _profile(db, profile), drill)

    def memory(self, profile: str, drill: str, item: str) -> Memory | None:
        with self._storage.reading() as db:
            return memory_of(db, _profile(db, profile), drill, item)

    def due(self, profile: str, drill: str, at: datetime) -> list[str]:
        """The items due by then, the longest due first."""
        return [item for item, memory in self.memories(profile, drill).items() if memory.due <= at]

    def missed(self, profile: str, drill: str = "") -> set[str]:
        """The items whose last review (in a drill; in any, if "") was wrong."""
        last: dict[tuple[str, str], str] = {}
        with self._storage.reading() as db:
            rows = db.execute(
                "SELECT item, drill, grade FROM reviews WHERE profile = ? AND (drill = ? OR ? = '') ORDER BY at, n",
                (_profile(db, profile), drill, drill),
            )
            for row in rows:
                last[row["item"], row["drill"]] = row["grade"]
        return {item for (item, _), grade in last.items() if grade == "wrong"}

    def mistaken(self, profile: str) -> Counter[tuple[RuleNumber, RuleNumber]]:
        """How often one rule was named for another: (decisive, guess)."""
        with self._storage.reading() as db:
            rows = db.execute(
                "SELECT rule, guess FROM reviews WHERE profile = ? AND guess != '' AND rule != ''"
                f" AND nearness IN ({', '.join('?' * len(_MISTAKEN))})",
                (_profile(db, profile), *_MISTAKEN),
            )
            return Counter((RuleNumber.parse(row["rule"]), RuleNumber.parse(row["guess"])) for row in rows)

    # Sessions.

    def save_session(self, session: Session) -> None:
        """Keep a new session."""
        items = [[item.key, item.question, *(item.pair or ())] for item in session.items]
        values = (session.id, json.dumps(session.plan.to_json()), json.dumps(items))
        times = (time_text(session.started), time_text(session.deadline), time_text(session.finished))
        with self._storage.writing() as db:
            db.execute(
                "INSERT INTO sessions (profile, id, plan, items, started, deadline, finished) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (_profile(db, session.profile), *values, *times),
            )

    def session(self, session: str) -> Session:
        """A session with its answers; raises RulesError where there is none."""
        with self._storage.reading() as db:
            return session_of(db, session_row(db, session))

    def sessions(self, profile: str, most: int = 50) -> list[Session]:
        """A profile's sessions, the newest first."""
        return self._sessions(profile, "", most)

    def open_sessions(self, profile: str, most: int = 50) -> list[Session]:
        """Those that are not finished, the newest first."""
        return self._sessions(profile, " AND s.finished IS NULL", most)

    def _sessions(self, profile: str, condition: str, most: int) -> list[Session]:
        with self._storage.reading() as db:
            rows = db.execute(
                "SELECT s.*, p.name FROM sessions s JOIN profiles p ON p.id = s.profile"
                f" WHERE s.profile = ?{condition} ORDER BY s.n DESC LIMIT ?",
                (_profile(db, profile), most),
            ).fetchall()
            return [session_of(db, row) for row in rows]

    def record(self, session: str, answered: Answered, review: Review | None = None, *, replace: bool = False) -> bool:
        """Keep an answer, and the review that it gives, together.

        Args:
            replace: whether it takes the place of an earlier answer (in an exam) as long as the session is not finished.

        Returns:
            Whether it was kept; one that comes too late changes nothing.
        """
        with self._storage.writing() as db:
            row = session_row(db, session)
            if replace and row["finished"] is not None:
                return False
            values = (session, *astuple(answered)[:-1], time_text(answered.at or datetime.now(UTC)))
            kept = db.execute(
                f"INSERT OR {'REPLACE' if replace else 'IGNORE'} INTO answers"
                " (session, place, guess, said, confidence, seconds, grade, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            if kept.rowcount and review is not None:
                add_review(db, row["profile"], review)
            return bool(kept.rowcount)

    def withdraw(self, session: str, place: int) -> bool:
        """Take an answer back, if there is one; False where the session is finished, and nothing changes."""
        with self._storage.writing() as db:
            if session_row(db, session)["finished"] is not None:
                return False
            db.execute("DELETE FROM answers WHERE session = ? AND place = ?", (session, place))
            return True

    def record_grade(self, session: str, place: int, grade: str, review: Review) -> bool:
        """Keep the trainee's grade of an answer and its review; whether it was kept: the first grade stands."""
        with self._storage.writing() as db:
            row = session_row(db, session)
            kept = db.execute(
                "UPDATE answers SET grade = ? WHERE session = ? AND place = ? AND grade = ''", (grade, session, place)
            )
            if kept.rowcount:
                add_review(db, row["profile"], review)
            return bool(kept.rowcount)

    def finish(self, session: str, at: datetime, reviews: Callable[[Session], Iterable[Review]] = lambda _: ()) -> bool:
        """Mark a session as finished, and write the reviews of what it holds at that moment.

        Returns:
            Whether it was not finished before; if it was, nothing is written.
        """
        with self._storage.writing() as db:
            row = session_row(db, session)
            kept = db.execute("UPDATE sessions SET finished = ? WHERE id = ? AND finished IS NULL", (time_text(at), session))
            for review in reviews(session_of(db, row)) if kept.rowcount else ():
                add_review(db, row["profile"], review)
            return bool(kept.rowcount)

    # Own sets.

    def add_deck(self, name: str, text: str) -> str:
        """Keep an own set (its text in the set format) under a name; one of the same name is replaced.

        Raises:
            RulesError: it can't have this name.
        """
        from ui.train.sets import refuse_banks_name

        name = _tidy_name(name, LONGEST_DECK_NAME, "set")
        refuse_banks_name(name)
        with self._storage.writing() as db:
            values = (name, text, time_text(datetime.now(UTC)))
            db.execute("INSERT OR REPLACE INTO decks (name, text, added) VALUES (?, ?, ?)", values)
        return name

    def decks(self) -> list[str]:
        """The names of the own sets, in order."""
        with self._storage.reading() as db:
            return [row["name"] for row in db.execute("SELECT name FROM decks ORDER BY name")]

    def deck_text(self, name: str) -> str:
        """The text of an own set; raises RulesError where there is none."""
        with self._storage.reading() as db:
            row = db.execute("SELECT text FROM decks WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise RulesError(f"there is no set {name[:LONGEST_DECK_NAME]!r}; load its file first")
        return str(row["text"])

    def remove_deck(self, name: str) -> None:
        """Remove an own set; the reviews of its questions stay."""
        with self._storage.writing() as db:
            db.execute("DELETE FROM decks WHERE name = ?", (name,))


def default_profile(progress: Progress) -> str:
    """The profile of someone who names none: of the login name; else the only one there is; else the login name, or "me"."""
    try:
        login = _tidy_name(getpass.getuser())
    except (RulesError, OSError, KeyError, ImportError):  # no such user, as in some containers
        login = "me"
    names = progress.profiles()
    known = {_fold(name): name for name in names}
    return known.get(_fold(login)) or (names[0] if len(names) == 1 else login)


def _tidy_name(name: str, longest: int = LONGEST_NAME, what: str = "profile") -> str:
    tidy = " ".join(unicodedata.normalize("NFC", name).split())
    if not tidy or len(tidy) > longest or not tidy.isprintable():
        raise RulesError(f"the name of a {what} has 1 to {longest} printable characters; choose another name")
    return tidy


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())


def _insert_profile(db: sqlite3.Connection, name: str) -> bool:
    values = (name, _fold(name), time_text(datetime.now(UTC)))
    return bool(db.execute("INSERT OR IGNORE INTO profiles (name, folded, added) VALUES (?, ?, ?)", values).rowcount)


def _profile(db: sqlite3.Connection, name: str) -> int:
    """The row of a profile."""
    folded = _fold(" ".join(unicodedata.normalize("NFC", name).encode("utf-8", "replace").decode().split()))
    row = db.execute("SELECT id FROM profiles WHERE folded = ?", (folded,)).fetchone()
    if row is None:
        names = [row["name"] for row in db.execute("SELECT name FROM profiles ORDER BY id LIMIT 10")]
        hint = f"there are {', '.join(names)}" if names else "add one first"
        raise RulesError(f"there is no profile {name[:LONGEST_NAME]!r}; {hint}")
    return int(row["id"])
