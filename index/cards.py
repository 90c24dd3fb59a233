"""Cards: names and Oracle texts from Scryfall's bulk file, kept beside an index. Optional: everything works without.

The format is that of https://scryfall.com/docs/api/bulk-data, type ``oracle_cards``: a JSON array of card objects.
"""

import gzip
import json
import os
import re
import secrets
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, TextIO

from index.errors import RulesError
from index.words import STOP

FILE = "cards.sqlite"
REMEDY = "give Scryfall's bulk file of type oracle_cards: https://scryfall.com/docs/api/bulk-data"
AGAIN = "keep them again: python -m index cards --fetch"
NOT_CARDS = ("token", "double_faced_token", "emblem", "art_series")
"""Layouts of objects that nobody names as a card; dungeons have them too and are cards all the same."""
NOT_CARD_TYPES = ("Token", "Emblem", "Card")
CHUNK = 2**18
LARGEST = 2**22
"""Characters of one card object; the largest real ones have some ten thousand."""
SCHEMA = 2


class Kind(IntEnum):
    """How a key means a card; a smaller one goes before a larger one."""

    WHOLE = 0
    SHORT = 1
    """A legend's name before the comma, or a name without its "the"."""
    VANGUARD = 2
    """An oversized card named like the character."""
    LOOSE = 3
    """Each small word is a star: "path * exile"."""
    TIGHT = 4
    """Without spaces: "snapcastermage"."""


@dataclass(frozen=True)
class Face:
    """One face of a card, or the whole of a card with one."""

    name: str
    type_line: str
    mana_cost: str
    text: str


@dataclass(frozen=True)
class Card:
    """A card with the Oracle text of each of its faces."""

    name: str
    faces: tuple[Face, ...]

    @property
    def text(self) -> str:
        """The Oracle texts of all faces, parted by a blank line."""
        return "\n\n".join(face.text for face in self.faces if face.text)


_ASIDE = re.compile(r"[^a-z0-9]+")
_DASHES = str.maketrans({"‐": " ", "‑": " ", "–": " ", "—": " ", "−": " "})


def name_key(name: str) -> str:
    """A name as it is looked up: lower case, without accents and punctuation ("Lim-Dûl's Vault" → "lim duls vault")."""
    plain = name.lower()
    if not plain.isascii():
        plain = unicodedata.normalize("NFKD", plain.translate(_DASHES).replace("æ", "ae"))
        plain = plain.encode("ascii", "ignore").decode()
    return _ASIDE.sub(" ", plain.replace("'", "").replace("&", " and ")).strip()


def loose_key(key: str) -> str:
    """A key with a star for each small word, so that "path of exile" meets "path to exile"."""
    return " ".join("*" if word in STOP else word for word in key.split())


def name_keys(card: Card) -> dict[str, Kind]:
    """All keys that mean a card, and how."""
    vanguard = card.faces[0].type_line.startswith("Vanguard")
    whole = [name_key(name) for name in (card.name, *(face.name for face in card.faces))]
    if len(card.faces) == 2:
        whole.append(" and ".join(whole[1:]))  # "fire and ice"
    short = [name_key(f.name.split(", ")[0]) for f in card.faces if "Legendary" in f.type_line and ", " in f.name]
    short += [key.removeprefix("the ") for key in whole if key.startswith("the ")]
    loose = [loose for key in whole if "*" in (loose := loose_key(key)) and loose.count("*") < loose.count(" ")]
    tight = [key.replace(" ", "") for key in whole if " " in key]
    kinds = ((whole, Kind.VANGUARD if vanguard else Kind.WHOLE), (short, Kind.SHORT), (loose, Kind.LOOSE), (tight, Kind.TIGHT))
    found: dict[str, Kind] = {}
    for keys, kind in kinds:
        for key in keys:
            if key:
                found.setdefault(key, kind)
    return found


