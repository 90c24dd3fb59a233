"""Known questions: how alike two questions are, and how the pairs that a reader has judged are counted."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.known import PAIRS, Shown, read_pairs, shown
from index.bank import Question, read_bank
from index.errors import RulesError
from index.numbers import RuleNumber
from qa.known import WORDS, same_case
from tests.tiny import HashEncoder

BANK = {
    name: Question(name, text, "Yes.", (RuleNumber.parse("702.19b"),), 1, "interaction")
    for name, text in (("a", "Does trample spill over?"), ("b", "May ward be paid twice?"))
}


def test_common_words_raise_the_likeness() -> None:
    assert same_case(0.5, "Does trample spill over?", "Does trample spill over?") == pytest.approx(0.5 + WORDS)
    assert same_case(0.5, "Does trample spill over?", "May ward be paid twice?") == 0.5
    assert 0.5 < same_case(0.5, "Does trample spill over?", "Trample and ward") < 0.5 + WORDS


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_likeness_of_words_is_symmetric(a: str, b: str) -> None:
    assert same_case(0.0, a, b) == same_case(0.0, b, a)
    assert 0 <= same_case(0.0, a, b) <= WORDS


def test_pairs_above_a_threshold_are_counted() -> None:
    pairs = [(BANK["a"].question, BANK["a"], True), ("Does trample spill over?", BANK["b"], False)]
    low, high = shown(pairs, HashEncoder(), [-1.0, 0.8])
    assert (low.count, low.same) == (2, 1)
    assert (high.count, high.same) == (1, 1)


def test_an_interval_narrows_with_the_pairs_and_holds_the_share() -> None:
    few, many = Shown(0.9, 10, 9), Shown(0.9, 1000, 900)
    assert few.share == many.share == 0.9
    assert few.low < many.low < 0.9
    assert Shown(0.9, 0, 0).low == 0.0


def test_pairs_whose_questions_are_gone_are_left_out(tmp_path: Path) -> None:
    rows = [{"asked": "a", "known": "b", "same": True}, {"asked": "gone", "known": "b", "same": True}]
    path = tmp_path / "known.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    assert read_pairs(BANK, path) == [(BANK["a"].question, BANK["b"], True)]


@pytest.mark.parametrize(
    "row", [{"asked": "a"}, {"asked": "a", "known": "b", "same": "yes"}, {"asked": 1, "known": "b", "same": True}]
)
def test_a_broken_pair_is_named(tmp_path: Path, row: dict[str, object]) -> None:
    path = tmp_path / "known.jsonl"
    path.write_text(json.dumps(row))
    with pytest.raises(RulesError, match="line 1"):
        read_pairs(BANK, path)


def test_the_pairs_that_we_keep_are_of_the_bank_and_the_sets() -> None:
    bank = {question.id: question for question in read_bank()}
    pairs = read_pairs(bank)
    assert len(pairs) == len(PAIRS.read_text().splitlines()) >= 300
    assert 0.3 < sum(same for _, _, same in pairs) / len(pairs) < 0.9
