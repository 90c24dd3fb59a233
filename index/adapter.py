"""Our adapter for the default encoder: small weights that bring a player's words nearer to the rules' words.

It is a LoRA adapter (Hu et al., 2021): for some weight matrices W of the encoder, W + scale × B A with small B and A.
``index build`` adds it before it exports the encoder. It names the weights that it belongs to and is left out elsewhere.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from index.errors import RulesError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

ADAPTER = Path(__file__).resolve().parent.parent / "data" / "adapter"
WEIGHTS = "adapter.safetensors"
ABOUT = "adapter.json"


@dataclass(frozen=True)
class Adapter:
    """A saved adapter.

    Attributes:
        about: what ``adapter.json`` says: the encoder's SHA-256, rank, scale, seed and what it was trained on.
    """

    folder: Path
    about: dict[str, Any]

    @property
    def encoder(self) -> str:
        """SHA-256 of the weights that the adapter belongs to."""
        return str(self.about["encoder"])

    @property
    def sha256(self) -> str:
        return hashlib.sha256((self.folder / WEIGHTS).read_bytes()).hexdigest()


def read_adapter(encoder_sha256: str, folder: Path = ADAPTER) -> Adapter | None:
    """The adapter in a folder, if it belongs to these weights; None where there is none for them.

    Raises:
        RulesError: its files are damaged.
    """
    if not (folder / ABOUT).is_file():
        return None
    try:
        adapter = Adapter(folder, json.loads((folder / ABOUT).read_text(encoding="utf-8")))
        return adapter if adapter.encoder == encoder_sha256 and adapter.sha256 == adapter.about["sha256"] else None
    except (OSError, ValueError, KeyError) as error:
        raise RulesError(
            f"the adapter in {folder} can't be read ({type(error).__name__}); restore it from the repository"
        ) from None


def merge(model: "SentenceTransformer", adapter: Adapter) -> None:
    """Add an adapter's weights to a model, for good.

    Raises:
        RulesError: the adapter does not fit the model.
    """
    import torch
    from safetensors.torch import load_file

    parts = load_file(str(adapter.folder / WEIGHTS))
    scale = float(adapter.about["scale"])
    transformer: Any = model[0]
    layers = dict(transformer.auto_model.named_modules())
    with torch.no_grad():
        for name in sorted({key.rsplit(".", 1)[0] for key in parts}):
            down, up = parts[f"{name}.A"].float(), parts[f"{name}.B"].float()
            layer = layers.get(name)
            if layer is None or tuple(layer.weight.shape) != (up.shape[0], down.shape[1]):
                raise RulesError(f"the adapter in {adapter.folder} does not fit the encoder ({name}); leave it out with --plain")
            layer.weight += scale * (up @ down)
