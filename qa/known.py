"""Known questions: rows of the bank that are the same case, with our ruling. They are ours, not official."""

from index.numbers import RuleNumber
from qa.answer import Known
from qa.retrieve import NEIGHBOURS, Search

MOST = 3


def known_questions(search: Search, best: RuleNumber, likeness: float) -> tuple[Known, ...]:
    """The bank's questions that are the same case, nearest first, at most ``MOST``.

    Args:
        best: the first of the rules found; it must be the known question's decisive rule too.
        likeness: the least cosine between two questions that are the same case (``known`` in ``qa/weights.json``).
    """
    found: list[Known] = []
    for near in search.nearest("question", NEIGHBOURS)[: MOST * 2]:
        question = search.index.questions.get(near.passage.label)
        if near.score < likeness or question is None or question.changed:
            continue
        if question.rules[0] == best:  # two witnesses, not one: the likeness and the ranking
            found.append(Known(question.question, question.answer, question.rules, near.score))
    return tuple(found[:MOST])
