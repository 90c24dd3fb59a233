"""Our phrase table: players' words and the wording of cards, each with the rules that it points at."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from index.bank import BANK, PINS, read_bank, read_pins, read_rows
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.passages import Passage
from index.pins import Pins
from index.placing import Place, places

FILE = "phrases.jsonl"
"""The table lies beside the folder of the question bank."""
GAP = "…"
"""Stands in a phrase for a few words that may be anything."""
MOST_RULES = 4
_BETWEEN = "; "


@dataclass(frozen=True)
class Phrase:
    """A phrase that players or cards use.

    Attributes:
        phrase: how it is mostly said; ``GAP`` stands for a few words in between.
        also: other ways to say it.
        rules: what it points at, the decisive rule first.
        means: what it means, in a few words of ours.
    """

    phrase: str
    also: tuple[str, ...]
    rules: tuple[RuleNumber, ...]
    means: str

    @property
    def forms(self) -> tuple[str, ...]:
        """All the ways to say it."""
        return (self.phrase, *self.also)

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "Phrase":
        """Read a row of the table; raises KeyError, TypeError, ValueError or RulesError."""
        rules = tuple(RuleNumber.parse(number) for number in row["rules"])
        found = cls(str(row["phrase"]), tuple(map(str, row["also"])), rules, str(row["means"]))
        if not 1 <= len(rules) <= MOST_RULES:
            raise ValueError(f"{len(rules)} rules, not 1 to {MOST_RULES}")
        for form in found.forms:
            if _BETWEEN.strip() in form or "\n" in form or not all(part.strip() for part in form.split(GAP)):
                raise ValueError(f"{form!r} is no phrase")
        return found

    def passage(self) -> Passage:
        """What an index keeps of it: its forms in the first line, its meaning in the second."""
        return Passage(f"{_BETWEEN.join(self.forms)}\n{self.means}", "phrase", self.rules, self.phrase)

    @classmethod
    def of(cls, passage: Passage) -> "Phrase":
        """Read back what ``passage`` gave."""
        forms, _, means = passage.text.partition("\n")
        phrase, *also = forms.split(_BETWEEN)
        return cls(phrase, tuple(also), passage.rules, means)


def read_phrases(folder: Path = BANK) -> list[Phrase]:
    """Read the table that lies beside a bank's folder; a table that is not there has no phrases.

    Raises:
        RulesError: a line is not a phrase; names the file and line.
    """
    path = folder.parent / FILE
    return read_rows(path, Phrase.from_json, "a phrase") if path.is_file() else []


def place_phrases(phrases: Iterable[Phrase], where: Mapping[RuleNumber, Place]) -> list[Phrase]:
    """Give each phrase the numbers of another edition; one whose decisive rule has no place there is dropped."""
    placed: list[Phrase] = []
    for phrase in phrases:
        found = [where[number].number for number in phrase.rules if number in where]
        if phrase.rules[0] in where:
            placed.append(replace(phrase, rules=tuple(dict.fromkeys(found))))
    return placed


def phrases_for(corpus: Corpus, folder: Path = BANK) -> list[Phrase]:
    """The phrases beside a bank's folder, placed in a corpus; none where there is no table.

    Raises:
        RulesError: the table or the fingerprints are damaged.
    """
    phrases = read_phrases(folder)
    return place_phrases(phrases, places(read_pins(folder), corpus)) if phrases else []


def write_pins(corpus: Corpus, folder: Path = BANK) -> int:
    """Fingerprint every rule that the bank and the phrases name, from the edition whose numbers they use.

    Returns:
        How many rules were fingerprinted.

    Raises:
        RulesError: a question or a phrase names a rule that the corpus lacks.
    """
    wanted = {number for question in read_bank(folder) for number in question.rules}
    wanted |= {number for phrase in read_phrases(folder) for number in phrase.rules}
    missing = sorted(number for number in wanted if number not in corpus.by_number)
    if missing:
        raise RulesError(f"the edition {corpus.name} has no rule {', '.join(map(str, missing[:5]))}; mend the rows that name it")
    (folder / PINS).write_text(Pins.of(corpus).only(wanted).to_json(), encoding="utf-8")
    return len(wanted)
