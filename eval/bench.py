"""How fast it is and what it needs, as ratios on the machine at hand: a target then holds on a slow one, too."""

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from eval.results import latency, peak_memory_mb, versions
from eval.systems import ROOT

QUESTION = "Does deathtouch work with trample?"
ROOMS = ("index", "qa", "ui", "eval")
REPEATS = 5
LONGEST = 600
"""Seconds after which a program is given up."""


# A program's peak memory counts from before it replaced the one that started it, so a small one must stand between.
BETWEEN = """
import json, resource, subprocess, sys, time
begin = time.perf_counter()
done = subprocess.run([sys.executable, *sys.argv[1:]], stdin=-3, stdout=-1, stderr=-3)
seconds, used = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
output = done.stdout.decode("utf-8", "replace")
print(json.dumps([seconds, used.ru_utime + used.ru_stime, used.ru_maxrss, done.returncode, output]))
"""


@dataclass(frozen=True)
class Child:
    """A program that was run: seconds by the clock, seconds of CPU, peak memory in MB, exit code, standard output."""

    seconds: float
    cpu: float
    memory_mb: float
    code: int
    output: str


def child(*arguments: str) -> Child:
    """Run this Python with arguments, in the project's root; its standard error goes nowhere."""
    begin = perf_counter()
    between = subprocess.Popen(
        [sys.executable, "-c", BETWEEN, *arguments], cwd=ROOT, stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        said, _ = between.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        os.killpg(between.pid, signal.SIGKILL)  # the session is its own, with all that it started
        between.communicate()
        return Child(perf_counter() - begin, 0.0, 0.0, -signal.SIGKILL, "")
    seconds, cpu, memory, code, output = json.loads(said)
    return Child(seconds, cpu, memory * (1 if sys.platform == "darwin" else 1024) / 1e6, code, output)


def start(index: Path, set_name: str, limit: int) -> dict[str, Any]:
    """From nothing to the printed answer, against importing the two libraries that it cannot do without."""
    asks, imports = [], []
    for _ in range(REPEATS):  # in turn, so that a busy moment of the machine hits both
        asks.append(child("-m", "qa", "--index", str(index.resolve()), QUESTION))
        imports.append(child("-c", "import onnxruntime, faiss"))
    if any(run.code for run in asks):
        return {"failed": f"python -m qa --index {index} ended with exit code {asks[0].code}"}
    ours, theirs = (median(run.seconds for run in runs) for runs in (asks, imports))
    return {
        "ask_s": round(ours, 3),
        "imports_s": round(theirs, 3),
        "ratio": round(ours / theirs, 2),
        "memory_mb": round(max(run.memory_mb for run in asks), 1),
    }


def warm(index: Path, set_name: str, limit: int) -> dict[str, Any]:
    """A question to a judge that is loaded, against encoding the question alone."""
    from eval.sets import read_set
    from eval.systems import WARM_UP
    from qa.judge import Judge

    questions = [question.question for question in read_set(set_name)][:limit]
    begin = perf_counter()
    judge = Judge.load(index)
    loaded = perf_counter() - begin
    judge.ask(WARM_UP)
    encoding, asking = [], []
    for question in questions:
        begin = perf_counter()
        judge.index.encoder.encode([question])
        between = perf_counter()
        judge.ask(question)
        encoding.append((between - begin) * 1000)
        asking.append((perf_counter() - between) * 1000)
    return {
        "questions": len(questions),
        "load_s": round(loaded, 3),
        "encode_ms": latency(encoding),
        "ask_ms": latency(asking),
        "ratio": round(median(asking) / median(encoding), 2),
        "memory_mb": peak_memory_mb(),
    }


def help_pages(index: Path, set_name: str, limit: int) -> dict[str, Any]:
    """The seconds of CPU until each room has printed its help; the least of three."""
    return {room: round(min(child("-m", room, "--help").cpu for _ in range(3)), 3) for room in ROOMS}


def build_time(index: Path, set_name: str, limit: int) -> dict[str, Any]:
    """An index of the rulebook, without the question bank, built from nothing and once more with all passages unchanged."""
    from eval.systems import load_corpus
    from index.build import build
    from index.encoder import SentenceEncoder
    from index.store import read_config

    corpus, name = load_corpus(index), str(read_config(index)["encoder"]["name"])
    took = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            begin = perf_counter()
            config = build(corpus, Path(folder) / "index", SentenceEncoder(name), lambda line: None, Path(folder) / "no-bank")
            took.append(perf_counter() - begin)
    return {
        "passages": config["counts"]["passages"],
        "new_s": round(took[0], 2),
        "unchanged_s": round(took[1], 2),
        "ratio": round(took[1] / took[0], 3),
    }


def page(index: Path, set_name: str, limit: int) -> dict[str, Any]:
    """What the web page says of itself: the JSON of ``python -m ui bench``, where that runs."""
    run = child("-m", "ui", "bench", "--index", str(index.resolve()))
    try:
        # Gradio announces its MCP server on standard output before the page's own figures.
        figures = json.loads(run.output[run.output.index("{") :]) if run.code == 0 else None
    except ValueError:
        figures = None
    return figures if isinstance(figures, dict) else {"failed": f"python -m ui bench ended with exit code {run.code}"}


PARTS: dict[str, Callable[[Path, str, int], dict[str, Any]]] = {
    "start": start,
    "warm": warm,
    "help": help_pages,
    "page": page,
    "build": build_time,  # last: it needs the most memory, and a process never gives its peak back
}


def measure(
    index: Path, set_name: str, limit: int, parts: Sequence[str], tick: Callable[[], object] = lambda: None
) -> dict[str, Any]:
    """The figures of these parts, and of the machine and index that they belong to.

    Raises:
        RulesError: there is no index, or no such set.
    """
    from index.store import read_config

    config = read_config(index)
    figures: dict[str, Any] = {
        "machine": {"cpus": os.cpu_count(), "system": platform.platform(), "load": round(os.getloadavg()[0], 2)},
        "index": {"edition": config["edition"], **config["counts"], "encoder": config["encoder"]},
        "versions": versions(),
    }
    for part in parts:
        figures[part] = PARTS[part](index, set_name, limit)
        tick()
    return figures


def bench_table(figures: dict[str, Any]) -> str:
    """The figures with their targets as Markdown."""
    from eval.report import table

    rows: list[list[str]] = []

    def row(what: str, part: str, value: Callable[[dict[str, Any]], float], unit: str, most: float | None = None) -> None:
        found = figures.get(part)
        if found is None:
            return
        if "failed" in found:
            rows.append([what, "not measured", _target(most, unit), found["failed"]])
            return
        number = value(found)
        verdict = "–" if most is None else "met" if number <= most else "not met"
        rows.append([what, f"{number:.4g} {unit}".strip(), _target(most, unit), verdict])

    row("from nothing to the printed answer / importing onnxruntime and faiss", "start", lambda f: f["ratio"], "×", 8)
    row("from nothing to the printed answer", "start", lambda f: f["ask_s"], "s")
    row("memory of it", "start", lambda f: f["memory_mb"], "MB")
    row("a warm answer / encoding its question, medians", "warm", lambda f: f["ratio"], "×", 3)
    row("a warm answer, median", "warm", lambda f: f["ask_ms"]["p50"], "ms")
    row("a warm answer, 95th percentile", "warm", lambda f: f["ask_ms"]["p95"], "ms")
    row("memory of a warm judge", "warm", lambda f: f["memory_mb"], "MB")
    for room in ROOMS:
        row(f"python -m {room} --help, CPU", "help", lambda f, room=room: f[room], "s", 0.5)  # type: ignore[misc]
    row("an index of the rulebook alone, from nothing", "build", lambda f: f["new_s"], "s")
    row("the same, all passages unchanged", "build", lambda f: f["unchanged_s"], "s")
    rows += _page_rows(figures.get("page"))
    return table(["figure", "value", "target", ""], rows)


def _target(most: float | None, unit: str) -> str:
    return f"≤ {most:g} {unit}" if most is not None else "–"


def _page_rows(found: dict[str, Any] | None) -> list[list[str]]:
    """The page's own figures, as it names them; the target of ``X_ratio`` is ``X_limit``."""
    if found is None:
        return []
    if "failed" in found:
        return [["the page", "not measured", "–", found["failed"]]]
    rows = []
    for name, value in found.items():
        if name.endswith("_limit") or isinstance(value, dict | list):
            continue
        limit = found.get(f"{name.removesuffix('_ratio')}_limit") if name.endswith("_ratio") else None
        verdict = "–" if limit is None else "met" if value <= limit else "not met"
        rows.append([f"the page: {name}", str(value), _target(limit, "×"), verdict])
    return rows
