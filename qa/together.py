"""Rules that decide questions together: where one leads, the bank says which others belong to it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from index.numbers import RuleNumber
from index.store import Index
from qa.answer import Reason
from qa.rank import Candidate

SEEDS = 3
"""The companions of this many of the best rules are looked at."""
KEPT = 5
"""The first rules stay where they are: a companion is seldom what decides."""


class Together:
    """How often rules decide the bank's questions together."""

    def __init__(self, index: Index) -> None:
        start, end = index.ranges.get("question", (0, 0))
        self._alone: Counter[RuleNumber] = Counter()
        self._pairs: dict[RuleNumber, Counter[RuleNumber]] = {}
        for passage in index.passages[start:end]:
            self._alone.update(passage.rules)
            for number in passage.rules if len(passage.rules) > 1 else ():
                self._pairs.setdefault(number, Counter()).update(other for other in passage.rules if other != number)

    def companions(self, number: RuleNumber) -> dict[RuleNumber, float]:
        """The rules that decide with a rule, each with the share of its questions in which it does."""
        alone = self._alone[number]
        return {other: count / alone for other, count in self._pairs.get(number, Counter()).items()}


def with_companions(together: Together, ranked: Sequence[Candidate], share: float) -> list[Candidate]:
    """The ranking with what often decides beside the best rules moved up, below the first ``KEPT``.

    Args:
        share: of a seed's score that a companion gets that decides beside it every time.
    """
    if not ranked:
        return []
    own = {candidate.number: candidate for candidate in ranked}
    first = {candidate.number for candidate in ranked[:KEPT]}
    gains: dict[RuleNumber, tuple[float, RuleNumber]] = {}
    for seed in ranked[:SEEDS]:
        for number, often in together.companions(seed.number).items():
            gain = share * often * seed.score
            if number not in first and gain > gains.get(number, (0.0, number))[0]:
                gains[number] = (gain, seed.number)
    ceiling = ranked[:KEPT][-1].score
    moved = [_gained(own.get(number, Candidate(number)), *gain, ceiling) for number, gain in gains.items()]
    rest = moved + [candidate for candidate in ranked[KEPT:] if candidate.number not in gains]
    return [*ranked[:KEPT], *sorted(rest, key=lambda c: (-c.score, c.number))]


def _gained(candidate: Candidate, gain: float, seed: RuleNumber, ceiling: float) -> Candidate:
    why = (*candidate.why, Reason("together", str(seed)))
    return replace(candidate, score=min(candidate.score + gain, ceiling), why=why)
