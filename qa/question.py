"""Read a question: the rule numbers and terms in it, and whether it carries on from the question before."""

import re
import unicodedata
from dataclasses import dataclass

from index.corpus import Corpus
from index.numbers import RuleNumber
from index.words import TOKEN, Words, stem, tokens
from qa.cards import CardFinder, Named, with_oracle_texts
from qa.phrases import PhraseFinder, PhraseHit
from qa.terms import Lexicon, TermHit

LONGEST = 2_000
"""Characters of a question that are read; more than the longest real question needs."""

_NUMBER = r"[1-9]\d{2}(?:\.\d{1,3}[a-z]{0,2})?|[1-9]"
_NAMED = re.compile(rf"\b(?:cr|rules?|sections?|chapters?)\.?\s*#?\s*({_NUMBER})(?!\.?\w)", re.IGNORECASE)
_ALONE = re.compile(r"(?:what (?:does|is)|show(?: me)?|read)?\s*([1-9]\d{2})\s*(?:say|mean)?\W*", re.IGNORECASE)
_DOTTED = re.compile(r"(?<![\w.$€£])([1-9]\d{2}\.\d{1,3}[a-z]{0,2})(?![\w])", re.I)
_DEFINING = re.compile(
    r"^\W*(?:so |ok |hey |hi |please |pls |quick q(?:uestion)?\W* )*"
    r"(?:what(?:'s|’s|s| is| are| does| do)|how(?: does| do| is| are|'s)|define|explain|meaning of|definition of|describe|"
    r"tell me (?:about|what)|(?:can|could) (?:you|someone|anyone) (?:please )?explain)\b",
    re.IGNORECASE,
)
_FILLER = frozenset(
    stem(word)
    for word in """work works mean means do does keyword ability mechanic rule rules magic mtg game exactly actually thing
    creature creatures card cards spell term word again please define explain definition meaning action keywords
    abilities""".split()
)
_CARRIES_ON = re.compile(
    r"^\W*(?:and|but|or|also|then|so|what about|how about|what then|what if (?:it|they|that|this|he|she)|"
    r"same (?:thing|question|with)|even if|"
    r"does that|does it|is it|is that|would (?:it|that)|if (?:it|that|they|he|she|i)\b|because|why)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    # "That" points back where it stands for something ("does that work"), not where it joins ("tokens that leave").
    r"\b(?:it|its|it's|this|they|them|those|these|he|she|him|her|instead)\b|\bsame (?:thing|question|answer)\b|"
    r"\b(?:does|is|would|can|will|if|do|about|like|did) that\b|\bthat(?=\W*$| (?:one|case|way|creature|spell|card|ability)\b)|"
    r"^\W*what if (?:i|we|he|she|my|his|her|the|there|opp\w*)\b",
    re.IGNORECASE,
)

_AUXILIARY = (
    r"can|can't|could|couldn't|do|don't|does|doesn't|did|didn't|will|won't|would|wouldn't|should|shouldn't|is|isn't|are|aren't|"
    r"am|was|were|has|have|may|must"
)
_ASKS = re.compile(
    rf"\?|(?:^|[.!]\s*)(?:(?:so|and|but|or|then|now|wait|also|ok|hey|hi)\W+)?"
    rf"(?:{_AUXILIARY}|what|what's|whats|who|whose|how|how's|why|which|where|when (?:do|does|did|is|are|can|would|will))\b|"
    r"\b(?:can|could|do|does|did|will|would|should|is|are|am) (?:i|you|he|she|they|we)\b|"
    r"\b(?:right|correct|legal|or not|explain|wondering|not sure)\b",
    re.IGNORECASE,
)
_STATEMENT = 12
"""Fewer words than this are a search, not a statement."""


