"""Figures about progress, and cards for Anki."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from index.corpus import Corpus
from ui.train.deck import Deck
from ui.train.rows import Review
from ui.train.schedule import Memory
from ui.train.session import Score
from ui.train.stats import figures, streak
from ui.train.transfer import anki

START = datetime(2025, 3, 4, 9, 30, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def a_review(n: int, at: datetime = START, **changes: Any) -> Review:
    plain = Review(f"u{n}", f"q{n}", "rule", at, 3, "exact", "right", rule="702.19b", kind="timing", level=2)
    return replace(plain, **changes)


def test_the_streak_counts_local_days() -> None:
    today = date(2025, 3, 4)
    days = {today - timedelta(n) for n in (0, 1, 2, 4)}
    assert streak(days, today) == 3
    assert streak(days - {today}, today) == 2
    assert streak(days - {today, today - timedelta(1)}, today) == 0
    assert streak(set(), today) == 0
    # 23:30 UTC is the next day in Berlin; the clocks change in the night to 30 March.
    times = [datetime(2025, 3, day, 23, 30, tzinfo=UTC) for day in (27, 28, 29, 30)]
    now = datetime(2025, 3, 31, 8, tzinfo=UTC)
    found = figures([a_review(n, at) for n, at in enumerate(times)], [], now, BERLIN)
    assert (found.streak, found.today) == (4, 1)
    assert found.days[-1] == (date(2025, 3, 31), 1)
    assert figures([a_review(n, at) for n, at in enumerate(times)], [], now, ZoneInfo("UTC")).today == 0


def test_figures() -> None:
    reviews = [a_review(n, grade="wrong", rule="704.5g", confidence=90) for n in range(3)]
    reviews += [a_review(n, confidence=85) for n in range(3, 6)]
    reviews += [a_review(6, grade="half", rule="101.2", confidence=10), a_review(7, rule="", kind="", level=0)]
    memories = [Memory(START + timedelta(days=days), "{}") for days in (-3, 0, 0.1, 1, 13, 14)]
    found = figures(reviews, memories, START, ZoneInfo("UTC"))
    assert found.due == 3
    assert [count for _, count in found.due_days] == [3, 1, *[0] * 11, 1]
    assert found.accuracy == Score(4.5, 8)
    assert found.chapters == {1: Score(0.5, 1), 7: Score(3.0, 6)}
    assert found.kinds == {"timing": Score(3.5, 7)}
    assert [(weak.section, weak.estimate) for weak in found.sections] == [(704, 0.2), (702, 0.8)]
    assert [(b.low, b.high, b.count, round(b.said, 3), b.right) for b in found.calibration] == [
        (0, 20, 1, 0.1, 0.5),
        (80, 100, 6, 0.875, 0.5),
    ]
    assert (found.reviews, found.items, len(found.days)) == (8, 8, 28)


def test_anki_cards(tiny_corpus: Corpus) -> None:
    row = {"id": "a", "question": 'Is "<b>" bold,\nreally?', "answer": "No; it's text.", "rules": ["702.19b"], "kind": "timing"}
    deck = Deck.parse(json.dumps([row]), "team", tiny_corpus)
    text = anki(deck, deck.select(), tiny_corpus)
    head, card = text.split("#tags column:4\n")
    assert head.startswith("#separator:Comma\n#html:true\n")
    assert card.startswith('"rules-lawyer:set:team:a","Is ""&lt;b&gt;"" bold,<br>really?","No; it\'s text.')
    assert "lethal damage first" in card
    assert '"chapter::7 section::702' in card
    assert "lethal damage first" not in anki(deck, deck.select())
