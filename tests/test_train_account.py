"""The commands about progress: figures, export, import, cards for Anki, profiles."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from index import store
from index.errors import RulesError
from tests.test_train_progress import a_review
from tests.test_train_terminal import a_folder
from tests.tiny import HashEncoder
from ui.__main__ import main
from ui.train.progress import Progress
from ui.train.stats import ENOUGH

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


def test_words_agree_with_their_numbers(trained: Path, tmp_path: Path) -> None:
    page = ui("progress", "--index", str(trained), "--profile", "Anna")
    assert "weakest sections" not in page or "by expected accuracy" in page
    file = tmp_path / "one.json"
    ui("progress", "export", "--profile", "Anna", str(file))
    export = json.loads(file.read_text())
    export["reviews"] = export["reviews"][:1]
    file.write_text(json.dumps(export))
    assert "1 review added to Ben\n" in ui("progress", "import", "--profile", "Ben", str(file))
    assert "0 reviews added to Ben; 1 was there already" in ui("progress", "import", "--profile", "Ben", str(file))
    assert "Ben\t1 review\n" in ui("progress", "profiles")
    assert "1 review today, 1 in all" in ui("progress", "--profile", "Ben", "--index", str(trained))


def test_chapters_have_names_without_an_index(trained: Path, own_home: Path) -> None:
    """The rulebook that was kept names them, or (here) the digest."""
    page = ui("progress", "--profile", "Anna")
    assert not (own_home / "index").exists()
    assert "7 Additional Rules" in page


def test_what_is_weak_first_is_said(folder: Path, own_home: Path) -> None:
    kept = Progress()
    kept.add_profile("Anna")
    for n in range(ENOUGH):
        kept.add("Anna", a_review(f"u{n}", rule="702.19b"))
    assert "weakest sections, by expected accuracy" in ui("progress", "--index", str(folder))


def test_a_drill_that_matches_nothing_leaves_no_profile(folder: Path, trained: Path) -> None:
    for words in (["--keyword", "zebra"], ["--missed"], ["--resume"]):
        with pytest.raises(RulesError):
            ui("drill", "--index", str(folder), "--profile", "Nobody", *words)
    assert Progress().profiles() == ["Anna"]
    with pytest.raises(RulesError):
        ui("drill", "--index", str(folder), "--profile", "Anna", "--keyword", "zebra")
    assert len(Progress().reviews("Anna")) == 4


def test_hints_keep_the_index_and_the_profile(trained: Path) -> None:
    options = f"--index {trained} --profile Anna"
    done = ui("drill", "--index", str(trained), "--profile", "Anna", "--length", "1", text="-\n")
    assert f"how you stand: python -m ui progress {options}\n" in done
    assert f"those missed: python -m ui drill {options} --missed" in done
    with pytest.raises(RulesError, match=re.escape(f"python -m ui drill {options} --new")):
        ui("drill", "--index", str(trained), "--profile", "Anna", "--resume")
    assert f"Go on: python -m ui drill {options}\n" in ui("progress", "--index", str(trained), "--profile", "Anna")
    ui("progress", "profiles", "--add", "Ben C")
    assert f"Begin: python -m ui drill --index {trained} --profile 'Ben C'" in ui(
        "progress", "--index", str(trained), "--profile", "Ben C"
    )


@pytest.mark.parametrize("name", ["", "none/x"])
@pytest.mark.parametrize(
    "words",
    [
        ["quiz", "--make", "1", "--out"],
        ["progress", "export"],
        ["progress", "anki", "--all"],
        ["drill", "--exam", "--sheet"],
    ],
)
def test_a_file_that_cannot_be_written_is_said_before_any_work(
    name: str, words: list[str], own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*args: object, **kwargs: object) -> None:
        raise AssertionError("the index is opened")

    monkeypatch.setattr("ui.train.opening.open_index", work)
    path = str(tmp_path / name) if name else ""
    with pytest.raises(RulesError, match=f"there is no folder {tmp_path / 'none'};" if name else "without a name"):
        ui(*words, path)
    assert not (tmp_path / "none").exists()
    assert not (own_home / "training.sqlite").exists()
