"""Fit the weights by which the signals are fused, on a set, with cross-validation.

Coordinate ascent over a coarse grid: few numbers, fitted on a few hundred questions, must not learn the set by heart.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eval.sets import Question
from index.numbers import RuleNumber
from qa.judge import Judge
from qa.rank import Weights
from qa.retrieve import SIGNALS, Search, gather

GRID = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0)
SMOOTHINGS = (2.0, 5.0, 10.0, 20.0, 40.0, 60.0)
FAMILIES = (0.0, 0.05, 0.1, 0.2, 0.3)
GAIN = 0.001
"""A weight changes only if the objective gains at least this much; else the smaller number of signals wins."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A question's candidates.

    Attributes:
        ranks: (candidates, signals), from 1; infinity where a signal does not name the rule.
        gold: (candidates,), whether a rule decides the question.
        family: (candidates,), which family a rule belongs to, numbered from 0.
        missing: how many gold rules no signal names.
    """

    ranks: Array
    gold: NDArray[np.bool_]
    family: NDArray[np.int64]
    missing: int


def case(judge: Judge, question: Question) -> Case | None:
    """A question's candidates from all signals; None where the ranking does not decide (a number, a definition)."""
    asked = judge.read(question.question)
    if asked.empty or asked.numbers or asked.defines:
        return None
    rankings = gather(Search(judge.index, asked), SIGNALS)
    numbers = sorted({ranked.number for ranking in rankings.values() for ranked in ranking})
    place = {number: row for row, number in enumerate(numbers)}
    ranks = np.full((len(numbers), len(SIGNALS)), np.inf)
    for column, ranking in enumerate(rankings.values()):
        for rank, ranked in enumerate(ranking, 1):
            ranks[place[ranked.number], column] = rank
    gold = np.array([number in question.rules for number in numbers], dtype=bool)
    families: dict[RuleNumber, int] = {}
    family = np.array([families.setdefault(number.family, len(families)) for number in numbers], dtype=np.int64)
    return Case(ranks, gold, family, len(question.rules) - int(gold.sum()))


def scores(one: Case, weights: Array, smoothing: float, share: float) -> Array:
    """What ``qa.rank.fuse`` gives each candidate."""
    own: Array = (weights / (smoothing + one.ranks)).sum(axis=1)
    if share == 0 or not len(own):
        return own
    order = np.lexsort((-own, one.family))
    best = np.full((one.family.max() + 1, 2), 0.0)
    counts = np.zeros(len(best), dtype=np.int64)
    for row in order:
        group = one.family[row]
        if counts[group] < 2:
            best[group, counts[group]] = own[row]
            counts[group] += 1
    first, second = best[one.family, 0], best[one.family, 1]
    return np.asarray(own + share * np.where(own == first, second, first))


def objective(cases: Sequence[Case], weights: Array, smoothing: float, share: float) -> float:
    """The mean over the questions of (MRR@10 + recall@5 + recall@10) / 3, exact leaf."""
    total = 0.0
    for one in cases:
        found = scores(one, weights, smoothing, share)
        top = np.argsort(-found, kind="stable")[:10]
        right = one.gold[top] & (found[top] > 0)
        golds = int(one.gold.sum()) + one.missing
        first = int(right.argmax()) + 1 if right.any() else 0
        total += ((1 / first if first else 0.0) + right[:5].sum() / golds + right.sum() / golds) / 3
    return total / max(1, len(cases))


@dataclass(frozen=True)
class Fitted:
    """Weights and how they do: on the questions they were fitted on, and on questions held out in cross-validation."""

    weights: Weights
    fitted: float
    held_out: float
    start_held_out: float
    questions: int


def ascend(cases: Sequence[Case], start: Weights, tick: Callable[[], object] = lambda: None) -> Weights:
    """Change one number at a time while that helps."""
    names = list(SIGNALS)
    values = np.array([start.signals.get(name, 0.0) for name in names])
    smoothing, share = start.smoothing, start.family
    best = objective(cases, values, smoothing, share)
    for _ in range(3):
        before = best
        for column in range(len(names)):
            for value in GRID:
                trial = values.copy()
                trial[column] = value
                score = objective(cases, trial, smoothing, share)
                if score > best + GAIN or (value < values[column] and score >= best):
                    best, values = score, trial
            tick()
        for option in SMOOTHINGS:
            score = objective(cases, values, option, share)
            if score > best + GAIN:
                best, smoothing = score, option
        for option in FAMILIES:
            score = objective(cases, values, smoothing, option)
            if score > best + GAIN:
                best, share = score, option
        if best < before + GAIN:
            break
    signals = {name: round(float(value), 3) for name, value in zip(names, values, strict=True) if value > 0}
    return replace(start, signals=signals, smoothing=smoothing, family=share)


def fit(
    judge: Judge, questions: Sequence[Question], seed: int, folds: int = 5, tick: Callable[[], object] = lambda: None
) -> Fitted:
    """Fit on all questions; the figure to believe is that of the folds held out.

    Args:
        tick: called now and then, at most ``(folds + 1) × 3 × len(SIGNALS)`` times.
    """
    cases = [found for question in questions if (found := case(judge, question)) is not None]
    random.Random(seed).shuffle(cases)
    held: list[float] = []
    start: list[float] = []
    for fold in range(folds):
        inside = [c for i, c in enumerate(cases) if i % folds != fold]
        outside = [c for i, c in enumerate(cases) if i % folds == fold]
        held.append(_value(outside, ascend(inside, judge.weights, tick)))
        start.append(_value(outside, judge.weights))
    weights = ascend(cases, judge.weights, tick)
    return Fitted(weights, _value(cases, weights), float(np.mean(held)), float(np.mean(start)), len(cases))


def _value(cases: Sequence[Case], weights: Weights) -> float:
    values = np.array([weights.signals.get(name, 0.0) for name in SIGNALS])
    return objective(cases, values, weights.smoothing, weights.family)
