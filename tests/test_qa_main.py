"""./ask, as a user runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from index.build import build
from index.encoder import OnnxEncoder, SentenceEncoder
from index.parse import parse
from tests.tiny import NO_BANK, TINY, HashEncoder

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("torch", "transformers", "sentence_transformers", "datasets", "gradio")


@pytest.fixture(scope="module")
def folder(real_encoder: SentenceEncoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the small rulebook with the real encoder, exported."""
    target = tmp_path_factory.mktemp("real") / "index"
    said: list[str] = []
    config = build(parse(TINY)[0], target, real_encoder, said.append, NO_BANK)
    assert config["encoder"]["kind"] == "onnx", said
    return target


def ask(*args: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "qa", *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, input=stdin, check=False)


def test_the_exported_encoder_keeps_the_originals_vectors(folder: Path, real_encoder: SentenceEncoder) -> None:
    texts = ["Does deathtouch work with trample?", "a", "creature " * 400, "", "Ætherling {T}: draw"]
    exported = OnnxEncoder(next(folder.glob("build-*")) / "encoder").encode(texts)
    original = real_encoder.encode(texts)
    assert exported.shape == original.shape == (5, 384)
    assert ((exported * original).sum(axis=1) > 0.99).all()


def test_a_question_is_answered_in_words_and_in_json(folder: Path) -> None:
    plain = ask("--index", str(folder), "Does deathtouch work with trample?")
    assert plain.returncode == 0, plain.stderr
    assert "702.19b" in plain.stdout
    assert "why: " in plain.stdout
    assert "edition 2025-03-04" in plain.stdout
    data = json.loads(ask("--json", "-k", "3", "--index", str(folder), "Does deathtouch work with trample?").stdout)
    assert len(data["hits"]) == 3
    assert data == json.loads(
        ask("--json", "-k", "3", "--index", str(folder), stdin="Does deathtouch work with trample?\n").stdout
    )
    assert not any(hit["path"] for hit in json.loads(ask("--json", "--no-expand", "--index", str(folder), "ward").stdout)["hits"])


def test_asking_imports_nothing_heavy(folder: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "qa", "--index", str(folder), "what does ward do"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    modules = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in result.stderr.splitlines() if "|" in line}
    assert "onnxruntime" in modules
    assert not modules & set(HEAVY)


@pytest.mark.parametrize(
    ("args", "stdin", "part"),
    [
        (["--index", "/no/such/index", "x"], None, "there is no index"),
        ([], "", "there is no question"),
        ([], " \n", "there is no question"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_1(args: list[str], stdin: str | None, part: str, folder: Path) -> None:
    result = ask(*(args or ["--index", str(folder)]), stdin=stdin)
    assert result.returncode == 1
    assert part in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_wrong_use_is_exit_code_2(folder: Path) -> None:
    assert ask("--index", str(folder), "-k", "0", "x").returncode == 2
    assert ask("--nonsense").returncode == 2


@pytest.mark.parametrize("question", ["x" * 100_000, "'; DROP TABLE rules; --", "[bold red]{T}[/nonsense]", "\\", "--", "🎉"])
def test_odd_questions_are_answered_sanely(folder: Path, question: str) -> None:
    result = ask("--index", str(folder), "--", question)
    assert result.returncode == 0, result.stderr[-300:]
    assert "edition 2025-03-04" in result.stdout


def test_the_script_works_from_anywhere(folder: Path, tmp_path: Path) -> None:
    if not (ROOT / ".venv" / "bin" / "python").exists():
        pytest.skip("./ask runs the Python in .venv, which is not there; make setup")
    (tmp_path / "qa").mkdir()  # must not be taken for ours
    (tmp_path / "link").symlink_to(ROOT / "ask")
    for script in (ROOT / "ask", tmp_path / "link"):
        result = subprocess.run(
            [script, "--index", folder, "ward"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
        )
        assert "702.21a" in result.stdout, result.stderr


def test_without_an_index_one_is_built_from_the_digest_and_says_so(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from index.prepare import ensure_index
    from index.store import read_config

    monkeypatch.setattr("index.encoder.SentenceEncoder", lambda name, plain=False: HashEncoder())
    said: list[str] = []
    ensure_index(own_home / "index", said.append)
    config = read_config(own_home / "index")
    assert config["source"]["kind"] == "digest"
    assert "No official rulebook could be fetched" in config["source"]["notice"]
    assert config["source"]["notice"] in said[-1]


def test_a_model_that_cannot_be_exported_falls_back_with_a_notice(
    real_encoder: SentenceEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no such operator")

    monkeypatch.setattr("index.export._trace", fail)
    said: list[str] = []
    config = build(parse(TINY)[0], tmp_path / "index", real_encoder, said.append, NO_BANK)
    assert config["encoder"]["kind"] == "sentence-transformers"
    assert any("can't be exported to ONNX" in line and "no such operator" in line for line in said)
    from qa.judge import Judge

    assert Judge.load(tmp_path / "index").ask("what does ward do").hits[0].number.section == 702


def test_an_encoder_that_is_not_there_is_named(tmp_path: Path) -> None:
    from index.errors import RulesError

    with pytest.raises(RulesError, match=r"encoder 'nobody/nothing' can't be loaded"):
        SentenceEncoder("nobody/nothing").encode(["a"])
