"""Build an index: parse, link, embed, store."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from index.corpus import Corpus
from index.encoder import Encoder, Progress, SentenceEncoder, Vectors
from index.errors import RulesError
from index.export import export
from index.passages import Passage, passages
from index.store import check_target, save, stored_vectors

PROBES = 200


def build(corpus: Corpus, folder: Path, encoder: Encoder, say: Callable[[str], None] = print) -> dict[str, Any]:
    """Embed a corpus and save the index.

    Args:
        encoder: a ``SentenceEncoder`` is exported to ONNX, so that questions start fast; where that fails, a notice
            says so and questions use it as it is.
        say: takes lines for the user.

    Returns:
        The saved ``config.json``.

    Raises:
        RulesError: the corpus has no rules, the folder can't be written, or another build is writing it.
    """
    if not corpus.rules:
        raise RulesError("there are no rules to index; give another rulebook")
    check_target(folder)
    with _locked(folder):
        texts = sorted(passages(corpus), key=lambda p: p.kind)  # stable: each kind becomes one range of rows
        sha256 = str(getattr(encoder, "sha256", ""))
        old = stored_vectors(folder, sha256) if sha256 else {}
        vectors = embed(texts, encoder, old, say)
        about = {"name": encoder.name, "sha256": sha256, "kind": "own"}

        def export_to(target: Path) -> dict[str, Any]:
            return _export(encoder, target, texts, say)

        return save(folder, corpus, texts, vectors, about, export_to)


def _export(encoder: Encoder, target: Path, texts: list[Passage], say: Callable[[str], None]) -> dict[str, Any]:
    if not isinstance(encoder, SentenceEncoder):
        return {}
    probes = [p.text for p in texts[:: max(1, len(texts) // PROBES)]][:PROBES]
    try:
        form = export(encoder, target, probes, say)
    except RulesError as error:
        say(f"note: {error}; questions will load sentence-transformers, which takes some seconds at the start")
        return {"kind": "sentence-transformers"}
    return {"kind": "onnx", "form": form}


def embed(texts: list[Passage], encoder: Encoder, old: dict[str, Vectors], say: Callable[[str], None]) -> Vectors:
    """The vectors of all passages, float32 (n, dim); what ``old`` has by key is not embedded again."""
    fresh = [p for p in texts if p.key not in old]
    if len(fresh) < len(texts):
        say(f"{len(texts) - len(fresh)} of {len(texts)} passages are unchanged and keep their vectors")
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
