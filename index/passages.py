"""The texts that are embedded; each points at the rules it speaks for."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

from index.citations import mentions
from index.corpus import Corpus, Rule
from index.numbers import RuleNumber


@dataclass(frozen=True)
class Passage:
    """A text that is embedded.

    Attributes:
        text: what the encoder and BM25 read: context (title, heading) and text.
        kind: ``rule``, ``example``, ``glossary``, ``question`` or ``phrase``.
        rules: the rules it speaks for, the decisive one first.
        label: what to show as its origin: a glossary term, a question's id, a phrase; empty for rules and examples.
    """

    text: str
    kind: str
    rules: tuple[RuleNumber, ...]
    label: str = ""

    @cached_property
    def key(self) -> str:
        """A hash of the text, by which embeddings are cached."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def passages(corpus: Corpus) -> list[Passage]:
    """All passages of a corpus: its rules, their examples, its glossary."""
    found = [_rule(corpus, rule) for rule in corpus]
    found += [
        Passage(f"{_context(corpus, rule)}\n{example}", "example", (rule.number,)) for rule in corpus for example in rule.examples
    ]
    found += [
        Passage(f"{entry.term}\n{entry.text}", "glossary", rules, entry.term)
        for entry in corpus.glossary
        if (rules := glossary_rules(corpus, entry.text))
    ]
    return found


def glossary_rules(corpus: Corpus, text: str) -> tuple[RuleNumber, ...]:
    """The rules that a glossary text sends its reader to; a whole section counts by itself, not by all its rules."""
    numbers = dict.fromkeys(mention.first for mention in mentions(text))
    return tuple(number for number in numbers if number in corpus and number.section >= 100)


def _context(corpus: Corpus, rule: Rule) -> str:
    """What a reader of the rulebook sees above the rule: its section's title and its heading, or its parent's text."""
    heading = corpus.heading(rule.number)
    if rule.number.letter and heading == rule.title:
        parent = corpus.by_number.get(rule.number.family)
        return f"{rule.title}: {parent.text[:160]}" if parent else rule.title
    return rule.title if heading == rule.title else f"{rule.title}: {heading}"


def _rule(corpus: Corpus, rule: Rule) -> Passage:
    parts = [f"{rule.number} {_context(corpus, rule)}", rule.text, *rule.examples]
    return Passage("\n".join(parts), "rule", (rule.number,))
