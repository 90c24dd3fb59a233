"""Fingerprints of rule texts, by which our questions find their rules again in another edition.

A fingerprint is a bottom-k sketch (Broder, 1997): the smallest hashes of all runs of three words. The share of hashes
that two sketches have in common estimates how much the texts overlap. No text can be read back from it.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from index.corpus import Corpus
from index.numbers import RuleNumber

SIZE = 24
SAME = 0.8
"""From this likeness on, two texts are the same rule, at most reworded in passing."""
MOVED = 0.65
"""From this likeness on, the best match is where a rule has gone; less may be a look-alike (increment and evolve)."""
REWORDED = 0.4
"""From this likeness on, a rule under its old number is the same one, reworded."""

Sketch = frozenset[int]
_WORD = re.compile(r"[a-z0-9{}+/'-]+")
_NUMBER = re.compile(r"\b\d{3}(?:\.\d+[a-z]*)?(?:[–-]\w+)?")


def sketch(text: str) -> Sketch:
    """The fingerprint of a rule's text; rule numbers in it don't count, since they change with every edition."""
    words = _WORD.findall(_NUMBER.sub(" ", text).lower().replace("’", "'"))
    runs = {" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))}
    hashes = (int.from_bytes(hashlib.blake2b(run.encode(), digest_size=4).digest(), "big") for run in runs)
    return frozenset(sorted(hashes)[:SIZE])


def likeness(a: Sketch, b: Sketch) -> float:
    """The estimated Jaccard similarity of two texts, 0 to 1: of the smallest hashes of both, the share that is in both."""
    smallest = sorted(a | b)[: min(SIZE, max(len(a), len(b)))]
    return sum(h in a and h in b for h in smallest) / len(smallest) if smallest else 0.0


@dataclass(frozen=True)
class Pins:
    """The fingerprints of one edition's rules.

    Attributes:
        edition: the edition whose numbers they belong to.
    """

    edition: date
    sketches: dict[RuleNumber, Sketch]

    @classmethod
    def of(cls, corpus: Corpus) -> "Pins":
        """The fingerprints of a dated corpus."""
        assert corpus.edition is not None
        return cls(corpus.edition, {rule.number: sketch(rule.text) for rule in corpus})

    def only(self, numbers: Iterable[RuleNumber]) -> "Pins":
        """The fingerprints of some of the rules."""
        return Pins(self.edition, {number: self.sketches[number] for number in numbers})

    @classmethod
    def read(cls, path: Path) -> "Pins":
        data = json.loads(path.read_text(encoding="utf-8"))
        rules = {
            RuleNumber.parse(n): frozenset(int(h[i : i + 8], 16) for i in range(0, len(h), 8)) for n, h in data["rules"].items()
        }
        return cls(date.fromisoformat(data["edition"]), rules)

    def to_json(self) -> str:
        """One line a rule, so that a change of edition is a readable difference."""
        rules = ",\n".join(f'  "{n}": "{"".join(f"{h:08x}" for h in sorted(s))}"' for n, s in sorted(self.sketches.items()))
        return f'{{\n "edition": "{self.edition}",\n "rules": {{\n{rules}\n }}\n}}\n'

    def places(self, corpus: Corpus) -> dict[RuleNumber, "Place"]:
        """Where each pinned rule stands in another corpus; rules that it lacks are left out.

        A corpus of the pinned edition itself is taken at its word: the digest words the same rules differently.
        """
        if corpus.edition == self.edition:
            return {number: Place(number, 1.0) for number in self.sketches if number in corpus.by_number}
        here = {rule.number: sketch(rule.text) for rule in corpus}
        finder = _Finder(here)
        found: dict[RuleNumber, Place] = {}
        for number, pinned in self.sketches.items():
            place = finder.best(number, pinned)
            if place is not None:
                found[number] = place
        return found


@dataclass(frozen=True)
class Place:
    """Where a pinned rule stands in a corpus, and how like its text is (1: the same)."""

    number: RuleNumber
    likeness: float

    @property
    def changed(self) -> bool:
        """Whether the text differs so much that a ruling written for the pinned one may no longer hold."""
        return self.likeness < SAME


class _Finder:
    def __init__(self, here: dict[RuleNumber, Sketch]) -> None:
        self._here = here
        self._rules: dict[int, list[RuleNumber]] = defaultdict(list)
        for number, hashes in here.items():
            for value in hashes:
                self._rules[value].append(number)

    def best(self, number: RuleNumber, pinned: Sketch) -> Place | None:
        """The rule most like a pinned one; among equals the one under the same number, then the nearest family."""
        near: Iterable[RuleNumber] = {n for value in pinned for n in self._rules.get(value, ())}
        scored = [(likeness(pinned, self._here[n]), n == number, n.family == number.family, n) for n in near]
        if scored:
            score, _, _, where = max(scored, key=lambda item: (*item[:3], tuple(-ord(c) for c in str(item[3]))))
            if score >= MOVED:
                return Place(where, score)
        own = likeness(pinned, self._here.get(number, frozenset()))
        return Place(number, own) if own >= REWORDED else None
