"""How near a guess is, how guesses are read, and how texts are told apart."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.citations import Citations
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.parse import parse
from tests.tiny import TINY
from ui.train.alike import LITTLE_IN_COMMON, MARKED, THE_SAME, compared, differences
from ui.train.near import Nearness, Relations, nearness, rating_of, read_guess, said
from ui.train.twins import same_words, twins

CORPUS = parse(TINY)[0]
TWINS = """
510.3. Second, the active player goes on. (See rule 510.1.)

7. Additional Rules

700. General

700.1. A thing is a thing. See rule 704.

700.2. This looks at rule 510.1a only.

701. Actions

701.1. Second, the active player goes on. (See rule 701.2.)

701.2. There are many ways to act.
"""
MANY = "".join(f"\n701.2{letter} Way {letter} is to do what is said in no other place.\n" for letter in "abcdefghi")
CROWDED = parse(
    TINY.replace("\n7. Additional Rules\n\n702. Keyword", f"{TWINS}{MANY}\n702. Keyword").replace(
        "7. Additional Rules\n702.", "7. Additional Rules\n700. General\n701. Actions\n702."
    )
)[0]
"""The small rulebook with a twin (510.3 and 701.1), a crowded family (701.2) and rules that send elsewhere."""


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
        ("7", "702.19b", Nearness.CHAPTER, 1),
        ("100.1b", "702.21a", Nearness.FAR, 1),
        ("101.2", "702.19b", Nearness.FAR, 1),
        ("", "702.19b", Nearness.NONE, 1),
    ],
)
def test_nearness(guess: str, rules: str, expected: Nearness, rating: int, tiny_corpus: Corpus) -> None:
    near, _ = judged(guess, rules, tiny_corpus)
    assert near == expected
    assert rating_of(near) == rating


def judged(guess: str, rules: str, corpus: Corpus) -> tuple[Nearness, str]:
    relations = Relations(corpus, Citations(corpus))
    named, gold = number(guess) if guess else None, [number(text) for text in rules.split()]
    near = nearness(named, gold, relations)
    return near, said(near, named, gold, relations)


@pytest.mark.parametrize(
    ("guess", "rules", "expected", "rating", "part"),
    [
        ("701.1", "510.3", Nearness.TWIN, 3, "the same words under another number"),
        ("701.1", "510.3 701.1", Nearness.TWIN, 3, "the same words"),
        ("701.1", "702.2b 510.3", Nearness.OTHER_TWIN, 2, "the same words"),
        ("704.5h", "700.1", Nearness.CITES, 1, "joined to the decisive one by a citation"),
        ("704", "700.1", Nearness.CITES, 1, "but no rule"),
        ("510.1", "700.2", Nearness.CITES, 1, "joined"),
        ("510.1b", "700.2", Nearness.FAR, 1, "another part"),
        ("700.1", "704.5h", Nearness.FAR, 1, "another part"),
        ("702.2", "702.2b", Nearness.FAMILY, 2, "the right family, but no rule of it"),
        ("702.2a", "702.2b", Nearness.FAMILY, 2, "the right family, but another rule of it"),
        ("702", "702.2b", Nearness.SECTION, 1, "the right section, but no rule of it"),
        ("702.21a", "702.2b", Nearness.SECTION, 1, "the right section, but another rule"),
        ("7", "702.2b", Nearness.CHAPTER, 1, "the right chapter, but no rule of it"),
        ("1", "702.2b", Nearness.FAR, 1, "another part"),
        ("701.2", "701.2b", Nearness.SECTION, 1, "only the head of the right family"),
        ("701.2c", "701.2b", Nearness.FAMILY, 2, "another rule of it"),
    ],
)
def test_what_is_said_of_a_guess_is_true(guess: str, rules: str, expected: Nearness, rating: int, part: str) -> None:
    near, text = judged(guess, rules, CROWDED)
    assert (near, rating_of(near)) == (expected, rating)
    assert part in text


@pytest.mark.parametrize(("decisive", "twin"), [("107.16a", "716.2a"), ("107.15a", "714.2b"), ("504.2", "509.2")])
def test_the_twins_of_the_real_rulebook(decisive: str, twin: str, rules_data: Path) -> None:
    corpus = parse((rules_data / "cr" / "2026-04-17.txt").read_bytes())[0]
    assert judged(twin, decisive, corpus)[0] == judged(decisive, twin, corpus)[0] == Nearness.TWIN
    assert judged("704.5", "704.5g", corpus)[0] == judged("702.16", "702.16b", corpus)[0] == Nearness.SECTION
    assert judged("704.5h", "702.2b", corpus)[0] == Nearness.CITES
    assert judged("601.2", "601.2f", corpus)[0] == Nearness.FAMILY  # it says much itself


def test_twins_are_told_by_words_alone() -> None:
    assert twins(CROWDED) == {number("510.3"): {number("701.1")}, number("701.1"): {number("510.3")}}
    assert same_words("See rule 702.19b.", "See rule 702.2a.")
    assert not same_words("Draw a card.", "Draw two cards.")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "702.19b",
            " CR 702.19 B.",
            "rule 702.19(b)",
            "Rule: 702.19b",
            "§702.19.b",
            "７０２.19b",
            "comprehensive rule 702.19b?",
        ),
        *("702,19b", "702-19b", "702–19 b", '"702.19b"', "“702.19b”", "'rule 702,19b'", "«702.19b».", 'rule "702-19B"'),
    ],
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
        ("702.19bg", "has no rule 702.19bg; the nearest is 702.19b"),
        ("702, 19 creatures", "is not a rule number"),
        ("702,2,1", "is not a rule number"),
        ('""', "is not a rule number"),
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


def marks(a: str, b: str) -> list[str]:
    return [piece.text for piece in differences(a, b)[0] if piece.differs]


def test_a_few_words_in_common_do_not_break_a_marked_run() -> None:
    long = "When it dies, one two three four the five six seven eight nine, it returns."
    other = "When it dies, red green blue the black white brown grey, it returns."
    assert marks(long, other) == ["one two three four the five six seven eight nine"]
    assert marks("one two three four.", "red green blue black.") == ["one two three four."]
    assert marks("A white cat sits here.", "A black cat lies here.") == ["white", "sits"]


def test_texts_with_little_in_common_are_not_marked() -> None:
    far = compared("Each player draws seven cards and may change them.", "Damage is dealt at the same moment.")
    assert (far.told, far.marked) == (LITTLE_IN_COMMON, False)
    near = compared("An unblocked creature assigns its damage.", "A blocked creature assigns all its damage.")
    assert (near.told, near.marked) == (MARKED, True)
    same = compared("Go on. (See rule 510.1.)", "Go on. (See rule 701.2.)")
    assert (same.told, same.marked, same.first[0].text) == (THE_SAME, False, "Go on. (See rule 510.1.)")
    assert compared("", "").told == THE_SAME
