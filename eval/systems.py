"""What can be measured: anything that gives ranked rules for a question.

The systems of our own are the ``Judge`` with parts of it switched off; all that is known of its options is in
``judge_options``. The last three systems know nothing and keep the measures honest.
"""

import hashlib
import json
import random
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from eval.runs import Run, RunHit, RunLine, ranked
from eval.sets import Question
from index.cards import FILE as CARDS
from index.corpus import Corpus
from index.errors import RulesError
from index.folders import index_folder, write_atomic
from index.numbers import RuleNumber
from qa.answer import Answer

if TYPE_CHECKING:
    from qa.judge import Judge
    from qa.rank import Weights

ROOT = Path(__file__).parent.parent
Found: TypeAlias = Answer | Sequence[tuple[RuleNumber, float]]
CITED = "hybrid+citation"
"""The plain hybrid with citations followed: what they are worth where there is no bank."""
CITED_SHARE = 0.5
NAMES = ("bm25", "dense", "hybrid", CITED, "full", "full-no-SIGNAL", "reversed", "random", "constant")
STEPS = ("together", "citation")
"""What happens after the signals are fused, and can be left out too."""
WARM_UP = "a question to warm up"  # models and files load lazily; the first question would pay for all


class System(Protocol):
    """A ranked answer to a question: our ``Answer``, or numbers with scores, best first."""

    def answer(self, question: str, k: int) -> Found: ...


@dataclass(frozen=True)
class Judged:
    """Our own judge."""

    judge: "Judge"

    def answer(self, question: str, k: int) -> Answer:
        return self.judge.ask(question, k=k)


@dataclass(frozen=True)
class Reversed:
    """The k hits of another system, last first."""

    inner: System

    def answer(self, question: str, k: int) -> Found:
        return [(hit.number, float(rank)) for rank, hit in enumerate(hits_of(self.inner.answer(question, k)))][::-1]


@dataclass(frozen=True)
class Random:
    """k rules by chance: the same for the same seed and question, whatever was asked before."""

    numbers: Sequence[RuleNumber]
    seed: int = 0

    def answer(self, question: str, k: int) -> Found:
        chosen = random.Random(f"{self.seed} {question}").sample(self.numbers, min(k, len(self.numbers)))
        return [(number, float(-rank)) for rank, number in enumerate(chosen)]


@dataclass(frozen=True)
class Constant:
    """The first k rules of the book, whatever is asked."""

    numbers: Sequence[RuleNumber]

    def answer(self, question: str, k: int) -> Found:
        return [(number, float(-rank)) for rank, number in enumerate(self.numbers[:k])]


def judge_options(name: str) -> dict[str, Any]:
    """What ``Judge.load`` is told for a system's name.

    The three baselines get one or two signals over the rules' own texts and no support within a family; ``full-no-X``
    leaves out the signal X, all signals that begin with X, or one of the ``STEPS``.

    Raises:
        RulesError: there is no such system or signal.
    """
    from qa.rank import default_weights

    weights = default_weights()
    baselines = {"bm25": ("words-rule",), "dense": ("meaning-rule",), "hybrid": ("words-rule", "meaning-rule")}
    if name in baselines:
        return {"signals": baselines[name], "weights": plain(weights), "expand": False}
    if name == CITED:
        return {"signals": baselines["hybrid"], "weights": replace(plain(weights), expansion=CITED_SHARE), "expand": True}
    left_out = name.removeprefix("full-no-")
    kept = tuple(signal for signal in weights.names if signal != left_out and not signal.startswith(f"{left_out}-"))
    if name == "full":
        return {"signals": None, "expand": True}
    if left_out == "together":
        return {"signals": None, "weights": replace(weights, together=0.0), "expand": True}
    if left_out == "citation":
        return {"signals": None, "expand": False}
    if left_out == name or len(kept) == len(weights.names):
        signals = ", ".join((*weights.names, *STEPS))
        raise RulesError(f"unknown system {name!r}; use one of {', '.join(NAMES)}, where SIGNAL is one of {signals}")
    return {"signals": kept, "expand": True}


def plain(weights: "Weights") -> "Weights":
    """The weights of fusion alone, without what else moves a rule."""
    return replace(weights, family=0.0, together=0.0, statement={})


