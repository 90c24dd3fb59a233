"""What comes back for a question; the faces show it and the evaluation reads it."""

from dataclasses import asdict, dataclass, field
from typing import Any

from index.cards import Card
from index.corpus import Corpus, GlossaryEntry, Rule, Source
from index.numbers import RuleNumber

SCHEMA = 1
"""The version of ``Answer.to_json``; docs/answer.schema.json describes it."""


@dataclass(frozen=True)
class Reason:
    """Why a rule is in the answer.

    Attributes:
        kind: the signal: ``number`` (asked for by number), ``term`` (a keyword or glossary term in the question),
            ``phrase`` (players' words in it), ``meaning``, ``words``, ``citation`` (reached along citations), ``together`` (it
            often decides beside a rule that leads).
        via: what the signal found: the term, the passage's kind, the citing rule.
        rank: the rule's rank in that signal alone, from 1; 0 where there is no ranking.
        score: what the signal measured: a cosine for ``meaning``, a BM25 score for ``words``; else 0.
    """

    kind: str
    via: str = ""
    rank: int = 0
    score: float = 0.0


@dataclass(frozen=True)
class Step:
    """One step of a path: ``start`` *cites* or is *cited by* ``end``."""

    start: RuleNumber
    relation: str
    end: RuleNumber

    def __str__(self) -> str:
        return f"{self.start} → {self.relation} {self.end}"


@dataclass(frozen=True)
class Hit:
    """A rule in an answer.

    Attributes:
        score: comparable within one answer only; hits are sorted by it, highest first.
        path: how the expansion reached the rule; empty for a rule found directly.
    """

    rule: Rule
    score: float
    reasons: tuple[Reason, ...] = ()
    path: tuple[Step, ...] = ()

    @property
    def number(self) -> RuleNumber:
        return self.rule.number


@dataclass(frozen=True)
class Known:
    """A question of the bank that is the same case, with our ruling; ``likeness`` is that of ``qa.known.same_case``."""

    question: str
    answer: str
    rules: tuple[RuleNumber, ...]
    likeness: float


@dataclass(frozen=True)
class Unclear:
    """A name in a question that may mean several cards, so that none was taken."""

    written: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Family:
    """The hits that share a rule, best first; ``title`` is its heading ("Trample") or its section's title."""

    number: RuleNumber
    title: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True)
class Answer:
    """The ranked rules for a question.

    Attributes:
        question: as it was asked.
        read_as: what was searched for, where that differs (a follow-up read with the question before it).
        hits: best first, at most k.
        terms: the glossary entries of the terms named in the question.
        cards: the cards named in it, with their Oracle texts, where cards are loaded.
        unclear: the names in it that may mean several cards.
        edition: the edition's date as YYYY-MM-DD, or "undated".
        source: which rulebook speaks, with the notice that every face must show.
        settled: whether the rules found settle the question; None where no calibration is loaded.
        confidence: the calibrated probability behind ``settled``, in [0, 1].
        notice: a plain word to the user about this question ("nothing to search for"), or empty.
    """

    question: str
    hits: tuple[Hit, ...]
    edition: str
    source: Source
    read_as: str = ""
    known: tuple[Known, ...] = ()
    terms: tuple[GlossaryEntry, ...] = ()
    cards: tuple[Card, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    settled: bool | None = None
    confidence: float | None = None
    notice: str = ""
    titles: dict[RuleNumber, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def families(self) -> tuple[Family, ...]:
        """The hits grouped by family, in the order of each family's best hit."""
        groups: dict[RuleNumber, list[Hit]] = {}
        for hit in self.hits:
            groups.setdefault(hit.number.family, []).append(hit)
        return tuple(Family(n, self.titles.get(n, hits[0].rule.title), tuple(hits)) for n, hits in groups.items())

    def to_json(self) -> dict[str, Any]:
        """The answer as docs/answer.schema.json describes it."""
        return {
            "schema": SCHEMA,
            "question": self.question,
            "read_as": self.read_as or self.question,
            "edition": self.edition,
            "source": asdict(self.source.public),
            "settled": self.settled,
            "confidence": self.confidence,
            "notice": self.notice,
            "hits": [self._hit(hit) for hit in self.hits],
            "families": [
                {"number": str(f.number), "title": f.title, "hits": [str(h.number) for h in f.hits]} for f in self.families
            ],
            "known": [{**asdict(k), "rules": [str(n) for n in k.rules]} for k in self.known],
            "terms": [asdict(term) for term in self.terms],
            "cards": [asdict(card) for card in self.cards],
            "unclear": [asdict(name) for name in self.unclear],
        }

    def _hit(self, hit: Hit) -> dict[str, Any]:
        return {
            "number": str(hit.number),
            "title": self.titles.get(hit.number.family, hit.rule.title),
            "section": hit.rule.title,
            "text": hit.rule.text,
            "examples": list(hit.rule.examples),
            "score": round(hit.score, 6),
            "reasons": [{**asdict(reason), "score": round(reason.score, 6)} for reason in hit.reasons],
            "path": [{"from": str(s.start), "relation": s.relation, "to": str(s.end)} for s in hit.path],
        }


def title_map(corpus: Corpus, hits: tuple[Hit, ...]) -> dict[RuleNumber, str]:
    """The heading of each family among the hits."""
    return {hit.number.family: corpus.heading(hit.number) for hit in hits}
