"""Rule numbers: reading, order, parents, ranges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.errors import RulesError
from index.numbers import LETTERS, RuleNumber, complete, follows, next_letter

SECTIONS = st.integers(100, 999)
LETTER = st.one_of(
    st.just(""), st.sampled_from(LETTERS), st.builds(lambda a, b: a + b, st.sampled_from("ab"), st.sampled_from(LETTERS))
)
NUMBERS = st.one_of(
    st.builds(RuleNumber, st.integers(1, 9)),
    st.builds(RuleNumber, SECTIONS),
    st.builds(RuleNumber, SECTIONS, st.integers(0, 300), LETTER),
)


@given(NUMBERS)
def test_reading_gives_back_what_was_written(number: RuleNumber) -> None:
    assert RuleNumber.parse(str(number)) == number
    assert RuleNumber.parse(f" CR {number}. ".upper()) == number


@given(NUMBERS, NUMBERS, NUMBERS)
def test_order_is_total_and_transitive(a: RuleNumber, b: RuleNumber, c: RuleNumber) -> None:
    assert (a < b) + (b < a) + (a == b) == 1
    if a < b and b < c:
        assert a < c


@given(NUMBERS)
def test_parents_contain_and_precede(number: RuleNumber) -> None:
    step = number.parent
    while step is not None:
        assert step < number
        assert step.contains(number)
        assert not number.contains(step)
        step = step.parent
    assert number.contains(number)


def test_natural_order() -> None:
    written = "1 100 100.1 100.1a 110 110.2 110.2z 110.2aa 110.10 2 200 702 702.2 702.19 702.19a 702.19b".split()
    numbers = [RuleNumber.parse(text) for text in written]
    assert [str(number) for number in sorted(set(numbers))] == written


@pytest.mark.parametrize(
    "text", ["", "70", "0", "12.3", "7.1", "702.", "702.b", "702.19.1", "702.19abc", "7０2.1", "rule", "-702", "10000"]
)
def test_what_is_no_number_is_refused_with_a_remedy(text: str) -> None:
    if text == "702.":
        assert str(RuleNumber.parse(text)) == "702"  # as the rulebook's headings write it
        return
    with pytest.raises(RulesError, match=r"write it like 702"):
        RuleNumber.parse(text)


def test_letters_skip_l_and_o() -> None:
    letters = ["a"]
    while len(letters) < 26:
        letters.append(next_letter(letters[-1]))
    assert "".join(letters[:24]) == LETTERS
    assert letters[24:] == ["aa", "ab"]


def test_follows() -> None:
    def after(new: str, last: str) -> bool:
        return follows(RuleNumber.parse(new), RuleNumber.parse(last))

    assert after("702.19b", "702.19a")
    assert after("702.20", "702.19g")
    assert after("702.19m", "702.19k")
    assert after("703.1", "702.190a")
    assert not after("702.19c", "702.19a")
    assert not after("409.2", "702.19a")
    assert not after("702.19b", "702.18a")


@pytest.mark.parametrize(
    ("first", "tail", "whole"),
    [
        ("510.1c", "d", "510.1d"),
        ("119.7", "8", "119.8"),
        ("409.1a", "409.1f", "409.1f"),
        ("704", "706", "706"),
        ("510.1c", "8", None),
        ("119.7", "d", None),
        ("704", "8", None),
    ],
)
def test_a_ranges_end_may_leave_out_what_it_shares(first: str, tail: str, whole: str | None) -> None:
    found = complete(RuleNumber.parse(first), tail)
    assert (str(found) if found else None) == whole
