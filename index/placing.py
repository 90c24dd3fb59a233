"""Where the rules of a pinned edition stand in another one: told by their words and by the names around them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from index.corpus import Corpus
from index.numbers import RuleNumber
from index.pins import SIZE, Pins, Prints, likeness

SAME = 0.8
"""From this likeness on, two texts are the same rule, at most reworded in passing."""
MOVED = 0.65
"""From this likeness on, a text under the same names is where a rule has gone; less may be a look-alike."""
REWORDED = 0.4
"""From this likeness on, a rule under its old number and the same names is the same one, reworded."""
RIVAL = 0.2
"""A text under other names is not distinctive where another pinned rule is as like to it, or less by no more than this."""
WORTH = 0.3
"""What the same names are worth against likeness: a short rule ("Third, …", "Fourth, …") loses that much by one word."""


@dataclass(frozen=True)
class Place:
    """Where a pinned rule stands in a corpus, and how like its text is (1: the same)."""

    number: RuleNumber
    likeness: float

    @property
    def changed(self) -> bool:
        """Whether the text differs so much that a ruling written for the pinned one may no longer hold."""
        return self.likeness < SAME


class Kin(IntEnum):
    """How the names around two rules agree; a rule's own name is its family's heading, or else its section's title."""

    NEVER = 0
    """Both are under headings, and the edition lacks the pinned one's: it does not have that keyword yet."""
    STRANGE = 1
    """The names differ."""
    NEAR = 2
    """The section is the same, but only one is under a heading; or each edition lacks the other's name: it was renamed."""
    HOME = 3
    """The own name is the same."""


@dataclass(frozen=True)
class _Pair:
    """A pinned rule and a rule of the corpus that shares words with it."""

    pinned: RuleNumber
    here: RuleNumber
    likeness: float
    kin: Kin

    @property
    def order(self) -> tuple[float, bool, int, int, int, RuleNumber, RuleNumber]:
        """The surest first: likeness with the worth of names, then the same number, then the nearest."""
        worth = WORTH * (self.kin - Kin.STRANGE) / (Kin.HOME - Kin.STRANGE)
        a, b = self.pinned, self.here
        letters = abs(sum(map(ord, a.letter)) - sum(map(ord, b.letter)))
        apart = abs(a.section - b.section), abs((a.rule or 0) - (b.rule or 0)), letters
        return -(self.likeness + worth), a != b, *apart, a, b


def places(pins: Pins, corpus: Corpus) -> dict[RuleNumber, Place]:
    """Where each pinned rule stands in another corpus; rules that it lacks are left out.

    No two stand in one place: the surest pairs are made first, so the rule that fits a place best has it. A corpus of the
    pinned edition itself is taken at its word: the digest words the same rules differently.
    """
    if corpus.edition == pins.edition:
        return {number: Place(number, 1.0) for number in pins.sketches if number in corpus.by_number}
    pairs = list(_pairs(pins, Prints.taken(corpus)))
    like: dict[RuleNumber, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        like[pair.here].append(pair)
    found: dict[RuleNumber, Place] = {}
    taken: set[RuleNumber] = set()
    for pair in sorted(pairs, key=lambda pair: pair.order):
        if pair.pinned not in found and pair.here not in taken and _fits(pair, like[pair.here], pins):
            found[pair.pinned] = Place(pair.here, pair.likeness)
            taken.add(pair.here)
    return found


def _pairs(pins: Pins, here: Prints) -> Iterator[_Pair]:
    """All pairs that are alike enough to matter."""
    rules: dict[int, list[RuleNumber]] = defaultdict(list)
    for number, hashes in here.sketches.items():
        for value in hashes:
            rules[value].append(number)
    kin = _kinship(pins, here)
    for number, pinned in pins.sketches.items():
        shared = Counter(near for value in pinned for near in rules.get(value, ()))
        for near, count in shared.items():
            other = here.sketches[near]
            # Likeness is at most this share; working it out for every rule with a common phrase would take seconds.
            if count >= REWORDED * min(SIZE, max(len(pinned), len(other))):
                score = likeness(pinned, other)
                if score >= REWORDED:
                    yield _Pair(number, near, score, kin(number, near))


def _kinship(pins: Prints, here: Prints) -> Callable[[RuleNumber, RuleNumber], Kin]:
    """How the names around a pinned rule and one of the corpus agree."""
    then, now = frozenset(pins.names.values()), frozenset(here.names.values())

    def kin(pinned: RuleNumber, near: RuleNumber) -> Kin:
        ours, theirs = pins.name(pinned), here.name(near)
        if ours == theirs:
            return Kin.HOME
        if ours not in now and theirs not in then:
            return Kin.NEAR
        if pins.headed(pinned) and here.headed(near):
            return Kin.STRANGE if ours in now else Kin.NEVER
        return Kin.NEAR if pins.section(pinned) == here.section(near) else Kin.STRANGE

    return kin


def _fits(pair: _Pair, like: list[_Pair], pins: Pins) -> bool:
    """Whether a place may be the rule's; ``like`` are the pairs of all pinned rules with this place.

    Under the same name it is enough to be alike. Under a new name for the old one, no rule of another name may be as like.
    Under another name only what moved there as a whole is the rule: such a text keeps its words, and they are not nearly
    those of any other name's rule, as a set phrase of the rulebook would be.
    """
    if pair.kin == Kin.NEVER:
        return False
    near = REWORDED if pair.here == pair.pinned else MOVED
    if pair.likeness < (SAME if pair.kin == Kin.STRANGE else near):
        return False
    if pair.kin == Kin.HOME:
        return True
    name, rival = pins.name(pair.pinned), pair.likeness - (RIVAL if pair.kin == Kin.STRANGE else 0)
    return not any(other.likeness >= rival and pins.name(other.pinned) != name for other in like)
