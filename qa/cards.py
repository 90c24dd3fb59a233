"""Find the cards that a question names, without guessing."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from index.cards import Card, Cards, Kind, Match, loose_key, name_key
from index.words import STOP, Words
from qa.meant import COMMON, Sense, Word, near_english, split
from qa.spelling import Spelling, alike

NICKNAMES = Path(__file__).resolve().parent.parent / "data" / "nicknames.json"
LONGEST = 10
"""Names with more words are jokes."""
CHOICES = 4
"""A misspelt or shortened name that may mean more cards than this means none."""
ORACLE = 150
"""So many characters of a card's text take the place of its name when a question is searched with card texts."""
SLANG = frozenset(
    """aggro blink blinked bounce bounced buff chump cmc combo commander deck decks decked edh etb fizzle fizzles flicker
    flickered guys hexproof keyword mana manabase mulligan mulligans nerf opp opps ping pings planeswalker planeswalkers
    proc procs pumped sac sacced sacs saccing scry stax summoning swing swings targetted tokens topdeck tutor unblockable
    uncounterable untap untaps untapped upkeep wipe yard""".split()
)
"""Players' words that are no misspelt names."""
CONTRACTED = re.compile(r"['’](?:t|ll|ve|re|m)$", re.IGNORECASE)


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
class _Nickname:
    """A player's name for a card.

    Attributes:
        sure: it needs no sign that a card is meant.
        owned: it is also somebody's name, and the card where somebody has it: "my bob".
        verb: it is also done to something: "I path his bear".
    """

    card: Card
    sure: bool
    owned: bool
    verb: bool


@dataclass(frozen=True)
class _Span:
    """The words i to j, and the key that they may be.

    Attributes:
        doubt: 0 as written, 1 without a plural or possessive s, 2 with another small word, 3 with other spaces.
    """

    i: int
    j: int
    key: str
    doubt: int


