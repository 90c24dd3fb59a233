"""Search by words: BM25 over stemmed words (bm25s with Snowball's English stemmer)."""

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import Stemmer

# Words and rule numbers; mana and tap symbols ({T}, {2}) count as words too.
TOKEN = re.compile(r"\{[^{}\s]{1,5}\}|\d{3}\.\d+[a-z]*|[^\W_]+(?:['’][^\W_]+)?")
STOP = frozenset(
    """a an and are as at be been but by can could did do does doing for from had has have having he her him his how i if in
    into is it its just me my of on or our she so some than that the their them then there these they this those to too was
    we were what when where which while who whom why will with would you your""".split()
)
_stemmer = Stemmer.Stemmer("english")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A lower-case word without its ending: ``creatures`` → ``creatur``."""
    plain = word.lower().replace("’", "'").removesuffix("'s")
    return str(_stemmer.stemWord(plain))


def tokens(text: str) -> list[str]:
    """The stemmed words of a text, without stop words; a text of stop words alone keeps them."""
    words = TOKEN.findall(text)
    kept = [word for word in words if word.lower() not in STOP]
    return [stem(word) for word in kept or words]


class Words:
    """BM25 over one kind of passage."""

    def __init__(self, model: object, vocabulary: dict[str, int]) -> None:
        self._model = model
        self._vocabulary = vocabulary

    @classmethod
    def build(cls, texts: Sequence[str]) -> "Words":
        """Index texts; row i is text i."""
        import bm25s

        split = [tokens(text) for text in texts]
        vocabulary = {word: i for i, word in enumerate(dict.fromkeys(word for words in split for word in words))}
        ids = [[vocabulary[word] for word in words] for words in split]
        model = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        model.index(bm25s.tokenization.Tokenized(ids=ids, vocab=vocabulary), show_progress=False)
        return cls(model, vocabulary)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._model.save(str(folder), show_progress=False)  # type: ignore[attr-defined]
        (folder / "words.json").write_text(json.dumps(list(self._vocabulary), ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "Words":
        import bm25s

        words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        return cls(bm25s.BM25.load(str(folder), load_vocab=False, show_progress=False), {word: i for i, word in enumerate(words)})

    def __contains__(self, stemmed: str) -> bool:
        return stemmed in self._vocabulary

    def frequency(self, stemmed: str) -> int:
        """In how many texts a stemmed word stands."""
        row = self._vocabulary.get(stemmed)
        if row is None:
            return 0
        starts = self._model.scores["indptr"]  # type: ignore[attr-defined]
        return int(starts[row + 1] - starts[row])

    def best(self, text: str, k: int) -> list[tuple[int, float]]:
        """The rows that share words with a text, best first, at most k, with their BM25 scores."""
        ids = [self._vocabulary[word] for word in dict.fromkeys(tokens(text)) if word in self._vocabulary]
        if not ids:
            return []
        scores = self._model.get_scores_from_ids(ids)  # type: ignore[attr-defined]
        some = np.flatnonzero(scores > 0)
        if len(some) > k:  # sorting only what can be among the first k
            some = some[scores[some] >= np.partition(scores[some], len(some) - k)[len(some) - k]]
        top = some[np.argsort(-scores[some], kind="stable")][:k]
        return [(int(row), float(scores[row])) for row in top]