def load_system(name: str, index: Path | None, seed: int = 0) -> System:
    """A system by its name, over an index folder (by default the user's own)."""
    return load_systems([name], index, seed)[name]


def load_systems(names: Sequence[str], index: Path | None, seed: int = 0) -> dict[str, System]:
    """Several systems over one index, which is loaded once."""
    from qa.judge import Judge

    judge: Judge | None = None
    systems: dict[str, System] = {}
    for name in names:
        if name in ("random", "constant"):
            numbers = [rule.number for rule in load_corpus(index)]
            systems[name] = Random(numbers, seed) if name == "random" else Constant(numbers)
            continue
        options = judge_options("full" if name == "reversed" else name)
        if judge is None:
            judge = Judge.load(index or index_folder())
            judge.ask(WARM_UP)  # what it builds when it is first asked is then shared, too
        judged = Judged(vary(judge, options))
        systems[name] = Reversed(judged) if name == "reversed" else judged
    return systems


def vary(judge: "Judge", options: Mapping[str, Any]) -> "Judge":
    """A judge that shares everything with another but these options of ``Judge.load``."""
    from qa.rank import default_weights

    other = copy(judge)
    other.weights = options.get("weights") or default_weights()
    other.signals = tuple(options["signals"] if options["signals"] is not None else other.weights.names)
    other.expand = options["expand"]
    return other


def load_corpus(index: Path | None) -> Corpus:
    """The corpus of an index folder (by default the user's own), without its encoder and vectors."""
    from index.store import read_corpus

    return read_corpus(index or index_folder())


def rebuild(index: Path | None, folder: Path, *, encoder: str | None = None, hide_examples: bool = False) -> Path:
    """Build an index of the same corpus in ``folder``, with another encoder or without the examples; returns the folder.

    One that was made of the same index in the same way is taken as it is. ``eval.hide`` says what is hidden.
    """
    from eval.hide import build_without_examples
    from index.build import build
    from index.encoder import SentenceEncoder
    from index.store import read_config

    source = index or index_folder()
    made_of = json.dumps([index_hash(source), encoder, hide_examples, code_hash("index", "eval/hide.py")])
    stamp = folder / ".made-of.json"
    if (folder / "config.json").is_file() and stamp.is_file() and stamp.read_text(encoding="utf-8") == made_of:
        return folder
    if hide_examples:
        shown = rebuild(source, folder.with_name(f"{folder.name}-shown"), encoder=encoder) if encoder else source
        build_without_examples(shown, folder, _say)
    else:
        build(load_corpus(source), folder, SentenceEncoder(encoder or str(read_config(source)["encoder"]["name"])), _say)
    if (source / CARDS).is_file():
        shutil.copyfile(source / CARDS, folder / CARDS)
    write_atomic(stamp, made_of.encode())
    return folder


def index_hash(folder: Path) -> str:
    """SHA-256 over the files of an index and the cards beside it."""
    from index.store import read_config

    files = json.dumps(read_config(folder)["files"], sort_keys=True).encode()
    cards = (folder / CARDS).read_bytes() if (folder / CARDS).is_file() else b""
    return hashlib.sha256(files + cards).hexdigest()


def code_hash(*paths: str) -> str:
    """SHA-256 of source files, or of all Python and JSON files in a room: whether a figure is up to date."""
    files = [
        file
        for path in paths
        for file in (
            [ROOT / path]
            if (ROOT / path).is_file()
            else sorted((ROOT / path).glob("*.py")) + sorted((ROOT / path).glob("*.json"))
        )
    ]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def hits_of(found: Found) -> tuple[RunHit, ...]:
    """What a system found as a run keeps it; rules that the expansion brought have a path."""
    if isinstance(found, Answer):
        return ranked(RunHit(hit.number, hit.score, bool(hit.path)) for hit in found.hits)
    return ranked(RunHit(number, score) for number, score in found)


def ask_all(system: System, questions: Sequence[Question], k: int, tick: Callable[[], object] = lambda: None) -> Run:
    """Ask each question alone, timed, after one that is not counted; ``tick`` is called after each."""
    system.answer(WARM_UP, k)
    run: Run = {}
    for question in questions:
        start = perf_counter()
        found = system.answer(question.question, k)
        milliseconds = (perf_counter() - start) * 1000
        run[question.id] = RunLine(question.id, hits_of(found)[:k], round(milliseconds, 3))
        tick()
    return run
