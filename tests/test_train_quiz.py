"""Quizzes: the same seed draws the same, and each format holds the questions, the key, the edition and the notices."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from index.bank import Question
from index.build import build
from index.citations import Citations
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.store import load
from tests.tiny import NO_BANK, HashEncoder
from ui.plain import NOTICE
from ui.train import sheet
from ui.train.deck import Deck
from ui.train.filters import Filters
from ui.train.pdf import NUMBER, _Setter
from ui.train.quiz import Quiz, make

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = ("702.19b", "702.19c", "702.2c", "704.5g", "704.5h", "101.2", "510.1a", "702.21a")


def question(place: int, **changes: Any) -> dict[str, Any]:
    row = {"id": f"q{place}", "question": f"Case {place}: who wins?", "answer": "Nobody.", "rules": [NUMBERS[place % 8]]}
    return row | {"level": place % 3 + 1, "kind": "timing"} | changes


def text_of(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def deck(tiny_corpus: Corpus) -> Deck:
    return Deck.parse(text_of(*(question(n) for n in range(40))), "team.jsonl", tiny_corpus)


def drawn(deck: Deck, count: int = 8, **wanted: Any) -> list[str]:
    return [q.id for q in make(deck, deck.corpus, count, Filters(**wanted), 7).questions]


def test_a_seed_draws_the_same_again_and_another_another(deck: Deck) -> None:
    assert drawn(deck) == drawn(deck)
    assert drawn(deck) != [q.id for q in make(deck, deck.corpus, 8, seed=8).questions]
    assert len({deck.questions[i].rules[0] for i in drawn(deck)}) == 8
    assert len(set(drawn(deck, 40))) == 40
    assert all(deck.questions[i].level == 2 for i in drawn(deck, 5, levels=frozenset({2})))


def test_a_grown_deck_changes_little(deck: Deck, tiny_corpus: Corpus) -> None:
    grown = Deck.parse(text_of(*(question(n) for n in range(42))), "team.jsonl", tiny_corpus)
    assert len(set(drawn(deck)) & set(drawn(grown))) >= 6


@pytest.mark.parametrize(
    ("count", "wanted", "part"),
    [
        (41, {}, r"only 40 questions match \(all questions\) in team.jsonl, not 41; ask for fewer"),
        (1, {"keyword": "flying"}, r"no question matches \(keyword flying\).*no question is about a keyword 'flying'"),
        (1, {"cards": True}, "leave the cards filter out"),
        (0, {}, "must have 1 to 500"),
        (501, {}, "must have 1 to 500"),
    ],
)
def test_too_few_questions_are_said_with_what_to_do(deck: Deck, count: int, wanted: dict[str, Any], part: str) -> None:
    with pytest.raises(RulesError, match=part):
        make(deck, deck.corpus, count, Filters(**wanted), 7)


def test_json_has_the_questions_and_the_key_with_citations(deck: Deck, tiny_corpus: Corpus) -> None:
    made = make(deck, tiny_corpus, 8, Filters(levels=frozenset({1, 2, 3})), 7)
    data = json.loads(json.dumps(sheet.to_json(made, tiny_corpus, Citations(tiny_corpus))))
    assert (data["edition"], data["seed"], data["deck"]) == ("2025-03-04", 7, "team.jsonl")
    assert data["filters"]["levels"] == [1, 2, 3]
    assert data["rights"] == NOTICE
    assert [row["n"] for row in data["questions"]] == [row["n"] for row in data["key"]] == list(range(1, 9))
    assert [row["id"] for row in data["questions"]] == [row["id"] for row in data["key"]]
    assert set(data["questions"][0]) == {"n", "id", "question", "level", "kind", "cards"}
    rules = {rule["number"]: rule for row in data["key"] for rule in row["rules"]}
    assert rules["702.2c"] == {
        "number": "702.2c",
        "title": "Deathtouch",
        "path": ["7 Additional Rules", "702 Keyword Abilities", "702.2 Deathtouch"],
        "text": tiny_corpus.by_number[RuleNumber.parse("702.2c")].text,
        "examples": [],
        "cites": ["510.1a", "510.1b", "702.19b"],
    }
    assert rules["101.2"]["path"] == ["1 Game Concepts", "101 Golden Rules"]


def test_markdown_shows_texts_as_they_are(tiny_corpus: Corpus) -> None:
    odd = question(0, question="<b>*Two*</b> [X]_y_ &lt; #1\n- R&D?", answer="")
    made = make(Deck.parse(text_of(odd), "a*b", tiny_corpus), tiny_corpus, 1)
    text = sheet.to_markdown(made, tiny_corpus, Citations(tiny_corpus))
    assert r"**1.** \<b\>\*Two\*\</b\> \[X\]\_y\_ \&lt; \#1 - R&D?" in text
    assert r"from a\*b" in text
    assert "**702.19b** (7 Additional Rules › 702 Keyword Abilities › 702.19 Trample)" in text
    assert "> The attacker gives each blocker lethal damage first" in text
    assert "Ruling" not in text
    assert text.index("## Questions") < text.index("## Key") < text.index("unofficial Fan Content")
    assert "Cites 510.1a, 510.1b, 702.19b." in sheet.to_markdown(
        make(Deck.parse(text_of(question(2)), "x", tiny_corpus), tiny_corpus, 1), tiny_corpus, Citations(tiny_corpus)
    )


def moved_quiz(tiny_corpus: Corpus) -> Quiz:
    here = Question("m", "Whose?", "Mine.", (RuleNumber.parse("702.19b"),), 1, "timing", was=(RuleNumber.parse("702.17b"),))
    lost = Question("l", "Whose?", "Mine.", (RuleNumber.parse("702.19b"),), 1, "timing", lost=1)
    return make(Deck.placed("bank", tiny_corpus, [here, lost]), tiny_corpus, 1)


def test_moved_questions_carry_a_note_in_every_format(tiny_corpus: Corpus) -> None:
    made, citations = moved_quiz(tiny_corpus), Citations(tiny_corpus)
    data = sheet.to_json(made, tiny_corpus, citations)
    assert data["key"][0]["note"] == "written for 702.17b; this edition numbers it 702.19b"
    assert [note.split(",")[0] for note in data["notes"]] == [
        "1 question: moved to the rule numbers of the loaded edition (2025-03-04).",
        "1 question: set aside",
    ]
    text = sheet.to_markdown(made, tiny_corpus, citations)
    assert "*written for 702.17b; this edition numbers it 702.19b*" in text
    assert "set aside, because" in text
    assert sheet.to_pdf(made, tiny_corpus, citations) != sheet.to_pdf(
        make(Deck.parse(text_of(question(0)), "bank", tiny_corpus), tiny_corpus, 1), tiny_corpus, citations
    )


def test_a_pdf_is_the_same_for_the_same_quiz_and_holds_any_text(tiny_corpus: Corpus) -> None:
    odd = [
        question(0, question="W" * 700 + " <b>&amp; {T}\u2028" + "漢字 Ñandú Lim-Dûl 🎉"),
        question(1, question="Who " * 999, answer="</para><img src='x'/>"),
        question(2, question="?", answer=""),
    ]
    made = make(Deck.parse(text_of(*odd), "<team> & co", tiny_corpus), tiny_corpus, 3)
    first, second = (sheet.to_pdf(made, tiny_corpus, Citations(tiny_corpus)) for _ in range(2))
    assert first == second
    assert first.startswith(b"%PDF-")
    assert first.rstrip().endswith(b"%%EOF")
    pages = re.search(rb"/Count (\d+)", first)
    assert pages is not None
    assert int(pages[1]) >= 3


def test_texts_are_set_in_the_fonts_characters() -> None:
    setter = _Setter()
    assert setter.text("“Lim-Dûl” — 1\u20112 ½ ﬁ\u200b Āb\u0301 <a>") == "“Lim-Dûl” — 1-2 ½ ﬁ Ab &lt;a&gt;".replace(
        "ﬁ", setter.text("ﬁ")
    )
    assert not setter.lost
    assert setter.text("漢🎉") == "??"
    assert setter.lost
    assert NUMBER > 0


# The command


@pytest.fixture(scope="module")
def index_folder(tiny_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quiz") / "index"
    build(tiny_corpus, folder, HashEncoder(), lambda line: None, NO_BANK)
    return folder


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("own") / "team.jsonl"
    path.write_text(text_of(*(question(n) for n in range(12))))
    return path


def quiz(*args: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "ui", "quiz", *map(str, args)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=False)


def test_the_command_prints_the_same_quiz_again(index_folder: Path, own: Path, tmp_path: Path) -> None:
    options = ["--make", "3", "--level", "2", "--level", "1", "--seed", "7", "--index", index_folder, "--set", own]
    first, second = quiz(*options, "--format", "json"), quiz(*options, "--format", "json")
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    data = json.loads(first.stdout)
    assert len(data["questions"]) == 3
    assert data["seed"] == 7
    assert {row["level"] for row in data["questions"]} <= {1, 2}
    printed = quiz(*options)
    assert printed.stdout.decode().startswith("# Rules quiz\n\n3 questions, level 1 or 2, seed 7, from team.jsonl\n")
    assert quiz(*options, "--format", "pdf").stdout.startswith(b"%PDF-")
    assert quiz(*options, "--format", "pdf", "--out", tmp_path / "quiz.pdf").returncode == 0
    assert (tmp_path / "quiz.pdf").read_bytes() == quiz(*options, "--format", "pdf").stdout


def test_a_seed_that_was_not_given_is_named(index_folder: Path, own: Path) -> None:
    options = ["--make", "3", "--format", "json", "--index", index_folder, "--set", own]
    first = quiz(*options)
    named = re.search(rb"--seed (\d+) makes this quiz again", first.stderr)
    assert named is not None
    assert quiz(*options, "--seed", named[1].decode()).stdout == first.stdout


@pytest.mark.parametrize(
    ("args", "code", "part"),
    [
        (["--make", "13"], 1, b"only 12 questions match (all questions) in team.jsonl, not 13"),
        (["--keyword", "wards"], 1, b"near it: Ward"),
        (["--cards"], 1, b"leave the cards filter out"),
        (["--commander"], 1, b"no question matches (Commander)"),
        (["--set", "/no/such/file"], 1, b"can't read the questions"),
        (["--index", "/no/such/index"], 1, b"there is no index"),
        (["--make", "0"], 2, b"--make"),
        (["--make", "x"], 2, b"--make"),
        (["--level", "4"], 2, b"--level"),
        (["--kind", "odd"], 2, b"--kind"),
        (["--format", "doc"], 2, b"--format"),
        (["--make", "3", "--out", "/no/such/x"], 1, b"can't write /no/such/x: there is no folder /no/such;"),
        (["--make", "3", "--out", "/tmp"], 1, b"it is a folder"),
        (["--make", "3", "--out", ""], 1, b"without a name"),
    ],
)
def test_what_cannot_be_is_one_line(index_folder: Path, own: Path, args: list[str], code: int, part: bytes) -> None:
    result = quiz("--index", index_folder, "--set", own, "--seed", "1", *args)
    assert result.returncode == code
    assert part in result.stderr
    assert result.stdout == b""
    assert b"Traceback" not in result.stderr
    if code == 1:
        assert len([line for line in result.stderr.splitlines() if not line.startswith(b"note:")]) == 1


def test_the_bank_of_an_index_is_asked_without_a_set(
    index_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tiny_corpus: Corpus
) -> None:
    from click.testing import CliRunner

    from ui.train.commands import quiz as command

    loaded = load(index_folder, HashEncoder())
    row = Question("b", "Whose?", "Mine.", (RuleNumber.parse("702.19b"),), 1, "timing")
    loaded.__dict__["questions"] = {"b": row}
    monkeypatch.setattr("ui.train.opening.load", lambda folder: loaded)
    result = CliRunner().invoke(command, ["--make", "1", "--format", "json", "--index", str(index_folder)])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["key"][0]["id"] == "b"


def test_a_pdf_is_not_poured_into_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from ui.train.commands import quiz as command

    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    with pytest.raises(RulesError, match=r"--out quiz\.pdf"):
        command.main(["--format", "pdf", "--index", "/nowhere"], standalone_mode=False)


def test_help_is_light() -> None:
    result = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "ui", "quiz", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "Example: python -m ui quiz" in result.stdout
    modules = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in result.stderr.splitlines() if "|" in line}
    assert not modules & {"numpy", "faiss", "gradio", "reportlab", "onnxruntime", "fsrs"}
