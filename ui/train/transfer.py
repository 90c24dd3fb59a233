"""Progress to take along: export and import as JSON, cards for Anki as CSV."""

import csv
import html
import io
import json
import math
from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn
from urllib.parse import quote

from index.bank import Question
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from ui.train.deck import BANK_NAME, Deck
from ui.train.filters import KINDS
from ui.train.mark import RATINGS
from ui.train.near import Nearness
from ui.train.progress import Progress
from ui.train.rows import Review
from ui.train.schedule import DRILLS
from ui.train.session import GRADES

APP = "rules-lawyer"
WHAT = "training progress"
SCHEMA = 1
MOST_BYTES = 96_000_000
"""The largest file that is read: some hundred thousand reviews."""
MOST_REVIEWS = 200_000
FIRST_YEAR = 2000
AHEAD = timedelta(days=1)
"""So much may the clock of the other computer differ."""
EASY = 4
"""What FSRS gives besides for a right answer; we never do, but may once."""
KEPT = "nothing was imported, your progress is as it was"

_TEXTS = {"uid": 80, "item": 400, "nearness": 20, "guess": 20, "said": 10_000, "session": 80, "rule": 20, "kind": 40}
"""The most characters of each text."""
_KINDS = ("", *KINDS)
_NUMBERS = {"place": (0, 10_000), "level": (0, 9)}


def export_json(progress: Progress, profile: str) -> str:
    """All reviews of a profile as JSON; ``import_json`` makes the same progress of it anywhere."""
    head = {"app": APP, "what": WHAT, "schema": SCHEMA, "profile": profile, "exported": datetime.now(UTC).isoformat()}
    rows = ",\n".join(json.dumps(_row(review), ensure_ascii=False) for review in progress.reviews(profile))
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "reviews": [\n{rows}\n]}}'


def _row(review: Review) -> dict[str, Any]:
    row = {field.name: getattr(review, field.name) for field in fields(review)}
    return row | {"at": review.at.astimezone(UTC).isoformat()}


def import_json(progress: Progress, data: bytes | str, profile: str) -> tuple[int, int]:
    """Add the reviews of an export to a profile; those already there are skipped.

    The whole file is checked before anything is written, and all of it is written or nothing.

    Returns:
        How many reviews were new, and how many were there already.

    Raises:
        RulesError: the file is broken, too large, of a newer version or not an export; nothing has changed then.
    """
    reviews = read_export(data)
    new = progress.merge(profile, reviews)
    return new, len(reviews) - new


def were_there(count: int) -> str:
    """What is said of the reviews that an import found already."""
    return "1 was there already" if count == 1 else f"{count:,} were there already"


def read_export(data: bytes | str) -> list[Review]:
    """The reviews in an export, every field checked; raises RulesError as ``import_json``."""
    if len(data) > MOST_BYTES:
        _refuse(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    content = _parsed(data)
    if not isinstance(content, dict) or content.get("app") != APP or content.get("what") != WHAT:
        _refuse("it was not written by 'python -m ui progress export'")
    schema = content.get("schema")
    if type(schema) is not int or schema < 1:
        _refuse("it does not say its version")
    if schema > SCHEMA:
        _refuse(f"a newer Rules Lawyer wrote it (schema {str(schema)[:20]}, this one reads {SCHEMA}); update Rules Lawyer")
    rows = content.get("reviews")
    if not isinstance(rows, list) or len(rows) > MOST_REVIEWS:
        _refuse(f"it has no list of at most {MOST_REVIEWS:,} reviews")
    reviews = [_review(row, place) for place, row in enumerate(rows, 1)]
    if len({review.uid for review in reviews}) < len(reviews):
        _refuse("two of its reviews have the same uid")
    return reviews


def _parsed(data: bytes | str) -> Any:
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        return json.loads(text, parse_constant=_no_number)
    except UnicodeDecodeError:
        _refuse("it is not a text")
    except RecursionError:
        _refuse("it is nested too deep")
    except ValueError as error:
        _refuse(f"it is not whole JSON ({str(error)[:100]})")


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _refuse(why: str) -> NoReturn:
    raise RulesError(f"this file can't be imported: {why}; {KEPT}; use a file from: python -m ui progress export FILE")


def _review(row: Any, place: int) -> Review:
    """One review of an export; raises RulesError that names its place."""
    try:
        if not isinstance(row, dict):
            raise ValueError("is no object")
        texts: dict[str, Any] = {name: _text(row, name, most) for name, most in _TEXTS.items()}
        numbers: dict[str, Any] = {name: _whole(row, name, low, high) for name, (low, high) in _NUMBERS.items()}
        if not texts["uid"] or not texts["item"]:
            raise ValueError("has no uid or item")
        if texts["kind"] not in _KINDS:
            raise ValueError(f"has a kind that is none of {', '.join(KINDS)}")
        grade = _one_of(row, "grade", GRADES)
        return Review(
            **texts,
            **numbers,
            drill=_one_of(row, "drill", DRILLS),
            grade=grade,
            at=_time(row.get("at")),
            rating=_rating(row, grade),
            confidence=None if row.get("confidence") is None else _whole(row, "confidence", 0, 100),
            seconds=_seconds(row.get("seconds")),
        )
    except (ValueError, OverflowError) as error:
        _refuse(f"review {place} {error}")


def _text(row: dict[str, Any], name: str, most: int) -> str:
    value = row.get(name, "")
    if not isinstance(value, str) or len(value) > most or "\0" in value:
        raise ValueError(f"has no text of at most {most} characters as {name}")
    try:
        value.encode()
        known = name != "nearness" or not value or bool(Nearness(value))
        if name in ("guess", "rule") and value:
            value = str(RuleNumber.parse(value))
    except (ValueError, RulesError):  # half a character, no nearness, no rule number
        known = False
    if not known:
        raise ValueError(f"has a {name} that can't be")
    return value


def _whole(row: dict[str, Any], name: str, low: int, high: int) -> int:
    value = row.get(name, 0)
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"has no whole number from {low} to {high} as {name}")
    return value


