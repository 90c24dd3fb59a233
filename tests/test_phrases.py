"""The phrase table: its rows, its place in an index, how a question's words are matched with it, and what follows."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from eval.bank import check_phrases
from index.__main__ import cli
from index.bank import BANK, PINS
from index.build import build
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.parse import parse
from index.phrases import GAP, MOST_RULES, Phrase, phrases_for, place_phrases, read_phrases, write_pins
from index.pins import Pins
from index.placing import places
from index.words import Words
from qa.answer import Reason
from qa.judge import Judge
from qa.phrases import LONGEST_GAP, USED, PhraseFinder, parts_of, phrases_of
from qa.rank import default_weights
from qa.render import reasons as in_terminal
from qa.retrieve import POINTED, Search, by_phrase
from tests.tiny import TINY, HashEncoder
from ui.cards import reasons as on_page

SPILL = {"phrase": "spills over", "also": ["the overflow … player"], "rules": ["702.19b", "702.2c"], "means": "damage left over"}
RULES = Words.build(["Trample spares no creature.", "The attacker is bounded.", "A spell resolves."])


def phrase(text: str, *also: str, rules: str = "702.19b") -> Phrase:
    return Phrase(text, also, tuple(RuleNumber.parse(number) for number in rules.split()), "")


def finder(*phrases: Phrase, asked: Words | None = None) -> PhraseFinder:
    return PhraseFinder(phrases, [RULES, *([asked] if asked else [])])


def found(one: PhraseFinder, text: str, names: tuple[tuple[int, int], ...] = ()) -> list[str]:
    return [hit.phrase.phrase for hit in one.find(text, names)]


def write(folder: Path, *rows: object) -> Path:
    """A bank's folder with the table beside it."""
    bank = folder / "bank"
    bank.mkdir(exist_ok=True)
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    (folder / "phrases.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return bank


# --- the table


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        json.dumps({**SPILL, "rules": []}),
        json.dumps({**SPILL, "rules": ["702.19b"] * (MOST_RULES + 1)}),
        json.dumps({**SPILL, "rules": ["seven"]}),
        json.dumps({**SPILL, "phrase": " "}),
        json.dumps({**SPILL, "phrase": f"gap at the end {GAP}"}),
        json.dumps({**SPILL, "also": ["two; in one"]}),
        json.dumps({key: value for key, value in SPILL.items() if key != "means"}),
    ],
)
def test_a_faulty_row_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(RulesError, match=r"phrases\.jsonl, line 2: not a phrase"):
        read_phrases(write(tmp_path, SPILL, line))


words = st.text("abcdefgh", min_size=1, max_size=6)
forms = st.lists(words, min_size=1, max_size=4).map(" ".join)


@given(st.lists(forms, min_size=1, max_size=5), st.text(max_size=40))
def test_an_index_keeps_all_of_a_phrase(own: list[str], means: str) -> None:
    one = replace(phrase(*own), means=means)
    assert Phrase.of(one.passage()) == one


def test_a_phrase_without_its_decisive_rule_is_dropped_and_other_rules_are_left_out(tiny_corpus: Corpus) -> None:
    pins = Pins.of(tiny_corpus)
    rows = [phrase("a", rules="702.19b 704.5i"), phrase("b", rules="704.5i 702.19b"), phrase("c", rules="999.1 702.19b")]
    text = TINY.replace("March 4, 2025", "May 1, 2025").replace("702.19", "702.20")
    text = text.replace("A planeswalker without loyalty goes to the graveyard.", "Nothing like it was here before at all.")
    placed = place_phrases(rows, places(pins, parse(text)[0]))
    assert [(one.phrase, [str(number) for number in one.rules]) for one in placed] == [("a", ["702.20b"])]


def test_pins_are_written_for_the_bank_and_the_phrases(tmp_path: Path, tiny_corpus: Corpus) -> None:
    bank = write(tmp_path, SPILL)
    rules = tmp_path / "rules.txt"
    rules.write_text(TINY, encoding="utf-8")
    result = CliRunner().invoke(cli, ["pins", "--rules", str(rules), "--bank", str(bank)])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("2 rules fingerprinted")
    assert Pins.read(bank / PINS) == Pins.of(tiny_corpus).only([RuleNumber.parse("702.19b"), RuleNumber.parse("702.2c")])
    with pytest.raises(RulesError, match=r"has no rule 999\.1"):
        write_pins(tiny_corpus, write(tmp_path, {**SPILL, "rules": ["999.1"]}))


