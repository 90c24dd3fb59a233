"""The rows of the progress file: reviews, memories and sessions, as they are written and read in one transaction."""

import json
import sqlite3
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime

from index.errors import RulesError
from ui.train.schedule import Memory, reviewed
from ui.train.session import Answered, Item, Plan, Session


@dataclass(frozen=True)
class Review:
    """One graded answer; never changed once it is written.

    Attributes:
        uid: unlike that of any other review.
        item: the question's id ("set:id" of an own set), or "702.2b~702.2c" for a contrast.
        drill: one of ``DRILLS``.
        at: with a time zone.
        rating: 1 to 4, as FSRS counts.
        nearness: the value of a ``Nearness``; "" in the ruling drill.
        grade: right, half or wrong.
        guess: a rule number, or "".
        said: the ruling in the trainee's words.
        confidence: 0 to 100 percent.
        seconds: how long the answer took.
        session, place: where it was given; "" and 0 for none.
        rule: the decisive rule's number.
    """

    uid: str
    item: str
    drill: str
    at: datetime
    rating: int
    nearness: str
    grade: str
    guess: str = ""
    said: str = ""
    confidence: int | None = None
    seconds: float | None = None
    session: str = ""
    place: int = 0
    rule: str = ""
    kind: str = ""
    level: int = 0


_COLUMNS = tuple(field.name for field in fields(Review))
_INSERT = f"INSERT OR IGNORE INTO reviews (profile, {', '.join(_COLUMNS)}) VALUES (?{', ?' * len(_COLUMNS)})"


def insert_review(db: sqlite3.Connection, profile: int, review: Review) -> bool:
    values = [time_text(v) if isinstance(v, datetime) else v for v in astuple(review)]
    return bool(db.execute(_INSERT, (profile, *values)).rowcount)


def add_review(db: sqlite3.Connection, profile: int, review: Review) -> None:
    if insert_review(db, profile, review):
        memory = reviewed(memory_of(db, profile, review.drill, review.item), review.rating, review.at)
        save_memory(db, profile, review.drill, review.item, memory)


def replay(db: sqlite3.Connection, profile: int, drill: str, item: str) -> None:
    """Make the memory of an item anew from all its reviews."""
    memory: Memory | None = None
    rows = db.execute(
        "SELECT rating, at FROM reviews WHERE profile = ? AND drill = ? AND item = ? ORDER BY at, n", (profile, drill, item)
    )
    for row in rows:
        memory = reviewed(memory, row["rating"], datetime.fromisoformat(row["at"]))
    if memory is not None:
        save_memory(db, profile, drill, item, memory)


def save_memory(db: sqlite3.Connection, profile: int, drill: str, item: str, memory: Memory) -> None:
    values = (profile, drill, item, time_text(memory.due), memory.state)
    db.execute("INSERT OR REPLACE INTO memories (profile, drill, item, due, state) VALUES (?, ?, ?, ?, ?)", values)


def memory_of(db: sqlite3.Connection, profile: int, drill: str, item: str) -> Memory | None:
    row = db.execute(
        "SELECT due, state FROM memories WHERE profile = ? AND drill = ? AND item = ?", (profile, drill, item)
    ).fetchone()
    return Memory(datetime.fromisoformat(row["due"]), row["state"]) if row else None


def memories_of(db: sqlite3.Connection, profile: int, drill: str) -> dict[str, Memory]:
    rows = db.execute(
        "SELECT item, due, state FROM memories WHERE profile = ? AND drill = ? ORDER BY due, item", (profile, drill)
    )
    return {row["item"]: Memory(datetime.fromisoformat(row["due"]), row["state"]) for row in rows}


def review_of(row: sqlite3.Row) -> Review:
    return Review(**{**{name: row[name] for name in _COLUMNS}, "at": datetime.fromisoformat(row["at"])})


def session_row(db: sqlite3.Connection, session: str) -> sqlite3.Row:
    found: sqlite3.Row | None = db.execute(
        "SELECT s.*, p.name FROM sessions s JOIN profiles p ON p.id = s.profile WHERE s.id = ?", (session,)
    ).fetchone()
    if found is None:
        raise RulesError("this session is not there any more; start a new one")
    return found


def session_of(db: sqlite3.Connection, row: sqlite3.Row) -> Session:
    items = tuple(Item(key, question, (pair[0], pair[1]) if pair else None) for key, question, *pair in json.loads(row["items"]))
    answers = (
        Answered(a["place"], a["guess"], a["said"], a["confidence"], a["seconds"], a["grade"], datetime.fromisoformat(a["at"]))
        for a in db.execute("SELECT * FROM answers WHERE session = ? ORDER BY place", (row["id"],))
    )
    return Session(
        row["id"],
        row["name"],
        Plan.from_json(json.loads(row["plan"])),
        items,
        {answer.place: answer for answer in answers},
        datetime.fromisoformat(row["started"]),
        time_of(row["deadline"]),
        time_of(row["finished"]),
    )


def time_text(at: datetime | None) -> str | None:
    """A time as it is kept: in UTC, of one length, so that texts sort as times do."""
    return at.astimezone(UTC).isoformat(timespec="microseconds") if at else None


def time_of(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
