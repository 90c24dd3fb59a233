"""How well a run answers a set: measures by question, exact and by family.

The figures come from ``ir_measures`` (MacAvaney, Macdonald and Ounis, ECIR 2022), here over trec_eval's code; this
module only says what counts as the same rule.

- **exact**: a hit counts if its number is a gold number. Gold that names a section counts only if the section itself is
  returned, which our systems never do: such gold is for the family measure.
- **family**: gold is taken to its family (702.19b → 702.19); a hit counts if it stands in that family. Gold that names
  a section or chapter counts with any rule under it. Where one gold number holds another (704 and 704.5), the narrower
  stands for both. Only the first hit in a family counts; the others keep their places and count as nothing, so that
  "@10" always means the ten hits that a reader sees and does not depend on the depth of the run.
- **gains** for nDCG: 2 for the decisive rule (the first), 1 for the others; linear gain and log2 discount as in trec_eval
  (Järvelin and Kekäläinen 2002).
- **all-gold@10** is 1 if every gold rule is among the first ten: recall@10 = 1.
- A question without hits scores 0 everywhere; it never drops out.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.runs import Run, RunHit
from eval.sets import Question
from index.errors import RulesError
from index.numbers import RuleNumber

Floats = NDArray[np.float64]

PROVIDED = {
    "recall@5": "R@5",
    "recall@10": "R@10",
    "recall@20": "R@20",
    "mrr@10": "RR@10",
    "ndcg@10": "nDCG@10",
    "success@1": "Success@1",
    "success@5": "Success@5",
}
"""Our names → those of ``ir_measures``."""
MEASURES = (*PROVIDED, "all-gold@10")
LEVELS = ("exact", "family")
COLUMNS = tuple(f"{level} {measure}" for level in LEVELS for measure in MEASURES)


@dataclass(frozen=True)
class View:
    """One question as a measure sees it: the gain of each gold key, and the key of each hit, best first."""

    gains: Mapping[str, int]
    keys: tuple[str, ...]

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The rank of each gold key, from 1; None where it was not found."""
        place = {key: rank for rank, key in reversed(list(enumerate(self.keys, 1)))}
        return tuple(place.get(key) for key in self.gains)


@dataclass(frozen=True)
class Table:
    """Values by question (rows) and by measure (``COLUMNS``)."""

    questions: tuple[Question, ...]
    values: Floats
    views: Mapping[str, tuple[View, ...]]
    columns: tuple[str, ...] = COLUMNS

    def rows(self) -> list[dict[str, Any]]:
        """What ``per_question.jsonl`` holds: numbers and facts only, no text of question or rule."""
        return [self._row(place) for place in range(len(self.questions))]

    def _row(self, place: int) -> dict[str, Any]:
        question = self.questions[place]
        facts = {"id": question.id, "rules": [str(number) for number in question.rules], **groups(question)}
        facts["top"] = list(self.views["exact"][place].keys[:3])
        ranks = {f"{level} ranks": list(self.views[level][place].ranks) for level in LEVELS}
        return facts | ranks | dict(zip(self.columns, (round(v, 6) for v in self.values[place].tolist()), strict=True))


def per_question(questions: Iterable[Question], run: Run) -> Table:
    """Score each question that has gold; questions of an unanswerable set are left out, having nothing to find.

    Raises:
        RulesError: no question has gold.
    """
    asked = tuple(question for question in questions if question.rules)
    if not asked:
        raise RulesError("no question of the set has gold rules; there is nothing to measure")
    hits = [run[q.id].hits if q.id in run else () for q in asked]
    makers: dict[str, Callable[[Question, Sequence[RunHit]], View]] = {"exact": exact_view, "family": family_view}
    views = {level: tuple(map(makers[level], asked, hits)) for level in LEVELS}
    return Table(asked, np.hstack([_values(views[level]) for level in LEVELS]), views)


def exact_view(question: Question, hits: Sequence[RunHit]) -> View:
    """Every number stands for itself."""
    gains = {str(number): 1 if place else 2 for place, number in enumerate(question.rules)}
    return View(gains, tuple(str(hit.number) for hit in hits))


def family_view(question: Question, hits: Sequence[RunHit]) -> View:
    """Every number stands for its family, or for the gold section or chapter above it."""
    gains = family_gold(question.rules)
    keys: dict[str, None] = {}
    for rank, hit in enumerate(hits, 1):
        key = str(next((gold for gold in gains if gold.contains(hit.number)), hit.number.family))
        keys[f"again {rank}" if key in keys else key] = None
    return View({str(gold): gain for gold, gain in gains.items()}, tuple(keys))


def family_gold(rules: Sequence[RuleNumber]) -> dict[RuleNumber, int]:
    """The families that must be found, with their gains; none of them holds another."""
    gains: dict[RuleNumber, int] = {}
    for place, number in enumerate(rules):
        gains.setdefault(number.family, 1 if place else 2)
    narrow = [one for one in gains if not any(one != other and one.contains(other) for other in gains)]
    return {one: max(gain for other, gain in gains.items() if other.contains(one)) for one in narrow}


def groups(question: Question) -> dict[str, str]:
    """The groups by which figures are broken down."""
    return {
        "kind": question.kind or "not given",
        "level": str(question.level) if question.level else "not given",
        "chapter": str(question.rules[0].chapter),
        "gold rules": str(len(question.rules)) if len(question.rules) < 3 else "3+",
        "cards": "with cards" if question.cards else "without cards",
    }


def expansion_precision(questions: Iterable[Question], run: Run) -> dict[str, float | int | None]:
    """Of all hits that the expansion added: how many, and which share is gold, exactly and by family."""
    added = exact = family = 0
    for question in questions:
        golds = family_gold(question.rules)
        for hit in run[question.id].hits if question.id in run else ():
            added += hit.added
            exact += hit.added and hit.number in question.rules
            family += hit.added and any(gold.contains(hit.number) for gold in golds)
    return {"added": added, "exact": exact / added if added else None, "family": family / added if added else None}


def _values(views: Sequence[View]) -> Floats:
    """One row a view, one column a measure, from ``ir_measures``."""
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in PROVIDED.values()]
    # Ids are places and scores are falling ranks, so that neither odd ids nor tied scores can reach the tool.
    qrels = [ir_measures.Qrel(str(i), key, gain) for i, view in enumerate(views) for key, gain in view.gains.items()]
    docs = [
        ir_measures.ScoredDoc(str(i), key, -float(rank)) for i, view in enumerate(views) for rank, key in enumerate(view.keys)
    ]
    values = np.zeros((len(views), len(MEASURES)))
    for metric in ir_measures.iter_calc(measures, qrels, docs) if docs else ():
        values[int(metric.query_id), measures.index(metric.measure)] = metric.value
    values[:, MEASURES.index("all-gold@10")] = values[:, MEASURES.index("recall@10")] >= 1 - 1e-9
    return values
