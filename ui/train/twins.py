"""Rules that have the same words under several numbers: some are written down once in each section that needs them."""

from collections.abc import Mapping

from index.citations import mentions
from index.corpus import Corpus
from index.numbers import RuleNumber


def wording(text: str) -> str:
    """What a rule says, without the numbers in it: a twin cites what stands in its own section."""
    parts, end = [], 0
    for mention in mentions(text):
        parts.append(text[end : mention.start])
        end = mention.end
    return " ".join("#".join([*parts, text[end:]]).casefold().split())


def same_words(a: str, b: str) -> bool:
    """Whether two texts differ in nothing but the numbers that they cite."""
    return a == b or wording(a) == wording(b)


def twins(corpus: Corpus) -> Mapping[RuleNumber, frozenset[RuleNumber]]:
    """By each rule that has some: the other rules with its words. Headings ("Trample") say nothing that could be the same."""
    found: dict[str, list[RuleNumber]] = {}
    for rule in corpus:
        if not rule.is_heading:
            found.setdefault(wording(rule.text), []).append(rule.number)
    groups = [frozenset(numbers) for numbers in found.values() if len(numbers) > 1]
    return {number: group - {number} for group in groups for number in group}
