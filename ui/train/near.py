"""How near a guessed rule is to the rules that decide a question."""

import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum

from index.citations import Citations
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber

LONGEST = 60
"""Characters of a guess that are read; a longer one names no rule."""

_PREFIX = re.compile(r"^(?:cr|comprehensive rules?|rules?|section|chapter|no\.|nr\.?|#|§)[\s.:]*", re.IGNORECASE)
_WRITTEN = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3})?)\.?\(?(?P<letter>[a-z]{0,2})\)?[.,;:!?]*", re.IGNORECASE)


class Nearness(StrEnum):
    """Where a guess lies, the nearest first; seen from the decisive rule, unless said otherwise."""

    EXACT = "exact"
    OTHER = "other"
    """Another of the rules that decide the question."""
    FAMILY = "family"
    CITES = "cites"
    """It cites the decisive rule, or is cited by it."""
    SECTION = "section"
    FAR = "far"
    NONE = "none"
    """Nothing was guessed."""


_SAID = {
    Nearness.EXACT: "exactly the rule that decides it",
    Nearness.OTHER: "one of the rules that decide it, but not the decisive one",
    Nearness.FAMILY: "the right family, but another rule of it",
    Nearness.CITES: "a rule joined to the decisive one by a citation",
    Nearness.SECTION: "the right section, but another rule",
    Nearness.FAR: "another part of the rulebook",
    Nearness.NONE: "no rule was named",
}


def nearness(guess: RuleNumber | None, rules: Sequence[RuleNumber], citations: Citations) -> Nearness:
    """How near a guess is to the rules of a question, the decisive one first."""
    if guess is None:
        return Nearness.NONE
    decisive = rules[0]
    if guess == decisive:
        return Nearness.EXACT
    if guess in rules:
        return Nearness.OTHER
    if guess.rule is not None and guess.family == decisive.family:
        return Nearness.FAMILY
    if _cites(guess, decisive, citations) or _cites(decisive, guess, citations):
        return Nearness.CITES
    if guess.section >= 100 and guess.head == decisive.head:
        return Nearness.SECTION
    return Nearness.FAR


def _cites(source: RuleNumber, target: RuleNumber, citations: Citations) -> bool:
    """Whether a rule cites another or its family; who cites a whole section has not found a rule of it."""
    return any(cited.rule is not None and cited.contains(target) for cited in citations.cites(source))


def said(near: Nearness) -> str:
    """What a nearness means, in a line for people."""
    return _SAID[near]


def rating_of(near: Nearness) -> int:
    """The FSRS rating of a guess: 3 (good), 2 (hard) or 1 (again)."""
    if near == Nearness.EXACT:
        return 3
    return 2 if near in (Nearness.OTHER, Nearness.FAMILY) else 1


def read_guess(text: str, corpus: Corpus) -> RuleNumber:
    """The number that a trainee typed: ``702.19b``, ``CR 702.19 B``, ``rule 702.19(b)``, a family, section or chapter.

    Raises:
        RulesError: it is no rule number, or the edition lacks it; names the nearest.
    """
    number = RuleNumber.parse(_plain(text))
    if number not in corpus and not corpus.under(number):
        corpus.rule(number)  # raises, naming the nearest
    return number


def _plain(text: str) -> str:
    """A typed number as the rulebook writes it; what is none is left as it is, for the error to quote."""
    cleaned = " ".join(unicodedata.normalize("NFKC", text[: 4 * LONGEST]).encode("utf-8", "replace").decode().split())
    if not cleaned:
        raise RulesError("no rule was named; write its number, like 702.19b")
    match = _WRITTEN.fullmatch(_PREFIX.sub("", cleaned).replace(" ", "")) if len(cleaned) <= LONGEST else None
    return f"{match['number']}{match['letter']}" if match else cleaned
