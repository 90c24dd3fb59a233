"""Progress is exported and imported; a broken file changes nothing."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from index.corpus import Corpus
from index.errors import RulesError
from tests.test_train_progress import START, a_progress, a_review, the_sequence
from ui.train.deck import BANK_NAME, Deck
from ui.train.progress import Progress
from ui.train.schedule import reviewed
from ui.train.transfer import MOST_BYTES, anki, export_json, import_json

__all__ = ["a_progress"]
ROW = {"id": "a", "question": "Who is hit?", "rules": ["510.1a"], "answer": "You."}


def test_the_replay_of_an_export_gives_the_same_memories(progress: Progress, tmp_path: Path) -> None:
    rng = random.Random(7)
    for n in range(120):
        review = a_review(
            f"r{n}", item=f"q{rng.randrange(9)}", drill=rng.choice(["rule", "ruling"]), **graded(rng.randrange(1, 5))
        )
        progress.add("Anna", replace(review, at=START + timedelta(hours=7 * n)))
    other = Progress(tmp_path / "other" / "training.sqlite")
    other.add_profile("Ben")
    assert import_json(other, export_json(progress, "Anna"), "Ben") == (120, 0)
    assert other.reviews("Ben") == progress.reviews("Anna")
    for drill in ("rule", "ruling"):
        assert other.memories("Ben", drill) == progress.memories("Anna", drill)
    assert import_json(other, export_json(progress, "Anna"), "Ben") == (0, 120)


def test_an_import_merges_by_time(progress: Progress, tmp_path: Path) -> None:
    """What was reviewed on two computers is scheduled as if it had been one."""
    reviews = the_sequence()
    other = Progress(tmp_path / "laptop.sqlite")
    other.add_profile("Anna")
    for place, review in enumerate(reviews):
        review = reviews[place] = replace(review, **graded(review.rating))
        (progress if place % 2 else other).add("Anna", review)
    import_json(progress, export_json(other, "Anna"), "Anna")
    memory = None
    for review in reviews:
        memory = reviewed(memory, review.rating, review.at)
    assert progress.memory("Anna", "rule", "q1") == memory


def graded(rating: int) -> dict[str, Any]:
    return {"rating": rating, "grade": {1: "wrong", 2: "half"}.get(rating, "right")}


def an_export(**changes: Any) -> dict[str, Any]:
    row = {"uid": "x1", "item": "q9", "drill": "rule", "at": "2025-03-04T10:00:00+00:00", "rating": 3, "nearness": "exact"}
    row |= {"grade": "right", "guess": "702.19b", "rule": "702.19b"}
    export = {"app": "rules-lawyer", "what": "training progress", "schema": 1, "reviews": [row]}
    return export | changes


def one(**changes: Any) -> str:
    export = an_export()
    export["reviews"] = [export["reviews"][0], export["reviews"][0] | {"uid": "x2"} | changes]
    return json.dumps(export)


BROKEN: dict[str, str | bytes] = {
    "empty": "",
    "truncated": json.dumps(an_export())[:-40],
    "no object": "[]",
    "a number": "7",
    "another app's": json.dumps({"version": 3, "cards": [{"front": "a", "back": "b"}]}),
    "a quiz of ours": json.dumps({"app": "rules-lawyer", "questions": []}),
    "newer": json.dumps(an_export(schema=2)),
    "a huge schema": json.dumps(an_export(schema=10**400)),
    "schema as text": json.dumps(an_export(schema="1")),
    "schema true": json.dumps(an_export(schema=True)),
    "schema missing": json.dumps({k: v for k, v in an_export().items() if k != "schema"}),
    "reviews missing": json.dumps(an_export(reviews=None)),
    "reviews an object": json.dumps(an_export(reviews={"0": an_export()["reviews"][0]})),
    "a review is a list": json.dumps(an_export(reviews=[[1, 2]])),
    "no uid": one(uid=""),
    "uid a number": one(uid=7),
    "uid twice": one(uid="x1"),
    "item missing": one(item=None),
    "item too long": one(item="q" * 500),
    "item with a NUL": one(item="q\0"),
    "half a character": one(said="\ud83d"),
    "a drill unknown": one(drill="guess"),
    "a drill as a list": one(drill=["rule"]),
    "a grade unknown": one(grade="great"),
    "rating 0": one(rating=0),
    "rating 5": one(rating=5),
    "rating 3.0": one(rating=3.0),
    "rating true": one(rating=True),
    "rating NaN": one(rating=float("nan")),
    "rating huge": one(rating=10**300),
    "a number of 5,000 digits": one().replace('"rating": 3', '"rating": ' + "9" * 5000),
    "confidence 101": one(confidence=101),
    "confidence a text": one(confidence="80"),
    "seconds NaN": one(seconds=float("nan")),
    "seconds infinite": one(seconds=float("inf")),
    "seconds 1e999": one().replace('"rating": 3', '"seconds": 1e999, "rating": 3'),
    "seconds negative": one(seconds=-1),
    "place negative": one(place=-1),
    "level 99": one(level=99),
    "no time": one(at=None),
    "time a number": one(at=1_700_000_000),
    "time without a zone": one(at="2025-03-04T10:00:00"),
    "in the future": one(at=(datetime.now(UTC) + timedelta(hours=25)).isoformat()),
    "a kind unknown": one(kind="riddle"),
    "a grade that contradicts": one(rating=1),
    "a half that was easy": one(rating=4, grade="half"),
    "wrong and yet good": one(rating=3, grade="wrong"),
    "a day only": one(at="2025-03-04"),
    "February 30": one(at="2025-02-30T10:00:00+00:00"),
    "the year 9999": one(at="9999-12-31T23:59:59-12:00"),
    "the year 1": one(at="0001-01-01T00:00:00+12:00"),
    "nearness unknown": one(nearness="warm"),
    "a rule that is none": one(rule="seven"),
    "a guess that is none": one(guess="702.19b or so"),
    "deeply nested": "[" * 200_000,
    "binary": b"\x80\x81\xff" * 50,
    "UTF-16": json.dumps(an_export()).encode("utf-16"),
    "SQLite": b"SQLite format 3\0" + bytes(4096),
    "100 MB": b" " * 100_000_000,
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_import_is_refused_and_the_old_data_kept(kind: str, progress: Progress) -> None:
    for review in the_sequence():
        progress.add("Anna", review)
    before = (progress.reviews("Anna"), progress.memories("Anna", "rule"))
    with pytest.raises(RulesError, match="nothing was imported, your progress is as it was") as caught:
        import_json(progress, BROKEN[kind], "Anna")
    assert len(str(caught.value)) < 500
    assert "newer" not in kind or "newer Rules Lawyer" in str(caught.value)
    assert (progress.reviews("Anna"), progress.memories("Anna", "rule")) == before


def test_an_import_takes_a_byte_order_mark_and_other_zones(progress: Progress) -> None:
    data = one(at="2025-03-04T12:00:00+02:00", guess="CR 702.19B.").encode("utf-8-sig")
    assert import_json(progress, data, "anna") == (2, 0)
    assert {review.at for review in progress.reviews("Anna")} == {datetime(2025, 3, 4, 10, tzinfo=UTC)}
    assert len(data) < MOST_BYTES


def test_an_import_takes_what_we_write(progress: Progress) -> None:
    """Every kind, or none; every grade; a clock that is a little ahead."""
    for place, (kind, rating) in enumerate((("", 1), ("timing", 2), ("variant", 3), ("definition", 4))):
        at = (datetime.now(UTC) + timedelta(hours=23)).isoformat()
        assert import_json(progress, one(uid=f"y{place}", kind=kind, at=at, **graded(rating)), "Anna")[0] >= 1


def guids_of(deck: Deck) -> set[str]:
    return {line.split('"')[1] for line in anki(deck, deck.questions.values()).splitlines() if line.startswith('"')}


def test_cards_of_different_sets_are_different_notes(tiny_corpus: Corpus) -> None:
    """Anki takes a card with a known guid for the same note."""

    def guids(name: str, identity: str) -> set[str]:
        deck = Deck.parse(json.dumps(ROW | {"id": identity}), name, tiny_corpus)
        return guids_of(deck)

    bank = Deck(BANK_NAME, tiny_corpus, Deck.parse(json.dumps(ROW), "x", tiny_corpus).questions.values())
    own = guids_of(bank)
    assert own == {f"rules-lawyer:{BANK_NAME}:a"}  # as it always was: who imported them before gets no second ones
    assert guids("a", "b:c").isdisjoint(guids("a:b", "c"))
    assert guids(f"{BANK_NAME}:", "a").isdisjoint(own)
    assert guids(f"x:{BANK_NAME}", "a").isdisjoint(own)


@pytest.mark.parametrize("name", [BANK_NAME, "The  Question Bank"])
def test_a_set_is_not_named_like_the_bank(name: str, progress: Progress, tiny_corpus: Corpus) -> None:
    with pytest.raises(RulesError, match="give your set another"):
        Deck.parse(json.dumps(ROW), name, tiny_corpus)
    with pytest.raises(RulesError, match="give your set another"):
        progress.add_deck(name, json.dumps(ROW))
    assert progress.decks() == []


def test_an_import_into_no_profile_changes_nothing(progress: Progress) -> None:
    with pytest.raises(RulesError, match="no profile"):
        import_json(progress, one(), "Ben")
    assert progress.profiles() == ["Anna"]
