"""Settled or not: features, the fit, and the figures that check it."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from eval.calibrate import (
    Case,
    auroc,
    best_threshold,
    check,
    collect,
    expected_calibration_error,
    fit,
    halves,
    logistic,
    probabilities,
    reliability,
    risk_coverage,
)
from eval.sets import Question
from eval.systems import Constant
from index.corpus import Rule, Source
from index.errors import RulesError
from index.numbers import RuleNumber
from qa.answer import Answer, Hit, Reason, Step
from qa.settled import Calibration, features, load_calibration


def hit(number: str, score: float, *reasons: Reason, path: bool = False) -> Hit:
    parsed = RuleNumber.parse(number)
    return Hit(Rule(parsed, "Frogs jump."), score, reasons, (Step(parsed, "cites", parsed),) if path else ())


FOUND = (
    hit(
        "702.19b",
        0.4,
        Reason("meaning", "rule", 1),
        Reason("words", "rule", 4),
        Reason("meaning", "bank", 2),
        Reason("term", "frog"),
    ),
    hit("702.19c", 0.1, Reason("meaning", "rule", 2)),
    hit("510.1c", 0.1),
    hit("510.1d", 5.0, path=True),
)


def cases(n: int, seed: int) -> list[Case]:
    """The best score decides, with noise, whether an answer settles its question."""
    random = np.random.default_rng(seed)
    made = []
    for place in range(n):
        top = float(random.uniform(0.1, 1.0))
        settled = bool(random.random() < 1 / (1 + math.exp(-8 * (top - 0.5))))
        made.append(Case(features((hit("100.1", top), hit("100.2", 0.1))), settled, settled or place % 2 == 0))
    return made


def test_features_by_hand() -> None:
    got = features(FOUND)
    assert got["top"] == 0.4
    assert got["margin"] == got["drop"] == pytest.approx(0.75)
    shares = [4 / 6, 1 / 6, 1 / 6]
    assert got["entropy"] == pytest.approx(-sum(s * math.log(s) for s in shares) / math.log(3))
    assert (got["agreeing"], got["firsts"], got["named"]) == (3, 1, 1)
    assert got["family"] == pytest.approx(2 / 3)
    assert (got["meaning"], got["words"]) == (1, 0.25)


def test_features_of_odd_answers_are_finite_and_have_the_same_names() -> None:
    odd = [(), FOUND[2:3], (hit("100.1", 0.0), hit("100.2", 0.0)), (hit("100.1", -1.0), hit("100.2", -3.0)), FOUND[3:]]
    for hits in odd:
        got = features(hits)
        assert got.keys() == features(FOUND).keys()
        assert all(math.isfinite(value) for value in got.values())
        assert 0 <= got["entropy"] <= 1


def test_what_nobody_sees_does_not_change_the_features() -> None:
    ten = tuple(hit(f"100.{n}", 1 / n) for n in range(1, 11))
    assert features(ten) == features((*ten, hit("100.11", 0.01)))


def test_newton_finds_the_minimum() -> None:
    random = np.random.default_rng(2)
    inputs, labels = random.normal(size=(80, 3)), (random.random(80) < 0.4).astype(float)
    weights = logistic(inputs, labels, penalty=2.0)

    def loss(w: np.ndarray) -> float:
        logits = inputs @ w[:-1] + w[-1]
        return float((np.logaddexp(0, logits) - labels * logits).sum() + (w[:-1] ** 2).sum())

    for direction in np.vstack([np.eye(4), -np.eye(4)]):
        assert loss(weights) < loss(weights + 1e-3 * direction)


def test_the_fit_is_calibrated_on_new_cases_and_reads_back(tmp_path: Path) -> None:
    fitted = fit(cases(600, 1), {"dev": "abc"})
    checked = check(fitted, cases(600, 2))
    assert checked["auroc"] > 0.75
    assert checked["ece"] < 0.08
    assert checked["right_when_said"] > 0.7
    (tmp_path / "settled.json").write_text(json.dumps(fitted.to_json()))
    assert load_calibration(tmp_path / "settled.json") == fitted
    assert fitted == fit(cases(600, 1), {"dev": "abc"})
    sure, unsure = (hit("100.1", 0.95), hit("100.2", 0.1)), (hit("100.1", 0.15), hit("100.2", 0.1))
    assert fitted.probability(sure) > 0.8 > 0.4 > fitted.probability(unsure)
    assert fitted.settled(sure)
    assert not fitted.settled(unsure)
    assert fitted.probability(()) == 0


def test_plain_python_and_numpy_agree() -> None:
    fitted, new = fit(cases(100, 1), {}), cases(20, 3)
    inputs = np.array([[case.values[name] for name in fitted.names] for case in new])
    logits = np.clip((inputs - fitted.means) / fitted.scales, -3, 3) @ np.array(fitted.weights) + fitted.bias
    assert probabilities(fitted, new) == pytest.approx(1 / (1 + np.exp(-logits)))


def test_a_fit_needs_both_outcomes() -> None:
    with pytest.raises(RulesError, match="needs both"):
        fit([Case(features(FOUND), True, True)] * 3, {})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"features": {"top": {"mean": 0}}, "bias": 0, "threshold": 0.5}',
        '{"features": [], "bias": 0, "threshold": 0}',
    ],
)
def test_a_broken_calibration_is_named_with_the_remedy(tmp_path: Path, text: str) -> None:
    (tmp_path / "settled.json").write_text(text)
    with pytest.raises(RulesError, match=r"settled\.json is not a calibration .* python -m eval calibrate"):
        load_calibration(tmp_path / "settled.json")


def test_a_calibration_of_another_version_is_named(tmp_path: Path) -> None:
    other = Calibration(("luck",), (0.0,), (1.0,), (1.0,), 0.0, 0.5)
    (tmp_path / "settled.json").write_text(json.dumps(other.to_json()))
    with pytest.raises(RulesError, match="unknown features luck"):
        load_calibration(tmp_path / "settled.json")
    assert load_calibration(tmp_path / "none.json") is None


def test_the_figures_by_hand() -> None:
    p, labels = np.array([0.9, 0.8, 0.8, 0.1]), np.array([1.0, 1.0, 0.0, 0.0])
    assert auroc(p, labels) == 3.5 / 4
    assert auroc(p, np.ones(4)) is None
    assert reliability(p, labels) == [
        {"n": 1, "said": 0.1, "true": 0.0},
        {"n": 2, "said": 0.8, "true": 0.5},
        {"n": 1, "said": 0.9, "true": 1.0},
    ]
    assert expected_calibration_error(p, labels) == pytest.approx((0.1 + 2 * 0.3 + 0.1) / 4)
    coverage, risk = risk_coverage(p, labels)
    assert coverage.tolist() == [0.25, 0.75, 1.0]
    assert risk.tolist() == pytest.approx([0, 1 / 3, 1 / 2])
    assert best_threshold(np.array([0.9, 0.6, 0.3, 0.1]), np.array([1.0, 1.0, 0.0, 0.0])) == pytest.approx(0.45)


def test_the_halves_of_a_set_stay_as_they_are_when_it_grows() -> None:
    questions = [Question(f"u{i}", "?", ()) for i in range(100)]
    even, odd = halves(questions)
    assert 30 < len(even) < 70
    assert {q.id for q in even} | {q.id for q in odd} == {q.id for q in questions}
    assert {q.id for q in halves(questions[:50])[0]} <= {q.id for q in even}


class Fixed:
    """Gives the same answer to every question."""

    def answer(self, question: str, k: int) -> Answer:
        return Answer(question, FOUND[:k], "undated", Source("file"))


def test_an_answer_settles_if_the_decisive_rule_is_shown() -> None:
    gold = ("702.19b", "702.19", "702", "100.1", "510.1d")
    questions = [Question(number, "?", (RuleNumber.parse(number), RuleNumber(999))) for number in gold]
    never = Question("never", "?", ())
    got = collect(Fixed(), [*questions, never], 10)
    assert [case.settled for case in got] == [True, True, True, False, True, False]
    assert [case.answerable for case in got] == [True] * 5 + [False]
    with pytest.raises(RulesError, match="only our own judge"):
        collect(Constant([RuleNumber(100, 1)]), questions, 10)