def test_a_build_carries_the_phrases_beside_its_bank(tmp_path: Path, tiny_corpus: Corpus, tiny_judge: Judge) -> None:
    assert "phrase" not in tiny_judge.index.ranges  # NO_BANK: nothing lies beside a folder that is not there
    assert phrases_of(tiny_judge.index).find("it spills over") == []
    with pytest.raises(RulesError, match=r"pins\.json can't be read"):
        build(tiny_corpus, tmp_path / "index", HashEncoder(), lambda line: None, write(tmp_path, SPILL))
    said: list[str] = []
    bank = write(tmp_path, SPILL)
    write_pins(tiny_corpus, bank)
    build(tiny_corpus, tmp_path / "index", HashEncoder(), said.append, bank)
    assert "phrase table: 1 phrases" in said
    weights = replace(default_weights(), signals={"phrase": 1.0})
    answer = Judge.load(tmp_path / "index", encoder=HashEncoder(), weights=weights, expand=False).ask(
        "it spils ovr? spills over?"
    )
    assert [(str(hit.number), hit.reasons) for hit in answer.hits] == [
        ("702.19b", (Reason("phrase", "spills over", 1),)),
        ("702.2c", (Reason("phrase", "spills over", 2),)),
    ]


# --- matching


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("My spell FIZZLED, right?", ["fizzle"]),
        ("can’t be countered", ["can't be countered"]),
        ("it cant be countered", ["can't be countered"]),
        ("it cannot be countered", ["can't be countered"]),
        ("whenever it attacks", ["whenever … attacks"]),
        ("whenever my big green hairy creature attacks", ["whenever … attacks"]),
        ("attacks whenever it likes", []),
        ("a +1/+1 counter", ["+1/+1 counter"]),
        ("a 1/1 counter", []),
        ("a counter", []),
        ("", []),
    ],
)
def test_phrases_are_found_by_their_stems(text: str, names: list[str]) -> None:
    table = [phrase("fizzle"), phrase("can't be countered"), phrase(f"whenever {GAP} attacks"), phrase("+1/+1 counter")]
    assert found(finder(*table), text) == names


@pytest.mark.parametrize("count", range(LONGEST_GAP + 3))
def test_a_gap_holds_so_many_words(count: int) -> None:
    text = " ".join(["exile", *["wort"] * count, "until"])
    assert found(finder(phrase(f"exile {GAP} until")), text) == (["exile … until"] if count <= LONGEST_GAP else [])


def test_the_second_place_is_tried_where_the_first_does_not_fit() -> None:
    text = "exile " + "wort " * (LONGEST_GAP + 1) + "exile it until"
    assert found(finder(phrase(f"exile {GAP} until")), text) == ["exile … until"]


def test_a_phrase_within_a_longer_one_is_left_out() -> None:
    one = finder(phrase("enters"), phrase("enters with"), phrase(f"enters {GAP} counters"))
    assert found(one, "it enters with two") == ["enters with"]
    assert found(one, "it enters with two counters") == ["enters … counters", "enters with"]
    assert found(one, "it enters") == ["enters"]


def test_a_phrase_is_found_once_however_often_it_is_said() -> None:
    (hit,) = finder(phrase("fizzle", "does nothing")).find("it does nothing, it fizzles, it fizzled")
    assert hit.phrase.phrase == "fizzle"


def test_the_most_telling_phrase_comes_first() -> None:
    asked = Words.build([*["dies"] * 100, "a chump"])
    one = finder(phrase("dies"), phrase("chump"), phrase("chump block"), asked=asked)
    assert found(one, "dies, chump") == ["chump", "dies"]
    assert found(one, "it dies to a chump block") == ["chump block", "dies"]
    assert one.find("dies")[0].common
    assert not one.find("chump block")[0].common


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("it fizzels", ["fizzle"]),  # two letters changed places
        ("it fizle", ["fizzle"]),
        ("it fzlze", []),  # too far
        ("fetchable", []),
        ("sumoning sck", []),  # a word of three letters is not mended
        ("sumoning sick", ["summoning sick"]),
        ("summoming sick", ["summoning sick"]),
        ("smmoming sick", ["summoning sick"]),  # two slips in a word of eight letters
        ("spel", []),
        ("bounded", []),  # a word of the rules, though near to "bounced"
        ("bouncd", ["bounce"]),
    ],
)
def test_each_word_may_be_misspelt_once(text: str, names: list[str]) -> None:
    assert found(finder(phrase("fizzle"), phrase("summoning sick"), phrase("bounced", "bounce"), phrase("spell")), text) == [
        {"bounce": "bounced"}.get(name, name) for name in names
    ]