def read_cards(path: Path, step: Callable[[int], None] = lambda count: None) -> Iterator[Card]:
    """Read a bulk file, a card at a time; it may be compressed with gzip.

    Args:
        step: called with the number of characters that were read, some hundred thousand at a time.

    Raises:
        RulesError: it can't be read, is cut off, or holds no cards.
    """
    count = 0
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rt", encoding="utf-8-sig") if packed else path.open(encoding="utf-8-sig") as file:
            for row in _rows(file, step):
                card = _card(row)
                if card is not None:
                    count += 1
                    yield card
    except (ValueError, EOFError, RecursionError):  # EOFError: a gzip file that was cut off
        raise RulesError(f"{path} is not a JSON list of cards, or was cut off; {REMEDY}") from None
    except OSError as error:
        raise RulesError(f"{path} can't be read ({error.strerror or error}); {REMEDY}") from None
    if not count:
        raise RulesError(f"{path} holds no cards; {REMEDY}")


_BETWEEN = re.compile(r"[\s,]*")


def _rows(file: TextIO, step: Callable[[int], None]) -> Iterator[Any]:
    """The elements of a JSON array, without holding all of it: the whole file would take a gigabyte.

    Raises:
        ValueError: it is no array, or not JSON, or ends too early.
    """
    decode = json.JSONDecoder().raw_decode
    text = file.read(CHUNK)
    step(len(text))
    text = text.lstrip()
    if not text.startswith("["):
        raise ValueError("no array")
    place = 1
    while True:
        place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]  # it matches nothing too
        if text.startswith("]", place):
            return
        try:
            row, place = decode(text, place)
        except ValueError:
            more = file.read(CHUNK)
            if not more or len(text) - place > LARGEST:
                raise
            step(len(more))
            text, place = text[place:] + more, 0
            continue
        yield row


def _card(row: Any) -> Card | None:
    """A card object; None where it is something else, such as a token or a ruling."""
    if not isinstance(row, dict) or not _string(row, "name") or row.get("object", "card") != "card":
        return None
    faces = row.get("card_faces")
    parts = [part for part in faces if isinstance(part, dict)] if isinstance(faces, list) else []
    card = Card(row["name"].strip(), tuple(_face(part, row) for part in parts or [row]))
    types = [face.type_line for face in card.faces]
    if any(kind.startswith("Dungeon") for kind in types):
        return card
    if row.get("layout") in NOT_CARDS or not any(types) or types[0].startswith(NOT_CARD_TYPES):
        return None
    if card.name.startswith("A-"):  # changed for one online game only
        return None
    if len({face.name for face in card.faces}) == 1:  # the same on both sides: layout reversible_card
        return Card(card.faces[0].name, card.faces[:1])
    return card


def _face(part: dict[str, Any], row: dict[str, Any]) -> Face:
    sizes = [f"{_string(part, 'power')}/{_string(part, 'toughness')}"] if _string(part, "power") else []
    for field in ("loyalty", "defense", "hand_modifier", "life_modifier"):
        if _string(part, field):
            sizes.append(f"{field.replace('_', ' ').capitalize()}: {_string(part, field)}")
    return Face(
        _string(part, "name") or row["name"].strip(),
        _string(part, "type_line") or _string(row, "type_line"),
        _string(part, "mana_cost"),
        "\n".join([_string(part, "oracle_text"), *sizes]).strip(),
    )


def _string(row: dict[str, Any], field: str) -> str:
    value = row.get(field)
    return value.strip() if isinstance(value, str) else ""


@dataclass(frozen=True)
class Match:
    """The cards that a key means, and how."""

    kind: Kind
    cards: tuple[Card, ...]


