"""The start of judge training as HTML, and what its views share. The others: ``asked``, ``revealed``, ``board``."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ui.library import Library
from ui.text import esc
from ui.train.deck import REBUILD_CARDS, REMARKS, Deck
from ui.train.filters import KINDS, LEVELS, Filters
from ui.train.screen import DRILL_NAMES
from ui.train.session import LONGEST, Plan, Session

FIRST_LEVELS = frozenset({1, 2})
LENGTH, EXAM_LENGTH = 10, 20
LISTED = 3
"""So many open sessions are offered."""
KEYS = {"right": 1, "half": 2, "wrong": 3}


@dataclass(frozen=True)
class Standing:
    """What the start shows.

    Attributes:
        profile: whose it is; "" for a browser that has none yet.
        due: by drill.
        missed: how many were missed, by drill.
        decks: the names of all sets, the bank's "" first.
        note: what has just happened.
    """

    profile: str
    profiles: Sequence[str]
    sessions: Sequence[Session]
    due: Mapping[str, int]
    missed: Mapping[str, int]
    decks: Sequence[str]
    bank: Deck
    note: str = ""


def begin(label: str, plan: Plan, hint: str = "", css: str = "go") -> str:
    """A button that begins a session."""
    told = f'<span class="small">{esc(hint)}</span>' if hint else ""
    return (
        f'<button type="button" class="{css}" data-do="begin" data-plan="{esc(json.dumps(plan.to_json()))}">'
        f"<b>{esc(label)}</b>{told}</button>"
    )


def note(text: str) -> str:
    return f'<p class="note" role="note">{esc(text)}</p>' if text else ""


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def about(plan: Plan) -> str:
    """What a plan asks, in a line: "find the rule, level 2, from team.jsonl"."""
    filters = str(plan.filters) if plan.filters != Filters() else ""
    deck = f"from {plan.deck}" if plan.deck else ""
    return ", ".join(part for part in (DRILL_NAMES[plan.drill], filters, "only missed" if plan.missed else "", deck) if part)


def profile_choice(profiles: Iterable[str], profile: str, to: str) -> str:
    """Buttons that choose another profile, and a box that adds one."""
    others = "".join(
        f'<li><button type="button" class="chip" data-do="{to}" data-profile="{esc(name)}">{esc(name)}</button></li>'
        for name in profiles
        if name != profile
    )
    chips = f'<ul class="chips" aria-label="Other profiles">{others}</ul>' if others else ""
    return (
        f'{chips}<form class="line" data-form="add-profile" data-to="{to}"><label>New profile '
        '<input name="name" maxlength="40" required autocomplete="off" placeholder="Anna"></label>'
        '<button type="submit">Add</button></form>'
    )


class Start:
    """The start of judge training."""

    def __init__(self, library: Library) -> None:
        self.corpus = library.corpus

    def html(self, at: Standing) -> str:
        """Everything from which a session can begin."""
        return (
            '<section class="training" aria-label="Judge training"><h1 tabindex="-1" data-focus>Train for judging</h1>'
            '<p class="lead-in">A situation is shown. You name the rule that decides it and see how near you were; '
            "what you missed comes back before you forget it.</p>"
            f"{note(at.note)}{self._who(at)}{self._open(at)}{self._quick(at)}{self._choose(at)}{self._profile(at)}"
            f"{self._notes(at)}</section>"
        )

    def _who(self, at: Standing) -> str:
        """For a browser without a profile, where others have trained."""
        if at.profile or not at.profiles:
            return ""
        names = "".join(
            f'<li><button type="button" class="chip" data-do="start" data-profile="{esc(name)}">{esc(name)}</button></li>'
            for name in at.profiles
        )
        return f'<div class="panel"><h2>Trained here before?</h2><ul class="chips">{names}</ul><p>If not, just start.</p></div>'

    def _open(self, at: Standing) -> str:
        if not at.sessions:
            return ""
        items = "".join(self._one_open(session) for session in at.sessions[:LISTED])
        return f'<div class="panel"><h2>Go on</h2><ul class="open-sessions">{items}</ul></div>'

    @staticmethod
    def _one_open(session: Session) -> str:
        place = next(iter(session.pending), len(session.items))
        kind = "Exam" if session.plan.exam else "Go on"
        ends = "" if not session.deadline else ", the clock runs"
        return (
            f'<li data-session="{session.id}"><button type="button" class="go" data-do="go">'
            f"<b>{kind}: question {place} of {len(session.items)}</b>"
            f'<span class="small">{esc(about(session.plan))}{ends}</span></button></li>'
        )

    def _quick(self, at: Standing) -> str:
        if not at.bank.questions and len(at.decks) == 1:
            return note("There are no questions to drill. Load the official rules, or add your own questions under Progress.")
        deck = "" if at.bank.questions else at.decks[1]
        filters = Filters() if deck else Filters(levels=FIRST_LEVELS)
        levels = "" if deck else ", levels 1–2"
        first = begin(
            f"Start: {LENGTH} questions", Plan(filters=filters, length=LENGTH, deck=deck), f"Find the rule{levels}", "go primary"
        )
        exam = Plan(length=EXAM_LENGTH, exam=True, minutes=2 * EXAM_LENGTH, deck=deck)
        others = [
            begin("Give the ruling", Plan("ruling", filters, LENGTH, deck=deck), f"{LENGTH} questions{levels}"),
            begin("Which of two rules", Plan("contrast", length=LENGTH, deck=deck), f"{LENGTH} pairs that are alike"),
            begin("Exam", exam, f"{EXAM_LENGTH} questions, {2 * EXAM_LENGTH} minutes"),
        ]
        missed = at.missed.get("rule", 0)
        if missed:
            plan = Plan(missed=True, length=min(LENGTH, missed), deck=deck)
            others.append(begin("Missed ones", plan, f"{counted(missed, 'question')} missed"))
        due = sum(at.due.values())
        told = f'<p class="small">{counted(due, "question")} due now; they are asked first.</p>' if due else ""
        return f'<div class="quick">{first}<div class="others">{"".join(others)}</div>{told}</div>'

    def _choose(self, at: Standing) -> str:
        """The form with all that a plan can say."""
        drills = _radios("drill", "Drill", [(drill, name.capitalize()) for drill, name in DRILL_NAMES.items()], "rule")
        levels = _boxes("levels", "Level", [(str(level), str(level)) for level in LEVELS], [str(n) for n in FIRST_LEVELS])
        kinds = _boxes("kinds", "Kind", [(kind, kind) for kind in KINDS])
        chapters = _boxes("chapters", "Chapter of the rule", [(str(n), f"{n} {title}") for n, title in self._chapters()])
        names = "".join(f'<option value="{esc(name)}"></option>' for name in at.bank.keywords())
        keyword = (
            '<label class="field">Keyword <input name="keyword" list="keywords" maxlength="80" autocomplete="off" '
            f'placeholder="any"></label><datalist id="keywords">{names}</datalist>'
        )
        commander = _select("commander", "Commander", [("", "either"), ("true", "only Commander"), ("false", "no Commander")])
        cards = self._cards(at.bank)
        decks = [(name, name or "the question bank") for name in at.decks]
        return (
            '<details class="choose"><summary>Choose what to drill</summary><form data-form="begin" data-counted>'
            f"{drills}{levels}{kinds}{chapters}"
            f'<div class="fields">{keyword}{commander}{cards}{_select("deck", "Questions from", decks)}'
            f'<label class="field">How many <input name="length" type="number" min="1" max="{LONGEST}" value="{LENGTH}" '
            "required></label></div>"
            '<label class="tick"><input type="checkbox" name="missed"> only those I missed</label>'
            '<label class="tick"><input type="checkbox" name="exam"> as an exam: a clock, and nothing is revealed before the end'
            '</label><label class="field minutes">Minutes <input name="minutes" type="number" min="1" max="600" '
            'placeholder="2 each"></label>'
            '<p class="matching small" role="status"></p><button type="submit" class="primary">Start</button></form></details>'
        )

    @staticmethod
    def _cards(bank: Deck) -> str:
        """The filter by cards; shut as long as questions of a bank are chosen that does not know its cards."""
        choice = _select("cards", "Cards", [("", "either"), ("true", "names cards"), ("false", "names no cards")])
        if bank.knows_cards or not bank.questions:
            return choice
        hint = f'<span class="small" data-unknown>not known here; {REBUILD_CARDS}</span>'
        return choice.replace("<select ", "<select disabled data-shut ").replace("</label>", f"{hint}</label>")

    def _chapters(self) -> Iterable[tuple[int, str]]:
        return ((number.section, title) for number, title in self.corpus.titles.items() if number.section < 10)

    def _profile(self, at: Standing) -> str:
        who = f"You train as <b>{esc(at.profile)}</b>." if at.profile else "A profile is made when you start."
        choice = profile_choice(at.profiles if at.profile else (), at.profile, "start")
        return (
            f'<section class="who"><h2>Profile</h2><p>{who} <a href="/progress">Progress and own questions</a></p>'
            f"<details><summary>Another profile</summary>{choice}</details></section>"
        )

    @staticmethod
    def _notes(at: Standing) -> str:
        """What became of questions in the loaded edition."""
        notes = [*at.bank.notes]
        if at.bank.corpus.source.notice:
            notes.insert(0, at.bank.corpus.source.notice)
        if not notes:
            return ""
        # What is said of questions stands open; remarks about the index are for those who look.
        items = "".join(f"<li>{esc(text)}</li>" for text in notes)
        opened = " open" if any(text not in REMARKS for text in notes) else ""
        count = counted(len(at.bank.questions), "question")
        return f'<details class="about small"{opened}><summary>{count} for this edition</summary><ul>{items}</ul></details>'


def _radios(name: str, legend: str, options: Iterable[tuple[str, str]], chosen: str) -> str:
    return _ticks("radio", name, legend, options, [chosen])


def _boxes(name: str, legend: str, options: Iterable[tuple[str, str]], chosen: Sequence[str] = ()) -> str:
    return _ticks("checkbox", name, legend, options, chosen)


def _ticks(kind: str, name: str, legend: str, options: Iterable[tuple[str, str]], chosen: Sequence[str]) -> str:
    items = "".join(
        f'<label class="pick"><input type="{kind}" name="{name}" value="{esc(value)}"{" checked" * (value in chosen)}>'
        f"<span>{esc(text)}</span></label>"
        for value, text in options
    )
    return f'<fieldset class="picks"><legend>{esc(legend)}</legend>{items}</fieldset>'


def _select(name: str, label: str, options: Iterable[tuple[str, str]]) -> str:
    items = "".join(f'<option value="{esc(value)}">{esc(text)}</option>' for value, text in options)
    return f'<label class="field">{esc(label)} <select name="{name}">{items}</select></label>'