def test_no_guess_where_two_words_are_equally_near() -> None:
    assert found(finder(phrase("flicker"), phrase("clicker")), "plicker") == []
    assert found(finder(phrase("flicker")), "plicker") == ["flicker"]


def test_a_word_that_the_bank_uses_is_no_misspelt_one() -> None:
    one = phrase("flicker")
    assert found(finder(one, asked=Words.build(["clicker"] * (USED - 1))), "clicker") == ["flicker"]
    assert found(finder(one, asked=Words.build(["clicker"] * USED)), "clicker") == []


def test_a_card_s_name_is_no_phrase() -> None:
    text = "I cast Wheel of Fortune and a wheel"
    one = finder(phrase("wheel"))
    start = text.index("Wheel")
    assert found(one, text, ((start, start + len("Wheel of Fortune")),)) == ["wheel"]
    assert found(one, text[: start + len("Wheel of Fortune")], ((start, start + len("Wheel of Fortune")),)) == []
    assert found(finder(phrase("of fortune and")), text, ((start, start + len("Wheel of Fortune")),)) == []


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    one = finder(phrase("fizzle"), phrase(f"a {GAP} b {GAP} c"), phrase("+1/+1"))
    for hit in one.find(text):
        assert hit.written
        assert hit.weight > 0


# --- what follows from it


def test_the_signal_ranks_the_rules_of_the_most_telling_phrase_first(tiny_judge: Judge) -> None:
    table = [phrase("spills over"), phrase("deadly touch and all", rules="702.2b 702.2c"), phrase("tiny", rules="100.1a")]
    asked = tiny_judge.read("is it spills over or deadly touch and all")
    said = tuple(PhraseFinder(table, [tiny_judge.index.words["rule"]]).find(asked.text))
    ranked = by_phrase(Search(tiny_judge.index, replace(asked, phrases=said)))
    assert [(str(one.number), one.via) for one in ranked] == [
        ("702.2b", "deadly touch and all"),
        ("702.2c", "deadly touch and all"),
        ("702.19b", "spills over"),
    ]
    both = (*said, replace(said[0], phrase=phrase("also deadly", rules="702.2c")))
    ranked = by_phrase(Search(tiny_judge.index, replace(asked, phrases=both)))
    assert str(ranked[0].number) == "702.2c"  # two phrases point at it
    assert ranked[0].via == "deadly touch and all"
    common = tuple(replace(hit, weight=0.5) for hit in said)
    assert by_phrase(Search(tiny_judge.index, replace(asked, phrases=common))) == []


def test_phrases_bring_only_a_few_rules(tiny_judge: Judge) -> None:
    table = [phrase("spills over", rules="702.19b 702.19c 510.1a"), phrase("deadly touch", rules="702.2a 702.2b 702.2c")]
    asked = tiny_judge.read("spills over with deadly touch")
    said = tuple(PhraseFinder(table, [tiny_judge.index.words["rule"]]).find(asked.text))
    assert len(by_phrase(Search(tiny_judge.index, replace(asked, phrases=said)))) == POINTED < 6


def test_a_heading_is_no_answer(tiny_judge: Judge) -> None:
    one = PhraseFinder([phrase("spills over", rules="702.19 702.19b")], [tiny_judge.index.words["rule"]])
    asked = replace(tiny_judge.read("spills over"), phrases=tuple(one.find("spills over")))
    assert [str(ranked.number) for ranked in by_phrase(Search(tiny_judge.index, asked))] == ["702.19b"]


