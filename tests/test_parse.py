"""The parser: every form that an edition has had, and what it makes of slips and of what is no rulebook."""

import tarfile
from datetime import date
from pathlib import Path

import pytest

from index.decode import decode
from index.errors import RulesError
from index.numbers import RuleNumber
from index.parse import effective_date, parse
from tests.tiny import TINY

# rules in the strict form, rules with a misprinted number, examples
COUNTS = {
    "2026-04-17": (3138, 0, 277),
    "2026-01-16": (3114, 0, 276),
    "2024-03-08": (2940, 1, 276),
    "2022-11-18": (2790, 1, 271),
    "2013-04-29": (1930, 0, 223),
}
# Files whose name is not the day that their text names.
DATES = {
    "2006-06-01": "2004-06-01", "2013-04-29": "2013-05-01", "2013-07-11": "2013-07-13", "2017-01-19": "2017-01-20",
    "2017-07-07": "2017-07-08", "2017-09-25": "2017-09-29", "2019-06-12": "2019-06-14", "2020-01-22": "2020-01-24",
    "2021-02-02": "2021-02-05", "2021-02-24": "2021-02-15", "2021-04-19": "2021-04-22", "2021-06-09": "2021-06-18",
    "2021-07-12": "2021-07-23", "2021-11-15": "2021-11-19", "2024-02-06": "2024-02-02", "2024-08-02": "2024-07-30",
}  # fmt: skip


def test_the_small_rulebook() -> None:
    corpus, report = parse(TINY)
    assert corpus.edition == date(2025, 3, 4)
    assert len(corpus.rules) == 24
    assert [str(s.number) for s in corpus.sections] == ["1", "100", "101", "5", "510", "7", "702", "704"]
    trample = corpus.rule(RuleNumber.parse("702.19b"))
    assert trample.text.startswith("The attacker gives each blocker")
    assert [example[:7] for example in trample.examples] == ["A 5/5 w", "A 4/4 w"]
    assert trample.title == "Keyword Abilities"
    assert corpus.heading(trample.number) == "Trample"
    assert corpus.glossary[2].text.splitlines()[1].startswith("2. For trample")
    assert not report.unplaced
    assert report.total == sum(1 for line in TINY.splitlines() if line.strip())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r", "\r\r\n", "\n\n"])
def test_every_encoding_and_line_end_reads_the_same(encoding: str, ends: str) -> None:
    expected, plain = parse(TINY)
    corpus, report = parse(TINY.replace("\n", ends).encode(encoding))
    assert corpus.rules == expected.rules
    assert corpus.glossary == expected.glossary
    assert report.lines == plain.lines


@pytest.mark.parametrize("encoding", ["cp437", "mac-roman"])
def test_dos_and_mac_letters_are_told_from_windows_ones(encoding: str) -> None:
    text = "100.1. Dandân, Junún Efreet, Ghazbán Ogre, Ring of Ma'rûf and El-Hajjâj have no text."
    assert decode(text.encode(encoding)) == text
    curly = "100.1. A player’s “own” card — or not – costs {2}."
    assert decode(curly.encode("cp1252")) == curly


def test_wrapped_lines_belong_to_their_paragraph() -> None:
    wrapped = TINY.replace("For trample see rule 702.19.", "For trample see rule\n702.19. It is\n510.1a that matters.")
    corpus, report = parse(wrapped)
    assert corpus.rule(RuleNumber.parse("510.1b")).text.endswith("see rule\n702.19. It is\n510.1a that matters.")
    assert len(corpus.rules) == 24
    assert report.lines["continuation"] == 2
    assert not report.unplaced


