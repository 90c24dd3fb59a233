"""The shape of the project: which rooms import which, and what the repository must not hold."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = {"index": {"index"}, "qa": {"index", "qa"}, "ui": {"index", "qa", "ui"}, "eval": {"index", "qa", "eval"}}


@pytest.mark.parametrize("room", ALLOWED)
def test_the_arrows_hold(room: str) -> None:
    for path in (ROOT / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [a.name for a in getattr(node, "names", [])]
                if isinstance(node, ast.Import)
                else []
            )
            rooms = {name.split(".")[0] for name in names} & set(ALLOWED)
            assert rooms <= ALLOWED[room], f"{path} imports {rooms - ALLOWED[room]}"