class _Reading:
    """One text while its cards are looked for."""

    def __init__(self, text: str, rules: Words) -> None:
        self.words = split(text)
        self.sense = Sense(text, self.words, rules)
        self.taken: set[int] = set()
        self.found: list[Named] = []

    def key(self, i: int, j: int) -> str:
        return " ".join(word.key for word in self.words[i:j])

    def free(self, i: int, j: int) -> bool:
        return self.taken.isdisjoint(range(i, j))

    def before(self, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """The one of these cards that the text names in full too: "Jace, the Mind Sculptor … Jace"; else all of them."""
        full = {named.card.name for named in self.found if named.card}
        return tuple(card for card in cards if card.name in full)[:1] or cards

    def take(self, i: int, j: int, cards: tuple[Card, ...], misspelt: bool) -> None:
        self.found.append(Named(self.words[i].start, self.words[j - 1].end, cards, misspelt))
        self.taken.update(range(i, j))


class CardFinder:
    """Finds card names in questions.

    Args:
        words: the words of the rules: a card named like one of them needs a sign that it is meant.
    """

    def __init__(self, cards: Cards, words: Words) -> None:
        self._cards = cards
        self._rules = words

    @cached_property
    def _nicknames(self) -> dict[str, _Nickname]:
        """The nicknames whose card is loaded."""
        groups = json.loads(NICKNAMES.read_text(encoding="utf-8"))
        pairs = [(nick, name, group) for group in ("always", "with a sign", "owned") for nick, name in groups[group].items()]
        known = self._cards.named(name_key(name) for _, name, _ in pairs)
        found: dict[str, _Nickname] = {}
        for nick, name, group in pairs:
            match = known.get(name_key(name))
            if match and match.kind == Kind.WHOLE:
                verb = nick in groups["verbs"]
                found[nick] = _Nickname(match.cards[0], group == "always", group == "owned", verb)
                for ending in ("ed", "ing", "d") if verb else ():
                    found[f"{nick}{ending}"] = _Nickname(match.cards[0], True, False, verb)
        return found

    @cached_property
    def _opens(self) -> dict[str, int]:
        """Each word of a name, with the length in words of the longest that it opens; nicknames too."""
        found = self._cards.words()
        for nick in self._nicknames:
            first, *rest = nick.split()
            found[first] = max(found.get(first, 0), 1 + len(rest))
        return found

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self._cards, self._opens)

    def find(self, text: str) -> list[Named]:
        """The cards named in a text, in order: exact names first, longest first, then misspelt and shortened ones."""
        reading = _Reading(text, self._rules)
        spans = sorted(_spans(reading, self._opens), key=lambda span: (span.i - span.j, span.doubt))
        known = self._cards.named(span.key for span in spans)
        meanings = [(span, cards) for span in spans if (cards := self._meaning(span, known.get(span.key)))]
        # A short name of several cards may be the beginning of a misspelt longer one, so it waits.
        for span, cards in meanings:
            if len(cards) == 1:
                self._take(reading, span, cards)
        self._beside(reading, meanings)
        self._misspelt(reading)
        for span, cards in meanings:
            self._take(reading, span, cards)
        self._shortened(reading)
        return sorted(reading.found, key=lambda named: named.start)

    def _meaning(self, span: _Span, match: Match | None) -> tuple[Card, ...]:
        """The cards that a span may mean; none where its key is of another kind than its doubt."""
        nickname = self._nicknames.get(span.key) if span.doubt < 2 else None
        if nickname and not (match and match.kind == Kind.WHOLE):
            return (nickname.card,)
        fits = match and {2: match.kind == Kind.LOOSE, 3: match.kind != Kind.LOOSE}.get(span.doubt, match.kind < Kind.LOOSE)
        return match.cards if match and fits else ()

    def _take(self, reading: _Reading, span: _Span, cards: tuple[Card, ...]) -> None:
        """Take a span for a card if that is beyond doubt."""
        i, j, sense = span.i, span.j, reading.sense
        if not reading.free(i, j) or not sense.joined(i, j, cards[0].name):
            return
        written = reading.key(i, j)
        names = {name_key(card.name) for card in cards}
        if span.doubt == 3 and (written in names or self._opens.get(written, 0) > 1):
            return  # that is no other spelling, and was looked at already; or it may begin many names: "Leyline"
        nickname = self._nicknames.get(span.key) if span.doubt < 2 else None
        if nickname and nickname.card in cards:
            meant = _nicknamed(sense, span, nickname)
        else:
            meant = sense.meant(i, j, written if span.doubt == 2 else span.key, _split(cards[0]))
        if meant:
            reading.take(i, j, reading.before(cards), span.doubt > 1)

    @staticmethod
    def _beside(reading: _Reading, meanings: Iterable[tuple[_Span, tuple[Card, ...]]]) -> None:
        """Take names that are too everyday by themselves, but stand beside a card."""
        for span, cards in meanings:
            alone = span.doubt < 2 and len(cards) == 1 and not _split(cards[0]) and reading.free(span.i, span.j)
            if alone and reading.sense.beside(span.i, span.j, span.key, reading.taken):
                reading.take(span.i, span.j, cards, False)

    def _misspelt(self, reading: _Reading) -> None:
        """Take names that are nearly right, where one is the nearest; a few equally near ones are a choice."""
        for n, word in enumerate(reading.words):
            if n not in reading.taken and self._odd(reading, word):
                self._with_other_word(reading, n)
        for n, word in enumerate(reading.words):
            if n not in reading.taken and (self._odd(reading, word) or self._in_capitals(reading, n)):
                self._nearest_name(reading, n)

    @staticmethod
    def _odd(reading: _Reading, word: Word) -> bool:
        """Whether a word is neither English nor of the rules."""
        key = word.key
        if len(key) < 4 or not key.isalpha() or key in SLANG or CONTRACTED.search(word.text):
            return False
        return not reading.sense.everyday(key) and not reading.sense.frequency(key)

    @staticmethod
    def _in_capitals(reading: _Reading, n: int) -> bool:
        """Whether a word and the next are capitalised and not both words of the game."""
        pair = reading.words[n : n + 2]
        if len(pair) < 2 or reading.sense.shouted or not reading.free(n, n + 2) or not reading.sense.joined(n, n + 2, ""):
            return False
        capitals = all(word.capital and word.key not in STOP and len(word.key) > 2 for word in pair)
        return capitals and any(reading.sense.frequency(word.key) < COMMON for word in pair)

    def _with_other_word(self, reading: _Reading, n: int) -> None:
        """Take a name that is right but for the word n."""
        options: list[tuple[int, int, _Span]] = []
        written = reading.words[n].key
        for other, distance in self._spelling.words(written):
            if not distance:  # written right, and not meant
                continue
            keys = [word.key for word in reading.words]
            keys[n] = other
            for i in range(max(0, n - LONGEST + 1), n + 1):
                for j in range(n + 1, i + min(self._opens.get(keys[i], 0), LONGEST, len(keys) - i) + 1):
                    if reading.free(i, j) and reading.sense.joined(i, j, "'-,"):
                        options.append((i - j, distance, _Span(i, j, " ".join(keys[i:j]), 0)))
        known = self._cards.named(span.key for _, _, span in options)
        good = [
            (length, distance, span)
            for length, distance, span in options
            if span.key in known
            and known[span.key].kind < Kind.LOOSE
            and (self._single(reading, n, distance) if length == -1 else reading.sense.meant(span.i, span.j, span.key))
        ]
        if good:
            best = min(good, key=lambda option: option[:2])
            equal = [span for *rank, span in good if rank == list(best[:2]) and (span.i, span.j) == (best[2].i, best[2].j)]
            _choose(reading, best[2].i, best[2].j, [known[span.key].cards for span in equal])

    @staticmethod
    def _single(reading: _Reading, n: int, distance: int) -> bool:
        """Whether a misspelt word alone may be a name: it is long, and no everyday word is as near."""
        written = reading.words[n].key
        if len(written) < 6 or reading.sense.in_name(n) or distance > (1 if len(written) < 11 else 2):
            return False
        return not near_english(written, distance)

    def _nearest_name(self, reading: _Reading, n: int) -> None:
        """Take the words around the word n for the whole name that is nearest to them."""
        good: list[tuple[int, int, int, str]] = []

        def distinct(i: int, j: int, key: str) -> bool:
            heavy = [word for word in reading.words[i:j] if word.key not in STOP]
            capitals = not reading.sense.shouted and all(word.capital for word in heavy)
            return capitals or any(not reading.sense.everyday(part) for part in key.split())

        for i in range(max(0, n - 4), n + 1):
            for j in range(max(n + 1, i + 2), min(i + 6, len(reading.words)) + 1):
                small = reading.words[j - 1].key in STOP or reading.words[i].key in STOP
                written = reading.key(i, j)
                if small or len(written) < 8 or not reading.free(i, j) or not reading.sense.joined(i, j, ","):
                    continue
                good += [
                    (d, i - j, i, key) for key, d in self._spelling.names(written) if alike(written, key) and distinct(i, j, key)
                ]
        if good:
            distance, length, i, _ = min(good)
            known = self._cards.named(key for *rank, key in good if rank == [distance, length, i])
            _choose(reading, i, i - length, [match.cards for match in known.values()])

    def _shortened(self, reading: _Reading) -> None:
        """Take a strange first word for the card that begins with it, if there are only a few."""
        for n, word in enumerate(reading.words):
            if n in reading.taken or len(word.key) < 5 or not self._odd(reading, word) or reading.sense.in_name(n):
                continue
            for key in (word.key, *singular(word)):
                cards = self._cards.starting(key, 2 * CHOICES) if self._opens.get(key, 0) > 1 else ()
                cards = reading.before(cards)
                if cards and (word.capital or (len(cards) == 1 and reading.sense.whispered)):
                    _choose(reading, n, n + 1, [cards])
                    break


