"""How near a guessed rule is to the rules that decide a question."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property

from index.citations import Citations
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from ui.train.twins import twins

LONGEST = 60
"""Characters of a guess that are read; a longer one names no rule."""
MANY = 8
"""Who names only the head of a family with more rules than this has not found the rule: 704.5 is every state-based action."""

_PREFIX = re.compile(r"^(?:cr|comprehensive rules?|rules?|section|chapter|no\.|nr\.?|#|§)[\s.:]*", re.IGNORECASE)
_WRITTEN = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3})?)\.?\(?(?P<letter>[a-z]{0,2})\)?", re.IGNORECASE)
_QUOTES = "\"'`´“”„‟‘’‚‛«»‹› "
_DOT = re.compile(r"(?<=\d)[,‐–—−-](?=\d)")
"""What some type for the dot: 601,2g, 601-2g. "702, 19 creatures" is no number."""


class Nearness(StrEnum):
    """Where a guess lies, the nearest first; seen from the decisive rule, unless said otherwise."""

    EXACT = "exact"
    TWIN = "twin"
    """The decisive rule's words under another number."""
    OTHER = "other"
    """Another of the rules that decide the question."""
    OTHER_TWIN = "other-twin"
    """The words of another of those, under another number."""
    FAMILY = "family"
    CITES = "cites"
    """It cites the decisive rule or its family, or the decisive rule sends to it, its family or its section."""
    SECTION = "section"
    """Also the mere head of a family of many rules."""
    CHAPTER = "chapter"
    """The chapter itself was named, and no rule."""
    FAR = "far"
    NONE = "none"
    """Nothing was guessed."""


SAME_WORDS = "the same words under another number"
_SAID = {
    Nearness.EXACT: "exactly the rule that decides it",
    Nearness.TWIN: f"{SAME_WORDS}, which counts as right",
    Nearness.OTHER: "one of the rules that decide it, but not the decisive one",
    Nearness.OTHER_TWIN: f"one of the rules that decide it, but not the decisive one; {SAME_WORDS}",
    Nearness.FAMILY: "the right family, but another rule of it",
    Nearness.CITES: "a rule joined to the decisive one by a citation",
    Nearness.SECTION: "the right section, but another rule",
    Nearness.CHAPTER: "the right chapter, but no rule of it",
    Nearness.FAR: "another part of the rulebook",
    Nearness.NONE: "no rule was named",
}
_WHOLE = {
    Nearness.FAMILY: "the right family, but no rule of it",
    Nearness.CITES: "joined to the decisive rule by a citation, but no rule",
    Nearness.SECTION: "the right section, but no rule of it",
}
"""Of a guess that is a heading, a section or a chapter."""
_HEAD = "only the head of the right family, which holds many rules"


class Relations:
    """How the rules of an edition are related, for as long as guesses are judged."""

    def __init__(self, corpus: Corpus, citations: Citations) -> None:
        self.corpus = corpus
        self.citations = citations

    @cached_property
    def twins(self) -> Mapping[RuleNumber, frozenset[RuleNumber]]:
        return twins(self.corpus)

    def is_twin(self, number: RuleNumber, other: RuleNumber) -> bool:
        """Whether two rules have the same words under different numbers."""
        return other in self.twins.get(number, ())

    def joined(self, guess: RuleNumber, decisive: RuleNumber) -> bool:
        """Whether a citation leads from one to the other.

        Who cites the decisive rule's whole section has not found a rule of it; but where the decisive rule itself sends
        to a section ("See rule 704"), its reader looks there.
        """
        named = (cited for cited in self.citations.cites(guess) if cited.rule is not None)
        sent_to = [cited for cited in self.citations.cites(decisive) if cited.section >= 100]
        below = guess.rule is not None and any(guess.contains(cited) for cited in sent_to)
        return below or any(cited.contains(guess) for cited in sent_to) or any(cited.contains(decisive) for cited in named)

    def is_heading(self, number: RuleNumber) -> bool:
        """Whether a number names no rule, but a heading, a section or a chapter."""
        rule = self.corpus.by_number.get(number)
        return rule is None or rule.is_heading

    def is_crowded(self, number: RuleNumber) -> bool:
        """Whether a number is the mere head of a family of many rules: a heading, or one sentence that a list follows."""
        if number.letter or number.rule is None or len(self.corpus.family(number)) <= MANY:
            return False
        text = self.corpus.by_number[number].text if number in self.corpus.by_number else ""
        return self.is_heading(number) or text.endswith(":") or ". " not in text


def nearness(guess: RuleNumber | None, rules: Sequence[RuleNumber], relations: Relations) -> Nearness:
    """How near a guess is to the rules of a question, the decisive one first."""
    if guess is None:
        return Nearness.NONE
    decisive = rules[0]
    if guess == decisive:
        return Nearness.EXACT
    if relations.is_twin(guess, decisive):
        return Nearness.TWIN
    if guess in rules:
        return Nearness.OTHER
    if any(relations.is_twin(guess, number) for number in rules[1:]):
        return Nearness.OTHER_TWIN
    if guess.rule is not None and guess.family == decisive.family:
        return Nearness.SECTION if relations.is_crowded(guess) else Nearness.FAMILY
    if relations.joined(guess, decisive):
        return Nearness.CITES
    if guess.section < 10:
        return Nearness.CHAPTER if guess == decisive.chapter else Nearness.FAR
    return Nearness.SECTION if guess.head == decisive.head else Nearness.FAR


def said(near: Nearness, guess: RuleNumber | None, rules: Sequence[RuleNumber], relations: Relations) -> str:
    """What a nearness means, in a line for people.

    Args:
        guess: what it is the nearness of.
        rules: the rules of the question, the decisive one first.
    """
    if guess is not None and near == Nearness.SECTION and guess == rules[0].family:
        return _HEAD
    whole = guess is not None and relations.is_heading(guess)
    return _WHOLE.get(near, _SAID[near]) if whole else _SAID[near]


def rating_of(near: Nearness) -> int:
    """The FSRS rating of a guess: 3 (good), 2 (hard) or 1 (again)."""
    if near in (Nearness.EXACT, Nearness.TWIN):
        return 3
    return 2 if near in (Nearness.OTHER, Nearness.OTHER_TWIN, Nearness.FAMILY) else 1


def read_guess(text: str, corpus: Corpus) -> RuleNumber:
    """The number that a trainee typed: ``702.19b``, ``CR 702.19 B``, ``rule 702.19(b)``, ``702,19b``; also of more than a rule.

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
    if len(cleaned) > LONGEST:
        return cleaned
    bare = _PREFIX.sub("", cleaned.strip(_QUOTES)).lstrip(_QUOTES).rstrip(f"{_QUOTES}.,;:!?")
    match = _WRITTEN.fullmatch(_DOT.sub(".", bare).replace(" ", ""))
    return f"{match['number']}{match['letter']}" if match else cleaned
