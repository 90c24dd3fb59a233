"""The data set and its repair report. Rows here are made up; the real sample is read where it is at hand."""

import json
import re
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from index.corpus import Corpus
from index.dataset import load_dataset_corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.parse import parse
from index.repair import Outcome, RepairReport, repair_rows

GOOD = [
    {"number": "100.1", "text": "A game needs players.", "examples": []},
    {"number": "100.1a", "text": "Two of them at least.", "examples": ["Ann and Ben sit down."]},
]


def row(number: object, text: object = "Something happens.", examples: object = (), **more: object) -> dict[str, object]:
    return {"number": number, "text": text, "examples": examples, **more}


def faults(report: RepairReport, outcome: Outcome) -> list[tuple[int, str]]:
    return [(repair.row, repair.problem) for repair in report.of(outcome)]


def repaired(*rows: object) -> tuple[dict[str, str], RepairReport]:
    """The rules' texts by number, and the report, checked to account for every row."""
    rules, _, report = repair_rows(rows)
    aside = len({repair.row for repair in report.repairs if repair.outcome in (Outcome.REFUSED, Outcome.MOVED)})
    assert report.rows == len(rows) == report.rules + report.headings + aside
    assert all("\n" not in line for line in report.lines())
    return {str(rule.number): rule.text for rule in rules}, report


@pytest.mark.parametrize("name", ["rows.jsonl", "train-sample.parquet"])
def test_the_real_sample(rules_data: Path, name: str) -> None:
    corpus, report = load_dataset_corpus(str(rules_data / "mtg-rules-dataset" / name))
    assert len(corpus.rules) == 299
    assert corpus.edition is None
    refused = report.of(Outcome.REFUSED)
    assert [(r.row, r.number) for r in refused] == [(299, "704.5a")]
    assert "example" in refused[0].problem
    assert corpus.rule(RuleNumber.parse("704.5a")).text.startswith("If a player has 0 or less life")
    assert list(corpus.rules) == sorted(corpus.rules, key=lambda rule: rule.number)
    assert "111.2" in [repair.number for repair in report.of(Outcome.SORTED)]
    assert any(line.startswith("110.2 is missing") for line in report.notes)
    assert Corpus.from_json(corpus.to_json()) == corpus
    assert any("704.5a" in line for line in report.lines())


def test_a_whole_edition_with_the_data_sets_faults_is_repaired_exactly(rules_data: Path) -> None:
    """Made like the data set: sorted as strings, examples that cite a rule taken for that rule."""
    corpus, _ = parse((rules_data / "cr" / "2026-04-17.txt").read_bytes())
    rows = [row(str(rule.number), rule.text) for rule in corpus]
    for example in (example for rule in corpus for example in rule.examples):
        cited = re.search(r"\b\d{3}\.\d+[a-z]?\b", example)
        rows += [row(cited[0], example)] if cited else []
    rows.sort(key=lambda each: str(each["number"]))
    rules, _, report = repair_rows(rows)
    assert [(rule.number, rule.text) for rule in rules] == [(rule.number, rule.text) for rule in corpus]
    assert len(report.of(Outcome.REFUSED)) == len(rows) - len(rules) >= 3


def test_good_rows_stay_as_they_are() -> None:
    texts, report = repaired(*GOOD)
    assert texts == {"100.1": "A game needs players.", "100.1a": "Two of them at least."}
    assert report.lines() == ["2 rows: 2 rules, 0 headings; no faults"]


def test_headings_become_section_titles() -> None:
    rules, sections, report = repair_rows([row("1", "Concepts"), row("100.", "General"), row("100.1"), row("101.1")])
    assert [(str(s.number), s.title) for s in sections] == [("1", "Concepts"), ("100", "General")]
    assert [rule.title for rule in rules] == ["General", ""]
    assert report.headings == 2


