"""How far two readers agree, and that the committed sets and readers are what the README says."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from eval.__main__ import main
from eval.agreement import agree, read_reader
from eval.sets import QUESTIONS, check_gold, read_set
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.sources import load_file

READERS = QUESTIONS / "readers"


def reader(**rules: str) -> dict[str, tuple[RuleNumber, ...]]:
    return {name: tuple(map(RuleNumber.parse, text.split())) for name, text in rules.items()}


@pytest.fixture(scope="module")
def corpus(rules_data: Path) -> Corpus:
    return load_file(rules_data / "cr" / "2026-04-17.txt").corpus


def test_shares_by_hand() -> None:
    a = reader(a="702.19b 702.2c", b="702.19b", c="613.7", d="", e="")
    b = reader(a="702.2c 702.19b", b="702.19c", c="613.7", d="101.1", e="")
    assert agree(a, b) == {
        "questions": 4,
        "both left open": 1,
        "first rule, exact": 1 / 4,
        "first rule, family": 2 / 4,
        "same set, exact": 2 / 4,
        "same set, family": 3 / 4,
        "A's rules that B names": 2 / 4,
        "B's rules that A names": 2 / 4,
        "A's first rule among B's": 2 / 4,
    }


def test_readers_of_other_questions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"1 were read by one only \(first: b\)"):
        agree(reader(a="101.1"), reader(a="101.1", b="101.2"))
    with pytest.raises(RulesError, match="no question has rules"):
        agree(reader(a=""), reader(a=""))
    broken = tmp_path / "a.jsonl"
    broken.write_text('{"id": "a", "rules": ["frog"]}\n')
    result = CliRunner().invoke(main, ["agreement", str(broken), str(broken)])
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "a.jsonl line 1: 'frog' is not a rule number" in result.stderr


@pytest.mark.parametrize("name", ["dev", "test"])
def test_the_readme_gives_the_agreement_of_the_committed_readers(name: str) -> None:
    shares = agree(read_reader(READERS / f"{name}.A.jsonl"), read_reader(READERS / f"{name}.B.jsonl"))
    lines = (QUESTIONS / "README.md").read_text(encoding="utf-8").splitlines()
    column = 2 if name == "dev" else 3
    written = [line.split("|")[column].strip() for line in lines if re.match(r"\| (the same|of reader|A's)", line)]
    assert written == [f"{value:.1%}".replace("%", " %") for value in shares.values() if isinstance(value, float)]


def test_the_sets_are_as_large_as_the_readme_says(corpus: Corpus) -> None:
    lines = (QUESTIONS / "README.md").read_text(encoding="utf-8").splitlines()
    for name in ("dev", "test", "unanswerable"):
        questions = read_set(name)
        (row,) = [line for line in lines if line.startswith(f"| `{name}.jsonl`")]
        assert int(row.split("|")[2]) == len(questions)
        assert bool(questions[0].rules) == (name != "unanswerable")
        check_gold(questions, corpus)


def test_no_line_shares_ten_words_with_the_rulebook(corpus: Corpus) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"[a-z0-9+/{}'-]+", text.lower().replace("’", "'"))
        return set(zip(*(words[start:] for start in range(10)), strict=False))

    texts = [text for rule in corpus for text in (rule.text, *rule.examples)] + [entry.text for entry in corpus.glossary]
    official = set().union(*map(runs, texts))
    files = [*QUESTIONS.glob("*.jsonl"), *READERS.glob("*.jsonl")]
    assert len(files) >= 7
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            assert not runs(f"{row.get('question', '')} | {row.get('answer', '')}") & official, f"{path.name}: {row['id']}"
