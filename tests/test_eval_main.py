"""The commands, end to end, on a made-up book and runs of no real system."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import eval.systems
from eval.__main__ import main
from eval.measures import COLUMNS
from eval.report import recall_curve, worst
from eval.runs import read_run
from eval.systems import Constant, System, judge_options
from index.corpus import Corpus, Rule, Source
from index.errors import RulesError
from index.numbers import RuleNumber
from qa.answer import Answer, Hit, Reason, Step
from qa.rank import default_weights

BOOK = [RuleNumber(section, rule, letter) for section in (100, 702) for rule in range(1, 16) for letter in ("", "a")]
CORPUS = Corpus(None, Source("file"), tuple(Rule(number, f"Frog {number}.") for number in BOOK))


class Frogs:
    """Finds the rule that the question names, surely or not, and what stands after it."""

    def answer(self, question: str, k: int) -> Answer:
        words = question.split()
        start = BOOK.index(RuleNumber.parse(words[-1])) if words[-1][0].isdigit() else 7
        rules = [CORPUS.rule(number) for number in [*BOOK[start:], *BOOK[:start]][:k]]
        sure = 1.0 if words[0] == "surely" else 0.2
        hits = [Hit(rule, sure / (place + 1), (Reason("words", "rule", place + 1),)) for place, rule in enumerate(rules)]
        added = Hit(rules[-1], hits[-1].score, (), (Step(rules[0].number, "cites", rules[-1].number),))
        return Answer(question, (*hits[:-1], added), CORPUS.name, CORPUS.source)


def fake_load(name: str, index: Path | None, seed: int = 0) -> System:
    return Constant(BOOK) if name == "constant" else Frogs()


@pytest.fixture(autouse=True)
def systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval.systems, "load_system", fake_load)
    monkeypatch.setattr(eval.systems, "load_corpus", lambda index: CORPUS)


def command(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)


def save(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    kinds = ("timing", "interaction")
    rows = [
        {"id": f"q{i}", "question": f"surely about {number}", "rules": [str(number)], "kind": kinds[i % 2], "level": 1 + i % 3}
        for i, number in enumerate(BOOK[10:40])
    ]
    return save(tmp_path / "frogs.jsonl", rows)


def test_a_run_is_written_measured_and_repeatable(tmp_path: Path, questions: Path) -> None:
    result = command("run", "--set", questions, "--system", "full", "--out", tmp_path / "a", "--trec")
    assert result.exit_code == 0
    assert "| recall@10 | 1.000 (1.00–1.00) | 1.000 (1.00–1.00) |" in result.stdout
    assert "asking full" in result.stderr
    metrics = json.loads((tmp_path / "a" / "metrics.json").read_text())
    assert metrics["measures"]["exact mrr@10"] == {"mean": 1.0, "low": 1.0, "high": 1.0, "n": 30}
    assert metrics["expansion"] == {"added": 30, "exact": 0.0, "family": 0.0}
    assert metrics["latency_ms"]["p50"] <= metrics["latency_ms"]["p95"]
    assert {"system", "set", "edition", "config", "k", "seed", "versions", "peak_memory_mb"} <= metrics.keys()
    assert set(metrics["by"]) == {"kind", "level", "chapter", "gold rules", "cards"}
    assert len((tmp_path / "a" / "per_question.jsonl").read_text().splitlines()) == 30
    command("run", "--set", questions, "--system", "full", "--out", tmp_path / "b")
    again = json.loads((tmp_path / "b" / "metrics.json").read_text())
    for name in ("measures", "by", "set"):
        assert again[name] == metrics[name]
    by_number = {i: [hit.number for hit in line.hits] for i, line in read_run(tmp_path / "a" / "run.trec").items()}
    assert by_number == {i: [hit.number for hit in line.hits] for i, line in read_run(tmp_path / "a" / "run.jsonl").items()}


def test_limit_and_k(tmp_path: Path, questions: Path) -> None:
    command("run", "--set", questions, "--system", "full", "--out", tmp_path / "a", "--limit", "3", "-k", "5")
    assert [len(line.hits) for line in read_run(tmp_path / "a" / "run.jsonl").values()] == [5, 5, 5]


def test_an_independent_tool_agrees_on_the_exported_run(tmp_path: Path, questions: Path) -> None:
    import ir_measures

    command("run", "--set", questions, "--system", "constant", "--out", tmp_path / "a", "--trec")
    gold = [json.loads(line) for line in questions.read_text().splitlines()]
    qrels = [ir_measures.Qrel(row["id"], number, 1 if i else 2) for row in gold for i, number in enumerate(row["rules"])]
    measures = {name: ir_measures.parse_measure(name) for name in ("R@10", "RR@10", "nDCG@10")}
    read_trec: Any = ir_measures.read_trec_run  # untyped
    run = read_trec(str(tmp_path / "a" / "run.trec"))
    got = ir_measures.calc_aggregate(measures.values(), qrels, run)
    ours = json.loads((tmp_path / "a" / "metrics.json").read_text())["measures"]
    for mine, theirs in (("recall@10", "R@10"), ("mrr@10", "RR@10"), ("ndcg@10", "nDCG@10")):
        assert ours[f"exact {mine}"]["mean"] == pytest.approx(got[measures[theirs]], abs=1e-4)


def test_a_foreign_run_is_scored_with_notes(tmp_path: Path, questions: Path) -> None:
    run = tmp_path / "theirs.trec"
    run.write_text(f"q0 Q0 {BOOK[10]} 1 0.9 them\nq1 Q0 999.1 1 0.8 them\nother Q0 100.1 1 0.7 them\n")
    result = command("score", "--run", run, "--set", questions, "--index", tmp_path, "--out", tmp_path / "a")
    assert result.exit_code == 0
    assert "| theirs on " in result.stdout
    assert "| success@1 | 0.033 (" in result.stdout
    assert "28 questions are absent from the run and count as no hits (first: q2)" in result.stderr
    assert "999.1 for q1" in result.stderr
    assert json.loads((tmp_path / "a" / "metrics.json").read_text())["latency_ms"] is None


def test_two_runs_are_compared(tmp_path: Path, questions: Path) -> None:
    command("run", "--set", questions, "--system", "constant", "--out", tmp_path / "a")
    command("run", "--set", questions, "--system", "full", "--out", tmp_path / "b")
    result = command("compare", tmp_path / "a", tmp_path / "b" / "run.jsonl", "--set", questions)
    row = next(line for line in result.stdout.splitlines() if line.startswith("| exact success@1 "))
    assert row == "| exact success@1 | 0.000 | 1.000 | +1.000 (+1.000 to +1.000) | 0.0001 |"
    same = command("compare", tmp_path / "a", tmp_path / "a").stdout.splitlines()
    assert all(line.endswith("+0.000 (+0.000 to +0.000) | 1.0000 |") for line in same[2:])
    refused = command("compare", tmp_path / "a", tmp_path / "b" / "run.jsonl")
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
    assert "name its question set with --set" in refused.stderr
    command("run", "--set", questions, "--system", "full", "--out", tmp_path / "c", "--limit", "3")
    assert "different question sets" in command("compare", tmp_path / "a", tmp_path / "c").stderr


def test_the_report_has_tables_figures_and_no_text_of_a_question(tmp_path: Path, questions: Path) -> None:
    never = [{"id": f"u{i}", "question": "hardly about frogs", "rules": []} for i in range(20)]
    unanswerable = save(tmp_path / "never.jsonl", never)
    calibrated = command(
        *("calibrate", "--dev", questions, "--unanswerable", unanswerable, "--test", questions),
        *("--save", tmp_path / "settled.json", "--out", tmp_path / "settled"),
    )
    assert json.loads(calibrated.stdout)["auroc"] == 1
    assert json.loads((tmp_path / "settled.json").read_text())["sets"].keys() == {"frogs", "never"}
    for system in ("constant", "full"):
        command("run", "--set", questions, "--system", system, "--out", tmp_path / system)
    folders = [tmp_path / name for name in ("constant", "full", "settled")]
    out = tmp_path / "report" / "RESULTS.md"
    assert command("report", *folders, "--out", out).exit_code == 0
    text = out.read_text()
    assert "| full | 1.000 (1.00–1.00) |" in text
    assert "| kind: timing | 15 |" in text
    assert "surely" not in text
    figures = {path.name: path.read_bytes() for path in (out.parent / "figures").iterdir()}
    assert figures.keys() == {"frogs-recall.svg", "frogs-kinds.svg", "settled-reliability.svg", "settled-risk.svg"}
    assert all(f"figures/{name}" in text for name in figures)
    command("report", *folders, "--out", out)
    assert {path.name: path.read_bytes() for path in (out.parent / "figures").iterdir()} == figures
    assert out.read_text() == text


def test_the_worst_come_first_and_curves_end_at_recall(tmp_path: Path, questions: Path) -> None:
    command("run", "--set", questions, "--system", "constant", "--out", tmp_path / "a")
    rows = [json.loads(line) for line in (tmp_path / "a" / "per_question.jsonl").read_text().splitlines()]
    curve = recall_curve(rows, "exact")
    for k in (5, 10, 20):
        assert curve[k - 1] == pytest.approx(sum(row[f"exact recall@{k}"] for row in rows) / len(rows))
    assert [row["family recall@10"] for row in worst(rows)] == [0] * 20
    assert set(COLUMNS) <= rows[0].keys()


def test_a_blind_set_of_216_lines_is_asked(tmp_path: Path) -> None:
    """Bare rows, family heads, unknown fields, a byte order mark, CRLF: what comes from other programs."""
    heads = [number for number in BOOK if not number.letter]
    rows: list[dict[str, Any]] = []
    for place in range(216):
        row: dict[str, Any] = {"id": place, "question": f"about {heads[place % 30]}", "rules": [str(heads[place % 30])]}
        if place % 3 == 1:
            row |= {"answer": None, "cards": None, "level": None, "votes": 3, "tags": ["a"], "url": {"x": 1}}
        if place % 3 == 2:
            row |= {"rules": [f"rule {BOOK[2 * (place % 30) + 1]}.", "702"], "source": "forum"}
        rows.append(row)
    text = "\r\n".join(json.dumps(row) for row in rows) + "\r\n\r\n"
    (tmp_path / "blind.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    result = command("run", "--set", tmp_path / "blind.jsonl", "--system", "full", "--out", tmp_path / "a")
    assert result.exit_code == 0, result.stderr
    metrics = json.loads((tmp_path / "a" / "metrics.json").read_text())
    assert metrics["set"]["questions"] == metrics["set"]["with_gold"] == 216
    assert len(read_run(tmp_path / "a" / "run.jsonl")) == 216
    per = {row["id"]: row for row in map(json.loads, (tmp_path / "a" / "per_question.jsonl").read_text().splitlines())}
    assert per["0"]["family recall@10"] == per["0"]["exact recall@10"] == 1
    assert per["0"]["kind"] == per["0"]["level"] == "not given"
    assert per["2"]["family ranks"][0] == 1


def test_a_family_head_counts_with_any_subrule(tmp_path: Path) -> None:
    head, subrule = BOOK[0], BOOK[1]
    path = save(tmp_path / "a.jsonl", [{"id": "q", "question": f"about {subrule}", "rules": [str(head)]}])
    run = save(tmp_path / "run.jsonl", [{"id": "q", "hits": [{"number": str(subrule), "score": 1.0}]}])
    result = command("score", "--run", run, "--set", path, "--index", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 0
    measures = json.loads((tmp_path / "out" / "metrics.json").read_text())["measures"]
    assert measures["family recall@10"]["mean"] == 1
    assert measures["exact recall@10"]["mean"] == 0


def test_gold_that_does_not_exist_ends_in_one_line(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", [{"id": "q9", "question": "x", "rules": ["999.9z"]}])
    result = command("run", "--set", path, "--system", "full", "--out", tmp_path / "a")
    assert result.exit_code == 1
    assert result.stderr == "error: question q9: the edition undated has no rule 999.9z; put the gold right\n"
    assert not (tmp_path / "a").exists()


def test_names_of_systems() -> None:
    assert judge_options("full") == {"signals": None, "expand": True}
    assert judge_options("full-no-citation") == {"signals": None, "expand": False}
    assert judge_options("full-no-together")["weights"].together == 0 < default_weights().together
    assert judge_options("hybrid+citation")["expand"]
    signals = default_weights().names
    assert set(judge_options("full-no-words")["signals"]) == {name for name in signals if not name.startswith("words")}
    for signal in signals:
        assert set(judge_options(f"full-no-{signal}")["signals"]) <= set(signals) - {signal}
    for name in ("bm25", "dense", "hybrid"):
        assert judge_options(name)["signals"]
    with pytest.raises(RulesError, match="unknown system 'full-no-luck'"):
        judge_options("full-no-luck")
    with pytest.raises(RulesError, match="unknown system 'magic'; use one of bm25"):
        judge_options("magic")


@pytest.mark.parametrize("name", [None, *sorted(main.commands)])
def test_each_help_opens_with_one_line_and_has_one_example(name: str | None) -> None:
    lines = command(*([name] if name else []), "--help").stdout.splitlines()
    first, blank, *_ = str((main.commands[name] if name else main).help).splitlines()
    assert (first[-1], blank) == (".", "")
    assert sum("Example: python -m eval" in line for line in lines) == 1


def test_help_answers_at_once_and_imports_nothing_heavy() -> None:
    code = "import sys, eval.__main__; print([m for m in ('numpy', 'rich', 'ir_measures', 'torch', 'faiss') if m in sys.modules])"
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent
    )
    assert done.stdout.strip() == "[]"
    assert time.perf_counter() - start < 2
