"""The index for a drill or quiz: the saved one, or, where there is none yet, the rulebook and the bank alone, within seconds."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from index.cli import chosen
from index.encoder import Progress
from index.errors import RulesError
from index.store import Index, load


class _NoEncoder:
    """Stands where an encoder belongs in an index that is not searched."""

    name = "none"

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NoReturn:
        raise RulesError("the index is not built yet; build it: python -m index build")


def open_index(index: Path | None, say: Callable[[str], None], *, meaning: bool) -> Index:
    """The index to drill with.

    Args:
        index: a folder that was named; the user's own, if None.
        meaning: whether the drill needs rules compared by meaning. The first index is then built, which takes minutes.

    Raises:
        RulesError: the index is damaged, or the folder that was named has none.
    """
    folder = chosen(index)
    if index is None and meaning:
        from index.prepare import ensure_index

        ensure_index(folder, say)
    if index is not None or (folder / "config.json").exists():
        return load(folder)
    return _rulebook_alone(say)


def _rulebook_alone(say: Callable[[str], None]) -> Index:
    from index.bank import bank_for
    from index.sources import load as load_rulebook

    say("there is no index yet; this goes without it, with fewer look-alikes (python -m index build makes it, in minutes)")
    loaded = load_rulebook(say=say)
    if loaded.corpus.source.notice:
        say(f"note: {loaded.corpus.source.notice}")
    bank = bank_for(loaded.corpus)
    light = Index(loaded.corpus, [], {}, _NoEncoder(), {}, lambda: bank.questions)
    light.config = {"bank": bank.counts}
    return light