def _one_of(row: dict[str, Any], name: str, allowed: tuple[str, ...]) -> str:
    value = row.get(name)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"has a {name} that is none of {', '.join(allowed)}")
    return value


def _rating(row: dict[str, Any], grade: str) -> int:
    """What FSRS was told; the figures count the grade, so that the two must say the same."""
    rating = _whole(row, "rating", 1, EASY)
    if rating != RATINGS[grade] and (grade, rating) != ("right", EASY):
        raise ValueError(f"has a rating that contradicts its grade ({rating}, {grade})")
    return rating


def _time(value: Any) -> datetime:
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError("has no date and time as at") from None
    if at.tzinfo is None:
        raise ValueError("has a time without a zone as at")
    if at.year < FIRST_YEAR:
        raise ValueError(f"has a time before {FIRST_YEAR} as at")
    if at.astimezone(UTC) > datetime.now(UTC) + AHEAD:
        raise ValueError("has a time in the future as at (set this computer's clock, if it is late)")
    return at.astimezone(UTC)


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e6 or not math.isfinite(value):
        raise ValueError("has no number from 0 to 1,000,000 as seconds")
    return float(value)


def anki(deck: Deck, questions: Iterable[Question], corpus: Corpus | None = None) -> str:
    """Questions as cards for Anki: File › Import. A later import of the same questions updates them.

    Args:
        corpus: adds the rules' texts to the backs, for one's own use; only their numbers, if None.
    """
    out = io.StringIO()
    out.write("#separator:Comma\n#html:true\n#notetype:Basic\n#deck:Rules Lawyer\n#guid column:1\n#tags column:4\n")
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for question in questions:
        row = (_guid(deck, question), _html(question.question), _back(question, deck, corpus), " ".join(_tags(question)))
        writer.writerow(row)
    return out.getvalue()


def _guid(deck: Deck, question: Question) -> str:
    """By what Anki knows a card again. No name of a set and no id can make that of another set, or of the bank."""
    where = deck.name if deck.name == BANK_NAME else f"set:{quote(deck.name, safe=' .,')}"
    return f"{APP}:{where}:{question.id}"


def _back(question: Question, deck: Deck, corpus: Corpus | None) -> str:
    numbers = ", ".join(str(number) for number in question.rules)
    parts = [_html(question.answer), f"<b>{numbers}</b> ({deck.corpus.name})"]
    if corpus is not None:
        parts += [f"<b>{number}</b> {_html(corpus.rule(number).text)}" for number in question.rules]
    return "<br><br>".join(part for part in parts if part)


def _html(text: str) -> str:
    return html.escape(text, quote=False).replace("\r\n", "\n").replace("\n", "<br>")


def _tags(question: Question) -> list[str]:
    decisive = question.rules[0]
    tags = [f"chapter::{decisive.chapter}", f"section::{decisive.section}"]
    tags += [f"level::{question.level}"] if question.level else []
    return tags + ([f"kind::{question.kind.replace(' ', '_')}"] if question.kind else [])
