"""How often a known question that is shown is the same case: pairs that a reader has judged.

``data/questions/known.jsonl`` has a pair a line: ``asked`` (the id of a question of dev, test or the bank), ``known`` (of the
bank), ``same`` (the same case, and our ruling answers it), ``doubt`` (readers could differ).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from eval.jsonl import read_objects
from eval.sets import QUESTIONS, read_set
from index.bank import Question
from index.encoder import Encoder
from index.errors import RulesError
from qa.known import same_case

PAIRS = QUESTIONS / "known.jsonl"
Z = 1.96


@dataclass(frozen=True)
class Shown:
    """The pairs that are as alike as a threshold asks.

    Attributes:
        same: how many of them a reader called the same case.
        low: the lower end of the 95 % interval of their share (Wilson 1927).
    """

    threshold: float
    count: int
    same: int

    @property
    def share(self) -> float:
        return self.same / self.count if self.count else 0.0

    @property
    def low(self) -> float:
        n = self.count
        if not n:
            return 0.0
        centre = self.share + Z * Z / (2 * n)
        spread = Z * sqrt(self.share * (1 - self.share) / n + Z * Z / (4 * n * n))
        return (centre - spread) / (1 + Z * Z / n)

    def __str__(self) -> str:
        figures = f"{self.share:.3f}, 95 % from {self.low:.3f}"
        return f"from {self.threshold:.2f} on: {self.same} of {self.count} the same case ({figures})"


def read_pairs(bank: Mapping[str, Question], path: Path = PAIRS) -> list[tuple[str, Question, bool]]:
    """The question asked, the known one, and whether they are the same case; pairs whose questions are gone are left out.

    Raises:
        RulesError: the file is broken; names the line.
    """
    texts = {q.id: q.question for name in ("dev", "test") for q in read_set(name)} | {q.id: q.question for q in bank.values()}
    pairs: list[tuple[str, Question, bool]] = []
    for where, row in read_objects(path):
        asked, known, same = row.get("asked"), row.get("known"), row.get("same")
        if not isinstance(asked, str) or not isinstance(known, str) or not isinstance(same, bool):
            raise RulesError(f"{where}: give 'asked' and 'known' as ids, and 'same' as true or false")
        if asked in texts and known in bank:
            pairs.append((texts[asked], bank[known], same))
    return pairs


def shown(pairs: Sequence[tuple[str, Question, bool]], encoder: Encoder, thresholds: Sequence[float]) -> list[Shown]:
    """What each threshold would show, of these pairs."""
    asked = encoder.encode([text for text, _, _ in pairs])
    known = encoder.encode([question.text for _, question, _ in pairs])
    cosines = (asked * known).sum(axis=1)
    likeness = [same_case(float(c), text, q.question) for c, (text, q, _) in zip(cosines, pairs, strict=True)]
    return [
        Shown(t, sum(v >= t for v in likeness), sum(v >= t and same for v, (_, _, same) in zip(likeness, pairs, strict=True)))
        for t in thresholds
    ]
