"""The progress page as HTML."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from index.numbers import RuleNumber
from ui.library import Library
from ui.text import esc
from ui.train.filters import Filters
from ui.train.plots import bars, calibration, columns
from ui.train.screen import DRILL_NAMES
from ui.train.session import Plan, Score
from ui.train.stats import ORDER, Figures
from ui.train.views import LENGTH, begin, counted, note, profile_choice

WEAKEST = 6
"""So many sections are listed."""
ENOUGH_RIGHT = 0.75
"""A section of which more is right is not drilled with the weak ones."""


@dataclass(frozen=True)
class Set:
    """An own set, as it is listed."""

    name: str
    count: int
    notes: tuple[str, ...]


class Board:
    """Shows progress."""

    def __init__(self, library: Library) -> None:
        self.corpus = library.corpus

    def html(self, profile: str, profiles: Sequence[str], found: Figures | None, sets: Sequence[Set], said: str = "") -> str:
        """The whole page.

        Args:
            found: the profile's figures; None where no profile is chosen.
            said: what has just happened.
        """
        name = f" of {profile}" if profile else ""
        body = self._figures(found) if found else self._nobody(profiles)
        return (
            '<section class="training board" aria-label="Progress">'
            f'<h1 tabindex="-1" data-focus>Progress{esc(name)}</h1>{note(said)}{body}'
            f"{self._data(profile, profiles)}{self._sets(sets)}</section>"
        )

    @staticmethod
    def _nobody(profiles: Sequence[str]) -> str:
        who = "Choose your profile under “Profiles”, or " if profiles else ""
        text = "start a session; its answers are counted here."
        return f'<p>{who}{text if who else text.capitalize()}</p><p><a class="go" href="/train"><b>Train</b></a></p>'

    def _figures(self, found: Figures) -> str:
        if not found.reviews:
            return '<p>Nothing answered yet.</p><p><a class="go primary" href="/train"><b>Start</b></a></p>'
        days = "day" if found.streak == 1 else "days"
        tiles = "".join(
            f'<li><b>{esc(value)}</b><span class="small">{esc(label)}</span></li>'
            for value, label in (
                (f"{found.due:,}", "due today"),
                (f"{found.streak} {days}", "streak"),
                (f"{found.today:,}", "answered today"),
                (f"{found.accuracy.share:.0%}", f"right of {found.reviews:,}"),
            )
        )
        return (
            f'<ul class="tiles">{tiles}</ul><p><a class="go primary" href="/train"><b>Train</b></a></p>'
            f'{self._weak(found)}<div class="plots">{columns("Due in the next 14 days", found.due_days, "due")}'
            f"{columns('Answers in the last 28 days', found.days, 'answers')}</div>{self._accuracy(found)}"
            f"{calibration(found.calibration) or self._unsure()}"
        )

    @staticmethod
    def _unsure() -> str:
        return '<p class="small">Say how sure you are when you answer, and you see here how often you are right.</p>'

    def _weak(self, found: Figures) -> str:
        weak = found.sections[:WEAKEST]
        if not weak:
            return '<p class="small">Weak sections are named here when a section has three answers.</p>'
        rows = [(f"{w.section} {self.corpus.titles.get(RuleNumber(w.section), '')}", w.score) for w in weak]
        each = [begin("Drill", _sections([w.section]), css="plain") for w in weak]
        worst = [w.section for w in weak if w.estimate < ENOUGH_RIGHT] or [weak[0].section]
        several = len(worst) > 1
        label, hint = ("Drill these", f"{len(worst)} sections") if several else ("Drill the weakest", f"section {worst[0]}")
        drill = begin(label, _sections(worst), hint)
        return f'<section class="weak">{bars(f"Weak sections first, {ORDER}", rows, each)}{drill}</section>'

    def _accuracy(self, found: Figures) -> str:
        chapters = [(f"{n} {self.corpus.titles.get(RuleNumber(n), '')}", score) for n, score in found.chapters.items()]
        levels = [(f"level {n}", score) for n, score in found.levels.items()]
        drills: list[tuple[str, Score]] = [(DRILL_NAMES.get(name, name), score) for name, score in found.drills.items()]
        tables = (
            bars("By chapter", chapters),
            bars("By kind", list(found.kinds.items())),
            bars("By level", levels),
            bars("By drill", drills),
        )
        return f'<div class="plots">{"".join(f"<section>{table}</section>" for table in tables if table)}</div>'

    def _data(self, profile: str, profiles: Sequence[str]) -> str:
        choice = profile_choice(profiles, profile, "progress")
        if not profile:
            return f'<section class="data"><h2>Profiles</h2>{choice}</section>'
        query = f"?profile={quote(profile, safe='')}"
        ask = f"Delete the profile {profile} with all its progress? This can’t be undone; an export keeps it."
        return (
            '<section class="data"><h2>Take it with you</h2><div class="row">'
            f'<a class="button" href="/piece/train/file/progress.json{esc(query)}" download>Export as JSON</a>'
            f'<a class="button" href="/piece/train/file/anki.csv{esc(query)}" download>Anki cards of what you answered</a>'
            f'<a class="button" href="/piece/train/file/anki.csv{esc(query)}&amp;all=1" download>Anki cards of the whole bank</a>'
            "</div>"
            '<form class="line" data-form="import"><label>Import an export <input type="file" name="file" required '
            'accept=".json,application/json"></label><button type="submit">Import</button></form></section>'
            f'<section class="data"><h2>Profiles</h2><p>This is <b>{esc(profile)}</b>.</p>{choice}'
            f'<p><button type="button" class="danger" data-do="remove-profile" data-confirm="{esc(ask)}" '
            f'data-yes="Delete {esc(profile)}">Delete this profile …</button></p></section>'
        )

    @staticmethod
    def _sets(sets: Sequence[Set]) -> str:
        items = "".join(_set(one) for one in sets)
        listed = f'<ul class="sets">{items}</ul>' if items else ""
        return (
            '<section class="data"><h2>Own questions</h2><p class="small">A file with one JSON object a line: '
            '<code>{"id": "a1", "question": "…", "rules": ["702.19b"], "answer": "…"}</code>. '
            "<code>answer</code>, <code>level</code> 1–3, <code>kind</code> and <code>cards</code> may be left out. All profiles "
            f"here can drill it.</p>{listed}"
            '<form class="line" data-form="set"><label>Add a set <input type="file" name="file" required '
            'accept=".jsonl,.json"></label><button type="submit">Add</button></form></section>'
        )


def _set(one: Set) -> str:
    notes = "".join(f'<p class="small">{esc(text)}</p>' for text in one.notes)
    ask = f"Remove the set {one.name}? Answers to its questions stay in the progress."
    drill = begin("Drill", Plan(length=LENGTH, deck=one.name), css="plain") if one.count else ""
    return (
        f'<li><b>{esc(one.name)}</b> <span class="small">{counted(one.count, "question")}</span> {drill}'
        f'<button type="button" class="plain" data-do="remove-set" data-name="{esc(one.name)}" data-confirm="{esc(ask)}" '
        f'data-yes="Remove it" aria-label="Remove {esc(one.name)}">Remove …</button>{notes}</li>'
    )


def _sections(sections: Sequence[int]) -> Plan:
    return Plan(filters=Filters(sections=frozenset(sections)), length=LENGTH)
