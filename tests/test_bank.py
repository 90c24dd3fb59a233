"""The bank: its rows, its fingerprints, and how it finds its rules again in other editions."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.bank import BANK, PINS, bank_for, place, read_bank
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.parse import parse
from index.pins import SIZE, Pins, likeness, sketch
from tests.tiny import TINY

ROW = {
    "id": "q1",
    "question": "Whose?",
    "answer": "Mine.",
    "rules": ["702.19b", "702.2c"],
    "level": 2,
    "kind": "interaction",
    "checked": 1,
}


def number(text: str) -> RuleNumber:
    return RuleNumber.parse(text)


def write(folder: Path, *rows: object, name: str = "a.jsonl") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(
        "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8"
    )
    return folder


def test_rows_are_read_and_placed_in_their_own_edition(tmp_path: Path, tiny_corpus: Corpus) -> None:
    folder = write(tmp_path / "bank", ROW, {**ROW, "id": "q2", "rules": ["999.9"]})
    (folder / PINS).write_text(Pins.of(tiny_corpus).to_json())
    bank = bank_for(tiny_corpus, folder)
    assert [q.id for q in bank.questions] == ["q1"]
    assert bank.counts == {"kept": 1, "moved": 0, "changed": 0, "dropped": 1}
    assert bank.passages()[0].label == "q1"
    assert str(bank) == "question bank: 1 kept, 1 dropped"


def test_a_later_edition_moves_changes_or_drops(tmp_path: Path, tiny_corpus: Corpus) -> None:
    pins = Pins.of(tiny_corpus)
    rows = {"moved": "702.19b", "changed": "101.1", "dropped": "704.5i", "kept": "702.21a"}
    questions = read_bank(write(tmp_path / "bank", *({**ROW, "id": name, "rules": [n]} for name, n in rows.items())))
    text = (
        TINY.replace("March 4, 2025", "May 1, 2025")
        .replace("702.19", "702.20")
        .replace(
            "101.1. A card that says otherwise wins over a rule.",
            "101.1. A card that says otherwise wins over a rule, save one about conceding.",
        )
        .replace("704.5i A planeswalker without loyalty goes to the graveyard.", "704.5i Nothing like it was here before at all.")
    )
    bank = place(questions, pins, parse(text)[0])
    assert bank.counts == {"kept": 1, "moved": 1, "changed": 1, "dropped": 1}
    placed = {q.id: q for q in bank.questions}
    assert placed["moved"].rules == (number("702.20b"),)
    assert placed["changed"].changed
    assert not placed["kept"].changed


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "{}",
        json.dumps({**ROW, "rules": []}),
        json.dumps({**ROW, "rules": ["x"]}),
        json.dumps({**ROW, "level": "high"}),
    ],
)
def test_a_faulty_row_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(RulesError, match=r"a\.jsonl, line 2: not a question of the bank"):
        read_bank(write(tmp_path / "bank", ROW, line))


def test_pins_that_are_missing_are_named(tmp_path: Path, tiny_corpus: Corpus) -> None:
    with pytest.raises(RulesError, match=r"pins.json can't be read"):
        bank_for(tiny_corpus, write(tmp_path / "bank", ROW))


@given(st.text(max_size=300), st.text(max_size=300))
def test_likeness_is_symmetric_and_1_only_for_the_same(a: str, b: str) -> None:
    one, other = sketch(a), sketch(b)
    assert len(one) <= SIZE
    assert likeness(one, other) == likeness(other, one)
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, one) == 1


def test_fingerprints_survive_renumbered_citations_and_come_back_from_their_file(tmp_path: Path, tiny_corpus: Corpus) -> None:
    assert sketch("See rule 702.19b and rules 510.1a–b.") == sketch("See rule 603.2 and rules 601.2f–h.")
    (tmp_path / PINS).write_text(Pins.of(tiny_corpus).to_json())
    assert Pins.read(tmp_path / PINS) == Pins.of(tiny_corpus)


def test_our_own_bank_is_whole() -> None:
    questions = read_bank()
    pins = Pins.read(BANK / PINS)
    assert len(questions) > 10_000
    assert [i for i, count in Counter(q.id for q in questions).items() if count > 1] == []
    assert [q.id for q in questions if not set(q.rules) <= pins.sketches.keys()] == []
    assert [q.id for q in questions if q.checked < 1 or q.level not in (1, 2, 3) or not q.answer.strip()] == []
    assert {q.kind for q in questions} == {"definition", "interaction", "timing", "procedure", "variant"}


def test_our_pins_are_those_of_the_real_edition(rules_data: Path) -> None:
    corpus, _ = parse((rules_data / "cr" / "2026-04-17.txt").read_bytes())
    real = Pins.of(corpus)
    pins = Pins.read(BANK / PINS)
    assert pins.edition == real.edition
    assert pins.sketches.items() <= real.sketches.items()


@pytest.mark.parametrize(("edition", "least"), [("2026-01-16", 0.98), ("2024-03-08", 0.9), ("2019-05-03", 0.6)])
def test_most_questions_find_their_rules_in_older_editions(rules_data: Path, edition: str, least: float) -> None:
    corpus, _ = parse((rules_data / "cr" / f"{edition}.txt").read_bytes())
    bank = bank_for(corpus)
    assert len(bank.questions) / len(read_bank()) > least
    assert all(rule in corpus.by_number for question in bank.questions for rule in question.rules)
