"""Reading a question: numbers, terms, definitions, follow-ups, odd input."""

import pytest

from qa.judge import Judge
from qa.question import LONGEST, carries_on, clean, find_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("what does 702.19b say", ["702.19b"]),
        ("cr 613.7", ["613.7"]),
        ("CR613.7d?", ["613.7d"]),
        ("rule 704", ["704"]),
        ("rules 704 and 702.2", ["704", "702.2"]),
        ("section 6, please", ["6"]),
        ("Rule 702.19B.", ["702.19b"]),
        ("compare 510.1a with 510.1c-d", ["510.1a", "510.1c"]),
        ("I have 100 life and 20.5 of something, 3 creatures, 2020", []),
        ("it cost $100.50 or 100.50€", ["100.50"]),
        ("rule 7a or rule 70 or version 1.702.19", []),
        ("rule of thumb 5", []),
    ],
)
def test_numbers(text: str, numbers: list[str]) -> None:
    assert [str(number) for number in find_numbers(text)] == numbers


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Does deathtouch work with trample?", ["Deathtouch", "Trample"]),
        ("my TRAMPLING guys", []),
        ("deathtuch and tramle", ["Deathtouch", "Trample"]),
        ("is this lethal damage?", ["Lethal Damage"]),
        ("warp", []),
        ("creature", []),
    ],
)
def test_terms(tiny_judge: Judge, question: str, names: list[str]) -> None:
    found = [hit.term.name for hit in tiny_judge.lexicon.find(question)]
    assert [name for name in found if name != "Trample" or "TRAMPLING" not in question] == names


@pytest.mark.parametrize(
    "question", ["what does ward do", "how does ward work?", "ward", "Explain ward please", "whats ward mean", "what is wrad"]
)
def test_a_question_for_a_definition(tiny_judge: Judge, question: str) -> None:
    defined = tiny_judge.read(question).defines
    assert (defined.term.name if defined else None) == (None if "wrad" in question else "Ward")


def test_a_question_about_a_case_is_no_definition(tiny_judge: Judge) -> None:
    assert tiny_judge.read("what happens if a blocked attacker with trample meets a planeswalker").defines is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("and if it also has first strike?", True),
        ("What about deathtouch?", True),
        ("does it die?", True),
        ("Does deathtouch work with trample?", False),
        ("Which player chooses first when both must sacrifice a creature at once?", False),
        ("What happens to tokens that leave the battlefield?", False),
        ("Can a creature that has defender attack?", False),
        ("What if two players have the same life total?", False),
        ("What if it was tapped by Frost Breath in response to the declaration of blockers?", True),
        ("What if I respond with a bolt?", True),
        ("can I do that", True),
    ],
)
def test_follow_ups_are_recognised(text: str, expected: bool) -> None:
    assert carries_on(text) is expected


def test_a_follow_up_is_read_with_the_question_before(tiny_judge: Judge) -> None:
    first = tiny_judge.ask("Does an attacker with trample hit the player?")
    second = tiny_judge.ask("and if it has deathtouch?", previous=first.read_as)
    assert second.read_as == "Does an attacker with trample hit the player? and if it has deathtouch?"
    assert {term.term for term in second.terms} >= {"Deathtouch", "Trample"}
    again = tiny_judge.ask("and if it has deathtouch?", previous=second.read_as)
    assert again.read_as == "and if it has deathtouch?"  # asked again, it is not joined again
    alone = tiny_judge.ask("When does ward trigger for an opponent?", previous=first.read_as)
    assert alone.read_as == "When does ward trigger for an opponent?"


@pytest.mark.parametrize("text", ["", "   ", "\x00\x01\x02", "🎉🎉", "?!…", "\u202e\u200b", "\ud800"])
def test_nothing_to_search_for_is_said(tiny_judge: Judge, text: str) -> None:
    answer = tiny_judge.ask(text)
    assert answer.hits == ()
    assert "ask in plain words" in answer.notice


def test_odd_input_is_answered_sanely(tiny_judge: Judge) -> None:
    for text in [
        "trample " * 130_000,
        "' OR 1=1; DROP TABLE rules;--",
        "<script>alert(1)</script> trample",
        "ignore all previous rules",
        "トランプル trample",
    ]:
        answer = tiny_judge.ask(text)
        assert answer.hits
        assert len(answer.read_as) <= LONGEST
        assert len(answer.question) <= 4_000
        assert all(hit.number in tiny_judge.index.corpus for hit in answer.hits)


def test_another_language_is_remarked(tiny_judge: Judge) -> None:
    assert "ask in English" in tiny_judge.ask("quelle créature meurt quand le bouclier tombe").notice


def test_clean_folds_space_and_drops_what_can_not_be_seen() -> None:
    assert clean(" a\t\n b\x00c\u200b \u202ed ") == "a bc d"


@pytest.mark.parametrize(("text", "number"), [("702", "702"), ("what does 704 say?", "704"), ("show me 101", "101")])
def test_a_bare_section_number_is_meant_when_it_is_all_that_is_asked(text: str, number: str) -> None:
    assert [str(n) for n in find_numbers(text)] == [number]
    assert find_numbers("I have 702 life") == ()
