"""A saved index: one folder, checked when it is read, replaced whole when it is rebuilt.

The folder holds ``config.json`` and one build folder that it names. A rebuild writes a new build folder beside the old
one and then replaces ``config.json``: a crash at any moment leaves the old index answering.
"""

import hashlib
import json
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from index.bank import Question
from index.citations import Citations
from index.corpus import Corpus
from index.encoder import Encoder, OnnxEncoder, SentenceEncoder, Vectors
from index.errors import RulesError
from index.folders import write_atomic
from index.numbers import RuleNumber
from index.passages import Passage
from index.words import Words

if TYPE_CHECKING:
    import faiss

SCHEMA = 2
REBUILD = "rebuild it: python -m index build"


@dataclass(frozen=True)
class Found:
    """A passage that a search brought, with its score: a cosine by meaning, a BM25 score by words."""

    passage: Passage
    score: float


def ranges_of(passages: Sequence[Passage]) -> dict[str, tuple[int, int]]:
    """The rows of each kind of passage, from first to past the last; passages are sorted by kind."""
    ranges: dict[str, tuple[int, int]] = {}
    for row, passage in enumerate(passages):
        start, _ = ranges.get(passage.kind, (row, row))
        ranges[passage.kind] = (start, row + 1)
    return ranges


class Index:
    """A searchable edition.

    Args:
        passages: sorted by kind, so that each kind is one range of rows.
        vectors: one FAISS index for each kind of passage; its row i is the i-th passage of that kind.
        words: BM25 by kind of passage.
        read_questions: brings the bank's questions when they are first needed.
    """

    def __init__(
        self,
        corpus: Corpus,
        passages: Sequence[Passage],
        vectors: "dict[str, faiss.Index]",
        encoder: Encoder,
        words: dict[str, Words],
        read_questions: Callable[[], Iterable[Question]] = tuple,
    ) -> None:
        self.corpus = corpus
        self.passages = list(passages)
        self.vectors = vectors
        self.encoder = encoder
        self.words = words
        self.config: dict[str, Any] = {}
        self._read_questions = read_questions

    @cached_property
    def questions(self) -> dict[str, Question]:
        """The bank's questions in this edition, by id; passages of kind ``question`` carry it as their label."""
        return {question.id: question for question in self._read_questions()}

    @cached_property
    def citations(self) -> Citations:
        return Citations(self.corpus)

    @cached_property
    def ranges(self) -> dict[str, tuple[int, int]]:
        """The rows of each kind of passage, from first to past the last."""
        return ranges_of(self.passages)

    def nearest(self, vector: Vectors, kind: str, k: int) -> list[Found]:
        """The k passages of a kind that are nearest in meaning to a vector (dim,), best first."""
        if kind not in self.ranges:
            return []
        start, end = self.ranges[kind]
        scores, rows = self.vectors[kind].search(vector[None, :], min(k, end - start))
        return [
            Found(self.passages[start + row], float(score)) for score, row in zip(scores[0], rows[0], strict=True) if row >= 0
        ]

    def stored(self, kind: str) -> Vectors:
        """The vectors of all passages of a kind, (n, dim)."""
        return _rows(self.vectors[kind])

    def vectors_by_key(self) -> dict[str, Vectors]:
        """The vector of every passage by its key."""
        return _by_key(self.passages, self.vectors)

    def matching(self, text: str, kind: str, k: int) -> list[Found]:
        """The passages of a kind, at most k, that share words with a text, best first."""
        if kind not in self.ranges:
            return []
        start, _ = self.ranges[kind]
        return [Found(self.passages[start + row], score) for row, score in self.words[kind].best(text, k)]

    def search(self, query: str, k: int = 10) -> list[Found]:
        """The k passages of any kind that are nearest in meaning to a query, best first."""
        vector = self.encoder.encode([query])[0]
        found = [hit for kind in self.ranges for hit in self.nearest(vector, kind, k)]
        return sorted(found, key=lambda hit: -hit.score)[:k]


