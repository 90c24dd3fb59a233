"""How far two readers, who fixed the gold of the same questions alone, agree.

One line a question: ``id`` and ``rules``, the decisive rule first; ``rules: []`` where the reader found that the rulebook
does not settle it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from eval.jsonl import read_objects
from eval.report import table
from index.errors import RulesError
from index.numbers import RuleNumber

Reader: TypeAlias = Mapping[str, tuple[RuleNumber, ...]]


def read_reader(path: Path) -> Reader:
    """One reader's rules by question id.

    Raises:
        RulesError: the file is broken; names the line.
    """
    read: dict[str, tuple[RuleNumber, ...]] = {}
    for where, row in read_objects(path):
        identity, rules = row.get("id"), row.get("rules")
        if not isinstance(identity, str) or not isinstance(rules, list) or identity in read:
            raise RulesError(f"{where}: give each question once, with an 'id' and a list of 'rules'")
        try:
            read[identity] = tuple(RuleNumber.parse(str(rule)) for rule in rules)
        except RulesError as error:
            raise RulesError(f"{where}: {error}") from error
    return read


def agree(a: Reader, b: Reader) -> dict[str, float]:
    """The shares of the questions on which the readers agree.

    Questions that one of them left open count as a disagreement; those that both left open are taken out.

    Raises:
        RulesError: the readers did not read the same questions.
    """
    if a.keys() != b.keys():
        odd = sorted(a.keys() ^ b.keys())
        raise RulesError(f"the readers did not read the same questions: {len(odd)} were read by one only (first: {odd[0]})")
    pairs = [(a[identity], b[identity]) for identity in a if a[identity] or b[identity]]
    if not pairs:
        raise RulesError("no question has rules of either reader")
    count = len(pairs)
    return {
        "questions": count,
        "both left open": len(a) - count,
        "first rule, exact": sum(one[:1] == other[:1] for one, other in pairs) / count,
        "first rule, family": sum(_families(one[:1]) == _families(other[:1]) for one, other in pairs) / count,
        "same set, exact": sum(set(one) == set(other) for one, other in pairs) / count,
        "same set, family": sum(_families(one) == _families(other) for one, other in pairs) / count,
        "A's rules that B names": sum(_share(one, other) for one, other in pairs) / count,
        "B's rules that A names": sum(_share(other, one) for one, other in pairs) / count,
        "A's first rule among B's": sum(bool(one) and one[0] in other for one, other in pairs) / count,
    }


def agreement_table(shares: Mapping[str, float]) -> str:
    """The shares as Markdown."""
    rows = ([name, f"{value:.1%}" if isinstance(value, float) else str(value)] for name, value in shares.items())
    return table(["two readers", "share"], rows)


def _families(rules: tuple[RuleNumber, ...]) -> set[RuleNumber]:
    return {number.family for number in rules}


def _share(found: tuple[RuleNumber, ...], among: tuple[RuleNumber, ...]) -> float:
    """The share of one reader's rules that the other names: what recall@10 is for a system."""
    return len(set(found) & set(among)) / len(set(found)) if found else 0.0
