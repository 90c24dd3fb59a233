"""Known questions: rows of the bank that are the same case, with our ruling. They are ours, not official."""

from collections.abc import Sequence

from index.numbers import RuleNumber
from qa.answer import Known
from qa.retrieve import NEIGHBOURS, Search

MOST = 3
AGREEING = 3
"""A known question is shown only if its decisive rule is among so many of the best rules: two witnesses, not one."""


def known_questions(search: Search, best: Sequence[RuleNumber], likeness: float) -> tuple[Known, ...]:
    """The bank's questions that are the same case, nearest first, at most ``MOST``.

    Args:
        best: the rules found, best first.
        likeness: the least cosine between two questions that are the same case (``known`` in ``qa/weights.json``).
    """
    found: list[Known] = []
    for near in search.nearest("question", NEIGHBOURS)[: MOST * 2]:
        question = search.index.questions.get(near.passage.label)
        if near.score < likeness or question is None or question.changed:
            continue
        if question.rules[0] in best[:AGREEING]:
            found.append(Known(question.question, question.answer, question.rules, near.score))
    return tuple(found[:MOST])
