"""How sure a figure is: intervals for a mean, and a test for a difference between two systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eval.measures import Floats

RESAMPLES = 2_000
FLIPS = 10_000
BATCH = 500  # rows of random numbers held at once: a set of 20,000 questions then needs 80 MB


@dataclass(frozen=True)
class Estimate:
    """A mean over questions with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


def bootstrap(values: Floats, seed: int, resamples: int = RESAMPLES) -> list[Estimate]:
    """The mean of each column with the percentile bootstrap over rows (Efron and Tibshirani 1993, chapter 13).

    Rows are questions and are drawn together, so that the columns stay paired.
    """
    n = len(values)
    random = np.random.default_rng(seed)
    # How often each question is drawn says everything about a resample: the mean is one matrix product.
    means = np.vstack(
        [
            random.multinomial(n, np.full(n, 1 / n), size=min(BATCH, resamples - start)) @ values / n
            for start in range(0, resamples, BATCH)
        ]
    )
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    return [Estimate(float(m), float(a), float(b), n) for m, a, b in zip(values.mean(axis=0), low, high, strict=True)]


def randomisation(differences: Floats, seed: int, flips: int = FLIPS) -> Floats:
    """Two-sided p for each column of paired differences: the paired randomisation test.

    Under the null hypothesis the two systems' values of a question may be swapped, which flips the sign of its
    difference (Smucker, Allan and Carterette, CIKM 2007). p = (1 + extreme) / (1 + flips), so that it is never 0
    (Phipson and Smyth 2010).
    """
    n = len(differences)
    random = np.random.default_rng(seed)
    observed = np.abs(differences.sum(axis=0)) - 1e-9  # sums in another order differ in the last bits
    extreme = np.zeros(differences.shape[1])
    for start in range(0, flips, BATCH):
        signs = random.integers(0, 2, size=(min(BATCH, flips - start), n)) * 2.0 - 1.0
        extreme += (np.abs(signs @ differences) >= observed).sum(axis=0)
    p: Floats = (1 + extreme) / (1 + flips)
    return p


def breakdown(labels: Sequence[Mapping[str, str]], values: Floats, seed: int) -> dict[str, dict[str, list[Estimate]]]:
    """For each way to group the questions, for each group: an estimate for each column.

    Args:
        labels: for each question, its group under each name (``measures.groups``).
    """
    tables: dict[str, dict[str, list[Estimate]]] = {}
    for name in labels[0]:
        members: dict[str, list[int]] = {}
        for place, label in enumerate(labels):
            members.setdefault(label[name], []).append(place)
        tables[name] = {group: bootstrap(values[members[group]], seed) for group in sorted(members)}
    return tables
