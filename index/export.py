"""Export a sentence-transformers encoder to ONNX, so that questions need neither torch nor transformers."""

import contextlib
import io
import json
import logging
import secrets
import shutil
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from index.encoder import OnnxEncoder, SentenceEncoder, Vectors
from index.errors import RulesError
from index.folders import data_folder

MIN_COSINE = 0.99
"""An exported encoder must keep this cosine to the original on every single probe."""


VERSION = 1
"""Raised when the exporter changes, so that what older ones kept is made again."""


def exported(encoder: SentenceEncoder, probes: Sequence[str], say: Callable[[str], None]) -> Path:
    """The folder of an encoder's exported form, which is made once and kept in the user's data folder.

    Raises:
        RulesError: as ``export``, or the data folder can't be written.
    """
    name = f"{encoder.sha256 or 'latest'}-{VERSION}"
    kept = data_folder() / "encoders" / name
    if encoder.sha256 and (kept / "encoder.json").is_file():
        return kept
    fresh = kept.with_name(f".{name}.{secrets.token_hex(4)}")
    try:
        export(encoder, fresh, probes, say)
        shutil.rmtree(kept, ignore_errors=True)
        fresh.rename(kept)
    except OSError as error:
        raise RulesError(f"the exported encoder can't be kept in {kept.parent} ({error.strerror}); make room there") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return kept


def export(encoder: SentenceEncoder, folder: Path, probes: Sequence[str], say: Callable[[str], None]) -> str:
    """Write ``model.onnx``, ``tokenizer.json`` and ``encoder.json`` into a folder.

    The 8-bit form (weights per channel) is taken where it keeps ``MIN_COSINE`` to the original on the probes, else
    the 32-bit one.

    Returns:
        The form taken, ``int8`` or ``fp32``.

    Raises:
        RulesError: the model can't be exported, or no form keeps the cosine; the message says why.
    """
    folder.mkdir(parents=True, exist_ok=True)
    original = encoder.encode(probes)
    settings = _tokenizer(encoder, folder)
    full, small = folder / "model.full.onnx", folder / "model.int8.onnx"
    try:
        _trace(encoder, full)
        _quantise(full, small)
    except Exception as error:  # torch, onnx and onnxruntime each raise their own kinds
        raise RulesError(f"the encoder can't be exported to ONNX ({type(error).__name__}: {str(error)[:120]})") from None
    for form, path in (("int8", small), ("fp32", full)):
        path.rename(folder / "model.onnx")
        cosine = least_cosine(original, folder, settings, probes)
        if cosine >= MIN_COSINE:
            settings |= {"form": form, "least_cosine": round(cosine, 5), "probes": len(probes)}
            _write(folder, settings)
            full.unlink(missing_ok=True)
            say(f"exported the encoder as {form}; least cosine to the original {cosine:.4f} on {len(probes)} passages")
            return form
        (folder / "model.onnx").unlink()
    raise RulesError(f"the exported encoder strays from the original (cosine {cosine:.3f}, below {MIN_COSINE})")


def least_cosine(original: Vectors, folder: Path, settings: dict[str, Any], probes: Sequence[str]) -> float:
    """The least cosine between the original's vectors and those of the exported encoder in ``folder``."""
    _write(folder, settings)
    return float(np.min(np.sum(original * OnnxEncoder(folder).encode(probes), axis=1)))


def _write(folder: Path, settings: dict[str, Any]) -> None:
    (folder / "encoder.json").write_text(json.dumps(settings, indent=1), encoding="utf-8")


def _tokenizer(encoder: SentenceEncoder, folder: Path) -> dict[str, Any]:
    tokenizer = encoder.model.tokenizer
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise RulesError("the encoder has no fast tokenizer, so it can't be exported")
    backend.save(str(folder / "tokenizer.json"))
    return {
        "name": encoder.name,
        "sha256": encoder.sha256,
        "max_tokens": int(encoder.model.max_seq_length or 512),
        "pad_id": int(tokenizer.pad_token_id or 0),
        "pad_token": str(tokenizer.pad_token or "[PAD]"),
    }


def _trace(encoder: SentenceEncoder, path: Path) -> None:
    """Export the whole model, pooling included, as one graph: ids and mask in, one vector a text out."""
    import torch

    class Whole(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = encoder.model

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            out: torch.Tensor = self.model({"input_ids": input_ids, "attention_mask": attention_mask})["sentence_embedding"]
            return out

    ids = torch.randint(5, 100, (2, 9))
    axes = {
        0: torch.export.Dim("batch", min=1),
        1: torch.export.Dim("tokens", min=2, max=int(encoder.model.max_seq_length or 512)),
    }
    with _quiet(), torch.no_grad():
        torch.onnx.export(
            Whole().eval(),
            (ids, torch.ones_like(ids)),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["sentence_vector"],
            dynamic_shapes={"input_ids": axes, "attention_mask": axes},
            dynamo=True,
            external_data=False,
        )


def _quantise(full: Path, small: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with _quiet():
        quantize_dynamic(str(full), str(small), weight_type=QuantType.QInt8, per_channel=True)


@contextlib.contextmanager
def _quiet() -> Any:
    """The exporters print progress and warnings of their own, which say nothing to our users."""
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)