@pytest.mark.parametrize("order", [1, -1])
def test_an_example_that_cites_the_number_loses_to_the_rule(order: int) -> None:
    rows = [
        row("704.5a", "A player at zero is out."),
        row("704.5a", "You control a mirror. You are out due to rule 704.5a, but stay."),
    ]
    texts, report = repaired(*rows[::order])
    assert texts == {"704.5a": "A player at zero is out."}
    assert "cites rule 704.5a" in str(report.of(Outcome.REFUSED)[0])


def test_an_example_alone_under_its_number_is_no_rule() -> None:
    texts, report = repaired(*GOOD, row("704.5a", "You control a mirror. You are out due to rule 704.5a, but stay."))
    assert "704.5a" not in texts
    assert faults(report, Outcome.REFUSED)[0][0] == 2
    texts, _ = repaired(*GOOD, row("704.5b", "Example: Somebody is out."))
    assert "704.5b" not in texts


def test_a_labelled_example_goes_to_its_rule() -> None:
    rules, _, report = repair_rows([row("100.1", "A rule."), row("100.1", "Example: Ann nods.")])
    assert rules[0].examples == ("Ann nods.",)
    assert faults(report, Outcome.MOVED)[0][0] == 1
    assert report.rules == 1


@pytest.mark.parametrize("number", ["100.1a", "999.9"])
def test_a_copy_of_a_neighbours_example_is_refused(number: str) -> None:
    texts, report = repaired(*GOOD, row(number, "Ann and  Ben sit down."))
    assert texts == {"100.1": "A game needs players.", "100.1a": "Two of them at least."}
    assert faults(report, Outcome.REFUSED) == [(2, "its text is an example of 100.1a (row 1)")]


def test_an_unlabelled_example_loses_to_the_rule() -> None:
    texts, report = repaired(
        row("100.1", "A player controls two of them and Alex casts a third."), row("100.1", "Players may cast spells.")
    )
    assert texts == {"100.1": "Players may cast spells."}
    assert "reads like an example" in report.of(Outcome.REFUSED)[0].problem


def test_equal_rows_are_merged_and_different_ones_named() -> None:
    rules, _, report = repair_rows([row("100.1", "A.", ["x"]), row("100.1", "A.", ["x", "y"]), row("100.1", "B.")])
    assert [(rule.text, rule.examples) for rule in rules] == [("A.", ("x", "y"))]
    assert faults(report, Outcome.REFUSED) == [
        (1, "it repeats row 0"),
        (2, "100.1 occurs twice with different texts; row 0, the first, was kept"),
    ]


def test_rows_out_of_order_are_sorted_and_named() -> None:
    texts, report = repaired(row("110.1"), row("110.10"), row("110.10a"), row("110.2"), row("110.3"), row("111.1"))
    assert list(texts) == ["110.1", "110.2", "110.3", "110.10", "110.10a", "111.1"]
    assert faults(report, Outcome.SORTED) == [(3, "it stood after 110.10a"), (4, "it stood after 110.10a")]


def test_orphans_are_noted() -> None:
    _, report = repaired(row("110.2a"), row("110.2b"))
    assert report.notes == ["110.2 is missing; its subrules stand without it: 110.2a, 110.2b"]


@pytest.mark.parametrize(
    ("number", "read"),
    [("704.5A", "704.5a"), ("rule 704.5a", "704.5a"), (" 704.5a ", "704.5a"), ("CR 704.5a.", "704.5a"), ("704.5.", "704.5")],
)
def test_numbers_written_in_other_ways(number: str, read: str) -> None:
    texts, report = repaired(row(number))
    assert list(texts) == [read]
    assert bool(report.of(Outcome.REPAIRED)) == (number.strip().rstrip(".") != read)


