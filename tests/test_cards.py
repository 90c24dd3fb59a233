"""Cards: the bulk file is read, kept beside an index, and downloaded from a local server. The cards here are made up."""

import gzip
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner

from index.__main__ import cli
from index.bulk import downloaded, keep
from index.cards import CHUNK, FILE, Card, Face, Kind, keep_cards, loose_key, name_key, name_keys, open_cards, read_cards
from index.errors import RulesError
from index.transport import Patience
from tests.test_fetch import Reply, Server, Site, handler

QUICK = Patience(connect=2, read=0.4, whole=5, pause=0.01)


def card(name: str, kind: str = "Creature — Frog", **more: Any) -> dict[str, Any]:
    return {"object": "card", "name": name, "layout": "normal", "type_line": kind, "oracle_text": f"{name} croaks.", **more}


ROWS: list[dict[str, Any]] = [
    card("Purple Frog", mana_cost="{U}", power="1", toughness="2"),
    card("Lim-Dûl's Æther Pond", "Land"),
    card("Ribbit, the Leaper", "Legendary Creature — Frog"),
    card("Hop // Skip", "Instant // Sorcery", layout="split", card_faces=[card("Hop", "Instant"), card("Skip", "Sorcery")]),
    card("Tadpole // Big Frog", layout="transform", card_faces=[card("Tadpole", loyalty="3"), card("Big Frog")]),
    card("Ribbit", "Vanguard", layout="vanguard", hand_modifier="+1", life_modifier="-2"),
    card("Same // Same", layout="reversible_card", card_faces=[card("Same"), card("Same")]),
    card("Deep Pond", "Dungeon — Pond", layout="token"),
]
OTHERS: list[Any] = [
    *(card(f"Not {layout}", layout=layout) for layout in ("token", "double_faced_token", "emblem", "art_series")),
    card("Advertisement", "Card"),
    card("A-Purple Frog"),
    {"object": "ruling", "name": "x", "comment": "y"},
    {"object": "set", "name": "Pond Masters"},
    {"name": "no type"},
    {"name": 3, "type_line": "Land"},
    *(None, 7, "text", [], {}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that looks like an index."""
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "config.json").write_text("{}")
    return tmp_path / "index"


def bulk(folder: Path, rows: list[Any], name: str = "bulk.json") -> Path:
    path = folder.parent / name
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Lim-Dûl's Vault", "lim duls vault"),
        ("Lim–Dûl’s Vault", "lim duls vault"),
        ("Æther Vial", "aether vial"),
        ("Fire // Ice", "fire ice"),
        ("R&D's Secret Lair", "r and ds secret lair"),
        ("+2 Mace", "2 mace"),
        ("_____", ""),
        ("日本", ""),
    ],
)
def test_name_key(name: str, key: str) -> None:
    assert name_key(name) == key


def test_keys_of_a_card(folder: Path) -> None:
    split, legend, vanguard = (next(c for c in read_cards(bulk(folder, [ROWS[n]]))) for n in (3, 2, 5))
    keys = name_keys(split)
    assert keys == dict.fromkeys(("hop skip", "hop", "skip", "hop and skip"), Kind.WHOLE) | {
        "hopskip": Kind.TIGHT,
        "hopandskip": Kind.TIGHT,
        "hop * skip": Kind.LOOSE,
    }
    assert name_keys(legend)["ribbit"] == Kind.SHORT
    assert name_keys(vanguard)["ribbit"] == Kind.VANGUARD
    assert name_keys(Card("The Pond", (Face("The Pond", "Land", "", ""),)))["pond"] == Kind.SHORT
    assert "look at me" not in name_keys(Card("Look at Me, Frog", (Face("Look at Me, Frog", "Instant", "", ""),)))
    assert loose_key("path of exile") == loose_key("path to exile")


def test_all_cards_are_read_and_nothing_else(folder: Path) -> None:
    cards = {c.name: c for c in read_cards(bulk(folder, [*OTHERS, *ROWS, *OTHERS]))}
    assert list(cards) == [*(row["name"] for row in ROWS[:6]), "Same", "Deep Pond"]
    assert cards["Purple Frog"].text == "Purple Frog croaks.\n1/2"
    assert cards["Hop // Skip"].text == "Hop croaks.\n\nSkip croaks."
    assert "Loyalty: 3" in cards["Tadpole // Big Frog"].text
    assert "Life modifier: -2" in cards["Ribbit"].text
    assert len(cards["Same"].faces) == 1


def test_a_file_larger_than_a_chunk_is_read_piece_by_piece(folder: Path) -> None:
    rows = [card(f"Frog {n}", oracle_text="quak " * 200) for n in range(600)]
    path = bulk(folder, rows)
    steps: list[int] = []
    assert len(list(read_cards(path, steps.append))) == 600
    assert len(steps) > 2
    assert sum(steps) == len(path.read_text(encoding="utf-8"))
    assert path.stat().st_size > 2 * CHUNK


def test_compressed_and_with_a_byte_order_mark(folder: Path) -> None:
    path = folder.parent / "x"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + json.dumps(ROWS).encode()))
    assert len(list(read_cards(path))) == len(ROWS)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(RulesError, match="cut off"):
        list(read_cards(path))


def _bad() -> dict[str, bytes]:
    whole = json.dumps(ROWS).encode()
    return {
        "empty": b"",
        "cut off": whole[: len(whole) // 2],
        "cut off at the end": whole[:-1],
        "no JSON": b"<html>Sorry</html>",
        "binary": b"\xff\xfe\0\1",
        "an object": b'{"object": "list", "data": []}',
        "deep": b"[" * 100_000,
        "broken inside": b"[{}, {]",
        "no cards": b"[]",
        "other rows": json.dumps(OTHERS).encode(),
    }


@pytest.mark.parametrize("case", _bad())
def test_what_is_no_whole_file_of_cards_never_replaces_the_kept_ones(folder: Path, case: str) -> None:
    keep(bulk(folder, ROWS), folder)
    before = (folder / FILE).read_bytes()
    path = folder.parent / "bad.json"
    path.write_bytes(_bad()[case])
    with pytest.raises(RulesError, match="oracle_cards") as caught:
        keep(path, folder)
    assert "\n" not in str(caught.value)
    assert (folder / FILE).read_bytes() == before
    assert sorted(p.name for p in folder.iterdir()) == [FILE, "config.json"]


def test_missing_file_and_missing_index(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="No such file"):
        keep(tmp_path / "none", folder)
    with pytest.raises(RulesError, match="build one first"):
        keep(bulk(folder, ROWS), tmp_path)


def test_kept_cards_are_found_by_any_key(folder: Path) -> None:
    assert open_cards(folder) is None
    assert keep(bulk(folder, [*ROWS, *ROWS]), folder) == len(ROWS)
    cards = open_cards(folder)
    assert cards is not None
    assert len(cards) == len(ROWS)
    found = cards.named(["ribbit", "skip", "big frog", "purplefrog", "none", *(f"no {n}" for n in range(1200))])
    names = {key: (match.kind, [c.name for c in match.cards]) for key, match in found.items()}
    assert names == {
        "ribbit": (Kind.SHORT, ["Ribbit, the Leaper"]),  # the oversized card stands back
        "skip": (Kind.WHOLE, ["Hop // Skip"]),
        "big frog": (Kind.WHOLE, ["Tadpole // Big Frog"]),
        "purplefrog": (Kind.TIGHT, ["Purple Frog"]),
    }
    assert [c.name for c in cards.starting("purple", 5)] == ["Purple Frog"]
    assert cards.words()["hop"] == 3
    assert cards.words()["leaper"] == 0
    assert "hop and skip" in cards.whole_keys()


def test_strange_folder_names(tmp_path: Path) -> None:
    odd = tmp_path / "50% of #1?"
    odd.mkdir()
    (odd / "config.json").write_text("{}")
    keep(bulk(odd, ROWS), odd)
    cards = open_cards(odd)
    assert cards is not None
    assert len(cards) == len(ROWS)


@pytest.mark.parametrize("damage", ["garbage", "cut off", "another version", "empty"])
def test_damaged_cards_say_what_to_do(folder: Path, damage: str) -> None:
    keep(bulk(folder, ROWS), folder)
    path = folder / FILE
    if damage == "another version":
        with sqlite3.connect(path) as data:
            data.execute("UPDATE about SET value = '1'")
        data.close()
    else:
        path.write_bytes({"garbage": b"no database " * 50, "cut off": path.read_bytes()[:3000], "empty": b""}[damage])
    with pytest.raises(RulesError, match="python -m index cards"):
        open_cards(folder)


def test_a_full_disk_leaves_the_old_cards(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(bulk(folder, ROWS), folder)

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(RulesError, match="No space left"):
        keep_cards([Card("New", (Face("New", "Land", "", ""),))], folder)
    cards = open_cards(folder)
    assert cards is not None
    assert len(cards) == len(ROWS)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A local server in the place of Scryfall's."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    holder: list[Site] = []
    server = Server(("127.0.0.1", 0), handler(lambda: holder[0]))
    holder.append(Site(f"http://127.0.0.1:{server.server_address[1]}"))
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("RULES_LAWYER_CARDS", f"{holder[0].root}/bulk-data")
    listed = [{"type": kind, "download_uri": f"{holder[0].root}/{kind}.json"} for kind in ("rulings", "oracle_cards")]
    holder[0].serve("/bulk-data", Reply(json.dumps({"object": "list", "data": listed}).encode()))
    yield holder[0]
    server.shutdown()
    server.server_close()


def test_fetch(site: Site, folder: Path) -> None:
    body = gzip.compress(json.dumps(ROWS).encode())
    site.serve("/oracle_cards.json", Reply(status=503), Reply(body, headers={"Content-Encoding": "gzip"}))
    arrived: list[int] = []
    with downloaded(folder, patience=QUICK, progress=lambda done, total: arrived.append(done)) as path:
        assert keep(path, folder) == len(ROWS)
        assert path.is_relative_to(folder)
    assert arrived[-1] == len(body)
    assert sorted(p.name for p in folder.iterdir()) == [FILE, "config.json"]
    asked, headers = site.asked[-1]
    assert asked == "/oracle_cards.json"
    assert headers["User-Agent"].startswith("rules-lawyer")
    assert headers["Accept"] == "*/*"


BAD_REPLIES = {
    "404": ("/oracle_cards.json", Reply(status=404), "404 Not Found"),
    "cut off": ("/oracle_cards.json", Reply(json.dumps(ROWS).encode()[:200]), "cut off"),
    "short": ("/oracle_cards.json", Reply(b"[", headers={"Content-Length": "900"}), "cut off|in time"),
    "no JSON": ("/oracle_cards.json", Reply(b"<html>"), "what http://.* sends is not a JSON list"),
    "list 404": ("/bulk-data", Reply(status=404), "404 Not Found"),
    "list no JSON": ("/bulk-data", Reply(b"<html>"), "lists no file"),
    "list without cards": ("/bulk-data", Reply(b'{"data": [{"type": "rulings", "download_uri": "x"}]}'), "lists no file"),
    "list of another shape": ("/bulk-data", Reply(b"[1, 2]"), "lists no file"),
    "no address": ("/bulk-data", Reply(b'{"data": [{"type": "oracle_cards", "download_uri": "nonsense"}]}'), "not an address"),
}


@pytest.mark.parametrize("case", BAD_REPLIES)
def test_a_failed_fetch_leaves_the_old_cards(site: Site, folder: Path, case: str) -> None:
    keep(bulk(folder, ROWS), folder)
    before = (folder / FILE).read_bytes()
    path, reply, reason = BAD_REPLIES[case]
    site.serve(path, reply)
    with pytest.raises(RulesError, match=reason), downloaded(folder, patience=QUICK) as file:
        keep(file, folder)
    assert (folder / FILE).read_bytes() == before
    assert sorted(p.name for p in folder.iterdir()) == [FILE, "config.json"]


def test_too_large(site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.bulk.MAX_BYTES", 100)
    site.serve("/oracle_cards.json", Reply(json.dumps(ROWS).encode()))
    with pytest.raises(RulesError, match="no file of cards is that large"), downloaded(folder, patience=QUICK):
        pytest.fail("it was taken")


def test_the_command(site: Site, folder: Path) -> None:
    site.serve("/oracle_cards.json", Reply(json.dumps(ROWS).encode()))
    for way in (["--fetch"], ["--file", str(bulk(folder, ROWS))]):
        result = CliRunner().invoke(cli, ["cards", *way, "--index", str(folder)])
        assert (result.exit_code, result.stdout) == (0, f"8 cards kept in {folder}\n")
    for way in ([], ["--fetch", "--file", "x"]):
        result = CliRunner().invoke(cli, ["cards", *way, "--index", str(folder)])
        assert result.exit_code == 2
        assert "--file FILE or --fetch" in result.stderr
    assert "Example: python -m index cards" in CliRunner().invoke(cli, ["cards", "--help"]).output
    result = CliRunner().invoke(cli, ["cards", "--fetch", "--index", str(folder / "none")])
    assert isinstance(result.exception, RulesError)
    assert len(site.asked) == 2  # nothing is downloaded for a folder without an index


def test_the_real_cards(folder: Path, rules_data: Path) -> None:
    path = rules_data / "scryfall" / "oracle-cards.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    left_out = {"token", "double_faced_token", "emblem"}
    kept = {row["name"]: row["layout"] for row in rows if row["layout"] not in left_out and row["type_line"] != "Card"}
    assert keep(path, folder) == len(kept)
    cards = open_cards(folder)
    assert cards is not None
    # An oversized card stands back behind the legend of its name; one card's name is a blank.
    names = {name for name, layout in kept.items() if layout != "vanguard" and name_key(name)}
    whole = cards.named(name_key(name) for name in names)
    assert {card.name for match in whole.values() for card in match.cards} >= names
    assert {match.kind for match in whole.values()} == {Kind.WHOLE}
