"""Ask several systems the same questions and do the common work once.

The systems of one index differ only in what they make of the signals, so a question's vector and each signal's ranking
are computed for the first system that wants them and remembered for the others. A hit's time counts as if it had been
computed anew: what the memory spared is added to the time measured.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from eval.runs import Run, RunLine
from eval.sets import Question
from eval.systems import WARM_UP, System, hits_of
from index.encoder import Encoder, Progress, Vectors

if TYPE_CHECKING:
    from index.store import Found, Index
    from qa.judge import Judge
    from qa.retrieve import Ranked, Search, Signal


@dataclass
class Memory:
    """What was computed for the question at hand, and the seconds that it spared so far."""

    values: dict[Any, tuple[Any, float]] = field(default_factory=dict)
    spared: float = 0.0

    def get(self, key: Any, compute: Callable[[], Any]) -> Any:
        """The remembered value of a key, or the one computed now."""
        if key in self.values:
            value, seconds = self.values[key]
            self.spared += seconds
            return value
        start, spared = perf_counter(), self.spared
        value = compute()
        # What is computed may itself have been spared something.
        self.values[key] = (value, perf_counter() - start + self.spared - spared)
        return value


@dataclass(frozen=True)
class RememberingEncoder:
    """An encoder that encodes the same texts once for each question."""

    inner: Encoder
    memory: Memory

    @property
    def name(self) -> str:
        return self.inner.name

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        vectors: Vectors = self.memory.get(("encode", *texts), lambda: self.inner.encode(texts, progress))
        return vectors


@contextmanager
def sharing(judges: Sequence["Judge"], memory: Memory) -> Iterator[None]:
    """While this is open, the judges share vectors, searches by meaning and the signals' rankings."""
    from qa.retrieve import SIGNALS

    signals = dict(SIGNALS)
    encoders = {id(judge.index): (judge.index, judge.index.encoder) for judge in judges}

    def remembered(name: str) -> "Signal":
        def signal(search: "Search") -> "list[Ranked]":
            ranked: list[Ranked] = memory.get((name, id(search.index), search.asked.text), lambda: signals[name](search))
            return ranked

        return signal

    def nearest(index: "Index") -> "Callable[[Vectors, str, int], list[Found]]":
        search = index.nearest

        def remembered_nearest(vector: Vectors, kind: str, k: int) -> "list[Found]":
            key = ("nearest", id(index), vector.tobytes(), kind, k)
            found: list[Found] = memory.get(key, lambda: search(vector, kind, k))
            return found

        return remembered_nearest

    try:
        SIGNALS.update({name: remembered(name) for name in signals})
        for index, encoder in encoders.values():
            index.nearest = nearest(index)  # type: ignore[method-assign, assignment]
            index.encoder = RememberingEncoder(encoder, memory)  # type: ignore[assignment]
        yield
    finally:
        SIGNALS.update(signals)
        for index, encoder in encoders.values():
            index.__dict__.pop("nearest", None)
            index.encoder = encoder


def ask_together(
    systems: Mapping[str, System], questions: Sequence[Question], k: int, tick: Callable[[], object] = lambda: None
) -> dict[str, Run]:
    """Ask every system each question; ``tick`` is called after each question.

    Returns:
        The runs by the system's name, as ``systems.ask_all`` would give them.
    """
    from eval.systems import Judged

    memory = Memory()
    runs: dict[str, Run] = {name: {} for name in systems}
    with sharing([system.judge for system in systems.values() if isinstance(system, Judged)], memory):
        for system in systems.values():
            system.answer(WARM_UP, k)
        for question in questions:
            memory.values.clear()
            for name, system in systems.items():
                memory.spared, start = 0.0, perf_counter()
                found = system.answer(question.question, k)
                milliseconds = (perf_counter() - start + memory.spared) * 1000
                runs[name][question.id] = RunLine(question.id, hits_of(found)[:k], round(milliseconds, 3))
            tick()
    return runs
