"""Build an index: parse, link, embed, store."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from index.bank import BANK, bank_for
from index.corpus import Corpus
from index.encoder import Encoder, OnnxEncoder, Progress, SentenceEncoder, Vectors
from index.errors import RulesError
from index.export import exported
from index.passages import Passage, passages
from index.phrases import phrases_for
from index.store import check_target, save, stored_vectors

PROBES = 200


def build(
    corpus: Corpus, folder: Path, encoder: Encoder, say: Callable[[str], None] = print, bank: Path | None = None
) -> dict[str, Any]:
    """Embed a corpus and our questions about it, and save the index.

    Args:
        encoder: a ``SentenceEncoder`` is exported to ONNX, which is faster at everything; where that fails, a notice
            says so and it is used as it is.
        say: takes lines for the user.
        bank: the folder of the question bank, with the phrase table beside it; the project's own if None.

    Returns:
        The saved ``config.json``.

    Raises:
        RulesError: the corpus has no rules, the folder can't be written, or another build is writing it.
    """
    if not corpus.rules:
        raise RulesError("there are no rules to index; give another rulebook")
    check_target(folder)
    with _locked(folder):
        questions = bank_for(corpus, bank or BANK)
        phrases = phrases_for(corpus, bank or BANK)
        if questions.counts:
            say(str(questions))
        if phrases:
            say(f"phrase table: {len(phrases):,} phrases")
        own = [*questions.passages(), *(phrase.passage() for phrase in phrases)]
        texts = sorted([*passages(corpus), *own], key=lambda p: p.kind)  # each kind is one range of rows
        ready = _prepare(encoder, texts, say)
        old = stored_vectors(folder, ready.about["sha256"]) if ready.about["sha256"] else {}
        vectors = embed(texts, ready.encoder, old, say)
        return save(folder, corpus, texts, vectors, ready.about, ready.copy_to, questions.questions, questions.counts)


@dataclass(frozen=True)
class _Ready:
    """An encoder in the form that embeds fastest, what the config says of it, and its files if it was exported."""

    encoder: Encoder
    about: dict[str, Any]
    files: Path | None = None

    def copy_to(self, target: Path) -> None:
        if self.files is not None:
            shutil.copytree(self.files, target)


def _prepare(encoder: Encoder, texts: list[Passage], say: Callable[[str], None]) -> _Ready:
    about = {"name": encoder.name, "sha256": str(getattr(encoder, "sha256", "")), "kind": "own"}
    if not isinstance(encoder, SentenceEncoder):
        return _Ready(encoder, about)
    probes = [p.text for p in texts[:: max(1, len(texts) // PROBES)]][:PROBES]
    try:
        files = exported(encoder, probes, say)
    except RulesError as error:
        say(f"note: {error}; questions will load sentence-transformers, which takes some seconds at the start")
        return _Ready(encoder, about | {"kind": "sentence-transformers"})
    runtime = OnnxEncoder(files)
    return _Ready(runtime, about | {"kind": "onnx", "form": runtime.form}, files)


def embed(texts: list[Passage], encoder: Encoder, old: dict[str, Vectors], say: Callable[[str], None]) -> Vectors:
    """The vectors of all passages, float32 (n, dim); what ``old`` has by key is not embedded again."""
    fresh = [p for p in texts if p.key not in old]
    if len(fresh) < len(texts):
        say(f"{len(texts) - len(fresh):,} of {len(texts):,} passages are unchanged and keep their vectors")
    with progress("embedding", len(fresh)) as step:
        made = encoder.encode([p.text for p in fresh], step)
    new = dict(zip((p.key for p in fresh), made, strict=True))
    return np.stack([new[p.key] if p.key in new else old[p.key] for p in texts]).astype(np.float32)


@contextmanager
def progress(what: str, total: int) -> Iterator[Progress]:
    """A progress bar on standard error, silent where that is not a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal or total == 0) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Only one build writes a folder at a time; the lock dies with its process."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder.parent / f".{folder.name}.lock")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise RulesError(f"another build is writing {folder}; wait for it to end") from None
    except OSError as error:
        raise RulesError(f"the index can't be written to {folder} ({error.strerror}); give another folder with --out") from None
    try:
        yield
    finally:
        lock.release()
