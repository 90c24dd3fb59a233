"""Fit and check the probability that the rules found settle a question.

An answer *settles* its question if the decisive gold rule is among the first ten hits (gold that is a family head, a
section or a chapter counts with any rule under it). A question that the rules do not settle has no gold, so nothing
settles it. The model is a logistic regression over ``qa.settled.features`` with an L2 penalty, fitted by Newton's method.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from eval.measures import Floats
from eval.sets import Question, set_hash
from eval.systems import System
from index.errors import RulesError
from qa.answer import Answer
from qa.settled import DEPTH, Calibration, features, standard

PENALTY = 1.0
BINS = 10


@dataclass(frozen=True)
class Case:
    """One answered question: the features of its hits, whether they settle it, and whether the rules can."""

    values: Mapping[str, float]
    settled: bool
    answerable: bool


def collect(system: System, questions: Sequence[Question], k: int, tick: Callable[[], object] = lambda: None) -> list[Case]:
    """Ask every question and say what became of it.

    Raises:
        RulesError: the system gives bare numbers without reasons.
    """
    cases: list[Case] = []
    for question in questions:
        answer = system.answer(question.question, k)
        if not isinstance(answer, Answer):
            raise RulesError("only our own judge can be calibrated: the features need each hit's reasons")
        found = [hit.number for hit in answer.hits[:DEPTH]]
        settled = bool(question.rules) and any(question.rules[0].contains(number) for number in found)
        cases.append(Case(features(answer.hits), settled, bool(question.rules)))
        tick()
    return cases


def halves(questions: Sequence[Question]) -> tuple[list[Question], list[Question]]:
    """Part a set in two by a hash of the ids: the part of a question never changes when others are added."""
    odd = [sha256(question.id.encode()).digest()[0] % 2 == 1 for question in questions]
    return [q for q, o in zip(questions, odd, strict=True) if not o], [q for q, o in zip(questions, odd, strict=True) if o]


def fit(cases: Sequence[Case], sets: Mapping[str, str], penalty: float = PENALTY) -> Calibration:
    """Fit the regression; the threshold is the one with the best balanced accuracy (Youden 1950) on the same cases.

    Raises:
        RulesError: all cases have the same outcome.
    """
    labels = _labels(cases)
    if len(set(labels.tolist())) < 2:
        raise RulesError("the questions are all settled or all unsettled; a calibration needs both")
    names = tuple(cases[0].values)
    raw = np.array([[case.values[name] for name in names] for case in cases])
    means, scales = raw.mean(axis=0), raw.std(axis=0)
    scales[scales < 1e-12] = 1.0  # a feature that never varies gets a weight of 0, not a division by 0
    weights = logistic(np.vectorize(standard)(raw, means, scales), labels, penalty)
    rounded = [[round(float(value), 6) for value in row] for row in (means, scales, weights)]
    fitted = Calibration(
        names, tuple(rounded[0]), tuple(s or 1.0 for s in rounded[1]), tuple(rounded[2][:-1]), rounded[2][-1], 0.5, dict(sets)
    )
    threshold = best_threshold(probabilities(fitted, cases), labels)
    return Calibration(**{**fitted.__dict__, "threshold": round(threshold, 4)})


def logistic(inputs: Floats, labels: Floats, penalty: float, steps: int = 50) -> Floats:
    """Weights, and the bias last, that minimise log loss + penalty / 2 · |weights|² (Newton; Hastie et al. 2009, 4.4.1)."""
    design = np.column_stack([inputs, np.ones(len(inputs))])
    ridge = np.diag([penalty] * inputs.shape[1] + [0.0])
    weights = np.zeros(design.shape[1])
    for _ in range(steps):
        p = _sigmoid(design @ weights)
        gradient = design.T @ (p - labels) + ridge @ weights
        curvature = (design.T * np.maximum(p * (1 - p), 1e-9)) @ design + ridge
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def fit_and_check(
    system: System, sets: Sequence[tuple[str, Sequence[Question]]], k: int, tick: Callable[[], object] = lambda: None
) -> tuple[Calibration, dict[str, Any]]:
    """Fit on the first set and half of the second, which is unanswerable; check on the third and the other half.

    Args:
        sets: three sets with their names.

    Returns:
        The calibration, and what ``calibration.json`` says of the check and the sets.
    """
    (dev, fitted_on), (unanswerable, never), (_, checked_on) = sets
    never_fit, never_check = halves(never)
    cases = collect(system, [*fitted_on, *never_fit], k, tick)
    held_out = collect(system, [*checked_on, *never_check], k, tick)
    hashes = {name: set_hash(questions) for name, questions in sets}
    calibration = fit(cases, {name: hashes[name] for name in (dev, unanswerable)})
    return calibration, {"sets": hashes, **check(calibration, held_out)}


def probabilities(calibration: Calibration, cases: Sequence[Case]) -> Floats:
    return np.array([calibration.of(case.values) for case in cases])


def check(calibration: Calibration, cases: Sequence[Case]) -> dict[str, Any]:
    """How good the probability is on cases that it was not fitted on."""
    p, labels = probabilities(calibration, cases), _labels(cases)
    answerable = np.array([float(case.answerable) for case in cases])
    return {
        "cases": len(cases),
        "settled": int(labels.sum()),
        "answerable": int(answerable.sum()),
        "auroc": auroc(p, labels),
        "auroc_answerable": auroc(p, answerable),
        "ece": round(expected_calibration_error(p, labels), 6),
        "brier": round(float(((p - labels) ** 2).mean()), 6),
        "threshold": calibration.threshold,
        "said_settled": int((p >= calibration.threshold).sum()),
        "right_when_said": _share(labels[p >= calibration.threshold]),
        "right_when_not_said": _share(1 - labels[p < calibration.threshold]),
        "reliability": reliability(p, labels),
        "risk_coverage": [[round(c, 6), round(r, 6)] for c, r in zip(*risk_coverage(p, labels), strict=True)],
    }


def auroc(p: Floats, labels: Floats) -> float | None:
    """The chance that a settled case has a higher probability than an unsettled one; ties count half.

    The Mann–Whitney form (Hanley and McNeil 1982); None where only one outcome occurs.
    """
    good, bad = p[labels == 1], p[labels == 0]
    if not len(good) or not len(bad):
        return None
    ordered = np.sort(bad)
    below = np.searchsorted(ordered, good, "left") + np.searchsorted(ordered, good, "right")
    return round(float(below.sum() / (2 * len(good) * len(bad))), 6)


def reliability(p: Floats, labels: Floats, bins: int = BINS) -> list[dict[str, float]]:
    """Equal-width bins with at least one case: count, mean probability, share settled."""
    places = np.minimum((p * bins).astype(int), bins - 1)
    return [
        {
            "n": int((places == b).sum()),
            "said": round(float(p[places == b].mean()), 6),
            "true": round(float(labels[places == b].mean()), 6),
        }
        for b in sorted(set(places.tolist()))
    ]


def expected_calibration_error(p: Floats, labels: Floats, bins: int = BINS) -> float:
    """The mean gap between what the bins say and what is true, weighted by their size (Naeini et al., AAAI 2015)."""
    return sum(row["n"] * abs(row["said"] - row["true"]) for row in reliability(p, labels, bins)) / len(p)


def risk_coverage(p: Floats, labels: Floats) -> tuple[Floats, Floats]:
    """If only the surest are called settled: the share so called, and the share of those that is wrong.

    (El-Yaniv and Wiener, JMLR 2010.) Cases with the same probability come together, for no threshold parts them.
    """
    order = np.argsort(-p, kind="stable")
    counts = np.arange(1, len(p) + 1)
    wrong = np.cumsum(1 - labels[order])
    ends = np.append(np.diff(p[order]) != 0, True)
    return (counts / len(p))[ends], (wrong / counts)[ends]


def best_threshold(p: Floats, labels: Floats) -> float:
    """Half-way between the two neighbouring probabilities where true rate − false rate is greatest."""
    values = np.unique(p)
    cuts = np.append((values[:-1] + values[1:]) / 2, values[-1:])
    gain = [(p[labels == 1] >= cut).mean() - (p[labels == 0] >= cut).mean() for cut in cuts]
    return float(cuts[int(np.argmax(gain))])


def _labels(cases: Sequence[Case]) -> Floats:
    return np.array([float(case.settled) for case in cases])


def _sigmoid(logits: Floats) -> Floats:
    p: Floats = 1 / (1 + np.exp(-np.clip(logits, -40, 40)))
    return p


def _share(values: Floats) -> float | None:
    return round(float(values.mean()), 6) if len(values) else None
