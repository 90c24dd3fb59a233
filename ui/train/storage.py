"""The progress file itself: opened, checked and created; what SQLite complains of becomes a sentence with a remedy."""

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from index.errors import RulesError

SCHEMA = 1
APPLICATION = 0x524C5472
"""SQLite's application id of our files: "RLTr"."""
BUSY = 20.0
"""Seconds to wait for another program's transaction."""

TABLES = """
CREATE TABLE profiles (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, folded TEXT NOT NULL UNIQUE, added TEXT NOT NULL
);
CREATE TABLE reviews (
    n INTEGER PRIMARY KEY, profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE,
    uid TEXT NOT NULL, item TEXT NOT NULL, drill TEXT NOT NULL, at TEXT NOT NULL, rating INTEGER NOT NULL,
    nearness TEXT NOT NULL, grade TEXT NOT NULL, guess TEXT NOT NULL, said TEXT NOT NULL, confidence INTEGER, seconds REAL,
    session TEXT NOT NULL, place INTEGER NOT NULL, rule TEXT NOT NULL, kind TEXT NOT NULL, level INTEGER NOT NULL,
    UNIQUE (profile, uid)
);
CREATE INDEX reviews_by_item ON reviews (profile, drill, item, at);
CREATE UNIQUE INDEX reviews_by_place ON reviews (profile, session, place, drill) WHERE session != '';
CREATE TABLE memories (
    profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE,
    drill TEXT NOT NULL, item TEXT NOT NULL, due TEXT NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (profile, drill, item)
) WITHOUT ROWID;
CREATE TABLE sessions (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE,
    plan TEXT NOT NULL, items TEXT NOT NULL, started TEXT NOT NULL, deadline TEXT, finished TEXT
);
CREATE INDEX sessions_by_profile ON sessions (profile, finished);
CREATE TABLE answers (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, place INTEGER NOT NULL,
    guess TEXT NOT NULL, said TEXT NOT NULL, confidence INTEGER, seconds REAL, grade TEXT NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (session, place)
) WITHOUT ROWID;
CREATE TABLE decks (name TEXT PRIMARY KEY, text TEXT NOT NULL, added TEXT NOT NULL);
"""

_HEADER = b"SQLite format 3\0"
_BUSY_CODES = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_CLOSED_CODES = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)
_CLOSED_ERRORS = (errno.EROFS, errno.EACCES, errno.EPERM)
_ROOM_CODES = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM)


class Storage:
    """One progress file; created when it is first written to or read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One view of the file, which no other program's writing changes meanwhile; raises RulesError."""
        try:
            with self._opened(reading=True) as db:
                db.execute("BEGIN")
                yield db
                db.execute("COMMIT")
        except (ValueError, TypeError, KeyError) as error:  # a row that none of our programs wrote
            raise self._damaged() from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is kept, or (if anything is raised) nothing; raises RulesError."""
        with self._opened() as db:
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")  # where it is not reached, closing rolls back

    @contextmanager
    def _opened(self, reading: bool = False) -> Iterator[sqlite3.Connection]:
        try:
            self._look()
            with closing(self._connected_to_read() if reading else self._connected()) as db:
                yield db
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise self._explained(error) from error
        except OSError as error:
            raise RulesError(
                f"the progress file {self.path} can't be opened ({error.strerror}); make its folder writable, "
                "or name another with RULES_LAWYER_HOME"
            ) from error

    def _connected(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=BUSY, isolation_level=None)
        try:
            db.row_factory = sqlite3.Row
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA synchronous = FULL")
            self._check(db)
        except BaseException:
            db.close()
            raise
        return db

    def _connected_to_read(self) -> sqlite3.Connection:
        """A connection also where nothing may be written: SQLite by itself needs files beside the one that it reads."""
        try:
            return self._connected()
        except (sqlite3.Error, OSError) as error:
            if not _is_closed(error) or not self.path.is_file():
                raise
            db = self._still()
            db.row_factory = sqlite3.Row
            if db.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:  # a program was killed while it created the file
                db.close()
                raise
            return db

    def _still(self) -> sqlite3.Connection:
        """The file as it lies there, with what a killed program left beside it."""
        log = self.path.with_name(f"{self.path.name}-wal")
        if not log.is_file() or not log.stat().st_size:
            return sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
        memory = sqlite3.connect(":memory:", isolation_level=None)
        with TemporaryDirectory() as folder:
            for path in (self.path, log):
                shutil.copyfile(path, Path(folder) / path.name)
            with closing(sqlite3.connect(Path(folder) / self.path.name)) as copy:
                copy.backup(memory)
        return memory

    def _look(self) -> None:
        """Refuse what is not ours by its first bytes, before SQLite touches it."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            head = file.read(100)
        if not head:
            return  # a program was killed while it created the file
        if len(head) < 100 or not head.startswith(_HEADER):
            raise self._damaged()
        self._judge(int.from_bytes(head[60:64], "big"))

    def _judge(self, version: int) -> None:
        if version > SCHEMA:
            raise RulesError(
                f"the progress file {self.path} was written by a newer Rules Lawyer (schema {version}, this one reads "
                f"{SCHEMA}); update Rules Lawyer; the file is left as it is"
            )

    def _check(self, db: sqlite3.Connection) -> None:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        self._judge(version)
        if version < SCHEMA:
            self._create(db)

    def _create(self, db: sqlite3.Connection) -> None:
        self._refuse_strangers(db)
        with suppress(sqlite3.OperationalError):  # another program is doing just this; or the file system can't
            db.execute("PRAGMA journal_mode = WAL")
        db.execute("BEGIN IMMEDIATE")
        if db.execute("PRAGMA user_version").fetchone()[0] == 0:
            self._refuse_strangers(db)
            for statement in TABLES.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {SCHEMA}")
        db.execute("COMMIT")

    def _refuse_strangers(self, db: sqlite3.Connection) -> None:
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] and not _is_ours(db):
            raise RulesError(f"{self.path} belongs to another program; move it away, so that progress can be kept there")

    def _damaged(self) -> RulesError:
        return RulesError(
            f"the progress file {self.path} is damaged and is left as it is; move it away, then bring your last export "
            "back: python -m ui progress import FILE (without an export, just start anew)"
        )

    def _explained(self, error: sqlite3.Error) -> RulesError:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in _BUSY_CODES:
            return RulesError(f"another program has kept {self.path} busy for {BUSY:.0f} seconds; end it, or try again")
        if code in _CLOSED_CODES:
            return RulesError(
                f"the progress file {self.path} can't be written; make it and its folder writable, or name another folder "
                "with RULES_LAWYER_HOME"
            )
        if code in _ROOM_CODES:
            return RulesError(f"the progress file {self.path} can't be written; make room on its disk and try again")
        return self._damaged()


def _is_ours(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION)


def _is_closed(error: Exception) -> bool:
    """Whether it says that the file or its folder can't be written."""
    if isinstance(error, OSError):
        return error.errno in _CLOSED_ERRORS
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _CLOSED_CODES
