"""Known questions: rows of the bank that are the same case, with our ruling. They are ours, not official."""

from index.numbers import RuleNumber
from index.words import tokens
from qa.answer import Known
from qa.retrieve import NEIGHBOURS, Search

MOST = 3
WORDS = 0.3
"""What two questions' common words add to the likeness of their meaning."""


def same_case(cosine: float, asked: str, known: str) -> float:
    """How alike two questions are: the cosine of their meanings, and ``WORDS`` × the share of common words (Jaccard).

    Neither alone tells the same case from its neighbours; ``python -m eval known`` measures the two together.
    """
    a, b = set(tokens(asked)), set(tokens(known))
    return cosine + WORDS * len(a & b) / max(1, len(a | b))


def known_questions(search: Search, best: RuleNumber, likeness: float) -> tuple[Known, ...]:
    """The bank's questions that are the same case, nearest first, at most ``MOST``.

    Args:
        best: the first of the rules found; it must be the known question's decisive rule too.
        likeness: the least likeness of two questions that are the same case (``known`` in ``qa/weights.json``).
    """
    found: list[Known] = []
    for near in search.nearest("question", NEIGHBOURS)[: MOST * 2]:
        question = search.index.questions.get(near.passage.label)
        if question is None or question.changed or question.rules[0] != best:
            continue  # two witnesses, not one: the likeness and the ranking
        score = same_case(near.score, search.asked.text, question.question)
        if score >= likeness:
            found.append(Known(question.question, question.answer, question.rules, score))
    return tuple(sorted(found, key=lambda known: -known.likeness)[:MOST])
