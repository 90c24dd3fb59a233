"""Follow citations both ways from the best rules, within a stated budget."""

from collections.abc import Iterator, Sequence

from index.numbers import RuleNumber
from index.store import Index
from qa.answer import Reason, Step
from qa.rank import Candidate
from qa.retrieve import is_link

SEEDS = 5
"""Citations are followed from this many of the best rules."""
BUDGET = 3
"""At most this many of an answer's rules are there only because of a citation."""
KEPT = 5
"""The first rules of an answer are never displaced by the expansion."""
HUB = 12
"""A rule with more citations than this either way ties nothing in particular together (601.2, 704.5)."""

Path = tuple[Step, ...]


def expand(index: Index, ranked: Sequence[Candidate], k: int, share: float) -> list[tuple[Candidate, Path]]:
    """The k best rules, among them at most ``BUDGET`` that citations of the best ``SEEDS`` lead to.

    Args:
        share: an expanded rule's score is this share of its seed's, halved for a rule that the seed's is cited by.
    """
    direct = {candidate.number: candidate for candidate in ranked[:k]}
    reached: dict[RuleNumber, tuple[Candidate, Path]] = {}
    for seed in ranked[: min(SEEDS, k)]:
        for relation, number in _neighbours(index, seed.number):
            if number in direct or number in reached:
                continue
            score = seed.score * (share if relation == "cites" else share / 2)
            own = next((c for c in ranked if c.number == number), None)
            why = (Reason("citation", f"{_verb(relation)} {seed.number}"),)
            candidate = Candidate(number, score + (own.score if own else 0.0) / 2, own.places if own else [], why)
            reached[number] = (candidate, (Step(seed.number, relation, number),))
    added = sorted(reached.values(), key=lambda item: (-item[0].score, item[0].number))[:BUDGET]
    return _merge(ranked[:k], added, k)


def _merge(direct: Sequence[Candidate], added: Sequence[tuple[Candidate, Path]], k: int) -> list[tuple[Candidate, Path]]:
    kept: list[tuple[Candidate, Path]] = [(candidate, ()) for candidate in direct[:KEPT]]
    pool = [(candidate, ()) for candidate in direct[KEPT:]] + list(added)
    ceiling = kept[-1][0].score if kept else float("inf")
    for candidate, _ in added:
        candidate.score = min(candidate.score, ceiling)
    pool.sort(key=lambda item: (-item[0].score, item[0].number))
    return (kept + pool)[:k]


def _neighbours(index: Index, number: RuleNumber) -> Iterator[tuple[str, RuleNumber]]:
    """The rules next to a rule in the citation graph, with how it relates to them; hubs lead nowhere."""
    for relation, others in (("cites", index.citations.cites(number)), ("is cited by", index.citations.cited_by(number))):
        if len(others) > HUB:
            continue
        for other in others:
            if not is_link(index, other) and len(index.citations.cited_by(other)) <= HUB:
                yield relation, other


def _verb(relation: str) -> str:
    return "cited by" if relation == "cites" else "cites"
