"""Everything in one go, on the small rulebook: shared work changes no figure, and what is up to date is kept."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from eval.__main__ import main
from eval.sets import read_set
from eval.shared import Memory, ask_together
from eval.suite import Suite, run_all, system_names
from eval.systems import Judged, ask_all, judge_options, load_systems, vary
from index.errors import RulesError
from qa.judge import Judge
from tests.tiny import HashEncoder

ASKED: dict[str, list[tuple[str, str, list[str]]]] = {
    "dev": [("d1", "does deathtouch need one point of damage to kill?", ["702.2b"]), ("d2", "is my ward countered", ["702.21a"])],
    "test": [("t1", "lethal damage on a creature, destroyed?", ["704.5g"]), ("t2", "trample without blocker", ["702.19c"])],
    "unanswerable": [(f"u{i}", f"how much is zebra number {i}?", []) for i in range(8)],
}


@contextmanager
def silent(text: str, total: int) -> Iterator[Callable[[], object]]:
    yield lambda: None


@pytest.fixture(autouse=True)
def own_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "questions"
    folder.mkdir()
    for name, rows in ASKED.items():
        lines = [json.dumps({"id": i, "question": text, "rules": rules, "kind": "timing"}) for i, text, rules in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    monkeypatch.setattr("eval.sets.QUESTIONS", folder)
    monkeypatch.setattr("index.store._encoder", lambda config, build: HashEncoder())


@pytest.fixture
def suite(tmp_path: Path, tiny_index_folder: Path) -> Suite:
    return Suite(tiny_index_folder, tmp_path / "runs", tmp_path / "settled.json")


def test_asking_together_finds_what_asking_alone_finds(tiny_index_folder: Path) -> None:
    questions = read_set("dev") + read_set("test")
    names = system_names(tiny_index_folder)
    together = ask_together(load_systems(names, tiny_index_folder), questions, 10)
    for name in names:
        judge = Judge.load(tiny_index_folder, encoder=HashEncoder(), **judge_options(name))
        alone = ask_all(Judged(judge), questions, 10)
        assert {i: line.hits for i, line in together[name].items()} == {i: line.hits for i, line in alone.items()}, name
        assert all(line.ms is not None and line.ms > 0 for line in together[name].values())


def test_each_question_is_encoded_once_and_all_is_put_back(tiny_index_folder: Path) -> None:
    from qa.retrieve import SIGNALS

    before, encoder = dict(SIGNALS), HashEncoder()
    judge = Judge.load(tiny_index_folder, encoder=encoder)
    systems = {name: Judged(vary(judge, judge_options(name))) for name in ("dense", "hybrid", "full")}
    questions = read_set("dev")
    ask_together(systems, questions, 5)
    assert [encoder.encoded.count(question.question) for question in questions] == [1, 1]
    assert before == SIGNALS
    assert judge.index.encoder is encoder
    assert "nearest" not in vars(judge.index)


def test_what_memory_spares_is_counted_as_time() -> None:
    memory = Memory()
    assert memory.get("a", lambda: memory.get("b", lambda: 3)) == 3
    assert memory.spared == 0
    memory.values["a"] = (3, 2.0)
    assert memory.get("a", lambda: pytest.fail("computed again")) == 3
    assert memory.spared == 2


def test_all_is_made_once_and_reported(suite: Suite, tmp_path: Path) -> None:
    said: list[str] = []
    folders = run_all(suite, silent, said.append)
    assert len(folders) == 3 * len(system_names(suite.index)) + 1
    assert json.loads(suite.settled.read_text())["sets"].keys() == {"dev", "unanswerable"}
    times = {path: path.stat().st_mtime_ns for path in suite.runs.rglob("*") if path.is_file()}
    again: list[str] = []
    assert run_all(suite, silent, again.append) == folders
    assert {path: path.stat().st_mtime_ns for path in suite.runs.rglob("*") if path.is_file()} == times
    count = len(system_names(suite.index))
    assert f"dev: {count} of {count} runs are up to date" in again
    out = tmp_path / "out" / "RESULTS.md"
    words = ("all", "--index", suite.index, "--runs", suite.runs, "--save", suite.settled, "--out", out)
    result = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    assert (result.exit_code, result.stdout.strip()) == (0, str(out))
    text = out.read_text()
    for part in ("edition | 2025-03-04", "## Set `examples`", "### What each signal is worth", "## Settled or not", "## Notes"):
        assert part in text
    assert "Again: `python -m eval run --set dev --system full -k 20 --seed 7 --out runs/dev/full`" in text
    assert not any(question in text for rows in ASKED.values() for _, question, _ in rows)


def test_a_changed_set_or_seed_is_asked_again(suite: Suite, tmp_path: Path) -> None:
    run_all(suite, silent, lambda line: None)
    metrics = suite.runs / "dev" / "full" / "metrics.json"
    before = metrics.read_bytes()
    row = {"id": "d3", "question": "trample?", "rules": ["702.19a"]}
    with (tmp_path / "questions" / "dev.jsonl").open("a") as file:
        file.write("\n" + json.dumps(row))
    said: list[str] = []
    run_all(suite, silent, said.append)
    assert metrics.read_bytes() != before
    assert not any(line.startswith("dev:") for line in said)
    assert any(line.startswith("test:") for line in said)


def test_gold_of_another_rulebook_says_what_to_do(suite: Suite, tmp_path: Path) -> None:
    (tmp_path / "questions" / "dev.jsonl").write_text(json.dumps({"id": "d1", "question": "x", "rules": ["613.7"]}))
    with pytest.raises(RulesError, match=r"question d1: .* has no rule 613.7; .*--rules FILE"):
        run_all(suite, silent, lambda line: None)


def test_index_and_rules_exclude_each_other(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["all", "--index", str(tmp_path), "--rules", str(tmp_path / "a.txt")])
    assert result.exit_code == 1
    assert "give either --index, or --rules" in result.stderr