BAD_ROWS: list[tuple[object, str]] = [
    (row(""), "no number"),
    (row("   "), "no number"),
    (row(None), "no number"),
    (row(float("nan")), "no number"),
    ({"text": "x"}, "no number"),
    (row(702.1), "702.1 from 702.10"),
    (row(float("inf")), "decimal"),
    (row(True), "true or false, not text"),
    (row(["704.5a"]), "a list"),
    (row({"a": 1}), "an object"),
    (row("seven"), "not a rule number"),
    (row("704.5a\n704.5b"), "not a rule number"),
    (row("7.5"), "not a rule number"),
    (row("\x1b[31m"), "not a rule number"),
    (row("9" * 100_000), "not a rule number"),
    (row("704.5a", ""), "empty"),
    (row("704", " \n "), "heading or rule 704 is empty"),
    (row("704.5", "704.5."), "empty"),
    (row("704.5a", None), "no text"),
    (row("704.5a", float("nan")), "no text"),
    ({"number": "704.5a"}, "no text"),
    (row("704.5a", 5), "a whole number"),
    (row("704.5a", ["x"]), "a list"),
    (row("704.5a", "x" * 10_000_000), "10,000,000 characters"),
    (row("704.5a", "half a pair: \ud800"), "Unicode"),
    (None, "null"),
    ([1], "a list"),
    ("704.5a", "text, not an object"),
]


@pytest.mark.parametrize(("bad", "problem"), BAD_ROWS, ids=[problem for _, problem in BAD_ROWS])
def test_rows_that_can_not_be_used_are_refused_and_named(bad: object, problem: str) -> None:
    texts, report = repaired(GOOD[0], bad, GOOD[1])
    assert len(texts) == 2
    [refused] = report.of(Outcome.REFUSED)
    assert refused.row == 1
    assert problem in refused.problem
    assert str(refused).isprintable()
    assert len(str(refused)) < 300


def test_a_section_number_may_be_a_whole_number() -> None:
    _, sections, report = repair_rows([row(702, "Keywords"), row("702.1")])
    assert [str(section.number) for section in sections] == ["702"]
    assert faults(report, Outcome.REPAIRED) == [(0, "the number was written '702'")]


@pytest.mark.parametrize(
    ("examples", "kept", "problem"),
    [
        (None, (), ""),
        (float("nan"), (), ""),
        ("", (), ""),
        ("Ann nods.", ("Ann nods.",), "one text, not a list"),
        (["Example: Ann nods.", " Ben "], ("Ann nods.", "Ben"), ""),
        (["Ann nods.", None, 5, "", "\ud800", "x" * 30_000], ("Ann nods.",), "5 of its examples"),
        (7, (), "a whole number, not a list"),
        ({"a": 1}, (), "an object, not a list"),
    ],
)
def test_examples_of_wrong_types(examples: object, kept: tuple[str, ...], problem: str) -> None:
    rules, _, report = repair_rows([row("100.1", examples=examples)])
    assert rules[0].examples == kept
    assert [problem in repair.problem for repair in report.repairs] == [True] * bool(problem)


def test_texts_that_hold_their_number_or_examples() -> None:
    rules, _, report = repair_rows(
        [row("100.1", "100.1. All nod.\nExample: Ann nods.\nExample: Ben nods."), row("100.1a", "100.1a All.")]
    )
    assert [(rule.text, rule.examples) for rule in rules] == [("All nod.", ("Ann nods.", "Ben nods.")), ("All.", ())]
    assert len(report.of(Outcome.REPAIRED)) == 3


def test_a_rule_that_starts_with_digits_keeps_them() -> None:
    texts, _ = repaired(row("100", "100 cards"), row("100.1", "100.15 is another number."))
    assert texts["100.1"] == "100.15 is another number."


def test_unknown_columns_are_noted() -> None:
    _, report = repaired(row("100.1", colour="red", __index_level_0__=5))
    assert report.notes == ["unknown columns were left out: colour"]


def test_long_reports_are_shortened() -> None:
    lines = repaired(GOOD[0], *[row("")] * 500)[1].lines()
    assert len(lines) < 30
    assert lines[-1] == "and 480 more"


def write(path: Path, *lines: object) -> str:
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines))
    return str(path)


