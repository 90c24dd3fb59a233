"""A saved index: it comes back whole, outlives crashes, and damage is noticed and explained."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from index.build import build
from index.corpus import Corpus
from index.errors import RulesError
from index.parse import parse
from index.store import load, read_config, read_corpus
from tests.tiny import NO_BANK, TINY, HashEncoder

ROOT = Path(__file__).resolve().parent.parent


def quiet(line: str) -> None:
    """Nobody listens in these tests."""


@pytest.fixture
def folder(tiny_corpus: Corpus, tmp_path: Path) -> Path:
    """A saved index that a test may damage."""
    build(tiny_corpus, tmp_path / "index", HashEncoder(), quiet, NO_BANK)
    return tmp_path / "index"


def test_an_index_comes_back_as_it_was_saved(folder: Path, tiny_corpus: Corpus) -> None:
    index = load(folder, HashEncoder())
    assert index.corpus == tiny_corpus == read_corpus(folder)
    assert list(index.ranges) == ["example", "glossary", "rule"]
    best = index.search("A single point is enough to count as lethal damage", 3)
    assert str(best[0].passage.rules[0]) == "702.2c"
    assert index.matching("trample attackers", "rule", 1)[0].passage.text.startswith("702.19")
    config = read_config(folder)
    assert config["counts"] == {"rules": 24, "examples": 3, "glossary": 5, "passages": 32}
    assert config["encoder"]["name"] == "hash-64"


def test_a_rebuild_embeds_only_what_changed(folder: Path) -> None:
    encoder = HashEncoder()
    changed, _ = parse(TINY.replace("704.1. The game checks these by itself.", "704.1. The game does this check alone."))
    build(changed, folder, encoder, quiet, NO_BANK)
    assert [text.split("\n")[0] for text in encoder.encoded] == ["704.1 State-Based Actions"]
    assert load(folder, encoder).search("does this check alone", 1)[0].passage.text.startswith("704.1")


def test_old_builds_go_but_the_last_one_stays_for_whoever_reads_it(folder: Path, tiny_corpus: Corpus) -> None:
    first = read_config(folder)["build"]
    for _ in range(2):
        build(tiny_corpus, folder, HashEncoder(), quiet, NO_BANK)
    builds = [path.name for path in folder.glob("build-*")]
    assert len(builds) == 2
    assert first not in builds
    assert read_config(folder)["build"] in builds


def _files(folder: Path) -> list[str]:
    return sorted(read_config(folder)["files"])


@pytest.mark.parametrize("harm", ["flip", "cut", "remove"])
def test_damage_to_any_file_is_refused_with_the_remedy(folder: Path, harm: str) -> None:
    for name in _files(folder):
        path = folder / read_config(folder)["build"] / name
        good = path.read_bytes()
        if harm == "remove":
            path.unlink()
        elif harm == "cut" and good:
            path.write_bytes(good[:-1])
        else:
            path.write_bytes(good[:-1] + (bytes([good[-1] ^ 1]) if good else b"x"))
        with pytest.raises(RulesError, match=r"damaged.*rebuild it: python -m index build"):
            load(folder, HashEncoder())
        path.write_bytes(good)
    load(folder, HashEncoder())


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '"x"', "\x00", "{}", '{"schema": 99}', '{"schema": 1}', '{"schema": 1, "build": "..", "files": {"a": 1}}'],
)
def test_a_damaged_config_is_refused_with_the_remedy(folder: Path, content: str) -> None:
    (folder / "config.json").write_text(content)
    with pytest.raises(RulesError, match=r"rebuild it: python -m index build"):
        load(folder, HashEncoder())


def test_no_index_and_no_encoder_are_explained(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"there is no index in .*build one"):
        load(tmp_path / "nowhere")
    with pytest.raises(RulesError, match=r"an encoder of its own"):
        load(folder)


def test_a_folder_with_other_things_is_not_touched(tiny_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(RulesError, match=r"holds other files \(thesis.txt\)"):
        build(tiny_corpus, tmp_path, HashEncoder(), quiet, NO_BANK)
    with pytest.raises(RulesError, match="is a file"):
        build(tiny_corpus, tmp_path / "thesis.txt", HashEncoder(), quiet, NO_BANK)
    assert [path.name for path in tmp_path.iterdir() if path.is_file() and path.suffix == ".txt"] == ["thesis.txt"]


SLOW_BUILD = """
import sys, time
from pathlib import Path
import index.store as store
from index.build import build
from index.parse import parse
from tests.tiny import NO_BANK, TINY, HashEncoder

folder, moment = Path(sys.argv[1]), sys.argv[2]

def wait(*_):
    print("now", flush=True)
    time.sleep(60)

class Slow(HashEncoder):
    def encode(self, texts, progress=None):
        return wait() if moment == "embedding" else super().encode(texts, progress)

if moment == "writing":
    write = store._write
    store._write = lambda *a: (write(*a), wait())
if moment == "replacing":
    store.write_atomic = wait
build(parse(TINY.replace("two players", "three players"))[0], folder, Slow(), print, NO_BANK)
"""


@pytest.mark.parametrize("moment", ["embedding", "writing", "replacing"])
def test_kill_9_in_the_middle_of_a_build_leaves_the_old_index_answering(folder: Path, moment: str, tiny_corpus: Corpus) -> None:
    command = [sys.executable, "-c", SLOW_BUILD, str(folder), moment]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == "now":
            break
    with pytest.raises(RulesError, match="another build is writing"):
        build(tiny_corpus, folder, HashEncoder(), quiet, NO_BANK)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert load(folder, HashEncoder()).corpus == tiny_corpus
    build(
        tiny_corpus, folder, HashEncoder(), quiet, NO_BANK
    )  # the lock has died with its process, and what it left is cleared away
    assert len(list(folder.glob("build-*"))) <= 2


def test_the_config_holds_no_secrets_of_the_machine(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    assert set(config) == {"schema", "build", "built", "edition", "source", "counts", "dimension", "encoder", "files", "bank"}
