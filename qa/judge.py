"""A question becomes an answer."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path as FilePath

from index.cards import Cards, open_cards
from index.encoder import Encoder
from index.errors import RulesError
from index.numbers import RuleNumber
from index.store import Index, load
from qa.answer import Answer, Hit, Known, Reason, Unclear, title_map
from qa.cards import CardFinder
from qa.expand import Path
from qa.expand import expand as follow_citations
from qa.known import known_questions
from qa.phrases import PhraseFinder, phrases_of
from qa.question import Asked, read
from qa.rank import Candidate, Weights, default_weights, fuse
from qa.retrieve import Search, gather
from qa.settled import CALIBRATION, DEPTH, load_calibration
from qa.terms import Lexicon, TermHit
from qa.together import Together, with_companions

MOST = 100
"""The largest k."""
OPENING = 3
"""So many rules of a whole section come first where its subject is to be explained ("what is the stack")."""


class Judge:
    """Answers questions from one index.

    Args:
        signals: use only these signals; all that have a weight, if None.
        expand: whether answers follow citations, where ``ask`` does not say.
        cards: the cards whose names questions may use.
    """

    def __init__(
        self,
        index: Index,
        *,
        weights: Weights | None = None,
        signals: Iterable[str] | None = None,
        expand: bool = True,
        cards: Cards | None = None,
    ) -> None:
        self.index = index
        self.weights = weights or default_weights()
        self.signals = tuple(signals) if signals is not None else self.weights.names
        self.expand = expand
        self.cards = cards
        self.calibration = load_calibration(CALIBRATION)

    @classmethod
    def load(
        cls,
        folder: FilePath | str,
        *,
        encoder: Encoder | None = None,
        weights: Weights | None = None,
        signals: Iterable[str] | None = None,
        expand: bool = True,
    ) -> "Judge":
        """Open a saved index.

        Raises:
            RulesError: there is no index in the folder, or it is damaged.
        """
        index, cards = load(FilePath(folder), encoder), open_cards(FilePath(folder))
        return cls(index, weights=weights, signals=signals, expand=expand, cards=cards)

    @cached_property
    def finder(self) -> CardFinder | None:
        return CardFinder(self.cards, self.index.words["rule"]) if self.cards else None

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(self.index.corpus, self.index.words["rule"])

    @cached_property
    def phrases(self) -> PhraseFinder:
        return phrases_of(self.index)

    @cached_property
    def together(self) -> Together:
        return Together(self.index)

    def read(self, question: str, previous: str = "") -> Asked:
        """Understand a question, without answering it."""
        words = self.index.words["rule"]
        return read(question, self.index.corpus, self.lexicon, words, self.finder, previous, self.phrases)

    def ask(self, question: str, k: int = 10, *, expand: bool | None = None, previous: str = "", known: bool = True) -> Answer:
        """The k rules that decide a question, best first.

        Args:
            k: how many rules at the most, 1 to ``MOST``.
            expand: whether to follow citations.
            previous: ``read_as`` of the answer before this one in the same chat, so that a follow-up is understood.
            known: whether to show known questions that are the same case.

        Raises:
            RulesError: k is out of range.
        """
        if not 1 <= k <= MOST:
            raise RulesError(f"k is {k}; it must lie between 1 and {MOST}")
        asked = self.read(question, previous)
        if asked.empty:
            return self._answer(question, asked, [], k)
        search = Search(self.index, asked)
        weights = self.weights.for_statement() if asked.states else self.weights
        ranked = fuse(gather(search, (name for name in self.signals if weights.signals.get(name))), weights)
        if self.weights.together > 0:
            ranked = with_companions(self.together, ranked, self.weights.together)
        ranked = _first(self._asked_for(asked, ranked), ranked)
        follow = self.expand if expand is None else expand
        depth = max(k, DEPTH)  # whether the question is settled is judged by the same hits, however many are shown
        chosen = (
            follow_citations(self.index, ranked, depth, self.weights.expansion) if follow else [(c, ()) for c in ranked[:depth]]
        )
        comparable = known and ranked and not asked.numbers and not asked.defines
        same = known_questions(search, ranked[0].number, self.weights.known) if comparable else ()
        return self._answer(question, asked, chosen, k, same)

    def _asked_for(self, asked: Asked, ranked: Sequence[Candidate]) -> list[Candidate]:
        """The rules that must come first: those asked for by number, or those that explain a term."""
        own = {candidate.number: candidate for candidate in ranked}
        reasons: dict[RuleNumber, Reason] = {}
        for number in asked.numbers:
            for rule in self.index.corpus.under(number):
                reasons.setdefault(rule.number, Reason("number", str(number)))
        if not asked.numbers and asked.defines:
            reasons = dict.fromkeys(self._explaining(asked.defines, own), Reason("term", asked.defines.term.name))
        top = ranked[0].score if ranked else 0.0
        return [
            Candidate(n, top + 1 - place * 1e-3, own[n].places if n in own else [], (reason,))
            for place, (n, reason) in enumerate(reasons.items())
        ]

    def _explaining(self, wanted: TermHit, own: Mapping[RuleNumber, Candidate]) -> list[RuleNumber]:
        """The family of a term, best match first; of a section, its opening rule and its best matches."""
        if not wanted.term.rules:
            return []
        number = wanted.term.rules[0]
        rules = [rule.number for rule in self.index.corpus.under(number) if not rule.is_heading]
        # The opening rule goes ahead of equals: it says what the thing is.
        weight = dict.fromkeys(rules[:1], 1.1)
        rules = sorted(rules, key=lambda n: -(own[n].score if n in own else 0.0) * weight.get(n, 1.0))
        if number.rule is not None:
            return rules
        opening = [n for n in rules if not n.letter and n.rule == 1]
        return list(dict.fromkeys([*opening, *rules]))[:OPENING]

    def _answer(
        self, question: str, asked: Asked, chosen: Sequence[tuple[Candidate, Path]], k: int, known: tuple[Known, ...] = ()
    ) -> Answer:
        corpus = self.index.corpus
        found = tuple(Hit(corpus.by_number[c.number], c.score, c.reasons, path) for c, path in chosen)
        hits = found[:k]
        missing = ", ".join(str(number) for number in asked.missing)
        # A rule that was asked for by number is an answer by itself: there is nothing to settle.
        calibration = None if asked.empty or asked.numbers else self.calibration
        confidence = calibration.probability(found) if calibration else 0.0
        return Answer(
            question=question[:4_000].encode("utf-8", "replace").decode(),  # lone surrogates can't be sent as JSON
            read_as=asked.text,
            hits=hits,
            known=known,
            cards=tuple(named.card for named in asked.cards if named.card),
            unclear=tuple(
                Unclear(asked.text[named.start : named.end], tuple(card.name for card in named.cards[:12]))
                for named in asked.cards
                if not named.card
            ),
            terms=tuple(hit.term.entry for hit in asked.terms if hit.term.entry and not hit.term.common),
            edition=corpus.name,
            source=corpus.source,
            notice=f"this edition ({corpus.name}) has no rule {missing}" if missing else asked.notice,
            confidence=round(confidence, 4) if calibration else None,
            settled=confidence >= calibration.threshold if calibration else None,
            titles=title_map(corpus, hits),
        )


def _first(first: list[Candidate], ranked: list[Candidate]) -> list[Candidate]:
    taken = {candidate.number for candidate in first}
    return first + [candidate for candidate in ranked if candidate.number not in taken]
