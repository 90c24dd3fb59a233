"""What can be measured: anything that gives ranked rules for a question.

The systems of our own are the ``Judge`` with parts of it switched off; all that is known of its options is in
``judge_options``. The last three systems know nothing and keep the measures honest.
"""

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from eval.jsonl import read_json
from eval.runs import Run, RunHit, RunLine, ranked
from eval.sets import Question
from index.corpus import Corpus
from index.errors import RulesError
from index.folders import index_folder
from index.numbers import RuleNumber
from qa.answer import Answer

if TYPE_CHECKING:
    from qa.judge import Judge

Found: TypeAlias = Answer | Sequence[tuple[RuleNumber, float]]
NAMES = ("bm25", "dense", "hybrid", "full", "full-no-SIGNAL", "reversed", "random", "constant")
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
    leaves out the signal X, all signals that begin with X, or (``citation``) the following of citations.

    Raises:
        RulesError: there is no such system or signal.
    """
    from qa.rank import default_weights

    weights = default_weights()
    baselines = {"bm25": ("words-rule",), "dense": ("meaning-rule",), "hybrid": ("words-rule", "meaning-rule")}
    if name in baselines:
        return {"signals": baselines[name], "weights": replace(weights, family=0.0), "expand": False}
    left_out = name.removeprefix("full-no-")
    kept = tuple(signal for signal in weights.signals if signal != left_out and not signal.startswith(f"{left_out}-"))
    if name == "full" or left_out == "citation":
        return {"signals": None, "expand": name == "full"}
    if left_out == name or len(kept) == len(weights.signals):
        signals = ", ".join((*weights.signals, "citation"))
        raise RulesError(f"unknown system {name!r}; use one of {', '.join(NAMES)}, where SIGNAL is one of {signals}")
    return {"signals": kept, "expand": True}


def load_system(name: str, index: Path | None, seed: int = 0) -> System:
    """A system by its name, over an index folder (by default the user's own)."""
    if name == "reversed":
        return Reversed(load_system("full", index))
    if name in ("random", "constant"):
        numbers = [rule.number for rule in load_corpus(index)]
        return Random(numbers, seed) if name == "random" else Constant(numbers)
    options = judge_options(name)
    from qa.judge import Judge

    return Judged(Judge.load(index or index_folder(), **options))


def load_corpus(index: Path | None) -> Corpus:
    """The corpus of an index folder (by default the user's own), without its encoder and vectors."""
    from index.store import read_config

    folder = index or index_folder()
    return Corpus.from_json(read_json(folder / str(read_config(folder)["build"]) / "corpus.json"))


def rebuild(index: Path | None, folder: Path, *, encoder: str | None = None, hide_examples: bool = False) -> Path:
    """Build an index of the same corpus in ``folder``, with another encoder or without the examples; returns the folder.

    Only an index that never saw the examples can be asked them: each is in its rule's passage and in one of its own.
    """
    from index.build import build
    from index.encoder import SentenceEncoder
    from index.store import read_config

    corpus = load_corpus(index)
    if hide_examples:
        corpus = replace(corpus, rules=tuple(replace(rule, examples=()) for rule in corpus))
    name = encoder or str(read_config(index or index_folder())["encoder"]["name"])
    build(corpus, folder, SentenceEncoder(name), say=lambda line: print(line, file=sys.stderr))
    return folder


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
