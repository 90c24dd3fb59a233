"""What tests of judge training and of the served site share: a tiny index with questions, and a site on a free port."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from index.bank import PINS
from index.build import build
from index.corpus import Corpus
from index.pins import Pins
from qa.judge import Judge
from tests.tiny import HashEncoder


def lines(*rows: object) -> str:
    """Objects as JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def trained_index(corpus: Corpus, folder: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """A saved index with a bank of these questions; what they don't say is filled in."""
    bank = folder / "bank"
    bank.mkdir()
    (bank / "a.jsonl").write_text(lines(*({"kind": "interaction", "checked": 1, "level": 1} | row for row in rows)))
    (bank / PINS).write_text(Pins.of(corpus).to_json())
    build(corpus, folder / "index", HashEncoder(), lambda line: None, bank)
    return folder / "index"


def served(judge: Judge, folder: Path, host: str = "127.0.0.1") -> Iterator[int]:
    """The port of a site that keeps what visitors do in a folder; closed when the fixture that yields from this ends."""
    from ui.browser import free_port
    from ui.site import launch

    port = free_port()
    demo = launch(judge, host, port, folder=folder)
    yield port
    demo.close(verbose=False)
