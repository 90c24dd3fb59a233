"""Decks, how they are filtered, what is set aside; how near a guess is; look-alikes and contrasts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from index.bank import PINS, Question, bank_for
from index.build import build
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.parse import parse
from index.pins import Pins
from index.sources import DIGEST, load_file
from index.store import Index, load
from tests.serving import lines
from tests.tiny import TINY, HashEncoder
from ui.train.alike import look_alikes
from ui.train.contrast import MISTAKEN, SIBLINGS, Contrast, contrasts, prompt
from ui.train.deck import BANK_NO_CARDS, NO_CARDS, UNRECORDED, Deck
from ui.train.filters import Filters
from ui.train.options import chosen_questions, filters_of
from ui.train.sets import MOST_ROWS, parse_set

ROWS: list[dict[str, Any]] = [
    {"id": "t1", "question": "A 5/5 trampler meets a 2/2?", "answer": "Three go through.", "rules": ["702.19b"], "level": 1},
    {"id": "t2", "question": "Its only blocker left combat. Hit the player?", "answer": "Yes.", "rules": ["702.19c"], "level": 2},
    {"id": "d1", "question": "Deathtouch and trample?", "answer": "One is enough.", "rules": ["702.2c", "702.19b"], "level": 2},
    {"id": "s1", "question": "When is my hurt commander gone?", "answer": "At once.", "rules": ["704.5g"], "level": 3},
    {"id": "g1", "question": "Two cards disagree?", "answer": "No wins.", "rules": ["101.2"], "level": 1, "kind": "definition"},
]


def number(text: str) -> RuleNumber:
    return RuleNumber.parse(text)


def deck_of(corpus: Corpus, *rows: dict[str, Any]) -> Deck:
    return Deck.parse(lines(*(rows or ROWS)), "team", corpus)


def ids(deck: Deck, **wanted: Any) -> list[str]:
    return [question.id for question in deck.select(Filters(**wanted))]


@pytest.fixture(scope="module")
def bank_folder(tiny_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bank of the questions above, pinned to the small rulebook."""
    folder = tmp_path_factory.mktemp("bank")
    (folder / "a.jsonl").write_text(lines(*({"kind": "interaction", "checked": 1} | row for row in ROWS)))
    (folder / PINS).write_text(Pins.of(tiny_corpus).to_json())
    return folder