class Cards:
    """The cards kept beside an index.

    Raises:
        RulesError: the file is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # Answers are given from several threads; the file is only read.
        self._data = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        if self._query("SELECT value FROM about WHERE name = 'schema'") != [(str(SCHEMA),)]:
            raise RulesError(f"the cards in {path} were kept by another version; {AGAIN}")

    def _query(self, sql: str, values: Iterable[str] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._data.execute(sql, tuple(values)).fetchall()
        except sqlite3.DatabaseError:
            raise RulesError(f"the cards in {self._path} are damaged; {AGAIN}") from None

    def named(self, keys: Iterable[str]) -> dict[str, Match]:
        """The cards that each of these keys means, in the best kind there is; keys that mean none are left out."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, tuple[Kind, list[Card]]] = {}
        for start in range(0, len(wanted), 500):
            some = wanted[start : start + 500]
            marks = ",".join("?" * len(some))
            sql = f"SELECT key, kind, card FROM names JOIN cards USING (id) WHERE key IN ({marks}) ORDER BY kind, id"
            for key, kind, card in self._query(sql, some):
                best, cards = found.setdefault(key, (Kind(kind), []))
                if best == kind:
                    cards.append(_unpack(card))
        return {key: Match(kind, tuple(cards)) for key, (kind, cards) in found.items()}

    def starting(self, word: str, most: int) -> tuple[Card, ...]:
        """The cards with a name that starts with this word and goes on, at most ``most`` + 1."""
        sql = (
            "SELECT DISTINCT card FROM names JOIN cards USING (id) WHERE key >= ? AND key < ? AND kind <= 1 "
            f"ORDER BY id LIMIT {most + 1}"
        )
        return tuple(_unpack(card) for (card,) in self._query(sql, (f"{word} ", f"{word}!")))

    def whole_keys(self) -> list[str]:
        """The keys of all whole names."""
        return [key for (key,) in self._query("SELECT DISTINCT key FROM names WHERE kind <= 1")]

    def words(self) -> dict[str, int]:
        """Each word that stands in a name, with the length in words of the longest name that it opens."""
        return dict(self._query("SELECT word, longest FROM words"))

    def __len__(self) -> int:
        return int(self._query("SELECT count(*) FROM cards")[0][0])


def _unpack(text: str) -> Card:
    name, faces = json.loads(text)
    return Card(name, tuple(Face(*face) for face in faces))


def keep_cards(cards: Iterable[Card], folder: Path) -> int:
    """Keep cards beside an index, in place of those kept before; returns how many.

    Raises:
        RulesError: there is no index in the folder, or it can't be written; or what reading ``cards`` raises. Then
            the cards kept before stay.
    """
    require_index(folder)
    # The name is random, so that two programs that write at the same time don't share a temporary file.
    temporary = folder / f".{FILE}.{secrets.token_hex(6)}.tmp"
    try:
        try:
            with closing(sqlite3.connect(temporary, isolation_level=None)) as data:
                count = _fill(data, cards)
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(folder / FILE)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise RulesError(f"the cards can't be written to {folder} ({reason}); make room there, or mend its rights") from error
    return count


def require_index(folder: Path) -> None:
    """Refuse a folder without an index.

    Raises:
        RulesError: there is none.
    """
    if not (folder / "config.json").is_file():
        raise RulesError(f"there is no index in {folder}; build one first: python -m index build --out {folder}")


def _fill(data: sqlite3.Connection, cards: Iterable[Card]) -> int:
    # A crash leaves only the temporary file behind, so nothing needs to be safe while it is written.
    data.executescript(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
        "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT);"
        "CREATE TABLE cards (id INTEGER PRIMARY KEY, card TEXT);"
        "CREATE TABLE names (key TEXT, id INTEGER, kind INTEGER, PRIMARY KEY (key, id)) WITHOUT ROWID;"
        "CREATE TABLE words (word TEXT PRIMARY KEY, longest INTEGER) WITHOUT ROWID;"
    )
    seen: set[str] = set()
    names: list[tuple[str, int, int]] = []
    longest: dict[str, int] = {}
    for card in cards:
        if card.name in seen:
            continue
        seen.add(card.name)
        faces = [[face.name, face.type_line, face.mana_cost, face.text] for face in card.faces]
        data.execute("INSERT INTO cards VALUES (?, ?)", (len(seen), json.dumps([card.name, faces], ensure_ascii=False)))
        for key, kind in name_keys(card).items():
            names.append((key, len(seen), kind))
            words = key.split()
            longest[words[0]] = max(len(words), longest.get(words[0], 0))
            for word in words:
                longest.setdefault(word, 0)
    data.executemany("INSERT INTO names VALUES (?, ?, ?)", sorted(names))
    data.executemany("INSERT INTO words VALUES (?, ?)", sorted(longest.items()))
    data.execute("INSERT INTO about VALUES ('schema', ?)", (str(SCHEMA),))
    data.execute("COMMIT")
    return len(seen)


def open_cards(folder: Path) -> Cards | None:
    """The cards kept beside an index; None where there are none.

    Raises:
        RulesError: they are damaged.
    """
    return Cards(folder / FILE) if (folder / FILE).is_file() else None
