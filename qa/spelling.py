"""Card names that are nearly written right."""

from collections.abc import Iterable
from functools import cached_property

from index.cards import Cards

NEAR_WORDS = 12
"""So many words at the most that a misspelt one may stand for."""


def allowed(written: str) -> int:
    """How many letters may be wrong: the longer, the more."""
    return 1 if len(written) < 8 else 2 if len(written) < 15 else 3


class Spelling:
    """Looks for the words and names that differ by a letter or a few.

    A slip hardly ever hits the first letter, so only what begins with the same one is compared.

    Args:
        words: all words of names.
    """

    def __init__(self, cards: Cards, words: Iterable[str]) -> None:
        self._cards = cards
        self._words = by_letter(word for word in words if len(word) >= 3)

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        return by_letter(self._cards.whole_keys())

    def words(self, written: str) -> list[tuple[str, int]]:
        """The words of names that are near, nearest first, with how many letters differ."""
        return near(written, self._words.get(written[:1], []), min(2, allowed(written)))

    def names(self, written: str) -> list[tuple[str, int]]:
        """The whole names that are near."""
        return near(written, self._names.get(written[:1], []), allowed(written))


def by_letter(texts: Iterable[str]) -> dict[str, list[str]]:
    """Texts by their first letters."""
    found: dict[str, list[str]] = {}
    for text in texts:
        found.setdefault(text[:1], []).append(text)
    return found


def near(written: str, pool: list[str], most: int) -> list[tuple[str, int]]:
    """The texts in a pool that differ by so many letters at the most, nearest first, with how many."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    # Two letters that changed places count as one slip: "seize", "sieze".
    found = process.extract(written, pool, scorer=OSA.distance, score_cutoff=most, limit=NEAR_WORDS)
    return [(text, int(distance)) for text, distance, _ in found]


def alike(written: str, name: str) -> bool:
    """Whether each word is near to its fellow, so that "Urza's Saga" is not taken for "Urza's Rage"."""
    from rapidfuzz.distance import OSA

    pairs = list(zip(written.split(), name.split(), strict=False))
    if written.count(" ") != name.count(" "):
        return OSA.distance(written.replace(" ", ""), name.replace(" ", "")) <= 1
    return all(a == b or (a[0] == b[0] and OSA.distance(a, b) <= (1 if len(a) < 7 else 2 if len(a) < 9 else 3)) for a, b in pairs)
