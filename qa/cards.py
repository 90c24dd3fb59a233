"""Find the cards that a question names, without guessing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from index.cards import Card, Cards, name_key
from index.words import STOP, TOKEN, Words, stem

LONGEST = 8
"""The longest name has about this many words."""
COMMON = 15
"""A word in as many rules as this is everyday language in a question."""
OPENING, CLOSING = ("[", "“", '"'), ("]", "”", '"')
BEFORE_A_CARD = frozenset(
    """a an and against another cast casting casts controls copy copying equip equipped from has have her his my of on opponent
    opponents opposing or play playing plays resolve resolves target targeting the their two under using with your""".split()
)
ORACLE = 300
"""So many characters of a card's text take the place of its name when a question is searched with card texts."""


@dataclass(frozen=True)
class Named:
    """A card named in a question.

    Attributes:
        start, end: where, in characters.
        cards: what the name may mean; more than one where it is ambiguous.
        misspelt: whether the name was written differently.
    """

    start: int
    end: int
    cards: tuple[Card, ...]
    misspelt: bool = False

    @property
    def card(self) -> Card | None:
        """The card, where there is no doubt about it."""
        return self.cards[0] if len(self.cards) == 1 else None


@dataclass(frozen=True)
class _Word:
    start: int
    end: int
    text: str
    key: str


class CardFinder:
    """Finds card names in questions.

    Args:
        words: the words of the rules: a card named like one of them needs a capital letter to be meant.
    """

    def __init__(self, cards: Cards, words: Words) -> None:
        self._cards = cards
        self._words = words

    @cached_property
    def _by_first(self) -> dict[str, list[str]]:
        """Names of five letters or more by their first two letters, for the search for misspelt ones."""
        found: dict[str, list[str]] = {}
        for key in self._cards.all_keys():
            if len(key) >= 5:
                found.setdefault(key[:2], []).append(key)
        return found

    def find(self, text: str) -> list[Named]:
        """The cards named in a text, in order: exact names first, longest first, then misspelt ones."""
        words = [_Word(m.start(), m.end(), m[0], name_key(m[0])) for m in TOKEN.finditer(text)]
        spans = {
            (i, j): " ".join(w.key for w in words[i:j])
            for i in range(len(words))
            for j in range(i + 1, min(i + LONGEST, len(words)) + 1)
        }
        known = self._cards.named(spans.values())
        found: list[Named] = []
        taken: set[int] = set()
        for (i, j), key in sorted(spans.items(), key=lambda item: item[0][0] - item[0][1]):
            if key in known and not taken & set(range(i, j)) and self._meant(text, words, i, j):
                found.append(Named(words[i].start, words[j - 1].end, _choice(known[key], key)))
                taken |= set(range(i, j))
        found += self._misspelt(words, taken)
        return sorted(found, key=lambda named: named.start)

    def _meant(self, text: str, words: Sequence[_Word], i: int, j: int) -> bool:
        """Whether a name is a card and not everyday words: "Flash", "Library" and "What" need a capital or brackets."""
        span = words[i:j]
        if text[max(0, span[0].start - 1) : span[0].start] in OPENING and text[span[-1].end : span[-1].end + 1] in CLOSING:
            return True
        capitals = [w for w in span if w.text[0].isupper()]
        heavy = [w for w in span if w.key not in STOP]
        if len(span) > 1:
            return len(heavy) >= 2 and (len(span) > 2 or len(capitals) == 2 or min(map(self._frequency, heavy)) < COMMON)
        opens = _opens_sentence(text, span[0].start)
        if capitals and not opens and not text.isupper():
            return len(span[0].key) > 2
        # Written small, a word that no rule uses is a card after "my" or "cast", not in "shock it".
        return self._frequency(span[0]) == 0 and (opens or words[i - 1].key in BEFORE_A_CARD)

    def _frequency(self, word: _Word) -> int:
        """In how many rules a word stands."""
        return self._words.frequency(stem(word.text))

    def _misspelt(self, words: Sequence[_Word], taken: set[int]) -> list[Named]:
        """Names that are nearly right; only where one word of them is in no rule, and only if one name is the nearest."""
        found: list[Named] = []
        for i, word in enumerate(words):
            strange = len(word.key) >= 5 and word.key.isalpha() and not self._frequency(word) and word.key not in STOP
            if i in taken or not strange:
                continue
            for length in (4, 3, 2, 1):
                span = range(i, i + length)
                if i + length > len(words) or taken & set(span):
                    continue
                key = self._nearest(" ".join(words[n].key for n in span))
                if key is not None:
                    cards = _choice(self._cards.named([key])[key], key)
                    found.append(Named(word.start, words[i + length - 1].end, cards, misspelt=True))
                    taken |= set(span)
                    break
        return found

    def _nearest(self, written: str) -> str | None:
        from rapidfuzz import process
        from rapidfuzz.distance import DamerauLevenshtein

        allowed = 1 if len(written) < 8 else 2
        near = process.extract(
            written, self._by_first.get(written[:2], []), scorer=DamerauLevenshtein.distance, score_cutoff=allowed, limit=2
        )
        if not near or (len(near) > 1 and near[0][1] == near[1][1]):
            return None
        return str(near[0][0])


def _choice(cards: Sequence[Card], key: str) -> tuple[Card, ...]:
    """A card whose whole name it is goes before all that only begin with it."""
    whole = [card for card in cards if key in {name_key(card.name), *(name_key(face.name) for face in card.faces)}]
    return tuple(whole or cards)


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \"'“(")
    return not before or before[-1] in ".!?:\n"


def with_oracle_texts(text: str, found: Iterable[Named]) -> str:
    """A question with its cards' names replaced by their types and the beginning of their Oracle texts."""
    parts: list[str] = []
    place = 0
    for named in found:
        if named.card is None:
            continue
        face = named.card.faces[0]
        said = " ".join(f"{face.type_line}: {named.card.text}".split())[:ORACLE]
        parts += [text[place : named.start], said]
        place = named.end
    return "".join([*parts, text[place:]])
