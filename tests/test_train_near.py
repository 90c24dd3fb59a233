"""How near a guess is, how guesses are read, and how texts are told apart."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.citations import Citations
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.parse import parse
from tests.tiny import TINY
from ui.train.alike import differences
from ui.train.near import Nearness, nearness, rating_of, read_guess, said

CORPUS = parse(TINY)[0]


def number(text: str) -> RuleNumber:
    return RuleNumber.parse(text)


@pytest.mark.parametrize(
    ("guess", "rules", "expected", "rating"),
    [
        ("702.19b", "702.19b 702.2c", Nearness.EXACT, 3),
        ("702.2c", "702.19b 702.2c", Nearness.OTHER, 2),
        ("702.19c", "702.19b", Nearness.FAMILY, 2),
        ("702.19", "702.19b", Nearness.FAMILY, 2),
        ("702.2c", "702.19b", Nearness.CITES, 1),
        ("702.19b", "702.2c", Nearness.CITES, 1),
        ("510.1b", "702.19c", Nearness.CITES, 1),
        ("702.21a", "702.19b", Nearness.SECTION, 1),
        ("702", "702.19b", Nearness.SECTION, 1),
        ("7", "702.19b", Nearness.FAR, 1),
        ("100.1b", "702.21a", Nearness.FAR, 1),
        ("101.2", "702.19b", Nearness.FAR, 1),
        ("", "702.19b", Nearness.NONE, 1),
    ],
)
def test_nearness(guess: str, rules: str, expected: Nearness, rating: int, tiny_corpus: Corpus) -> None:
    gold = [number(text) for text in rules.split()]
    near = nearness(number(guess) if guess else None, gold, Citations(tiny_corpus))
    assert near == expected
    assert rating_of(near) == rating
    assert said(near)


@pytest.mark.parametrize(
    "text",
    ["702.19b", " CR 702.19 B.", "rule 702.19(b)", "Rule: 702.19b", "§702.19.b", "７０２.19b", "comprehensive rule 702.19b?"],
)
def test_guesses_are_read_as_people_type_them(text: str, tiny_corpus: Corpus) -> None:
    assert read_guess(text, tiny_corpus) == number("702.19b")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "no rule was named"),
        (" \n", "no rule was named"),
        ("trample", "'trample' is not a rule number"),
        ("702.19z", "has no rule 702.19z; the nearest is 702.19c"),
        ("999", "has no rule 999"),
        ("702.19b" * 9_999, "is not a rule number"),
        ("\ud800", "is not a rule number"),
    ],
)
def test_guesses_that_name_nothing_say_what_is_near(text: str, part: str, tiny_corpus: Corpus) -> None:
    with pytest.raises(RulesError, match=part):
        read_guess(text, tiny_corpus)


@given(st.text(max_size=60))
def test_any_guess_is_a_number_or_an_error(text: str) -> None:
    try:
        assert CORPUS.under(read_guess(text, CORPUS))
    except RulesError as error:
        str(error).encode()


words = st.text(alphabet="aAbc ’-.{}\n", max_size=60)


@given(words, words)
def test_differences_give_both_texts_back(a: str, b: str) -> None:
    first, second = differences(a, b)
    assert "".join(piece.text for piece in first) == a
    assert "".join(piece.text for piece in second) == b
    assert all(one.differs != other.differs for side in (first, second) for one, other in pairwise(side))


def test_differing_words_are_marked() -> None:
    first, second = differences("An unblocked creature assigns its damage.", "A blocked creature assigns ALL its damage.")
    assert [piece.text for piece in first if piece.differs] == ["An unblocked"]
    assert [piece.text for piece in second if piece.differs] == ["A blocked", "ALL"]
    assert not any(piece.differs for piece in differences("Same thing.", "same thing.")[0])
