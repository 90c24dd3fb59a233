"""Fuse the signals' rankings into one."""

import json
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from index.numbers import RuleNumber
from qa.answer import Reason
from qa.retrieve import Ranked

WEIGHTS = Path(__file__).with_name("weights.json")


@dataclass(frozen=True)
class Weights:
    """How the signals are fused; kept in ``qa/weights.json``.

    Attributes:
        signals: the weight of each signal.
        smoothing: the k of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009).
        family: the share of its family's best score that a rule gets on top of its own.
        expansion: the share of its seed's score that a cited rule gets on top of its own.
        together: the same for a rule that decides the bank's questions beside the seed, where it always does.
        known: the least likeness (``qa.known.same_case``) of two questions that are shown as the same case.
        statement: the weights of signals that differ where a text states a case and asks nothing.
    """

    signals: dict[str, float]
    smoothing: float
    family: float
    expansion: float
    known: float = 0.8
    together: float = 0.0
    statement: dict[str, float] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The signals that count for some text."""
        return tuple(dict.fromkeys((*self.signals, *self.statement)))

    def for_statement(self) -> "Weights":
        """The weights for a text that asks nothing: it is worded as rules are, and the questions of players are farther off."""
        return replace(self, signals=self.signals | self.statement)


@cache
def default_weights() -> Weights:
    return Weights(**json.loads(WEIGHTS.read_text(encoding="utf-8")))


@dataclass
class Candidate:
    """A rule with its fused score and what speaks for it.

    Attributes:
        places: (signal, what it ranked, rank) for every signal that names the rule.
        why: reasons that no signal gave, such as a citation; they go first.
    """

    number: RuleNumber
    score: float = 0.0
    places: list[tuple[str, Ranked, int]] = field(default_factory=list)
    why: tuple[Reason, ...] = ()

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Made only for the few candidates that are shown."""
        return (*self.why, *(_reason(*place) for place in self.places))


def fuse(rankings: dict[str, list[Ranked]], weights: Weights) -> list[Candidate]:
    """Weighted reciprocal rank fusion, best first: the sum of weight / (smoothing + rank) over the signals.

    Ties are broken by rule number, so that the same question always gets the same answer.
    """
    candidates: dict[RuleNumber, Candidate] = {}
    for name, ranking in rankings.items():
        weight = weights.signals.get(name, 0.0)
        if weight <= 0:
            continue
        for rank, ranked in enumerate(ranking, 1):
            candidate = candidates.get(ranked.number)
            if candidate is None:
                candidate = candidates[ranked.number] = Candidate(ranked.number)
            candidate.score += weight / (weights.smoothing + rank)
            candidate.places.append((name, ranked, rank))
    _support(candidates, weights.family)
    return sorted(candidates.values(), key=lambda c: (-c.score, c.number))


def _reason(signal: str, ranked: Ranked, rank: int) -> Reason:
    kind, _, passage = signal.partition("-")
    return Reason(kind, f"{passage}: {ranked.via}" if passage and ranked.via else passage or ranked.via, rank, ranked.score)


def _support(candidates: dict[RuleNumber, Candidate], share: float) -> None:
    """Rules of one family speak for each other: each gets a share of the best of its kin."""
    best: dict[RuleNumber, list[float]] = {}
    for candidate in candidates.values():
        best.setdefault(candidate.number.family, []).append(candidate.score)
    for scores in best.values():
        scores.sort(reverse=True)
    for candidate in candidates.values():
        scores = best[candidate.number.family]
        kin = scores[1] if scores[0] == candidate.score and len(scores) > 1 else scores[0] if len(scores) > 1 else 0.0
        candidate.score += share * kin
