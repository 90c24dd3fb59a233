"""Checking the bank: faults are named, and our own bank has none."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from eval.__main__ import main
from eval.bank import check_bank, coverage, own_bank
from index.bank import Question
from index.corpus import Corpus
from index.numbers import RuleNumber
from index.parse import parse

GOOD = Question("a-1", "May my trampler hit the player?", "Yes.", (RuleNumber.parse("702.19b"),), 1, "interaction")


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([GOOD, replace(GOOD, question="Another?")], "the id occurs more than once"),
        ([GOOD, replace(GOOD, id="a-2", question="may my  TRAMPLER hit the player?")], "the same words"),
        ([replace(GOOD, checked=0)], "nobody has checked it"),
        ([replace(GOOD, rules=(RuleNumber.parse("702.99z"),))], "has no rule 702.99z"),
        ([replace(GOOD, answer="So the attacker gives each blocker lethal damage first, then the rest may go on.")], "10 words"),
    ],
)
def test_faults_are_named(tiny_corpus: Corpus, rows: list[Question], problem: str) -> None:
    faults = check_bank(rows, tiny_corpus, None, ())
    assert faults
    assert all(problem in str(fault) for fault in faults)
    assert check_bank([GOOD], tiny_corpus, None, ()) == []


def test_coverage_counts_rules_that_decide(tiny_corpus: Corpus) -> None:
    rows = {str(number): rest for number, *rest in coverage([GOOD, GOOD], tiny_corpus)}
    assert rows["702"] == ["Keyword Abilities", 7, 1, 2]


def test_our_own_bank_has_no_fault(rules_data: Path) -> None:
    corpus, _ = parse((rules_data / "cr" / "2026-04-17.txt").read_bytes())
    assert [str(fault) for fault in check_bank(own_bank(), corpus, None, ())] == []


def test_the_command_prints_its_counts() -> None:
    result = CliRunner().invoke(main, ["check-bank", "--sections"])
    assert result.exit_code == 0, result.output
    assert "702 Keyword Abilities: " in result.output
    assert result.output.splitlines()[-1].endswith(" 0 faults")
