"""What the notebooks share: which index they look at, which questions they ask, and how they show things."""

import importlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from eval.sets import Question, read_set
from eval.systems import ROOT
from index.corpus import Corpus
from index.errors import RulesError
from index.folders import data_folder, write_atomic

with warnings.catch_warnings():
    # In a notebook its first import complains of a missing widget, and the complaint would be kept among the outputs.
    warnings.simplefilter("ignore")
    importlib.import_module("tqdm.auto")

VARIABLE = "RULES_NOTEBOOK_INDEX"


def notebook_index() -> Path:
    """The index folder that ``RULES_NOTEBOOK_INDEX`` names; else one of the digest, which is built if need be."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    folder = data_folder() / "digest-index"
    if not (folder / "config.json").is_file():
        from index.prepare import build_index
        from index.sources import load

        build_index(load(digest=True).corpus, folder, None, print)
    return folder


def editions_folder() -> Path:
    """Where real editions lie: ``RULES_DATA``, or ``../shared/data`` beside the project; it may not exist."""
    return Path(os.environ.get("RULES_DATA") or ROOT.parent / "shared" / "data") / "cr"


def notebook_questions(corpus: Corpus, name: str = "dev", limit: int = 0) -> list[Question]:
    """The questions of a set whose gold this rulebook has; the digest has only the most used rules."""
    asked = [q for q in read_set(name, corpus=corpus) if all(number in corpus or corpus.under(number) for number in q.rules)]
    return asked[: limit or None]


def execute(index: Path | None, tick: Callable[[], object] = lambda: None) -> list[Path]:
    """Run the project's notebooks and keep their outputs in them.

    Args:
        index: what they look at; else what ``notebook_index`` says.

    Raises:
        RulesError: a cell fails.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    environment = os.environ | ({VARIABLE: str(index.resolve())} if index else {})
    paths = sorted((ROOT / "notebooks").glob("*.ipynb"))
    for path in paths:
        notebook = nbformat.read(path, 4)  # type: ignore[no-untyped-call]
        where = {"metadata": {"path": str(path.parent)}}
        # Without the timing, which would change the file each time.
        client = NotebookClient(notebook, timeout=600, kernel_name="python3", resources=where, record_timing=False)
        try:
            client.execute(env=environment)
        except CellExecutionError as error:
            raise RulesError(f"{path.name} fails: {error.ename}: {error.evalue}") from None
        notebook.metadata["language_info"] = {"name": "python"}
        write_atomic(path, nbformat.writes(notebook).encode())  # type: ignore[no-untyped-call]
        tick()
    return paths


def show_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Any:
    """A table for a notebook's output."""
    from IPython.display import Markdown

    from eval.report import table

    return Markdown(table(head, [[str(cell) for cell in row] for row in rows]))  # type: ignore[no-untyped-call]


def show_plot(draw: Callable[..., None], data: Any, title: str, **options: Any) -> Any:
    """A figure of ``eval.plots`` for a notebook's output."""
    from IPython.display import Image

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.png"
        draw(data, path, title, **options)
        return Image(data=path.read_bytes())  # type: ignore[no-untyped-call]
