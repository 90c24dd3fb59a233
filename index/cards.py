"""Cards: names and Oracle texts from Scryfall's bulk file, kept beside an index. Optional: everything works without.

The format is that of https://scryfall.com/docs/api/bulk-data, type ``oracle_cards``: a JSON array of card objects.
"""

import json
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from index.errors import RulesError
from index.folders import write_atomic

FILE = "cards.sqlite"
REMEDY = "give Scryfall's bulk file of type oracle_cards: https://scryfall.com/docs/api/bulk-data"
NOT_CARDS = {"token", "double_faced_token", "emblem", "art_series", "reversible_card"}
"""Layouts of objects that nobody names as a card."""
SCHEMA = 1


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


def name_key(name: str) -> str:
    """A name as it is looked up: lower case, without accents and punctuation ("Lim-Dûl's Vault" → "lim duls vault")."""
    plain = unicodedata.normalize("NFKD", name.lower().replace("æ", "ae")).encode("ascii", "ignore").decode()
    return " ".join(re.sub(r"[^a-z0-9+ ]", " ", plain.replace("'", "")).split())


def name_keys(card: Card) -> set[str]:
    """All names that mean a card: the whole, each face, and each short name before a comma."""
    names = {card.name, *(face.name for face in card.faces)}
    names |= {name.split(",")[0] for name in names}
    return {key for name in names if (key := name_key(name))}


def read_cards(path: Path) -> list[Card]:
    """Read a bulk file.

    Raises:
        RulesError: it can't be read, or holds no cards.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise RulesError(f"{path} can't be read ({error.strerror}); {REMEDY}") from None
    except (ValueError, RecursionError):
        raise RulesError(f"{path} is not JSON, or was cut off; {REMEDY}") from None
    cards = [card for row in rows if (card := _card(row)) is not None] if isinstance(rows, list) else []
    if not cards:
        raise RulesError(f"{path} holds no cards; {REMEDY}")
    return cards


def _card(row: Any) -> Card | None:
    if not isinstance(row, dict) or row.get("layout") in NOT_CARDS or not _string(row, "name"):
        return None
    faces = row.get("card_faces")
    parts = [face for face in faces if isinstance(face, dict)] if isinstance(faces, list) else []
    return Card(row["name"], tuple(_face(part, row) for part in parts or [row]))


def _face(part: dict[str, Any], row: dict[str, Any]) -> Face:
    text = _string(part, "oracle_text")
    sizes = [f"{_string(part, 'power')}/{_string(part, 'toughness')}"] if _string(part, "power") else []
    sizes += [f"Loyalty: {_string(part, 'loyalty')}"] if _string(part, "loyalty") else []
    name = _string(part, "name") or row["name"]
    return Face(
        name,
        _string(part, "type_line") or _string(row, "type_line"),
        _string(part, "mana_cost"),
        "\n".join([text, *sizes]).strip(),
    )


def _string(row: dict[str, Any], field: str) -> str:
    value = row.get(field)
    return value.strip() if isinstance(value, str) else ""


class Cards:
    """The cards kept beside an index.

    Raises:
        RulesError: the file is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # Answers are given from several threads; the file is only read.
        self._data = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        if self._query("SELECT value FROM about WHERE name = 'schema'", ()) != [(str(SCHEMA),)]:
            raise RulesError(f"the cards in {path} were kept by another version; run: python -m index cards --file FILE")

    def _query(self, sql: str, values: Iterable[str]) -> list[tuple[str, ...]]:
        try:
            return self._data.execute(sql, tuple(values)).fetchall()
        except sqlite3.DatabaseError:
            raise RulesError(f"the cards in {self._path} are damaged; run: python -m index cards --file FILE") from None

    def named(self, keys: Iterable[str]) -> dict[str, list[Card]]:
        """The cards that each of these keys (see ``name_key``) may mean; keys that mean none are left out."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, list[Card]] = {}
        for start in range(0, len(wanted), 500):
            some = wanted[start : start + 500]
            marks = ",".join("?" * len(some))
            sql = f"SELECT key, card FROM names JOIN cards USING (id) WHERE key IN ({marks}) ORDER BY whole DESC, id"
            for key, card in self._query(sql, some):
                found.setdefault(key, []).append(_unpack(card))
        return found

    def all_keys(self) -> list[str]:
        """All keys, in alphabetical order."""
        return [key for (key,) in self._query("SELECT DISTINCT key FROM names ORDER BY key", ())]

    def __len__(self) -> int:
        return int(self._query("SELECT count(*) FROM cards", ())[0][0])


def _unpack(text: str) -> Card:
    name, faces = json.loads(text)
    return Card(name, tuple(Face(*face) for face in faces))


def keep_cards(cards: Iterable[Card], folder: Path, step: Callable[[int], None] = lambda count: None) -> int:
    """Keep cards beside an index, in place of those kept before; returns how many.

    Args:
        step: called with 1 for every card.

    Raises:
        RulesError: there is no index in the folder, or it can't be written.
    """
    if not (folder / "config.json").is_file():
        raise RulesError(f"there is no index in {folder}; build one first: python -m index build --out {folder}")
    data = sqlite3.connect(":memory:")
    data.executescript(
        "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT);"
        "CREATE TABLE cards (id INTEGER PRIMARY KEY, card TEXT);"
        "CREATE TABLE names (key TEXT, id INTEGER, whole INTEGER, PRIMARY KEY (key, id)) WITHOUT ROWID;"
    )
    count = 0
    for count, (card, keys) in enumerate(_with_keys(cards), 1):
        faces = [[face.name, face.type_line, face.mana_cost, face.text] for face in card.faces]
        data.execute("INSERT INTO cards VALUES (?, ?)", (count, json.dumps([card.name, faces], ensure_ascii=False)))
        whole = {name_key(card.name), *(name_key(face.name) for face in card.faces)}
        data.executemany("INSERT INTO names VALUES (?, ?, ?)", [(key, count, key in whole) for key in keys])
        step(1)
    data.execute("INSERT INTO about VALUES ('schema', ?)", (str(SCHEMA),))
    data.commit()
    write_atomic(folder / FILE, data.serialize())
    return count


def _with_keys(cards: Iterable[Card]) -> Iterator[tuple[Card, set[str]]]:
    seen: set[str] = set()
    for card in cards:
        if card.name not in seen:
            seen.add(card.name)
            yield card, name_keys(card)


def open_cards(folder: Path) -> Cards | None:
    """The cards kept beside an index; None where there are none.

    Raises:
        RulesError: they are damaged.
    """
    return Cards(folder / FILE) if (folder / FILE).is_file() else None
