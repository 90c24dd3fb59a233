"""Speed and memory: what is measured is what ran, and the table says whether a target is met."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from eval import bench
from eval.__main__ import main
from tests.tiny import HashEncoder


def test_a_child_is_measured_by_itself() -> None:
    busy = bench.child("-c", "x = bytearray(300_000_000); print('done'); [i * i for i in range(2_000_000)]")
    idle = bench.child("-c", "import time; time.sleep(0.3)")
    assert (busy.code, busy.output.strip()) == (0, "done")
    assert busy.memory_mb > 300 > idle.memory_mb
    assert idle.seconds > 0.3 > idle.cpu
    assert bench.child("-c", "raise SystemExit(3)").code == 3


def test_a_child_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "LONGEST", 0.5)
    hung = bench.child("-c", "import time; time.sleep(60)")
    assert hung.code != 0
    assert hung.seconds < 30


def test_the_table_says_what_is_met() -> None:
    text = bench.bench_table(
        {
            "start": {"ratio": 7.9, "ask_s": 1.2, "memory_mb": 250.0},
            "warm": {"ratio": 3.4, "ask_ms": {"p50": 20.0, "p95": 31.5}, "memory_mb": 260.0},
            "help": {"index": 0.06, "qa": 0.2, "ui": 0.05, "eval": 0.7},
            "page": {"enter_ratio": 5.0, "enter_limit": 8.0, "load_ratio": 2.5, "load_limit": 2.0, "first_load_ms": 900},
        }
    )
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()[2:]]
    verdicts = {row[0]: row[1:] for row in rows}
    assert verdicts["from nothing to the printed answer / importing onnxruntime and faiss"] == ["7.9 ×", "≤ 8 ×", "met"]
    assert verdicts["a warm answer / encoding its question, medians"] == ["3.4 ×", "≤ 3 ×", "not met"]
    assert verdicts["a warm answer, 95th percentile"] == ["31.5 ms", "–", "–"]
    assert verdicts["python -m eval --help, CPU"][-1] == "not met"
    assert verdicts["the page: enter_ratio"] == ["5.0", "≤ 8 ×", "met"]
    assert verdicts["the page: load_ratio"][-1] == "not met"
    assert not any("build" in row[0] or "limit" in row[0] for row in rows)


def test_what_fails_is_said_and_is_no_error(tiny_index_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.store._encoder", lambda config, build: HashEncoder())
    monkeypatch.setattr(bench, "child", lambda *words: bench.Child(1.0, 1.0, 10.0, 2, ""))
    words = ["bench", "--index", tiny_index_folder, "--limit", "5", "--skip", "build", "--out", tmp_path / "bench.json"]
    result = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0
    assert "| the page | not measured | – | python -m ui bench ended with exit code 2 |" in result.stdout
    figures = json.loads((tmp_path / "bench.json").read_text())
    assert figures["warm"]["questions"] == 5
    assert figures["warm"]["ask_ms"]["p50"] <= figures["warm"]["ask_ms"]["p95"]
    assert figures["index"]["edition"] == "2025-03-04"
    assert "failed" in figures["start"]
    assert "build" not in figures