def test_slips_are_repaired_and_named() -> None:
    text = (
        TINY.replace("101.2. An effect", "101.2.An effect")
        .replace("702.19c Without", "702. 19c Without")
        .replace("100.1b With", "100.1a With")
        .replace("704.5i A", "704.i A")
    )
    corpus, report = parse(text)
    assert RuleNumber.parse("100.1b") not in corpus  # it was printed as a second 100.1a
    assert "100.1a With more" in corpus.rule(RuleNumber.parse("100.1a")).text
    assert RuleNumber.parse("101.2") in corpus.by_number
    assert RuleNumber.parse("702.19c") in corpus.by_number
    assert "704.i A planeswalker" in corpus.rule(RuleNumber.parse("704.5h")).text
    assert report.repaired == 2
    assert [remark.split()[0] for _, remark in report.notes] == ["100.1a", "101.2", "702.19c", "'704.i'"]
    assert not report.unplaced


@pytest.mark.parametrize("line", ["Something that nobody expects here.", "7O2.19d A letter for a digit.", "99.5. Too small."])
def test_a_line_that_is_not_understood_is_listed_with_its_number(line: str) -> None:
    text = TINY.replace("702.21. Ward", f"{line}\n\n702.21. Ward")
    _, report = parse(text)
    assert report.unplaced == [(text.splitlines().index(line) + 1, line)]
    assert report.total == sum(1 for each in text.splitlines() if each.strip())


def test_an_example_without_a_rule_is_unplaced() -> None:
    _, report = parse(
        TINY.replace("101.1. A card", "Example: lost\n\n101.1. A card", 1).replace(
            "101. Golden Rules\n\nEx", "101. Golden Rules\nEx"
        )
    )
    assert [text for _, text in report.unplaced] == ["Example: lost"]


@pytest.mark.parametrize("data", [b"", b"hello", b"\xff\xfe", b"<html><body>Rules</body></html>", "§ 1\n".encode()])
def test_what_is_no_rulebook_is_refused(data: bytes) -> None:
    with pytest.raises(RulesError, match="not a rulebook"):
        parse(data)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("These rules are effective as of April 17, 2026.", date(2026, 4, 17)),
        ("These rules are current as of  June 1st 2004", date(2004, 6, 1)),
        ("effective as of Sept. 9, 2011", date(2011, 9, 9)),
        ("effective as of February 31, 2011", None),
        ("effective as of Smarch 3, 2011", None),
        ("no date", None),
    ],
)
def test_the_effective_date(text: str, day: date | None) -> None:
    assert effective_date(text) == day


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_real_editions(rules_data: Path, name: str) -> None:
    data = (rules_data / "cr" / f"{name}.txt").read_bytes()
    corpus, report = parse(data)
    rules, misprinted, examples = COUNTS[name]
    assert len(corpus.rules) == rules + misprinted
    assert report.repaired == misprinted
    assert sum(len(rule.examples) for rule in corpus) == examples
    assert not report.unplaced
    assert report.total == sum(1 for line in decode(data).replace("\r", "\n").split("\n") if line.strip())


def test_texts_are_exactly_those_of_the_source(rules_data: Path) -> None:
    data = (rules_data / "cr" / "2026-04-17.txt").read_bytes()
    text = decode(data)
    corpus, _ = parse(data)
    for rule in corpus:
        assert all(line in text for part in (rule.text, *rule.examples) for line in part.split("\n"))


def test_all_editions_of_the_archive_parse_without_a_line_left_over(rules_data: Path) -> None:
    with tarfile.open(rules_data / "cr-archive.tar.xz") as archive:
        files = [member for member in archive.getmembers() if member.isfile()]
        assert len(files) == 98
        for member in files:
            stream = archive.extractfile(member)
            assert stream is not None
            corpus, report = parse(stream.read())
            name = Path(member.name).stem
            assert report.unplaced == [], name
            assert corpus.name == DATES.get(name, name)
            assert [rule.number for rule in corpus if not rule.text] == [], name


def test_a_file_that_was_cut_off_is_noticed_by_its_own_contents() -> None:
    _, report = parse(TINY[: TINY.index("702.21. Ward")])
    assert report.missing == ["704"]
    assert report.notes[-1] == (0, "1 of 8 sections of the contents are missing: 704")
    assert parse(TINY)[1].missing == []
