"""Runs: both forms, and how each broken line is named."""

from pathlib import Path

import pytest

from eval.runs import Run, RunHit, RunLine, check_run, read_run, write_run, write_trec
from eval.sets import Question
from index.corpus import Corpus, Rule, Source
from index.errors import RulesError
from index.numbers import RuleNumber


def number(text: str) -> RuleNumber:
    return RuleNumber.parse(text)


def line(identity: str, *hits: tuple[str, float], ms: float | None = None) -> RunLine:
    return RunLine(identity, tuple(RunHit(number(n), score) for n, score in hits), ms)


@pytest.fixture
def run() -> Run:
    return {"q1": line("q1", ("702.19b", 2.5), ("510.1c", -0.125)), "q2": line("q2")}


def test_our_form_reads_back(tmp_path: Path, run: Run) -> None:
    run["q3"] = RunLine("q3", (RunHit(number("100.1"), 1.0, added=True),), 12.5)
    write_run(tmp_path / "run.jsonl", run)
    assert read_run(tmp_path / "run.jsonl") == run


def test_trec_reads_back(tmp_path: Path, run: Run) -> None:
    write_trec(tmp_path / "run.trec", run, "full")
    assert (tmp_path / "run.trec").read_text().splitlines()[0] == "q1 Q0 702.19b 1 2.5 full"
    # The form cannot hold a question without hits; it is absent and counts as no hits.
    assert read_run(tmp_path / "run.trec") == {"q1": run["q1"]}


def test_tied_scores_keep_our_order_in_tools_that_sort(tmp_path: Path) -> None:
    tied = {"q1": line("q1", ("100.1", 1.0 + 1e-12), ("999.1", 1.0), ("500.1", 1.0))}
    write_trec(tmp_path / "run.trec", tied, "x")
    rows = [row.split() for row in (tmp_path / "run.trec").read_text().splitlines()]
    assert [row[2] for row in sorted(rows, key=lambda row: (float(row[4]), row[2]), reverse=True)] == ["100.1", "999.1", "500.1"]


def test_hits_are_sorted_by_score_and_ties_stay_as_listed(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text("q Q0 100.3 1 1 x\nq Q0 100.2 2 3 x\n\nq Q0 100.1 3 1 x\n")
    assert [str(hit.number) for hit in read_run(path)["q"].hits] == ["100.2", "100.3", "100.1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no run"),
        ("q Q0 100.1 1 2.0", "run line 1: a TREC line has six words .* this has 5"),
        ("q Q0 100.1 1 2 x\nq Q0 dog 2 1 x", "run line 2: 'dog' is not a rule number"),
        ("q Q0 100.1 1 high x", "run line 1: the score 'high' is not a number"),
        ("q Q0 100.1 1 nan x", "run line 1: the score of 100.1 is nan"),
        ("q Q0 100.1 1 2 x\nq Q0 100.1 2 1 x", "question q: 100.1 occurs twice"),
        ('{"id": "q", "hits": []}\n{"id": "q", "hits": []}', "run line 2: the id 'q' occurs twice"),
        ('{"id": "q", "hits": []}\n{"id":', "run line 2: not JSON"),
        ('{"hits": []}', "run line 1: 'id' is missing"),
        ('{"id": "q"}', "run line 1: 'hits' must be a list"),
        ('{"id": "q", "hits": ["100.1"]}', "run line 1: 'hits' must be a list"),
        ('{"id": "q", "hits": [{"number": 702.10, "score": 1}]}', "run line 1: 'number' is 702.1; write it as text"),
        ('{"id": "q", "hits": [{"number": "100.1"}]}', "run line 1: the score of 100.1 is None"),
        ('{"id": "q", "hits": [{"number": "100.1", "score": Infinity}]}', "run line 1: the score of 100.1 is inf"),
        ('{"id": "q", "hits": [], "ms": -1}', "run line 1: 'ms' is -1"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "run").write_text(text)
    with pytest.raises(RulesError, match=message):
        read_run(tmp_path / "run")


def test_a_mismatch_with_the_set_is_said(run: Run) -> None:
    questions = [Question("q1", "?", (number("100.1"),)), Question("q7", "?", (number("100.1"),))]
    corpus = Corpus(None, Source("file"), (Rule(number("702.19b"), "Frogs jump."),))
    assert check_run(run, questions, corpus) == [
        "1 questions are absent from the run and count as no hits (first: q7)",
        "1 ids of the run are not in the set and are left out (first: q2)",
        "1 hits name rules that the edition lacks and count as wrong (first: 510.1c for q1)",
    ]
    with pytest.raises(RulesError, match="none of the set's 1 questions"):
        check_run(run, questions[1:])


def test_an_id_with_white_space_does_not_go_into_trec(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="cannot hold white space: id 'q 1'"):
        write_trec(tmp_path / "run.trec", {"q 1": line("q 1", ("100.1", 1.0))}, "x")
    assert not (tmp_path / "run.trec").exists()
