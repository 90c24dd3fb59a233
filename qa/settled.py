"""Whether the rules found settle a question: a calibrated probability from the hits' scores and reasons alone.

The weights are fitted by ``python -m eval calibrate`` and kept in a small readable JSON file. Reading and using it takes
no numpy, so that an answer costs microseconds more.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from index.errors import RulesError
from qa.answer import Hit

CALIBRATION = Path(__file__).resolve().parent.parent / "data" / "settled.json"
DEPTH = 10  # what a reader sees; deeper hits must not change the probability
SIGNALS = ("meaning", "words")


def features(hits: Sequence[Hit]) -> dict[str, float]:
    """What the shape of an answer tells, whatever the question says; every value is 0 where there are no hits.

    - ``top``: the best score; with rank fusion it grows with the signals that agree.
    - ``margin``, ``drop``: how far the second, and the mean of the others, lie below the best, as a share of it.
    - ``entropy``: of the scores as shares, in [0, 1]; 1 where all hits look alike.
    - ``agreeing``, ``firsts``: the signals that found the best hit, and those that put it first.
    - ``family``: the share of hits in the best hit's family.
    - ``named``: whether a rule number or a term in the question led to a hit.
    - ``meaning``, ``words``: 1 / the best hit's best rank in that signal; 0 where it did not find it.
    """
    shown = [hit for hit in hits if not hit.path][:DEPTH]  # what the expansion adds says little about the find
    if not shown:
        return dict.fromkeys((*_SHAPE, *SIGNALS), 0.0)
    best, scores = shown[0], [hit.score for hit in shown]
    rest = scores[1:] or [0.0]
    shape = (
        scores[0],
        _below(scores[0], rest[0]),
        _below(scores[0], sum(rest) / len(rest)),
        _entropy(scores),
        float(len({(reason.kind, reason.via) for reason in best.reasons if reason.rank})),
        float(sum(reason.rank == 1 for reason in best.reasons)),
        sum(hit.number.family == best.number.family for hit in shown) / len(shown),
        float(any(reason.kind in ("number", "term") for hit in shown for reason in hit.reasons)),
    )
    return dict(zip(_SHAPE, shape, strict=True)) | {signal: _best_rank(best, signal) for signal in SIGNALS}


_SHAPE = ("top", "margin", "drop", "entropy", "agreeing", "firsts", "family", "named")


def _below(best: float, other: float) -> float:
    return (best - other) / abs(best) if best else 0.0


def _entropy(scores: Sequence[float]) -> float:
    floor = min(0.0, *scores)  # scores of some systems are negative; shares must not be
    total = sum(score - floor for score in scores)
    if total <= 0 or len(scores) < 2:
        return 0.0
    shares = [(score - floor) / total for score in scores]
    return -sum(share * math.log(share) for share in shares if share > 0) / math.log(len(scores))


def _best_rank(hit: Hit, signal: str) -> float:
    return max((1 / reason.rank for reason in hit.reasons if reason.kind == signal and reason.rank), default=0.0)


@dataclass(frozen=True)
class Calibration:
    """A logistic regression over standardised features.

    Attributes:
        names: the features, in the order of the next three.
        threshold: the probability from which an answer counts as settled.
        sets: the names and hashes of the question sets that it was fitted on.
    """

    names: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    threshold: float
    sets: Mapping[str, str] = field(default_factory=dict)

    def probability(self, hits: Sequence[Hit]) -> float:
        """The probability, in [0, 1], that the hits settle the question; 0 without hits."""
        return self.of(features(hits)) if hits else 0.0

    def settled(self, hits: Sequence[Hit]) -> bool:
        return self.probability(hits) >= self.threshold

    def of(self, values: Mapping[str, float]) -> float:
        """The probability for given features."""
        rows = zip(self.names, self.means, self.scales, self.weights, strict=True)
        logit = self.bias + sum(weight * standard(values[name], mean, scale) for name, mean, scale, weight in rows)
        return 1 / (1 + math.exp(-max(-40.0, min(40.0, logit))))

    def to_json(self) -> dict[str, Any]:
        """A readable object that ``load_calibration`` reads back: one line of numbers a feature."""
        rows = zip(self.names, self.means, self.scales, self.weights, strict=True)
        return {
            "features": {n: {"mean": m, "scale": s, "weight": w} for n, m, s, w in rows},
            **{name: value for name, value in asdict(self).items() if name in ("bias", "threshold", "sets")},
        }


def standard(value: float, mean: float, scale: float) -> float:
    """A feature on its common scale, cut at ±3: a rule asked for by number has a score far from all that was fitted on."""
    return max(-3.0, min(3.0, (value - mean) / scale))


def load_calibration(path: Path) -> Calibration | None:
    """Read a calibration; None where there is no such file.

    Raises:
        RulesError: the file is broken, or names features that this version does not compute.
    """
    if not path.exists():
        return None
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = data["features"]
        columns = {key: tuple(float(row[key]) for row in rows.values()) for key in ("mean", "scale", "weight")}
        read = Calibration(
            tuple(rows),
            columns["mean"],
            columns["scale"],
            columns["weight"],
            float(data["bias"]),
            float(data["threshold"]),
            dict(data.get("sets", {})),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RulesError(f"{path} is not a calibration ({error!r}); make it anew with: python -m eval calibrate") from error
    unknown = set(read.names) - set(features(()))
    if unknown or not all(read.scales):
        what = f"unknown features {', '.join(sorted(unknown))}" if unknown else "a scale of 0"
        raise RulesError(f"{path} has {what}; make it anew with: python -m eval calibrate")
    return read