def test_the_faces_word_the_reason_well() -> None:
    reason = Reason("phrase", "fizzle", 1)
    assert in_terminal((reason,)) == ['speaks of "fizzle"']
    assert on_page([Reason("words", "rule", 1), reason]) == ["the question speaks of “fizzle”", "its text shares most words"]
    schema = json.loads((Path(__file__).parent.parent / "docs" / "answer.schema.json").read_text(encoding="utf-8"))
    kinds = schema["properties"]["hits"]["items"]["properties"]["reasons"]["items"]["properties"]["kind"]["enum"]
    assert reason.kind in kinds


# --- the check


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([phrase("fizzle", "fizzles")], "is there twice"),
        ([phrase("fizzle"), phrase("goes poof", "fizzled")], "'fizzled' is there twice, also under 'fizzle'"),
        ([phrase(f"if {GAP} ?")], "has a part without a word"),
        ([phrase("fizzle", rules="702.99")], "has no rule 702.99"),
        ([phrase("fizzle", rules="702.19b 702.19")], "702.19 is a heading"),
        ([replace(phrase("fizzle"), means="so the attacker gives each blocker lethal damage first, then the rest")], "10 words"),
    ],
)
def test_faults_are_named(tiny_corpus: Corpus, rows: list[Phrase], problem: str) -> None:
    faults = check_phrases(rows, tiny_corpus)
    assert len(faults) == 1
    assert problem in str(faults[0])
    assert check_phrases([phrase("fizzle")], tiny_corpus) == []


# --- our own table


def test_our_own_table_is_whole() -> None:
    phrases = read_phrases()
    pins = Pins.read(BANK / PINS)
    assert len(phrases) >= 250
    assert [one.phrase for one in phrases if not set(one.rules) <= pins.sketches.keys()] == []
    assert [one.phrase for one in phrases if not one.means.strip()] == []
    assert check_phrases(phrases, None) == []


@pytest.mark.parametrize("filler", ["", " xyzzy" * LONGEST_GAP])
def test_every_form_of_our_table_is_found_as_it_is_written(filler: str) -> None:
    """Or a longer one that it is a part of; with its gaps empty and full."""
    phrases = read_phrases()
    one = PhraseFinder(phrases, [RULES])
    for row in phrases:
        for form in row.forms:
            text = form.replace(GAP, filler)
            stems = {stem for part in parts_of(form) for stem in part}
            hits = one.find(text)
            assert hits, form
            if filler:
                assert any({s for part in parts_of(hit.written) for s in part} <= stems for hit in hits), form


def test_our_own_table_has_no_fault_in_its_edition_and_most_of_it_in_older_ones(rules_data: Path) -> None:
    phrases = read_phrases()
    corpus, _ = parse((rules_data / "cr" / "2026-04-17.txt").read_bytes())
    assert [str(fault) for fault in check_phrases(phrases, corpus)] == []
    assert phrases_for(corpus) == phrases
    older, _ = parse((rules_data / "cr" / "2024-03-08.txt").read_bytes())
    placed = phrases_for(older)
    assert len(placed) > 0.9 * len(phrases)
    assert all(number in older.by_number for one in placed for number in one.rules)


@pytest.mark.parametrize(
    ("question", "name", "rule"),
    [
        ("My removal fizzled since he sacked the guy. Do I still draw?", "fizzle", "608.2b"),
        ("can my elves attack or are they summonning sick?", "summoning sick", "302.6"),
        ("he chump blocks and then sacs the blocker", "chump block", "509.1h"),
        ("if I blink it, does it keep its counters", "flicker", "400.7"),
        ("the creature can't be blocked this turn", "can't be blocked", "509.1b"),
        ("exile target creature until this leaves the battlefield", "exile until", "610.3"),
        ("who goes first in the second game?", "who goes first", "103.1"),
        ("i have no cards in library and must draw", "deck out", "704.5b"),
        ("two of my guys trigger, how do i order the triggers", "two triggers at once", "603.3b"),
        ("Does the opponent have to pay the tax to attack me", "pay to attack", "508.1d"),
    ],
)
def test_players_words_lead_to_rules(question: str, name: str, rule: str) -> None:
    hits = PhraseFinder(read_phrases(), [RULES]).find(question)
    (hit,) = [hit for hit in hits if hit.phrase.phrase == name]
    assert str(hit.phrase.rules[0]) == rule
