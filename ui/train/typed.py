"""A typed answer, taken apart: the guess, how sure the trainee is, the ruling in words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from ui.train.near import read_guess

UNKNOWN = "-"
"""Typed for "I don't know"."""
_SURE = re.compile(r"(?<!\S)(\d{1,3}) ?%(?!\S)")
_SPACED_LETTER = re.compile(r".*\d\s+[a-z]{1,2}", re.IGNORECASE)


@dataclass(frozen=True)
class Typed:
    """What was typed as an answer.

    Attributes:
        guess: a rule number, or "".
        said: the ruling in words.
        confidence: percent, as typed.
    """

    guess: str = ""
    said: str = ""
    confidence: int | None = None


def read_answer(line: str, drill: str, pair: Sequence[RuleNumber], corpus: Corpus) -> Typed:
    """Take a line apart: ``702.19b 80% the rest tramples over``, ``2 90%``, or a ruling in words.

    Raises:
        RulesError: it names no rule where one is wanted.
    """
    line, sure = _without_confidence(line)
    if line == UNKNOWN:
        return Typed(confidence=sure)
    if drill == "ruling":
        return Typed(said=line, confidence=sure)
    if drill == "contrast":
        choice = {str(place): str(number) for place, number in enumerate(pair, 1)}
        return Typed(choice.get(line.rstrip(".)"), line), confidence=sure)
    guess, said = _split(line, corpus)
    return Typed(str(guess), said, sure)


def _without_confidence(line: str) -> tuple[str, int | None]:
    """The line without its "80%". In a ruling only the end says it: "50%" within may be part of the words."""
    found = list(_SURE.finditer(line))
    number_first = [m for m in found if len(line[: m.start()].split()) <= 1]
    match = number_first[0] if number_first else found[-1] if found and found[-1].end() == len(line) else None
    if match is None:
        return line, None
    return " ".join((line[: match.start()] + line[match.end() :]).split()), int(match[1])


def _split(line: str, corpus: Corpus) -> tuple[RuleNumber, str]:
    """The number at the beginning of a line ("702.19b", "CR 702.19 b"), and the words after it; raises RulesError."""
    words = line.split()
    failed: RulesError | None = None
    for count in range(min(3, len(words)), 0, -1):
        head, rest = " ".join(words[:count]), " ".join(words[count:])
        # "702.19 a creature …" begins a sentence; "702.19 a" alone is the rule's letter.
        if not re.search(r"\d", head) or (rest and _SPACED_LETTER.fullmatch(head)):
            continue
        try:
            return read_guess(head.rstrip(":,;"), corpus), rest.lstrip(":,;-–— ")
        except RulesError as error:
            failed = error
    raise failed or RulesError("begin with the rule's number, like 702.19b; s WORDS searches for it; - if you don't know")
