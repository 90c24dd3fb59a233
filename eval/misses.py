"""Where and why rules are missed, from runs and answers alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eval.measures import LEVELS
from eval.runs import Run
from eval.sets import Question
from index.citations import Citations
from index.numbers import RuleNumber

if TYPE_CHECKING:
    from eval.systems import System
    from qa.judge import Judge

SHOWN = 10
FATES = ("first", "among the first 10", "its family among the first 10, another number", "among 11 to 20", "not found")


def fates(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """What became of each question's decisive rule, from ``per_question.jsonl``: how many in each of ``FATES``."""
    counts = dict.fromkeys(FATES, 0)
    for row in rows:
        exact, family = (row[f"{level} ranks"][0] for level in LEVELS)
        if exact is not None and exact <= SHOWN:
            counts[FATES[0] if exact == 1 else FATES[1]] += 1
        elif family is not None and family <= SHOWN:
            counts[FATES[2]] += 1
        else:
            counts[FATES[3] if exact is not None and exact <= 2 * SHOWN else FATES[4]] += 1
    return counts


def single_signals(judge: "Judge") -> dict[str, "System"]:
    """A system for each signal alone, without citations and support within a family."""
    from eval.systems import Judged, plain, vary

    weights = replace(plain(judge.weights), signals=dict.fromkeys(judge.signals, 1.0))
    return {signal: Judged(vary(judge, {"signals": (signal,), "weights": weights, "expand": False})) for signal in judge.signals}


def gold_ranks(questions: Sequence[Question], run: Run) -> list[int | None]:
    """The rank of each question's decisive rule in a run, from 1; gold above a rule counts with any rule under it."""
    ranks: list[int | None] = []
    for question in questions:
        numbers = [hit.number for hit in run[question.id].hits]
        ranks.append(next((rank for rank, n in enumerate(numbers, 1) if question.rules[0].contains(n)), None))
    return ranks


def within(ranks: Sequence[int | None], depth: int) -> float:
    """The share of the ranks that are not deeper than ``depth``."""
    return sum(rank is not None and rank <= depth for rank in ranks) / max(1, len(ranks))


def together(ranks: Mapping[str, Sequence[int | None]], depth: int = SHOWN) -> dict[str, dict[str, float]]:
    """For each pair of signals: the share of questions whose decisive rule one of the two has among its first hits."""
    return {
        one: {
            other: sum(any(rank is not None and rank <= depth for rank in pair) for pair in zip(a, b, strict=True))
            / max(1, len(a))
            for other, b in ranks.items()
        }
        for one, a in ranks.items()
    }


def causes(
    questions: Sequence[Question], full: Run, ranks: Mapping[str, Sequence[int | None]], graph: Citations
) -> dict[str, int]:
    """Why decisive rules are not among the first ten hits; each missed question counts under the first cause that fits."""
    counts = dict.fromkeys(
        (
            "another number of its family is there",
            "a hit cites it or is cited by it",
            "some signal has it among its first 10: lost in fusion",
            "some signal has it among its first 100",
            "no signal has it",
        ),
        0,
    )
    for place, (question, rank) in enumerate(zip(questions, gold_ranks(questions, full), strict=True)):
        if rank is not None and rank <= SHOWN:
            continue
        gold, shown = question.rules[0], [hit.number for hit in full[question.id].hits[:SHOWN]]
        best = min((row[place] or 1_000 for row in ranks.values()), default=1_000)
        tests = (
            any(number.family == gold.family for number in shown),
            _linked(gold, shown, graph),
            best <= SHOWN,
            best <= 100,
            True,
        )
        counts[list(counts)[tests.index(True)]] += 1
    return counts


def taken_apart(judge: "Judge", question: str, k: int = SHOWN) -> list[list[str]]:
    """An answer as rows of numbers: rule, score, the rank that each kind of reason gave it, and the path to it."""
    rows = []
    for hit in judge.ask(question, k=k).hits:
        reasons = ", ".join(
            f"{reason.kind} {reason.via.split(':')[0]} {reason.rank}" if reason.rank else reason.kind for reason in hit.reasons
        )
        rows.append([str(hit.number), f"{hit.score:.4f}", reasons, "; ".join(map(str, hit.path)) or "–"])
    return rows


def _linked(gold: RuleNumber, shown: Sequence[RuleNumber], graph: Citations) -> bool:
    return bool(set(shown) & {*graph.cites(gold), *graph.cited_by(gold)})
