"""Fingerprints of rules, by which our questions find their rules again in another edition.

A fingerprint is a bottom-k sketch (Broder, 1997): the smallest hashes of all runs of three words. The share of hashes
that two sketches have in common estimates how much the texts overlap. No text can be read back from it. Beside them
stand hashes of the names of sections and families, since the same words may stand in several places: ``index.placing``
tells those apart.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber

SIZE = 24
FORMAT = 2
"""The form of the file; 1 had no names, and no field that says so."""

Sketch = frozenset[int]
_WORD = re.compile(r"[a-z0-9{}+/'-]+")
_NAME_WORD = re.compile(r"[a-z0-9]+")
_NUMBER = re.compile(r"\b\d{3}(?:\.\d+[a-z]*)?(?:[–-]\w+)?")


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")


def sketch(text: str) -> Sketch:
    """The fingerprint of a rule's text; rule numbers in it don't count, since they change with every edition."""
    words = _WORD.findall(_NUMBER.sub(" ", text).lower().replace("’", "'"))
    runs = {" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))}
    return frozenset(sorted(map(_hash, runs))[:SIZE])


def likeness(a: Sketch, b: Sketch) -> float:
    """The estimated Jaccard similarity of two texts, 0 to 1: of the smallest hashes of both, the share that is in both."""
    smallest = sorted(a | b)[: min(SIZE, max(len(a), len(b)))]
    return sum(h in a and h in b for h in smallest) / len(smallest) if smallest else 0.0


@dataclass(frozen=True)
class Prints:
    """What is known of one edition's rules without their text.

    Attributes:
        sketches: of the rules' texts.
        names: of sections and of families with a heading, each the hash of its name.
    """

    sketches: dict[RuleNumber, Sketch]
    names: dict[RuleNumber, int]

    @classmethod
    def taken(cls, corpus: Corpus) -> "Prints":
        """The fingerprints of a corpus, dated or not."""
        names = {section.number: section.title for section in corpus.sections}
        names |= {rule.number: rule.text for rule in corpus if rule.is_heading}
        # Only words and digits count: editions differ in apostrophes, capitals and _underscores_.
        hashed = {number: _hash(" ".join(_NAME_WORD.findall(name.lower()))) for number, name in names.items()}
        return cls({rule.number: sketch(rule.text) for rule in corpus}, hashed)

    def section(self, number: RuleNumber) -> int | None:
        """The title of the section that a rule stands in."""
        return self.names.get(number.head)

    def headed(self, number: RuleNumber) -> bool:
        """Whether a rule's family has a heading; most have none."""
        return number.family in self.names

    def name(self, number: RuleNumber) -> int | None:
        """What names a rule: its family's heading, or else its section's title."""
        return self.names.get(number.family, self.section(number))


@dataclass(frozen=True)
class Pins(Prints):
    """The fingerprints of one edition's rules.

    Attributes:
        edition: the edition whose numbers they belong to.
    """

    edition: date

    @classmethod
    def of(cls, corpus: Corpus) -> "Pins":
        """The fingerprints of a dated corpus."""
        assert corpus.edition is not None
        prints = Prints.taken(corpus)
        return cls(prints.sketches, prints.names, corpus.edition)

    def only(self, numbers: Iterable[RuleNumber]) -> "Pins":
        """The fingerprints of some of the rules, with all names: that a name is not there tells something, too."""
        return Pins({number: self.sketches[number] for number in numbers}, self.names, self.edition)

    @classmethod
    def read(cls, path: Path) -> "Pins":
        """Read what ``to_json`` wrote.

        Raises:
            RulesError: it is not there, damaged, or of an older form.
        """
        try:
            data: Any = json.loads(path.read_text(encoding="utf-8"))
            pins = cls._from_json(data) if data.get("format") == FORMAT else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RulesError) as error:
            raise RulesError(f"{path} can't be read ({type(error).__name__}); restore it from the repository") from None
        if pins is None:
            raise RulesError(f"{path} is of another form (not {FORMAT}); write it anew: python -m index pins --rules FILE")
        return pins

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "Pins":
        rules = {
            RuleNumber.parse(n): frozenset(int(h[i : i + 8], 16) for i in range(0, len(h), 8)) for n, h in data["rules"].items()
        }
        names = {RuleNumber.parse(n): int(h, 16) for n, h in data["names"].items()}
        return cls(rules, names, date.fromisoformat(data["edition"]))

    def to_json(self) -> str:
        """One line a name and one line a rule, so that a change of edition is a readable difference."""
        names = _lines({number: f"{name:08x}" for number, name in self.names.items()})
        rules = _lines({number: "".join(f"{h:08x}" for h in sorted(s)) for number, s in self.sketches.items()})
        return f'{{\n "format": {FORMAT},\n "edition": "{self.edition}",\n "names": {names},\n "rules": {rules}\n}}\n'


def _lines(values: dict[RuleNumber, str]) -> str:
    """A JSON object with one line a number."""
    return "{\n" + ",\n".join(f'  "{number}": "{value}"' for number, value in sorted(values.items())) + "\n }"