def test_broken_json_lines_are_named_with_their_line(tmp_path: Path) -> None:
    deep, huge = b"[" * 100_000, b'{"number": ' + b"9" * 5000 + b"}"
    path = write(
        tmp_path / "rows.jsonl",
        b"\xef\xbb\xbf" + json.dumps(GOOD[0]).encode(),
        b"",
        b'{"number": ',
        GOOD[1],
        b"\xff\xfe",
        deep,
        huge,
        [],
    )
    corpus, report = load_dataset_corpus(path)
    assert len(corpus.rules) == 2
    assert report.rows == 7
    problems = [problem for _, problem in faults(report, Outcome.REFUSED)]
    assert problems[0].startswith("line 3 is not JSON (")
    assert problems[1:3] == ["line 5 is not UTF-8", "line 6 is not JSON that can be read"]
    assert problems[3:] == ["line 7 is not JSON that can be read", "the row is a list, not an object with number and text"]
    assert "5 of its 7 rows" in corpus.source.notice


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"no json", "line 1 is not JSON"),
        (b"\x00\x01", "line 1 is not JSON"),
        (b'{"id": 1, "name": "x"}', "no column number and no column text; it has: id, name"),
        (b'{"number": "702", "text": "Keywords"}', "no row of .* can be used as a rule"),
        (b"PAR1 but no more", "broken Parquet"),
        (b"[]", "no row of .* can be used as a rule"),
    ],
)
def test_files_without_a_usable_row(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.jsonl").write_bytes(content)
    with pytest.raises(RulesError, match=message) as caught:
        load_dataset_corpus(str(tmp_path / "x.jsonl"))
    assert "\n" not in str(caught.value)


def parquet(path: Path, columns: dict[str, list[Any]]) -> str:
    pq.write_table(pa.table(columns), path)
    return str(path)


def test_parquet_with_faults(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "number": ["100.1", None, "100.1b"],
        "text": ["A.", "B.", None],
        "examples": [["x"], None, []],
    }
    corpus, report = load_dataset_corpus(parquet(tmp_path / "x.parquet", columns))
    assert [(rule.text, rule.examples) for rule in corpus] == [("A.", ("x",))]
    assert len(report.of(Outcome.REFUSED)) == 2


def test_a_parquet_of_decimals_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"702\.1 from 702\.10"):
        load_dataset_corpus(parquet(tmp_path / "x.parquet", {"number": [702.1, 702.2], "text": ["A.", "B."]}))


def test_damaged_parquet(tmp_path: Path) -> None:
    data = bytearray(Path(parquet(tmp_path / "x.parquet", {"number": ["100.1"] * 50, "text": ["A."] * 50})).read_bytes())
    for at in range(4, len(data), 7):
        damaged = data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]
        (tmp_path / "y.parquet").write_bytes(damaged)
        with suppress(RulesError):
            load_dataset_corpus(str(tmp_path / "y.parquet"))


def test_paths_that_are_no_data_set(tmp_path: Path) -> None:
    for name in ("missing.parquet", str(tmp_path / "missing.jsonl"), "a/b.parquet", "a/b/c", "a\0b", "x" * 9000, "", "../../x"):
        with pytest.raises(RulesError):
            load_dataset_corpus(name)
    write(tmp_path / "rows.jsonl", GOOD[0])
    with pytest.raises(RulesError, match=r"is a folder; give a file in it: rows\.jsonl"):
        load_dataset_corpus(str(tmp_path))


@pytest.mark.parametrize("splits", [True, False])
def test_the_hub_through_the_datasets_library(monkeypatch: pytest.MonkeyPatch, splits: bool) -> None:
    fake = ModuleType("datasets")
    fake.load_dataset = lambda name: {"train": GOOD[:1], "test": GOOD[1:]} if splits else GOOD  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", fake)
    corpus, _ = load_dataset_corpus("owner/rules-data")
    assert len(corpus.rules) == 2
    source = corpus.source
    assert (source.kind, source.where, len(source.sha256)) == ("dataset", "owner/rules-data", 64)
    assert source.fetched.endswith("+00:00")


def test_a_hub_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(name: str) -> None:
        raise ConnectionError("no\nnetwork")

    fake = ModuleType("datasets")
    fake.load_dataset = fails  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", fake)
    with pytest.raises(RulesError, match=r"ConnectionError: no network.*--dataset FILE"):
        load_dataset_corpus("owner/rules-data")
