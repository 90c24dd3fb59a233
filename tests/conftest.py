"""What several test files share."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from index.build import build
from index.corpus import Corpus
from index.encoder import SentenceEncoder
from index.parse import parse
from qa.judge import Judge
from tests.serving import served
from tests.tiny import NO_BANK, TINY, HashEncoder

os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the real data folder, or asks the official page."""
    home = tmp_path / "home"
    monkeypatch.setenv("RULES_LAWYER_HOME", str(home))
    monkeypatch.setenv("RULES_LAWYER_PAGE", "http://127.0.0.1:9/no-page")
    return home


@pytest.fixture(scope="session")
def rules_data() -> Path:
    """The folder with real editions and data sets (``RULES_DATA``, or ``../shared/data``); skips where it is missing."""
    folder = Path(os.environ.get("RULES_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no real rules texts at {folder}; set RULES_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def real_encoder() -> SentenceEncoder:
    """The packaged all-MiniLM-L6-v2 with our adapter, where the repository has one."""
    return SentenceEncoder()


@pytest.fixture(scope="session")
def tiny_corpus() -> Corpus:
    """The small rulebook of ``tests.tiny``."""
    return parse(TINY)[0]


@pytest.fixture(scope="session")
def tiny_index_folder(tiny_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved index of the small rulebook; load it with ``encoder=HashEncoder()``. Not to be changed."""
    folder = tmp_path_factory.mktemp("tiny") / "index"
    build(tiny_corpus, folder, HashEncoder(), say=lambda line: None, bank=NO_BANK)
    return folder


@pytest.fixture(scope="session")
def tiny_judge(tiny_index_folder: Path) -> Judge:
    """A judge on the small rulebook."""
    return Judge.load(tiny_index_folder, encoder=HashEncoder())


@pytest.fixture(scope="module")
def feedback_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the served site of ``address`` keeps what visitors say."""
    return tmp_path_factory.mktemp("feedback")


@pytest.fixture(scope="module")
def address(tiny_judge: Judge, feedback_folder: Path) -> Iterator[str]:
    """A served site; closed after the module's tests."""
    for port in served(tiny_judge, feedback_folder):
        yield f"http://127.0.0.1:{port}"
