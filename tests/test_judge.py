"""Answers: order, reasons, paths, budget, stability, JSON."""

import json
from pathlib import Path

import jsonschema
import pytest

from index.errors import RulesError
from index.numbers import RuleNumber
from qa.answer import Answer
from qa.expand import BUDGET, KEPT
from qa.judge import Judge
from qa.rank import Weights, default_weights, fuse
from qa.retrieve import SIGNALS, Ranked

SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "answer.schema.json").read_text())


def numbers(answer: Answer) -> list[str]:
    return [str(hit.number) for hit in answer.hits]


def test_the_first_question_of_all(tiny_judge: Judge) -> None:
    answer = tiny_judge.ask("Does deathtouch work with trample?")
    assert {"702.2c", "702.19b"} <= set(numbers(answer))
    assert {term.term for term in answer.terms} == {"Deathtouch", "Trample"}
    assert answer.edition == "2025-03-04"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what does 702.19b say", ["702.19b"]),
        ("cr 510.1", ["510.1", "510.1a", "510.1b"]),
        ("rule 704", ["704.1", "704.5", "704.5g"]),
        ("702.2c or 101.2?", ["702.2c", "101.2"]),
        ("what does ward do", ["702.21a"]),
        ("what is trample", ["702.19"]),
    ],
)
def test_what_is_asked_for_comes_first(tiny_judge: Judge, question: str, first: list[str]) -> None:
    found = numbers(tiny_judge.ask(question))
    if first == ["702.19"]:
        assert [str(RuleNumber.parse(n).family) for n in found[:3]] == ["702.19"] * 3
    else:
        assert found[: len(first)] == first


def test_a_number_that_the_edition_lacks_is_said(tiny_judge: Judge) -> None:
    assert "has no rule 702.99z" in tiny_judge.ask("what does 702.99z say about trample").notice


def test_expansion_carries_its_path_and_keeps_its_budget(tiny_judge: Judge) -> None:
    for question in [
        "deathtouch",
        "lethal damage for a blocked attacker",
        "state-based actions",
        "an opponent targets a permanent",
    ]:
        plain, full = tiny_judge.ask(question, 8, expand=False), tiny_judge.ask(question, 8)
        assert numbers(plain)[:KEPT] == numbers(full)[:KEPT]
        added = [hit for hit in full.hits if hit.path]
        assert len(added) <= BUDGET
        assert not any(hit.path for hit in plain.hits)
        for hit in added:
            step = hit.path[-1]
            graph = tiny_judge.index.citations
            assert step.end == hit.number
            assert step.end in (graph.cites(step.start) if step.relation == "cites" else graph.cited_by(step.start))
            assert hit.reasons[0].kind == "citation"


def test_scores_fall_and_no_rule_stands_twice(tiny_judge: Judge) -> None:
    for k in (1, 3, 10, 100):
        answer = tiny_judge.ask("When is a creature destroyed by damage?", k)
        scores = [hit.score for hit in answer.hits]
        assert scores == sorted(scores, reverse=True)
        assert len(set(numbers(answer))) == len(answer.hits) <= k


def test_the_same_question_gets_the_same_answer(tiny_judge: Judge, tiny_index_folder: Path) -> None:
    from tests.tiny import HashEncoder

    other = Judge.load(tiny_index_folder, encoder=HashEncoder())
    question = "Who shares damage among the blockers?"
    assert tiny_judge.ask(question).to_json() == other.ask(question).to_json()


@pytest.mark.parametrize("question", ["Does deathtouch work with trample?", "rule 704", "", "xyzzy", "ward"])
def test_json_keeps_its_schema(tiny_judge: Judge, question: str) -> None:
    data = json.loads(json.dumps(tiny_judge.ask(question).to_json()))
    jsonschema.validate(data, SCHEMA)
    corpus = tiny_judge.index.corpus
    for hit in data["hits"]:
        rule = corpus.by_number[RuleNumber.parse(hit["number"])]
        assert (hit["text"], hit["examples"]) == (rule.text, list(rule.examples))
    assert sorted(n for family in data["families"] for n in family["hits"]) == sorted(hit["number"] for hit in data["hits"])


@pytest.mark.parametrize("k", [0, -1, 101])
def test_k_has_bounds(tiny_judge: Judge, k: int) -> None:
    with pytest.raises(RulesError, match="between 1 and 100"):
        tiny_judge.ask("trample", k)


def test_fusion_is_the_weighted_sum_of_reciprocal_ranks() -> None:
    a, b, c = (RuleNumber.parse(text) for text in ("100.1", "200.1", "300.1"))
    weights = Weights(signals={"one": 1.0, "two": 0.5, "off": 0.0}, smoothing=60, family=0.0, expansion=0.5)
    ranking = {"one": [Ranked(a), Ranked(b)], "two": [Ranked(b), Ranked(c)], "off": [Ranked(c)]}
    fused = fuse(ranking, weights)
    assert [(str(x.number), round(x.score, 9)) for x in fused] == [
        ("200.1", round(1 / 62 + 0.5 / 61, 9)),
        ("100.1", round(1 / 61, 9)),
        ("300.1", round(0.5 / 62, 9)),
    ]


def test_every_weighted_signal_exists() -> None:
    assert set(default_weights().signals) <= set(SIGNALS)