def _split(card: Card) -> bool:
    """Whether it is a split card, whose halves mostly are everyday words."""
    types = [face.type_line for face in card.faces]
    return len(types) == 2 and all(kind.startswith(("Instant", "Sorcery")) for kind in types)


def _nicknamed(sense: Sense, span: _Span, nickname: _Nickname) -> bool:
    i, j = span.i, span.j
    if nickname.owned:
        return sense.marked(i, j) or sense.owned(i)
    return nickname.sure or (nickname.verb and sense.verb(i, j)) or sense.meant(i, j, span.key)


def _choose(reading: _Reading, i: int, j: int, options: Iterable[tuple[Card, ...]]) -> None:
    cards = tuple({card.name: card for some in options for card in some}.values())
    if len(cards) <= CHOICES:
        reading.take(i, j, cards, True)


def singular(word: Word) -> list[str]:
    """A word's key without a plural or possessive s."""
    key = word.key
    if not key.endswith("s") or len(key) < 4:
        return []
    endings = [("s", "")] + ([("es", "")] if key.endswith("es") else []) + ([("ies", "y")] if key.endswith("ies") else [])
    return [key.removesuffix(old) + new for old, new in endings]


def _spans(reading: _Reading, opens: dict[str, int]) -> Iterator[_Span]:
    """The spans whose first word opens a name, each as written and in the spellings that are tried."""
    words = reading.words
    for i, word in enumerate(words):
        for j in range(i + 1, i + min(opens.get(word.key, 0), LONGEST, len(words) - i) + 1):
            key = reading.key(i, j)
            yield _Span(i, j, key, 0)
            yield from (_Span(i, j, f"{reading.key(i, j - 1)} {end}", 1) for end in singular(words[j - 1]) if j > i + 1)
            loose = loose_key(key)
            if "*" in loose:
                yield _Span(i, j, loose, 2)
        yield from (_Span(i, i + 1, key, 1) for key in singular(word) if key in opens)
        for j in range(i + 1, min(i + 3, len(words)) + 1):
            parts = [w.key for w in words[i:j]]
            tight = "".join(parts)
            if tight in opens and all(len(part) > 2 and part not in STOP for part in parts):
                yield _Span(i, j, tight, 3)


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