@pytest.fixture(scope="module")
def index(tiny_corpus: Corpus, bank_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("trained") / "index"
    build(tiny_corpus, folder, HashEncoder(), lambda line: None, bank_folder)
    return load(folder, HashEncoder())


def test_filters_choose_in_the_decks_order(tiny_corpus: Corpus) -> None:
    deck = deck_of(tiny_corpus)
    assert ids(deck) == ["t1", "t2", "d1", "s1", "g1"]
    assert ids(deck, levels=frozenset({2, 3})) == ["t2", "d1", "s1"]
    assert ids(deck, kinds=frozenset({"definition"})) == ["g1"]
    assert ids(deck, chapters=frozenset({1})) == ["g1"]
    assert ids(deck, keyword="tRAMPLE") == ["t1", "t2", "d1"]
    assert ids(deck, keyword="trample", levels=frozenset({2})) == ["t2", "d1"]
    assert ids(deck, commander=True) == ["s1"]
    assert "s1" not in ids(deck, commander=False)
    assert [q.id for q in deck.select(Filters(), only={"t2", "gone"})] == ["t2"]
    assert deck.keywords() == ["Deathtouch", "Trample"]
    assert deck.chapters() == {1: "Game Concepts", 7: "Additional Rules"}
    assert list(deck.narrowed(Filters(keyword="Trample")).questions) == ["t1", "t2", "d1"]


def test_commander_is_seen_by_the_rules_too(tiny_corpus: Corpus) -> None:
    text = TINY.replace("704. State-Based Actions", "903. Commander").replace("704.", "903.")
    deck = deck_of(parse(text)[0], {"id": "c", "question": "When?", "rules": ["903.5g"]}, {**ROWS[0], "question": "EDH: who?"})
    assert ids(deck, commander=True) == ["c", "t1"]


def test_cards_are_known_or_not_guessed(tiny_corpus: Corpus) -> None:
    unknown = deck_of(tiny_corpus)
    assert unknown.notes == (NO_CARDS,)
    assert ids(unknown, cards=True) == ids(unknown, cards=False) == []
    assert "leave the cards filter out" in unknown.remedy(Filters(cards=True))
    known = deck_of(tiny_corpus, {**ROWS[0], "cards": ["Some Beast"]}, ROWS[1])
    assert known.notes == ()
    assert (ids(known, cards=True), ids(known, cards=False)) == (["t1"], ["t2"])


def test_a_bank_that_knows_no_cards_says_to_rebuild(index: Index, tiny_corpus: Corpus) -> None:
    assert "rebuild the index: python -m index build" in Deck.of_index(index).remedy(Filters(cards=True))
    assert "rebuild" not in deck_of(tiny_corpus).remedy(Filters(cards=True))  # a team's own rows no index helps


def test_a_row_without_a_level_is_of_any(tiny_corpus: Corpus) -> None:
    deck = deck_of(tiny_corpus, ROWS[0], {"id": "own", "question": "Who?", "rules": ["702.19c"]})
    assert ids(deck, levels=frozenset({1})) == ["t1", "own"]
    assert ids(deck, levels=frozenset({3})) == ["own"]


@pytest.mark.parametrize(
    ("wanted", "remedy"),
    [
        (
            {"levels": frozenset({3}), "chapters": frozenset({1})},
            "leave a filter out: level 3 (then 1 matches) or chapter 1 (then 1 matches)",
        ),
        ({"levels": frozenset({3}), "keyword": "Trample"}, "level 3 (then 3 match) or keyword Trample (then 1 matches)"),
        ({"sections": frozenset({510})}, "leave a filter out: section 510 (then 5 match)"),
        ({"sections": frozenset({510}), "chapters": frozenset({2})}, "leave more than one filter out"),
    ],
)
def test_the_filter_to_blame_is_named(wanted: dict[str, Any], remedy: str, tiny_corpus: Corpus) -> None:
    assert remedy in deck_of(tiny_corpus).remedy(Filters(**wanted))


def test_the_options_choose_by_section(tiny_corpus: Corpus) -> None:
    filters = filters_of([], [], [], "", None, None, [702, 101])
    assert [q.id for q in deck_of(tiny_corpus).select(filters)] == ["t1", "t2", "d1", "g1"]

    @click.command()
    @chosen_questions
    def command(own: Path | None, **choice: Any) -> None:
        click.echo(str(filters_of(**choice)))

    run = CliRunner().invoke(command, ["--section", "702", "--section", "704", "--level", "1"])
    assert run.output == "level 1, section 702 or 704\n"
    assert CliRunner().invoke(command, ["--section", "7"]).exit_code == 2


def test_remedies_name_what_helps(tiny_corpus: Corpus) -> None:
    deck = deck_of(tiny_corpus)
    assert "near it: Trample" in deck.remedy(Filters(keyword="tramble"))
    assert "not only from some" in deck.remedy(Filters(), only=set())
    assert "leave a filter out" in deck.remedy(Filters(levels=frozenset({3}), chapters=frozenset({1})))
    assert "no question" in Deck("empty", tiny_corpus, []).remedy(Filters())


def test_filters_come_back_from_json() -> None:
    filters = Filters(frozenset({1, 3}), frozenset({"timing"}), frozenset({7}), "Ward", True, False)
    assert Filters.from_json(json.loads(json.dumps(filters.to_json()))) == filters
    assert Filters.from_json({}) == Filters()
    assert str(filters) == "level 1 or 3, kind timing, chapter 7, keyword Ward, Commander, without cards"


@pytest.mark.parametrize(
    "row",
    [
        *(
            [],
            {"levels": [4]},
            {"levels": [True]},
            {"levels": 2},
            {"levels": [[1]]},
            {"level": [1]},
            {"kinds": ["x"]},
            {"kinds": [None]},
        ),
        *({"chapters": [0]}, {"keyword": 3}, {"keyword": "x" * 81}, {"cards": 1}, {"commander": "yes"}),
    ],
)
def test_filters_that_cannot_be_are_refused(row: object) -> None:
    with pytest.raises(RulesError, match="filter"):
        Filters.from_json(row)


def test_a_later_edition_moves_and_sets_aside_with_notes(bank_folder: Path, tmp_path: Path) -> None:
    text = (
        TINY.replace("March 4, 2025", "May 1, 2025")
        .replace("702.19", "702.20")
        .replace("wins over one that allows.", "wins over one that allows, save one about conceding.")
        .replace("704.5g A creature with lethal damage marked on it is destroyed.", "704.5g Nothing like it stood here before.")
    )
    corpus = parse(text)[0]
    build(corpus, tmp_path / "index", HashEncoder(), lambda line: None, bank_folder)
    deck = Deck.of_index(load(tmp_path / "index", HashEncoder()))
    assert list(deck.questions) == ["t1", "t2", "d1"]
    assert [deck.moved(q) for q in deck.questions.values()][::2] == [
        "written for 702.19b; this edition numbers it 702.20b",
        "written for 702.19b; this edition numbers it 702.20b",
    ]
    assert deck.notes == (
        "3 questions: moved to the rule numbers of the loaded edition (2025-05-01).",
        "1 question: set aside, because the loaded rulebook words one of the rules otherwise.",
        "1 question: set aside, because the loaded rulebook lacks one of the rules.",
        BANK_NO_CARDS,
    )


def test_nothing_is_shown_that_the_edition_lacks(tiny_corpus: Corpus) -> None:
    here = Question("a", "?", "!", (number("702.19b"),), 1, "timing")
    others = [
        replace(here, id="changed", changed=True),
        replace(here, id="lost", lost=1),
        replace(here, id="lacking", rules=(number("702.19b"), number("999.9"))),
        replace(here, id="heading", rules=(number("702.19"),)),
        replace(here, id="section", rules=(number("702"),)),
    ]
    deck = Deck.placed("x", tiny_corpus, [here, *others], dropped=2)
    assert list(deck.questions) == ["a"]
    assert [note.split(",")[0] for note in deck.notes[:3]] == [
        "1 question: set aside",
        "4 questions: set aside",
        "2 questions: set aside",
    ]


def test_an_index_without_questions_or_counts_says_so(index: Index, tiny_index_folder: Path) -> None:
    assert Deck.of_index(index).notes == (BANK_NO_CARDS,)
    empty = Deck.of_index(load(tiny_index_folder, HashEncoder()))
    assert "holds no questions" in empty.notes[0]
    older = Index(index.corpus, [], {}, HashEncoder(), {}, index.questions.values)
    older.config = {"schema": 2}
    assert Deck.of_index(older).notes == (UNRECORDED, BANK_NO_CARDS)


def test_the_digest_alone_gives_500_questions() -> None:
    corpus = load_file(DIGEST).corpus
    bank = bank_for(corpus)
    deck = Deck.placed("bank", corpus, bank.questions, bank.counts["dropped"])
    assert len(deck.questions) >= 500
    assert all(n in corpus.by_number for question in deck.questions.values() for n in question.rules)
    assert (
        len(deck.questions) + sum(int(n.split()[0].replace(",", "")) for n in deck.notes if "set aside" in n)
        == len(bank.questions) + bank.counts["dropped"]
    )
    assert {"Trample", "Ward", "Scry"} <= set(deck.keywords())
    assert ids(deck, commander=True, levels=frozenset({1}))


@pytest.mark.parametrize("edition", ["2003-03-15", "2010-07-16", "2024-03-08", "2026-04-17"])
def test_each_edition_shows_only_what_it_has(rules_data: Path, edition: str) -> None:
    corpus = parse((rules_data / "cr" / f"{edition}.txt").read_bytes())[0]
    bank = bank_for(corpus)
    deck = Deck.placed("bank", corpus, bank.questions, bank.counts["dropped"])
    shown = list(deck.questions.values())
    assert len(shown) > 100
    assert all(n in corpus.by_number and not corpus.by_number[n].is_heading for q in shown for n in q.rules)
    assert all(deck.moved(q) for q in shown if q.was)
    assert edition == "2026-04-17" or [n.split(": ")[1][:5] for n in deck.notes if n != NO_CARDS] == ["moved", "set a", "set a"]
    assert ("Fear" if edition < "2005" else "Trample") in deck.keywords()


def test_a_set_is_read_as_lines_or_as_a_list(tiny_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "team.jsonl").write_bytes(b"\xef\xbb\xbf" + lines(*ROWS).replace("\n", "\r\n\n").encode())
    (tmp_path / "team.json").write_text(json.dumps(ROWS, indent=1))
    first, second = Deck.read(tmp_path / "team.jsonl", tiny_corpus), Deck.read(tmp_path / "team.json", tiny_corpus)
    assert first.questions == second.questions
    assert first.name == "team.jsonl"
    least = deck_of(tiny_corpus, {"id": 7, "question": "Who?", "rules": ["CR 702.19B"], "level": None, "more": 1})
    question = least.questions["7"]
    assert (question.rules, question.level, question.kind, question.answer) == ((number("702.19b"),), 0, "", "")


@pytest.mark.parametrize(
    ("data", "part"),
    [
        ("", "holds no questions"),
        ("[]", "holds no questions"),
        (b"\xff\xfe", "not UTF-8"),
        ("{", "team, line 1: not JSON"),
        ("[" * 100_000, "not JSON"),
        (lines(ROWS[0], []), "team, line 2: expected an object"),
        (json.dumps([ROWS[0], 3]), "team, row 2: expected an object"),
        (lines({"question": "?", "rules": ["101.2"]}), "line 1: 'id' is missing"),
        (lines({**ROWS[0], "question": " "}), r"\(t1\): 'question' is empty"),
        (lines({**ROWS[0], "question": 3}), "must be text"),
        (lines({**ROWS[0], "question": "x" * 4_001}), "more than 4,000 characters"),
        (lines({**ROWS[0], "rules": "101.2"}), "'rules' must be a list"),
        (lines({**ROWS[0], "rules": ["x"]}), r"line 1 \(t1\): 'x' is not a rule number"),
        (lines({**ROWS[0], "rules": []}), "'rules' is empty"),
        (lines({**ROWS[0], "rules": ["101.2"] * 51}), "more than 50"),
        (lines({"id": "a", "question": "?"}), "'rules' is missing"),
        (lines({**ROWS[0], "level": True}), "level is 'True'"),
        (lines({**ROWS[0], "kind": "odd"}), "there is no kind 'odd'"),
        (lines({**ROWS[0], "edition": "soon"}), "write it like 2026-04-17"),
        (lines(ROWS[0], ROWS[0]), "line 2: the id 't1' occurs twice"),
        ("x" * 5_000_001, "larger than 5 MB"),
    ],
)
def test_a_broken_set_is_refused_and_named(data: str | bytes, part: str, tiny_corpus: Corpus) -> None:
    with pytest.raises(RulesError, match=part):
        Deck.parse(data, "team", tiny_corpus)


def test_a_set_has_limits_and_odd_characters_do_no_harm(tiny_corpus: Corpus) -> None:
    many = lines(*({"id": str(n), "question": "?", "rules": ["101.2"]} for n in range(MOST_ROWS + 1)))
    with pytest.raises(RulesError, match="more than 5,000 questions"):
        parse_set(many, "team")
    deck = deck_of(tiny_corpus, {**ROWS[0], "question": "\x00\ud800 <b>\u2028who?"})
    assert deck.questions["t1"].question == "\ufffd\ufffd <b>\u2028who?"


@pytest.mark.parametrize("name", ["gone.jsonl", ".", "\0"])
def test_a_set_that_cannot_be_read_is_named(tmp_path: Path, tiny_corpus: Corpus, name: str) -> None:
    with pytest.raises(RulesError, match="can't read the questions"):
        Deck.read(tmp_path / name, tiny_corpus)


def test_a_set_of_the_pinned_edition_is_moved(rules_data: Path) -> None:
    corpus = parse((rules_data / "cr" / "2024-03-08.txt").read_bytes())[0]
    rows = [{"id": n, "question": "?", "rules": [n], "edition": "2026-04-17"} for n in ("701.21a", "702.19b", "702.190a")]
    deck = deck_of(corpus, *rows, {"id": "own", "question": "?", "rules": ["701.17a"], "edition": "2024-03-08"})
    assert {i: str(q.rules[0]) for i, q in deck.questions.items()} == {
        "701.21a": "701.17a",
        "702.19b": "702.19b",
        "own": "701.17a",
    }
    assert deck.moved(deck.questions["701.21a"]) == "written for 701.21a; this edition numbers it 701.17a"
    assert [note.split(":")[0] for note in deck.notes[:2]] == ["1 question", "1 question"]


def test_a_set_of_another_edition_is_taken_at_its_word_with_a_note(tiny_corpus: Corpus) -> None:
    deck = deck_of(tiny_corpus, {**ROWS[0], "edition": "2020-01-24"}, {**ROWS[1], "edition": "2025-03-04"})
    assert list(deck.questions) == ["t1", "t2"]
    assert deck.notes[0].startswith("Some questions use the rule numbers of 2020-01-24;")


def test_look_alikes_are_never_the_rule_or_a_heading(index: Index) -> None:
    for rule in index.corpus:
        found = look_alikes(index, rule.number)
        assert rule.number not in found
        assert len(found) == len(set(found)) <= 3
        assert not any(index.corpus.by_number[n].is_heading for n in found)
    assert number("704.5h") in look_alikes(index, number("704.5g"), 2)


def test_look_alikes_work_without_vectors(index: Index) -> None:
    bare = Index(index.corpus, [], {}, HashEncoder(), {})
    assert look_alikes(bare, number("702.19b"), 5) == sorted(
        look_alikes(bare, number("702.19b"), 5), key=lambda n: n.letter == "a"
    )
    assert set(look_alikes(bare, number("702.19b"), 5)) == {number("702.19a"), number("702.19c")}
    assert look_alikes(bare, number("101.1")) == []
    assert look_alikes(index, number("999.9")) == []
    assert contrasts(bare, deck_of(index.corpus)) == []


def test_contrasts_have_a_question_that_one_of_the_two_decides(index: Index) -> None:
    deck = Deck.of_index(index)
    found = contrasts(index, deck)
    assert found
    assert len({contrast.pair for contrast in found}) == len(found)
    for contrast in found:
        question = prompt(contrast, deck, 3)
        assert question == prompt(contrast, deck, 3)
        assert contrast.first < contrast.second
        assert len({contrast.first, contrast.second} & set(question.rules)) == 1
        assert question.rules[0] in contrast.pair
    assert any(contrast.why == SIBLINGS for contrast in found)


def test_what_is_often_mistaken_comes_first(index: Index) -> None:
    deck = Deck.of_index(index)
    pairs = {("704.5g", "101.1"): 3, ("101.2", "702.21a"): 1, ("702.19", "702.19b"): 9, ("704.5i", "100.1"): 9, ("9", "101.2"): 9}
    mistaken = {(number(a), number(b)): count for (a, b), count in pairs.items()}
    found = contrasts(index, deck, mistaken)
    assert found[0] == Contrast(number("101.1"), number("704.5g"), MISTAKEN)
    assert [contrast.why for contrast in found].count(MISTAKEN) == 1
    with pytest.raises(RulesError, match="choose another pair"):
        prompt(Contrast(number("100.1"), number("704.5i"), SIBLINGS), deck, 1)
