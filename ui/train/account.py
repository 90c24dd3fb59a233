"""How a trainee stands, printed."""

import json
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from index.errors import RulesError
from index.numbers import RuleNumber
from ui.train.hints import Hints
from ui.train.progress import Progress
from ui.train.schedule import DRILLS
from ui.train.session import Score
from ui.train.stats import ORDER, Figures, figures

BAR = 20
"""Characters of a full bar."""
WEAKEST = 5


def reviewed_questions(progress: Progress, profile: str, deck: str = "") -> set[str]:
    """The ids of a deck's questions that a profile has reviewed."""
    start = f"{deck}:" if deck else ""
    items = {review.item for review in progress.reviews(profile) if review.drill != "contrast"}
    return {item.removeprefix(start) for item in items if item.startswith(start)}


def print_figures(index: Path, profile: str, as_json: bool, hints: Hints) -> None:
    """Print a profile's figures.

    Args:
        index: whose rulebook names chapters and sections; without one, the rulebook that was kept or the digest does.
    """
    progress = Progress()
    memories = [memory for drill in DRILLS for memory in progress.memories(profile, drill).values()]
    found = figures(progress.reviews(profile), memories, datetime.now(UTC))
    if as_json:
        print(json.dumps(to_json(found, profile), indent=1, ensure_ascii=False))
    elif not found.reviews:
        print(f"{profile}: no answers yet. Begin: {hints.drill()}")
    else:
        print(_page(found, profile, _titles(index)))
        print(f"\nGo on: {hints.drill()}")


def to_json(found: Figures, profile: str) -> dict[str, Any]:
    """The figures as a JSON object; days as YYYY-MM-DD."""
    row: dict[str, Any] = json.loads(json.dumps(asdict(found), default=_day))
    return {"profile": profile} | row


def _day(value: object) -> str:
    assert isinstance(value, date)
    return value.isoformat()


def _titles(index: Path) -> dict[RuleNumber, str]:
    from index.store import read_corpus

    try:
        return read_corpus(index).titles
    except RulesError:
        from index.sources import load

        return load(fetch_if_missing=False).corpus.titles


def _page(found: Figures, profile: str, titles: dict[RuleNumber, str]) -> str:
    days = "day" if found.streak == 1 else "days"
    lines = [
        f"{profile}: {found.due} due today, streak {found.streak} {days}, {found.today} review{'s' * (found.today != 1)} today, "
        f"{found.reviews:,} in all",
        f"accuracy {found.accuracy.share:.0%}",
    ]
    lines += ["", "due in the next days", *(f"  {day:%a %d %b}  {count}" for day, count in found.due_days[:7] if count)]
    lines += ["", "by chapter", *(_bar(f"{n} {titles.get(RuleNumber(n), '')}", score) for n, score in found.chapters.items())]
    for name, scores in (("kind", found.kinds), ("level", found.levels), ("drill", found.drills)):
        lines += ["", f"by {name}", *(_bar(str(key), score) for key, score in scores.items())]
    if found.sections:
        lines += ["", f"weakest sections, {ORDER}"]
        lines += [_bar(f"{w.section} {titles.get(RuleNumber(w.section), '')}", w.score) for w in found.sections[:WEAKEST]]
    if found.calibration:
        lines += ["", "how sure you were, and how often right"]
        lines += [f"  {b.low:>3}–{b.high}%  said {b.said:.0%}, right {b.right:.0%} ({b.count})" for b in found.calibration]
    return "\n".join(lines)


def _bar(name: str, score: Score) -> str:
    full = round(score.share * BAR)
    return f"  {name.strip()[:28]:<28} {'█' * full}{'·' * (BAR - full)} {score.share:>4.0%} of {score.of}"
