"""The examples' hiding: nothing of them, and no retelling, is left in the index that is asked them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import eval.hide
from eval.hide import build_without_examples, card_names, names, retellings
from eval.sets import read_set
from eval.systems import Judged, ask_all, load_corpus, rebuild
from index.bank import Question
from index.build import embed
from index.cards import FILE as CARDS
from index.corpus import Corpus
from index.numbers import RuleNumber
from index.parse import parse
from index.passages import Passage, passages
from index.store import load, save
from qa.judge import Judge
from qa.rank import default_weights
from tests.tiny import TINY, HashEncoder

TOLD = "Gravebane Zombie meets Purple Frog. Purple Frog is dealt lethal damage first."
BOOK = TINY.replace("Example: A 5/5 with trample", f"Example: {TOLD}\nExample: A 5/5 with trample")
BANK = {
    "names": ("Would a Gravebane Zombie trample over?", "702.19b"),
    "other-rule": ("Would a Gravebane Zombie be destroyed?", "704.5g"),
    "near": ("A 5/5 with trample meets a 2/2, do two points go to the blocker and three to the player?", "702.19b"),
    "far": ("May my elephant squash somebody?", "702.19b"),
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return parse(BOOK)[0]


def questions() -> list[Question]:
    return [Question(i, text, "Yes.", (RuleNumber.parse(rule),), 1, "timing") for i, (text, rule) in BANK.items()]


def bank(rows: Sequence[Question]) -> list[Passage]:
    return [Passage(row.question, "question", row.rules, row.id) for row in rows]


@pytest.fixture
def shown(corpus: Corpus, tmp_path: Path) -> Path:
    texts = sorted([*passages(corpus), *bank(questions())], key=lambda passage: passage.kind)
    vectors = embed(texts, HashEncoder(), {}, lambda line: None)
    about = {"name": "hash-64", "sha256": "0" * 64, "kind": "own"}
    save(tmp_path / "shown", corpus, texts, vectors, about, lambda folder: None, questions())
    (tmp_path / "shown" / CARDS).write_bytes(b"cards")
    return tmp_path / "shown"


def test_names_are_words_with_capitals_that_do_not_open_a_sentence() -> None:
    assert names("If Gravebane Zombie dies, Wall of Tears’s Owner wins. Someone sighs.") == {
        "gravebane zombie",
        "wall of tears's owner",
    }
    assert names("A player has Tarmogoyf. Tarmogoyf dies.") == {"tarmogoyf"}
    assert names("I’d say: Players win.") == set()


def test_words_of_the_rules_are_no_names(corpus: Corpus) -> None:
    assert {"gravebane zombie", "purple frog"} <= set().union(*card_names(corpus))
    assert not {"trample", "ward"} & set().union(*card_names(corpus))


def test_a_retelling_has_the_rule_and_a_name_or_the_words(corpus: Corpus) -> None:
    rows = bank(questions())
    asked = HashEncoder().encode([row.text for row in rows])
    assert dict(zip(BANK, retellings(corpus, rows, asked, HashEncoder()), strict=True)) == {
        "names": True,
        "other-rule": False,
        "near": True,
        "far": False,
    }
    assert retellings(corpus, [], asked[:0], HashEncoder()) == []


def test_nothing_of_an_example_is_left(shown: Path, tmp_path: Path) -> None:
    said: list[str] = []
    build_without_examples(shown, tmp_path / "hidden", said.append, HashEncoder())
    index = load(tmp_path / "hidden", HashEncoder())
    assert said[-1] == "hidden: 4 examples and 2 of the bank's questions, which retell one"
    assert set(index.questions) == {"other-rule", "far"}
    assert {passage.label for passage in index.passages if passage.kind == "question"} == {"other-rule", "far"}
    assert "example" not in index.ranges
    assert not any(rule.examples for rule in index.corpus)
    files = [path.read_bytes() for path in (tmp_path / "hidden").rglob("*") if path.is_file()]
    assert not any(b"Purple Frog" in data or b"5/5 with trample" in data or b"frog" in data for data in files)
    whole = load(shown, HashEncoder())
    assert index.corpus.glossary == whole.corpus.glossary
    assert [rule.text for rule in index.corpus] == [rule.text for rule in whole.corpus]


def test_with_hiding_off_each_example_is_found_by_itself(shown: Path, tmp_path: Path) -> None:
    (shown / CARDS).unlink()
    build_without_examples(shown, tmp_path / "hidden", lambda line: None, HashEncoder())
    asked = read_set("examples", corpus=load_corpus(shown))

    def first(folder: Path) -> float:
        # By the examples' own passages alone: with them each is its own nearest text, without them nothing is found.
        judge = Judge.load(folder, encoder=HashEncoder(), signals=["meaning-example"], expand=False)
        judge.weights = replace(default_weights(), signals={"meaning-example": 1.0}, family=0.0)
        run = ask_all(Judged(judge), asked, 5)
        return sum(bool(run[q.id].hits) and run[q.id].hits[0].number == q.rules[0] for q in asked) / len(asked)

    assert first(shown) > 0.9
    assert first(tmp_path / "hidden") == 0


def test_what_was_made_of_the_same_index_is_taken_again(shown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.store._encoder", lambda config, build: HashEncoder())
    folder = rebuild(shown, tmp_path / "runs" / "hidden", hide_examples=True)
    assert (folder / CARDS).read_bytes() == b"cards"
    made = (folder / "config.json").read_bytes()
    monkeypatch.setattr(eval.hide, "build_without_examples", lambda *rest: pytest.fail("built again"))
    assert rebuild(shown, folder, hide_examples=True) == folder
    assert (folder / "config.json").read_bytes() == made
    (shown / CARDS).write_bytes(b"other cards")
    with pytest.raises(pytest.fail.Exception, match="built again"):
        rebuild(shown, folder, hide_examples=True)
