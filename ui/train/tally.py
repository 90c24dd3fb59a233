"""How a session went, in numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ui.train.near import Nearness
from ui.train.session import POINTS, Result, Reveal, Score, Session


def result_of(session: Session, rows: Sequence[Reveal]) -> Result:
    """The result of a session from what its places reveal, in order."""
    counted = [row for row in rows if row.grade or session.plan.exam]
    chapters: dict[int, list[Reveal]] = {}
    for row in counted:
        chapters.setdefault(row.rules[0].chapter.section, []).append(row)
    return Result(
        session=session,
        score=_score(counted),
        nearness=Counter(str(row.nearness) for row in rows if row.nearness is not None),
        told=_told(rows),
        grades=Counter(row.grade for row in rows),
        chapters={chapter: _score(chapters[chapter]) for chapter in sorted(chapters)},
        rows=tuple(rows),
        seconds=_seconds(session),
        unanswered=len(session.items) - len(session.answers),
    )


def _told(rows: Sequence[Reveal]) -> dict[str, int]:
    guessed = [row for row in rows if row.nearness is not None]
    order = list(Nearness)
    return dict(Counter(row.told for row in sorted(guessed, key=lambda row: order.index(row.nearness or Nearness.NONE))))


def _score(rows: Iterable[Reveal]) -> Score:
    points = [POINTS.get(row.grade, 0.0) for row in rows]
    return Score(sum(points), len(points))


def _seconds(session: Session) -> float:
    if session.plan.exam and session.finished:
        return (session.finished - session.started).total_seconds()
    return sum(answer.seconds or 0.0 for answer in session.answers.values())