@dataclass(frozen=True)
class Asked:
    """A question as it was understood.

    Attributes:
        text: what is searched for, cleaned; for a follow-up the question before it stands in front.
        numbers: the rule numbers in it that the edition has.
        missing: the numbers in it that the edition lacks.
        terms: the rulebook's terms in it.
        defines: the term that the question asks to have explained ("what does ward do"), if it is of that kind.
        cards: the cards it names.
        phrases: players' words and cards' wording of our table in it, the most telling first.
        with_oracle: the text with the cards' Oracle texts in place of their names; empty where no card is named.
        notice: a word to the user; empty where all is well.
    """

    text: str
    numbers: tuple[RuleNumber, ...] = ()
    missing: tuple[RuleNumber, ...] = ()
    terms: tuple[TermHit, ...] = ()
    defines: TermHit | None = None
    cards: tuple[Named, ...] = ()
    phrases: tuple[PhraseHit, ...] = ()
    with_oracle: str = ""
    notice: str = ""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not TOKEN.search(self.text)

    @property
    def states(self) -> bool:
        """Whether it tells a case and asks nothing, as a judge or the rulebook writes one."""
        return len(self.text.split()) >= _STATEMENT and not _ASKS.search(self.text.replace("’", "'"))


def clean(text: str) -> str:
    """Drop control and invisible characters, fold white space, cut to ``LONGEST`` characters."""
    head = unicodedata.normalize("NFC", text[: LONGEST * 4].encode("utf-8", "ignore").decode("utf-8"))
    visible = "".join(" " if c in "\t\r\n\f\v" else c for c in head if c in "\t\r\n\f\v" or unicodedata.category(c)[0] != "C")
    return " ".join(visible.split())[:LONGEST]


def read(
    question: str,
    corpus: Corpus,
    lexicon: Lexicon,
    words: Words,
    finder: CardFinder | None = None,
    previous: str = "",
    phrases: PhraseFinder | None = None,
) -> Asked:
    """Understand a question.

    Args:
        words: the words of the rules, to tell a question in another language.
        finder: finds the cards it names; None where no cards are loaded.
        previous: the question before it in the same chat, as it was read; empty at the start.
        phrases: finds the phrases of our table; None where the index has none.
    """
    text = clean(question)
    notice = f"only the first {LONGEST} characters of the question were read" if len(question) > LONGEST * 2 else ""
    if not TOKEN.search(text):
        return Asked(text, notice="there is nothing to search for; ask in plain words, or give a rule number such as 702.19b")
    numbers = find_numbers(text)
    if previous and not numbers and carries_on(text) and not clean(previous).endswith(text):
        text = f"{clean(previous)} {text}"[-LONGEST:]
    found = tuple(lexicon.find(text))
    cards = tuple(finder.find(text)) if finder else ()
    said = tuple(phrases.find(text, [(named.start, named.end) for named in cards if named.card])) if phrases else ()
    known = [word in words for word in tokens(text)]
    if not numbers and not found and not cards and not said and sum(known) < 0.4 * len(known):
        notice = notice or "few words of this question occur in the rules, so the rules found may be far off; ask in English"
    return Asked(
        text,
        tuple(n for n in numbers if n in corpus),
        tuple(n for n in numbers if n not in corpus),
        found,
        None if cards else _defined(text, found),
        cards,
        said,
        with_oracle_texts(text, cards) if any(named.card for named in cards) else "",
        notice,
    )


def find_numbers(text: str) -> tuple[RuleNumber, ...]:
    """The rule numbers in a question: ``702.19b`` anywhere, ``704`` after "rule", "CR" or "section"."""
    alone = _ALONE.fullmatch(text)
    if alone:
        return (RuleNumber.parse(alone[1]),)
    places = {match.start(1): match[1] for pattern in (_DOTTED, _NAMED) for match in pattern.finditer(text)}
    numbers = (RuleNumber.parse(places[start]) for start in sorted(places))
    return tuple(dict.fromkeys(numbers))


def carries_on(text: str) -> bool:
    """Whether a question makes sense only after another: it opens with "and", "what if" …, or is short and points back."""
    return bool(_CARRIES_ON.match(text)) or (len(text.split()) <= 8 and bool(_POINTS_BACK.search(text)))


def _defined(text: str, found: tuple[TermHit, ...]) -> TermHit | None:
    """The term that is asked about, where the question says hardly anything else."""
    rest = [word for word in tokens(text) if word not in _FILLER]
    asks = bool(_DEFINING.match(text))
    for hit in sorted(found, key=lambda h: (h.term.common, -len(h.written))):
        own = {stem(word) for word in TOKEN.findall(hit.written)}
        others = [word for word in rest if word not in own]
        if (asks and len(others) <= 1) or not others:
            return hit
    return None