def save(
    folder: Path,
    corpus: Corpus,
    passages: Sequence[Passage],
    vectors: Vectors,
    encoder: dict[str, Any],
    copy_encoder: Callable[[Path], None],
    questions: Sequence[Question] = (),
    bank: dict[str, int] | None = None,
) -> dict[str, Any]:
    """Write an index.

    Args:
        encoder: what ``config.json`` says of the encoder: name, sha256, kind.
        copy_encoder: puts the encoder's files, if it has any, into a folder that does not exist yet.
        questions: of the bank, placed in this corpus.
        bank: what became of the bank's questions in this edition, in numbers.

    Returns:
        The content of ``config.json``.

    Raises:
        RulesError: the folder can't be written, or holds something else than an index.
    """
    check_target(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        build = folder / f"build-{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
        build.mkdir()
        copy_encoder(build / "encoder")
        _write(build, corpus, passages, vectors, questions)
        config = _config(build, corpus, passages, vectors, encoder) | {"bank": bank or {}}
        old = _read_config(folder).get("build") if (folder / "config.json").exists() else None
        write_atomic(folder / "config.json", json.dumps(config, indent=1).encode())
    except OSError as error:
        raise RulesError(f"the index can't be written to {folder} ({error.strerror}); give another folder with --out") from None
    # The build just replaced stays for whoever is reading it at this moment; older ones and torn ones go.
    for other in folder.glob("build-*"):
        if other.name not in (build.name, old):
            shutil.rmtree(other, ignore_errors=True)
    return config


def check_target(folder: Path) -> None:
    """Refuse to write an index where something else lives.

    Raises:
        RulesError: the path is a file, or a folder with other content.
    """
    if folder.is_file():
        raise RulesError(f"{folder} is a file; give a folder with --out")
    if folder.is_dir() and not (folder / "config.json").exists():
        strangers = [p.name for p in folder.iterdir() if not p.name.startswith(("build-", "."))]
        if strangers:
            raise RulesError(f"{folder} holds other files ({strangers[0]}); give an empty or new folder with --out")


def _write(build: Path, corpus: Corpus, passages: Sequence[Passage], vectors: Vectors, questions: Sequence[Question]) -> None:
    import faiss

    (build / "corpus.json").write_text(json.dumps(corpus.to_json(), ensure_ascii=False), encoding="utf-8")
    rows = ([p.kind, [str(n) for n in p.rules], p.label, p.text] for p in passages)
    _write_lines(build / "passages.jsonl", rows)
    _write_lines(build / "questions.jsonl", (question.to_json() for question in questions))
    for kind, (start, end) in ranges_of(passages).items():
        # Half precision: every neighbour is the same on our passages, in half the memory and time of IndexFlatIP.
        flat = faiss.index_factory(vectors.shape[1], "SQfp16", faiss.METRIC_INNER_PRODUCT)
        flat.add(vectors[start:end])
        faiss.write_index(flat, str(build / f"{kind}.faiss"))
        Words.build([p.text for p in passages[start:end]]).save(build / "words" / kind)


def _write_lines(path: Path, rows: Iterable[Any]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _config(
    build: Path, corpus: Corpus, passages: Sequence[Passage], vectors: Vectors, encoder: dict[str, Any]
) -> dict[str, Any]:
    files = sorted(p for p in build.rglob("*") if p.is_file())
    return {
        "schema": SCHEMA,
        "build": build.name,
        "built": datetime.now(UTC).isoformat(timespec="seconds"),
        "edition": corpus.name,
        "source": corpus.source.__dict__,
        "counts": {
            "rules": len(corpus.rules),
            "examples": sum(len(rule.examples) for rule in corpus),
            "glossary": len(corpus.glossary),
            "passages": len(passages),
        },
        "dimension": int(vectors.shape[1]),
        "encoder": encoder,
        "files": {str(p.relative_to(build)): _sha256(p) for p in files},
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if not isinstance(config, dict):
            raise ValueError
    except FileNotFoundError:
        raise RulesError(f"there is no index in {folder}; build one: python -m index build --out {folder}") from None
    except (OSError, ValueError):
        raise RulesError(f"the index in {folder} is damaged (config.json can't be read); {REBUILD} --out {folder}") from None
    return config


def read_config(folder: Path) -> dict[str, Any]:
    """What ``config.json`` says, after a check of its schema.

    Raises:
        RulesError: there is no index, it is damaged, or another version wrote it.
    """
    config = _read_config(folder)
    if config.get("schema") != SCHEMA:
        raise RulesError(f"the index in {folder} was written by another version of Rules Lawyer; {REBUILD} --out {folder}")
    return config


def load(folder: Path, encoder: Encoder | None = None) -> Index:
    """Read a saved index and verify every file's checksum.

    Args:
        encoder: used instead of the saved one; needed where the index was built with an encoder of one's own.

    Raises:
        RulesError: no index there, a damaged one, or one of another version; the text says how to rebuild.
    """
    config = read_config(folder)
    build = folder / str(config.get("build"))
    with _remedy(folder):
        _verify(folder, build, config["files"])
        return _load(config, build, encoder)


def read_corpus(folder: Path) -> Corpus:
    """The rulebook of a saved index alone, which is quick to read.

    Raises:
        RulesError: as ``load``.
    """
    config = read_config(folder)
    build = folder / str(config.get("build"))
    with _remedy(folder):
        _verify(folder, build, {"corpus.json": config["files"]["corpus.json"]})
        return Corpus.from_json(json.loads((build / "corpus.json").read_text(encoding="utf-8")))


def _verify(folder: Path, build: Path, files: dict[str, str]) -> None:
    for name, digest in files.items():
        if _sha256(build / name) != digest:
            raise RulesError(
                f"the index in {folder} is damaged ({name} has changed since it was built); {REBUILD} --out {folder}"
            )


@contextmanager
def _remedy(folder: Path) -> Iterator[None]:
    """Whatever a damaged index raises becomes one line that says how to rebuild it."""
    try:
        yield
    except RulesError:
        raise
    except FileNotFoundError as error:
        name = Path(str(error.filename)).name
        raise RulesError(f"the index in {folder} is damaged ({name} is missing); {REBUILD} --out {folder}") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise RulesError(f"the index in {folder} can't be read ({type(error).__name__}); {REBUILD} --out {folder}") from None


def _load(config: dict[str, Any], build: Path, encoder: Encoder | None) -> Index:
    corpus = Corpus.from_json(json.loads((build / "corpus.json").read_text(encoding="utf-8")))
    passages = list(_passages(_lines(build / "passages.jsonl")))
    words = {kind: Words.load(build / "words" / kind) for kind in ranges_of(passages)}

    def read_questions() -> Iterable[Question]:
        return (Question.from_json(json.loads(line)) for line in _lines(build / "questions.jsonl"))

    vectors = _read_vectors(build, passages)
    index = Index(corpus, passages, vectors, encoder or _encoder(config, build), words, read_questions)
    index.config = config
    return index


def _read_vectors(build: Path, passages: Sequence[Passage]) -> "dict[str, faiss.Index]":
    import faiss

    faiss.omp_set_num_threads(1)  # one question at a time takes longer on two threads than on one
    return {kind: faiss.read_index(str(build / f"{kind}.faiss")) for kind in ranges_of(passages)}


def _rows(flat: "faiss.Index") -> Vectors:
    return np.asarray(flat.reconstruct_n(0, flat.ntotal), dtype=np.float32)


def _by_key(passages: Sequence[Passage], vectors: "dict[str, faiss.Index]") -> dict[str, Vectors]:
    return {
        passage.key: row
        for kind, (start, end) in ranges_of(passages).items()
        for passage, row in zip(passages[start:end], _rows(vectors[kind]), strict=True)
    }


def _encoder(config: dict[str, Any], build: Path) -> Encoder:
    kind = config["encoder"]["kind"]
    if kind == "onnx":
        return OnnxEncoder(build / "encoder")
    if kind == "sentence-transformers":
        return SentenceEncoder(config["encoder"]["name"])
    raise RulesError(f"this index was built with an encoder of its own ({config['encoder']['name']}); pass it to load()")


def _lines(path: Path) -> list[str]:
    """The lines of a file; only "\\n" ends one, whatever else a text holds (a JSON string may hold U+2028)."""
    text = path.read_text(encoding="utf-8")
    return text.rstrip("\n").split("\n") if text else []


def _passages(lines: Iterable[str]) -> Iterable[Passage]:
    for line in lines:
        kind, rules, label, text = json.loads(line)
        yield Passage(text, kind, tuple(RuleNumber.parse(n) for n in rules), label)


def stored_vectors(folder: Path, encoder_sha256: str) -> dict[str, Vectors]:
    """The vectors of a saved index by their passage's key, where the same encoder made them; else none."""
    try:
        config = read_config(folder)
        build = folder / str(config["build"])
        if config["encoder"]["sha256"] != encoder_sha256:
            return {}
        passages = list(_passages(_lines(build / "passages.jsonl")))
        return _by_key(passages, _read_vectors(build, passages))
    except (RulesError, OSError, ValueError, KeyError, RuntimeError):
        return {}  # nothing usable: everything is embedded afresh
