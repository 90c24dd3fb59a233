"""Bring an index about, from whatever is at hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from index.corpus import Corpus


def build_index(
    corpus: Corpus, folder: Path, encoder: str | None, say: Callable[[str], None], plain: bool = False
) -> dict[str, Any]:
    """Build the index of a corpus with an encoder by name (None: the default one); returns its ``config.json``.

    Raises:
        RulesError: the encoder can't be loaded, or the index can't be written.
    """
    from index.build import build
    from index.encoder import DEFAULT_MODEL, SentenceEncoder
    from index.store import check_target

    check_target(folder)
    say("loading the encoder …")
    return build(corpus, folder, SentenceEncoder(encoder or DEFAULT_MODEL, plain), say)


def ensure_index(folder: Path, say: Callable[[str], None]) -> None:
    """Build the index in this folder if it has none: from the official text, else from the digest.

    Raises:
        RulesError: as ``build_index``.
    """
    from index.sources import load

    if (folder / "config.json").exists():
        return
    say(f"there is no index in {folder} yet; building one, which takes a few minutes")
    loaded = load(say=say)
    for line in loaded.lines:
        say(line)
    build_index(loaded.corpus, folder, None, say)
    if loaded.corpus.source.notice:
        say(f"note: {loaded.corpus.source.notice}")
