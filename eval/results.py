"""The folder of one measured run: ``run.jsonl``, ``per_question.jsonl`` and ``metrics.json``."""

import platform
import resource
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from eval.jsonl import read_json, read_objects, write_json, write_objects
from eval.measures import COLUMNS, Floats, Table, expansion_precision, groups
from eval.runs import Run, write_run, write_trec
from eval.sets import Question, set_hash, title
from eval.stats import Estimate, bootstrap, breakdown
from index.errors import RulesError

PACKAGES = ("ir-measures", "numpy", "pytrec-eval-terrier", "faiss-cpu", "bm25s", "onnxruntime", "sentence-transformers")


@dataclass(frozen=True)
class Results:
    """A measured run as it was read back from its folder."""

    folder: Path
    metrics: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]

    @property
    def system(self) -> str:
        return str(self.metrics["system"])

    @property
    def set_name(self) -> str:
        return str(self.metrics["set"]["name"])


def summarise(table: Table, run: Run, seed: int) -> dict[str, Any]:
    """All figures of a run: means with intervals, broken down by group, expansion, latency."""
    labels = [groups(question) for question in table.questions]
    tables = breakdown(labels, table.values, seed)
    return {
        "measures": _named(bootstrap(table.values, seed)),
        "by": {name: {group: _named(row) for group, row in rows.items()} for name, rows in tables.items()},
        "expansion": expansion_precision(table.questions, run),
        "latency_ms": latency([line.ms for line in run.values() if line.ms is not None]),
    }


def latency(times: Sequence[float]) -> dict[str, float] | None:
    """The median and the 95th percentile; None where nothing was timed."""
    if not times:
        return None
    half, most = np.percentile(times, [50, 95])
    return {"p50": round(float(half), 3), "p95": round(float(most), 3)}


def peak_memory_mb() -> float:
    """The most memory that this process has held so far, in MB (10⁶ bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak * (1 if sys.platform == "darwin" else 1024) / 1e6, 1)  # bytes on macOS, KiB elsewhere


def describe_set(name: str, questions: Sequence[Question]) -> dict[str, Any]:
    """What says whether two runs are over the same questions and gold."""
    with_gold = sum(bool(question.rules) for question in questions)
    return {"name": title(name), "sha256": set_hash(questions), "questions": len(questions), "with_gold": with_gold}


def versions() -> dict[str, str]:
    """Python and the packages that can change a figure, as installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def write_results(
    folder: Path, table: Table, run: Run, facts: Mapping[str, Any], seed: int, *, trec: bool = False
) -> dict[str, Any]:
    """Write the folder; returns what ``metrics.json`` holds: the facts given and all figures."""
    metrics = {**facts, "seed": seed, **summarise(table, run, seed), "versions": versions()}
    write_run(folder / "run.jsonl", run)
    write_objects(folder / "per_question.jsonl", table.rows())
    if trec:
        write_trec(folder / "run.trec", run, "".join(str(facts.get("system", "run")).split()) or "run")
    write_json(folder / "metrics.json", metrics)
    return metrics


def read_results(folder: Path) -> Results:
    """Read a folder that ``write_results`` wrote.

    Raises:
        RulesError: the folder is not one.
    """
    if not (folder / "metrics.json").is_file():
        raise RulesError(f"{folder} holds no metrics.json; make it with: python -m eval run --out {folder} …")
    metrics = read_json(folder / "metrics.json")
    rows = [row for _, row in read_objects(folder / "per_question.jsonl")]
    whole = {"system", "set", "measures"} <= metrics.keys() and all(set(COLUMNS) <= row.keys() for row in rows)
    if not rows or not whole:
        raise RulesError(f"{folder} was written by another version; run it again")
    return Results(folder, metrics, rows)


def paired(one: Results, other: Results) -> tuple[Floats, Floats]:
    """The values of two runs by question, in the same order of questions.

    Raises:
        RulesError: they are not over the same set.
    """
    if one.metrics["set"]["sha256"] != other.metrics["set"]["sha256"]:
        raise RulesError(f"{one.folder} and {other.folder} are over different question sets; compare runs over the same one")
    places = {row["id"]: row for row in other.rows}
    first = np.array([[row[column] for column in COLUMNS] for row in one.rows])
    return first, np.array([[places[row["id"]][column] for column in COLUMNS] for row in one.rows])


def _named(estimates: Sequence[Estimate]) -> dict[str, dict[str, float]]:
    rounded = [{name: round(value, 6) for name, value in asdict(estimate).items()} for estimate in estimates]
    return dict(zip(COLUMNS, rounded, strict=True))
