"""The commands about progress: figures, export, import, cards for Anki, profiles."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from index import store
from index.errors import RulesError
from tests.test_train_terminal import a_folder
from tests.tiny import HashEncoder
from ui.__main__ import main
from ui.train.progress import Progress

__all__ = ["a_folder"]


def ui(*words: str, text: str | None = None) -> str:
    done = CliRunner().invoke(main, list(words), input=text, standalone_mode=False)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


@pytest.fixture
def trained(folder: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    load = store.load
    monkeypatch.setattr(store, "load", lambda folder, encoder=None: load(folder, HashEncoder()))
    ui("drill", "--index", str(folder), "--profile", "Anna", "--length", "4", text="702.19b 80%\n100.1 20%\n-\n704.5g\n")
    return folder


def test_progress_is_shown(trained: Path) -> None:
    page = ui("progress", "--index", str(trained), "--profile", "anna")
    assert "streak 1 day, 4 reviews today" in page
    assert "Additional Rules" in page
    figures = json.loads(ui("progress", "--json", "--profile", "Anna"))
    assert (figures["profile"], figures["reviews"], figures["streak"]) == ("Anna", 4, 1)
    assert len(figures["due_days"]) == 14
    with pytest.raises(RulesError, match="there are Anna"):
        ui("progress", "--profile", "Ben")


def test_progress_before_anything(own_home: Path) -> None:
    for words in (["progress"], ["progress", "export", "-"], ["progress", "anki", "-"]):
        with pytest.raises(RulesError, match=r"begin: python -m ui drill|no index"):
            ui(*words, *(["--index", "/nowhere"] if "anki" in words else []))
    assert "no profile yet" in ui("progress", "profiles")


def test_progress_goes_out_and_comes_in(trained: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    ui("progress", "--profile", "Anna", "export", str(file))
    assert "4 reviews added to Ben" in ui("progress", "import", "--profile", "Ben", str(file))
    assert "0 reviews added to Ben; 4 were there already" in ui(
        "progress", "--profile", "Ben", "import", "-", text=file.read_text()
    )
    assert Progress().memories("Ben", "rule") == Progress().memories("Anna", "rule")
    file.write_text("{")
    with pytest.raises(RulesError, match="nothing was imported"):
        ui("progress", "import", "--profile", "Carl", str(file))
    with pytest.raises(RulesError, match="can't be read"):
        ui("progress", "import", str(tmp_path / "nothing"))
    assert Progress().profiles() == ["Anna", "Ben"]


def test_cards_for_anki(trained: Path, tmp_path: Path) -> None:
    one = ui("progress", "anki", "--index", str(trained), "--profile", "Anna", "-")
    assert one.count('"rules-lawyer:') == 4
    assert ui("progress", "anki", "--index", str(trained), "--all", "--level", "3", "-").count('"rules-lawyer:') == 1
    with pytest.raises(RulesError, match="--all"):
        ui("progress", "anki", "--index", str(trained), "--profile", "Anna", "--keyword", "ward", "-")


def test_profiles_are_changed(trained: Path) -> None:
    assert "Ben\t0 reviews" in ui("progress", "profiles", "--add", "Ben")
    assert "Kim\t4 reviews" in ui("progress", "profiles", "--rename", "Anna", "Kim")
    ui("progress", "profiles", "--remove", "Kim", "--yes")
    assert Progress().profiles() == ["Ben"]


def test_a_first_drill_begins_without_an_index(own_home: Path) -> None:
    """The rulebook (here the digest) and the bank are enough; nobody waits for an index to be built."""
    page = ui("drill", "--length", "1", text="100.1\n")
    assert "this goes without it" in page
    assert "Session: " in page
    assert not (own_home / "index").exists()
    assert sum(len(Progress().reviews(name)) for name in Progress().profiles()) == 1
