"""Everything that RESULTS.md shows, in one go: all systems on all sets, the calibration, the report.

A run that was made by the same code from the same index and set is not made again.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.jsonl import read_json, write_json
from eval.sets import Question, check_gold, read_set, set_hash
from eval.systems import CITED, ROOT, STEPS, code_hash, index_hash, load_corpus, load_systems, rebuild
from index.cards import FILE as CARDS
from index.errors import RulesError
from index.folders import write_atomic
from index.store import read_config

SETS = ("dev", "test", "examples")
BASELINES = ("bm25", "dense", "hybrid", CITED, "full")
CALIBRATED_K = 10
OTHER_RULEBOOK = "the question sets need the official text: python -m index fetch, or give it with --rules FILE"

Progress = Callable[[str, int], AbstractContextManager[Callable[[], object]]]
"""Opens a progress bar with a title and a length; gives what to call after each step."""


@dataclass(frozen=True)
class Suite:
    """What to measure and where the runs go.

    Attributes:
        runs: the folder of the runs, ``runs/SET/SYSTEM``, and of the index without examples.
        settled: where the calibration goes.
        limit: only the first questions of each set; 0 for all.
    """

    index: Path
    runs: Path
    settled: Path
    k: int = 20
    seed: int = 7
    limit: int = 0

    def questions(self, name: str) -> list[Question]:
        """A set, checked against the index.

        Raises:
            RulesError: some gold is not in the edition.
        """
        corpus = load_corpus(self.index)
        questions = read_set(name, corpus=corpus)[: self.limit or None]
        try:
            check_gold(questions, corpus)
        except RulesError as error:
            raise RulesError(f"{error}; {OTHER_RULEBOOK}") from None
        return questions


def system_names(index: Path) -> list[str]:
    """The baselines, and the whole without each of its signals and without citations."""
    from qa.rank import default_weights
    from qa.retrieve import SIGNALS

    weights = default_weights()
    used = [name for name in weights.names if name in SIGNALS and (weights.signals.get(name) or weights.statement.get(name))]
    if not (index / CARDS).is_file():
        used = [name for name in used if not name.startswith("cards-")]
    return [*BASELINES, *(f"full-no-{signal}" for signal in (*used, *STEPS))]


def index_of(rules: Path, cards: Path | None, runs: Path, say: Callable[[str], None]) -> Path:
    """The index of a rulebook file, with a file of cards beside it, under ``runs``; taken as it is if it is up to date."""
    from index.cards import keep_cards, read_cards
    from index.prepare import build_index
    from index.sources import load_file

    folder, stamp = runs / "index", runs / "index.made-of"
    bank = sorted((ROOT / "data" / "bank").glob("*.json*"))
    read = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (rules, cards, *bank) if path and path.is_file()]
    made_of = "\n".join([code_hash("index"), *read])
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == made_of and (folder / "config.json").is_file():
        say(f"the index in {folder} is up to date")
        return folder
    build_index(load_file(rules).corpus, folder, None, say)
    (folder / CARDS).unlink(missing_ok=True)
    if cards:
        say(f"{keep_cards(read_cards(cards), folder):,} cards kept beside the index")
    write_atomic(stamp, made_of.encode())
    return folder


def run_all(suite: Suite, progress: Progress, say: Callable[[str], None]) -> list[Path]:
    """Make what is missing or out of date; returns all result folders in the order of the report."""
    folders = [folder for name in SETS for folder in measure(suite, name, progress, say)]
    return [*folders, calibrate(suite, progress, say)]


def measure(suite: Suite, name: str, progress: Progress, say: Callable[[str], None]) -> list[Path]:
    """Run all systems on one set."""
    from eval.measures import per_question
    from eval.results import describe_set, write_results
    from eval.shared import ask_together

    questions = suite.questions(name)
    hide = name == "examples"
    searched = rebuild(suite.index, suite.runs / "index-no-examples", hide_examples=True) if hide else suite.index
    stamps = {system: _stamp(suite, searched, name, system, questions) for system in system_names(suite.index)}
    folders = {system: suite.runs / name / system for system in stamps}
    stale = [system for system, stamp in stamps.items() if not _fresh(folders[system] / "metrics.json", stamp)]
    if len(stale) < len(stamps):
        say(f"{name}: {len(stamps) - len(stale)} of {len(stamps)} runs are up to date")
    if stale:
        with progress(f"{name}: asking {len(stale)} systems", len(questions)) as tick:
            runs = ask_together(load_systems(stale, searched, suite.seed), questions, suite.k, tick)
        with progress(f"{name}: measuring", len(stale)) as tick:
            for system, run in runs.items():
                facts = _facts(suite, name, system) | {"set": describe_set(name, questions), "stamp": stamps[system]}
                write_results(folders[system], per_question(questions, run), run, facts, suite.seed)
                tick()
    return list(folders.values())


def calibrate(suite: Suite, progress: Progress, say: Callable[[str], None]) -> Path:
    """Fit on dev and half of the unanswerable questions, check on test and the other half."""
    from eval.calibrate import fit_and_check

    out = suite.runs / "settled"
    never = read_set("unanswerable")[: suite.limit or None]
    sets = [("dev", suite.questions("dev")), ("unanswerable", never), ("test", suite.questions("test"))]
    every = [question for _, questions in sets for question in questions]
    stamp = _stamp(suite, suite.index, "settled", "full", every)
    if _fresh(out / "calibration.json", stamp) and suite.settled.is_file():
        say("the calibration is up to date")
        return out
    asked = load_systems(["full"], suite.index)["full"]
    with progress("settled or not: asking", len(every)) as tick:
        calibration, checked = fit_and_check(asked, sets, CALIBRATED_K, tick)
    write_json(suite.settled, calibration.to_json())
    command = f"python -m eval calibrate -k {CALIBRATED_K} --out runs/settled"
    write_json(out / "calibration.json", {"system": "full", "command": command, "stamp": stamp, **checked})
    return out


def _facts(suite: Suite, name: str, system: str) -> dict[str, Any]:
    config = read_config(suite.index)
    options = f"--set {name} --system {system} -k {suite.k} --seed {suite.seed}" + (
        f" --limit {suite.limit}" if suite.limit else ""
    )
    return {
        "system": system,
        "edition": config["edition"],
        "config": {"index": config["counts"], "encoder": config["encoder"], "examples_hidden": name == "examples"},
        "k": suite.k,
        "command": f"python -m eval run {options} --out runs/{name}/{system}",
    }


def _stamp(suite: Suite, index: Path, name: str, system: str, questions: Sequence[Question]) -> str:
    """What a figure depends on: the index, the set, the settings and the code."""
    code = code_hash("index", "qa", "eval/systems.py", "eval/shared.py", "eval/measures.py", "eval/stats.py", "eval/calibrate.py")
    parts = [index_hash(index), set_hash(questions), name, system, suite.k, suite.seed, suite.limit, code]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _fresh(file: Path, stamp: str) -> bool:
    return file.is_file() and read_json(file).get("stamp") == stamp
