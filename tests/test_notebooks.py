"""The notebooks run on the digest, hold no logic of their own, and keep no text of a rule in their outputs."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval.notebook import execute
from index.build import build
from index.sources import load

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def texts(path: Path) -> Iterator[str]:
    """All that the outputs of a notebook say in words."""
    for cell in cells(path):
        for output in cell.get("outputs", []):
            yield "".join(output.get("text", ""))
            for form, value in output.get("data", {}).items():
                if not form.startswith("image/"):
                    yield "".join(value)


@pytest.fixture(scope="module")
def digest_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An index of two chapters of the digest with the real encoder; all of it, and the question bank, would take minutes."""
    from index.encoder import SentenceEncoder

    folder = tmp_path_factory.mktemp("notebooks")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULES_LAWYER_HOME", str(folder / "home"))
        digest = load(digest=True).corpus
        corpus = replace(digest, rules=tuple(rule for rule in digest if rule.number.chapter.section in (5, 7)), glossary=())
        build(corpus, folder / "index", SentenceEncoder(), lambda line: None, folder / "no-bank")
        yield folder / "index"


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["01_corpus", "02_retrieval", "03_errors"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_on_the_digest(path: Path, digest_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval.notebook.ROOT", tmp_path)
    (tmp_path / "notebooks").mkdir()
    copy = tmp_path / "notebooks" / path.name
    # The path cell looks for the rooms beside the notebook's folder.
    copy.write_text(path.read_text(encoding="utf-8").replace("Path.cwd().parent", f"Path({str(ROOT)!r})"), encoding="utf-8")
    assert execute(digest_index) == [copy]
    outputs = [output for cell in cells(copy) for output in cell.get("outputs", [])]
    assert {output["output_type"] for output in outputs} == {"execute_result"}  # neither warnings nor errors
    assert sum("image/png" in output["data"] for output in outputs) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_holds_a_sentence(path: Path) -> None:
    for text in texts(path):
        for line in re.split(r"[\n|]", text):
            words = re.findall(r"\b[a-z’']{3,}\b", line)
            assert len(words) < 20, f"{path.name}: {line[:120]}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_names_a_folder_of_this_machine_or_an_error(path: Path) -> None:
    for cell in cells(path):
        for output in cell.get("outputs", []):
            assert output["output_type"] == "execute_result", output
    assert not any(re.search(r"/(work|home|tmp|root|Users)/", text) for text in texts(path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_has_no_logic_of_its_own(path: Path) -> None:
    for cell in cells(path):
        if cell["cell_type"] == "code":
            for node in ast.walk(ast.parse("".join(cell["source"]))):
                assert not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda | ast.While | ast.For | ast.Try), (
                    path.name
                )
