"""Follow citations both ways from the best rules, within a stated budget."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from index.numbers import RuleNumber
from index.store import Index
from qa.answer import Reason, Step
from qa.rank import Candidate
from qa.retrieve import is_link

SEEDS = 3
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

    A rule that is cited keeps what speaks for it by itself and gets a share of its seed's score on top: a citation
    confirms what other signals saw too, rather than bringing what none saw.

    Args:
        share: of the seed's score; halved where the seed is what is cited.
    """
    own = {candidate.number: candidate for candidate in ranked}
    direct = {candidate.number for candidate in ranked[:k]}
    reached: dict[RuleNumber, tuple[Candidate, Path]] = {}
    for seed in ranked[: min(SEEDS, k)]:
        for relation, number in _neighbours(index, seed.number):
            if number in reached:
                continue
            base = own.get(number, Candidate(number))
            score = base.score + seed.score * (share if relation == "cites" else share / 2)
            path = () if number in direct else (Step(seed.number, relation, number),)
            why = base.why if number in direct else (Reason("citation", f"{_verb(relation)} {seed.number}"),)
            reached[number] = (replace(base, score=score, why=why), path)
    return _merge(ranked[:k], reached, k)


def _merge(
    direct: Sequence[Candidate], reached: dict[RuleNumber, tuple[Candidate, Path]], k: int
) -> list[tuple[Candidate, Path]]:
    kept: list[tuple[Candidate, Path]] = [(candidate, ()) for candidate in direct[:KEPT]]
    ceiling = kept[-1][0].score if kept else float("inf")

    def below(candidate: Candidate) -> Candidate:
        return replace(candidate, score=min(candidate.score, ceiling))

    pool: list[tuple[Candidate, Path]] = [(below(reached[c.number][0] if c.number in reached else c), ()) for c in direct[KEPT:]]
    added = sorted((item for item in reached.values() if item[1]), key=lambda item: (-item[0].score, item[0].number))
    pool += [(below(candidate), path) for candidate, path in added[:BUDGET]]
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
