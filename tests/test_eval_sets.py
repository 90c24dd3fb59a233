"""Question sets: what is read, and how each broken row is named."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from eval.sets import Question, check_gold, examples_set, read_set, set_hash
from index.corpus import Corpus, Rule, Section, Source
from index.errors import RulesError
from index.numbers import RuleNumber

ROW = {"id": "q1", "question": "may a purple frog jump twice?", "rules": ["702.19b", "702.19"]}
FULL = {**ROW, "answer": "No.", "cards": ["Purple Frog"], "level": 2, "kind": "timing", "edition": "2026-04-17", "source": "us"}


def number(text: str) -> RuleNumber:
    return RuleNumber.parse(text)


@pytest.fixture
def corpus() -> Corpus:
    rules = (Rule(number("702.19"), "Frogs", ("one jump", "two jumps")), Rule(number("702.19b"), "A frog jumps.", ("a third",)))
    return Corpus(date(2026, 4, 17), Source("file"), rules, (Section(number("702"), "Animals"),))


def save(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_a_row_is_read_whole(tmp_path: Path) -> None:
    (question,) = read_set(save(tmp_path / "a.jsonl", "", FULL))
    assert question == Question(
        "q1",
        "may a purple frog jump twice?",
        (number("702.19b"), number("702.19")),
        "No.",
        ("Purple Frog",),
        2,
        "timing",
        "2026-04-17",
        "us",
    )


def test_heads_sections_and_written_forms_of_numbers_are_allowed(tmp_path: Path) -> None:
    (question,) = read_set(save(tmp_path / "a.jsonl", {**ROW, "rules": ["CR 702", "702.19", "rule 702.19B.", "702.19b"]}))
    assert [str(rule) for rule in question.rules] == ["702", "702.19", "702.19b"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"id": ', "a.jsonl line 2: not JSON"),
        ("[1]", "a.jsonl line 2: expected a JSON object, got list"),
        ({"question": "x", "rules": ["702"]}, "line 2: 'id' is missing"),
        ({**ROW, "id": " "}, "line 2: 'id' is empty"),
        ({"id": "q2", "rules": ["702"]}, r"line 2 \(q2\): 'question' is missing"),
        ({**ROW, "id": "q2", "question": ""}, r"line 2 \(q2\): 'question' is empty"),
        ({**ROW, "id": "q2", "question": 5}, r"'question' must be text, not int"),
        ({"id": "q2", "question": "x"}, r"line 2 \(q2\): 'rules' is missing"),
        ({**ROW, "id": "q2", "rules": []}, r"line 2 \(q2\): 'rules' is empty"),
        ({**ROW, "id": "q2", "rules": "702.19b"}, "'rules' must be a list of texts"),
        ({**ROW, "id": "q2", "rules": [702.1]}, "'rules' must be a list of texts"),
        ({**ROW, "id": "q2", "rules": ["70219"]}, r"line 2 \(q2\): '70219' is not a rule number"),
        ({**ROW, "id": "q2", "kind": "riddle"}, r"line 2 \(q2\): unknown kind 'riddle'; use definition"),
        ({**ROW, "id": "q2", "level": 4}, r"line 2 \(q2\): level is 4; use 1, 2 or 3"),
        ({**ROW, "id": "q2", "level": True}, "level is True"),
        (ROW, "the id 'q1' occurs twice"),
    ],
)
def test_a_broken_row_is_named(tmp_path: Path, row: Any, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        read_set(save(tmp_path / "a.jsonl", ROW, row))


def test_a_set_that_is_not_there_or_empty_is_named(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="no question set 'nowhere'"):
        read_set("nowhere")
    with pytest.raises(RulesError, match="holds no questions"):
        read_set(save(tmp_path / "a.jsonl"))
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RulesError, match="not UTF-8"):
        read_set(tmp_path / "b.jsonl")


def test_only_an_unanswerable_set_may_have_no_gold(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", {**ROW, "rules": []})
    assert read_set(path, unanswerable=True)[0].rules == ()


def test_parquet_reads_like_jsonl(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    # A column that only some rows fill is null in the others, which must read like a missing field.
    rows = [FULL, {**ROW, "id": "q2"}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    assert read_set(tmp_path / "a.parquet") == read_set(save(tmp_path / "a.jsonl", *rows))
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(RulesError, match="as Parquet"):
        read_set(tmp_path / "broken.parquet")


def test_a_folder_is_read_through_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets.config

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    folder = tmp_path / "set"
    folder.mkdir()
    save(folder / "test.jsonl", FULL)
    save(folder / "train.jsonl", {**FULL, "id": "not asked"})
    assert [question.id for question in read_set(str(folder))] == ["q1"]


def test_each_example_is_a_question_about_its_rule(corpus: Corpus) -> None:
    asked = examples_set(corpus)
    assert [(q.id, q.question, q.rules) for q in asked] == [
        ("ex-702.19-1", "one jump", (number("702.19"),)),
        ("ex-702.19-2", "two jumps", (number("702.19"),)),
        ("ex-702.19b-1", "a third", (number("702.19b"),)),
    ]
    assert read_set("examples", corpus=corpus) == asked
    with pytest.raises(RulesError, match="--index"):
        read_set("examples")


def test_gold_that_the_corpus_lacks_is_named_with_its_question(corpus: Corpus) -> None:
    good = Question("good", "?", (number("702"), number("702.19"), number("7")))
    check_gold([good], corpus)
    bad = [Question("q9", "?", (number("702.19b"), number("702.19z"))), Question("q10", "?", (number("801"),))]
    with pytest.raises(RulesError, match=r"question q9: the edition 2026-04-17 has no rule 702\.19z \(and 1 more\)"):
        check_gold([good, *bad], corpus)


def test_the_hash_is_over_what_is_measured() -> None:
    one = Question("a", "?", (number("702.1"),))
    assert set_hash([one]) == set_hash([Question("a", "?", (number("702.1"),), answer="new words")])
    assert set_hash([one]) != set_hash([Question("a", "?", (number("702.2"),))])
