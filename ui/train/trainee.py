"""The commands for a trainee: ``python -m ui drill`` and ``python -m ui progress``. What is heavy is imported when one runs."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from index.cli import INDEX, OutputFile, chosen, say
from index.errors import RulesError
from ui.train.files import hand_out, read_in
from ui.train.hints import Hints
from ui.train.options import chosen_questions, filters_of

if TYPE_CHECKING:
    from ui.train.screen import Screen
    from ui.train.session import Plan, Session
    from ui.train.terminal import Terminal
    from ui.train.trainer import Trainer

DRILLS = ("rule", "ruling", "contrast")
RECENT = timedelta(days=7)
"""A session begun within this time is offered to go on with."""
QUIET = timedelta(minutes=30)
"""A session without an answer for so long is not under way in another window."""

PROFILE = click.option("--profile", metavar="NAME", help="Whose progress; else that of your login name.")


@click.command()
@INDEX
@PROFILE
@click.option("--drill", "drill_name", type=click.Choice(DRILLS), default="rule", show_default=True,
              help="Find the rule, give the ruling, or tell two rules apart.")  # fmt: skip
@click.option("--length", type=click.IntRange(1, 100), default=10, show_default=True, help="How many questions.")
@click.option("--missed", is_flag=True, help="Only questions whose last answer in this drill was wrong.")
@click.option("--exam", is_flag=True, help="With a clock; nothing is revealed before the end.")
@click.option("--minutes", type=click.IntRange(1, 600), help="Of an exam; else 2 for each question.")
@click.option("--seed", type=click.IntRange(0), help="The same seed draws the same new questions.")
@click.option("--sheet", type=OutputFile(), help="Write the sheet of an exam to this file.")
@click.option("--resume/--new", default=None, help="Go on with an unfinished session, or begin anew; else you are asked.")
@chosen_questions
def drill(
    index: Path | None, profile: str | None, own: Path | None, sheet: Path | None, resume: bool | None, **options: Any
) -> int:
    """Train as a judge: find the rule, give the ruling, tell rules apart.

    What you answer is kept at once, and comes again when it is due. "?" shows help at any prompt.

    Example: python -m ui drill --level 1 --length 5
    """
    if options["minutes"] and not options["exam"]:
        raise click.UsageError("--minutes is the time of an exam; add --exam")
    if sheet and not options["exam"]:
        raise click.UsageError("--sheet is of an exam; add --exam")
    plan = _plan(options, own)
    trainer = _trainer(index, own, meaning=plan.drill == "contrast")
    from ui.train.lines import Lines
    from ui.train.terminal import Terminal

    with _entered(trainer, profile) as name:
        paper = _Paper(trainer, sheet)
        terminal = Terminal(trainer, Lines(), _console(), paper.screen)
        _greet(terminal, name, plan)
        code = _session(terminal, name, plan, resume, Hints(index, own, profile))
        paper.write()
    return code


def _plan(options: dict[str, Any], own: Path | None) -> "Plan":
    from ui.train.session import Plan

    plain = {name: options.pop(name) for name in ("length", "missed", "exam", "minutes", "seed")}
    return Plan(drill=options.pop("drill_name"), deck=own.name if own else "", filters=filters_of(**options), **plain)


def _trainer(index: Path | None, own: Path | None, meaning: bool = False) -> "Trainer":
    from ui.train.deck import Deck
    from ui.train.opening import open_index
    from ui.train.progress import Progress
    from ui.train.trainer import Trainer

    opened = open_index(index, say, meaning=meaning)
    return Trainer(opened, Progress(), [Deck.read(own, opened.corpus)] if own else [])


@contextmanager
def _entered(trainer: "Trainer", profile: str | None) -> Iterator[str]:
    """The profile, added where it is new; of a new one that came to no session nothing is left."""
    from ui.train.progress import default_profile

    kept = trainer.progress
    before = kept.profiles()
    name = kept.ensure_profile(profile or default_profile(kept))
    try:
        yield name
    except BaseException:
        if name not in before and not kept.sessions(name, 1):
            kept.remove(name)
        raise


def _console() -> Any:
    from rich.console import Console

    return Console(highlight=False)


class _Paper:
    """The sheet of an exam for a printer: the same text, 80 characters wide."""

    def __init__(self, trainer: "Trainer", path: Path | None) -> None:
        self.path = path
        self.screen = self._screen(trainer) if path is not None else None

    def _screen(self, trainer: "Trainer") -> "Screen":
        from rich.console import Console

        from ui.train.screen import Screen

        self._text = io.StringIO()
        return Screen(Console(file=self._text, width=80, color_system=None), trainer.corpus)

    def write(self) -> None:
        if self.path is not None and self._text.getvalue():
            hand_out(self._text.getvalue().encode(), self.path)


def _greet(terminal: "Terminal", name: str, plan: "Plan") -> None:
    trainer, screen = terminal.trainer, terminal.screen
    deck = trainer.deck(plan.deck)
    due = trainer.due(name)[plan.drill]
    waiting = f"; {due} due" if due else ""
    new = "" if trainer.progress.sessions(name, 1) else " (new here)"
    screen.line(
        f"Judge training for {name}{new}: {len(deck.questions):,} questions, edition {trainer.corpus.name}{waiting}", "bold"
    )
    for note in deck.notes:
        screen.line(note, "dim")


def _session(terminal: "Terminal", name: str, plan: "Plan", resume: bool | None, hints: Hints) -> int:
    """Run a session; 0, or 1 where it was interrupted."""
    from ui.train.terminal import Quit

    session: Session | None = None
    try:
        session = _unfinished(terminal, name, plan, resume, hints) or terminal.trainer.start(name, plan)
        _announce(terminal, session)
        terminal.run(session)
        _what_next(terminal, name, session, hints)
    except (Quit, EOFError, KeyboardInterrupt) as left:
        terminal.screen.line()
        _left(terminal, session, hints)
        return 1 if isinstance(left, KeyboardInterrupt) else 0
    return 0


def _unfinished(terminal: "Terminal", name: str, plan: "Plan", resume: bool | None, hints: Hints) -> "Session | None":
    """The session to go on with; None for a new one."""
    if resume is False or (resume is None and not terminal.lines.interactive):
        return None
    from ui.train.screen import unfinished

    now = datetime.now(UTC)
    for session in terminal.trainer.open_sessions(name):
        if resume:
            return session
        if now - session.started > RECENT or session.plan.deck != plan.deck:
            continue
        terminal.screen.line(f"There is {unfinished(session)}.")
        answer = terminal.lines.ask("Go on with it? Y/n> ").lower()
        if answer in ("", "y", "yes"):
            return session
        last = max((a.at for a in session.answers.values() if a.at), default=session.started)
        # One that is quiet is not offered again; one that may be under way in another window is left alone.
        if not session.plan.exam and now - last > QUIET:
            terminal.trainer.finish(session)
        return None
    if resume:
        raise RulesError(f"there is no unfinished session; begin one: {hints.drill('--new')}")
    return None


def _announce(terminal: "Terminal", session: "Session") -> None:
    from ui.train.screen import DRILL_NAMES
    from ui.train.stats import local

    plan = session.plan
    count = len(session.items)
    what = f"{'Exam' if plan.exam else 'Drill'}: {DRILL_NAMES[plan.drill]} · {count} question{'s' * (count != 1)}"
    what += f", {len(session.answers)} answered so far" if session.answers else ""
    until = f" · until {local(session.deadline):%H:%M:%S}" if session.deadline else ""
    chosen_by = "" if str(plan.filters) == "all questions" else f" · {plan.filters}"
    terminal.screen.line(f"{what}{until}{chosen_by}", "bold")
    if len(session.items) < plan.length and not session.answers:
        terminal.screen.line(f"(no more than {len(session.items)} match)", "dim")


def _left(terminal: "Terminal", session: "Session | None", hints: Hints) -> None:
    """What is said to someone who leaves in the middle."""
    from ui.train.stats import local

    if session is None:
        return
    now = terminal.trainer.resume(session)
    if now.running and now.deadline:
        _propose(terminal, f"The exam goes on until {local(now.deadline):%H:%M:%S}; go back to it: {hints.drill('--resume')}")
    elif now.finished is None:
        count = len(now.answers)
        kept = {0: ".", 1: "; your answer is kept."}.get(count, f"; your {count} answers are kept.")
        _propose(terminal, f"Stopped{kept} Go on: {hints.drill('--resume')}")
    else:
        _propose(terminal, f"All of it is kept. See how you stand: {hints.progress()}")


def _what_next(terminal: "Terminal", name: str, session: "Session", hints: Hints) -> None:
    due = terminal.trainer.due(name)[session.plan.drill]
    missed = any(row.grade == "wrong" for row in terminal.trainer.result(session).rows)
    drill = () if session.plan.drill == "rule" else ("--drill", session.plan.drill)
    lines = [f"Next: {f'{due} due now' if due else 'another session'}: {hints.drill(*drill)}"]
    lines += [f"      those missed: {hints.drill(*drill, '--missed')}"] if missed else []
    lines += [f"      how you stand: {hints.progress()}"]
    for line in lines:
        _propose(terminal, line, "dim")


def _propose(terminal: "Terminal", text: str, style: str = "") -> None:
    """A line with a command. Where it is too long the terminal itself breaks it, so that it can be copied whole."""
    from rich.text import Text

    from ui.train.screen import clean

    terminal.screen.console.print(Text(clean(text), style=style), soft_wrap=True)


@click.group(invoke_without_command=True)
@INDEX
@PROFILE
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.pass_context
def progress(ctx: click.Context, index: Path | None, profile: str | None, as_json: bool) -> None:
    """Show how you stand: what is due, streak, accuracy, weak sections.

    Example: python -m ui progress
    """
    ctx.obj = profile
    if ctx.invoked_subcommand is None:
        from ui.train.account import print_figures

        hints = Hints(index, None, profile)
        print_figures(chosen(index), _existing(profile, hints), as_json, hints)


def _existing(profile: str | None, hints: Hints) -> str:
    """The profile that is meant; raises RulesError where there is none yet."""
    from ui.train.progress import Progress, default_profile

    kept = Progress()
    name = profile or default_profile(kept)
    if not kept.profiles():
        raise RulesError(f"there is no progress yet; begin: {hints.drill()}")
    kept.reviews(name)  # raises where there is no such profile, naming those there are
    return name


@progress.command("export")
@PROFILE
@click.argument("file", type=OutputFile(allow_dash=True))
@click.pass_obj
def export_(outer: str | None, profile: str | None, file: Path) -> None:
    """Write all progress of a profile to FILE as JSON ("-" for standard output).

    Example: python -m ui progress export progress.json
    """
    from ui.train.progress import Progress
    from ui.train.transfer import export_json

    name = _existing(profile or outer, Hints(profile=profile or outer))
    hand_out(f"{export_json(Progress(), name)}\n".encode(), file)


@progress.command("import")
@PROFILE
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.pass_obj
def import_(outer: str | None, profile: str | None, file: Path) -> None:
    """Add the progress in FILE ("-" for standard input) to a profile. A broken file changes nothing.

    Example: python -m ui progress import progress.json
    """
    from ui.train.progress import Progress, default_profile
    from ui.train.transfer import MOST_BYTES, import_json, read_export, were_there

    data = read_in(file, MOST_BYTES)
    read_export(data)  # a broken file adds no profile either
    kept = Progress()
    name = kept.ensure_profile(profile or outer or default_profile(kept))
    new, known = import_json(kept, data, name)
    say(f"{_reviews(new)} added to {name}" + (f"; {were_there(known)}" if known else ""))


@progress.command("anki")
@INDEX
@PROFILE
@click.option("--all", "everything", is_flag=True, help="All questions that match, not only those you have reviewed.")
@click.option("--texts", is_flag=True, help="With the rules' texts on the backs, for your own use.")
@click.argument("file", type=OutputFile(allow_dash=True))
@chosen_questions
@click.pass_obj
def anki_(
    outer: str | None,
    /,
    index: Path | None,
    profile: str | None,
    everything: bool,
    texts: bool,
    file: Path,
    own: Path | None,
    **choice: Any,
) -> None:
    """Write questions to FILE as CSV for Anki ("-" for standard output).

    Example: python -m ui progress anki cards.csv --level 2
    """
    from ui.train.account import reviewed_questions
    from ui.train.transfer import anki

    filters = filters_of(**choice)
    trainer = _trainer(index, own)
    deck = trainer.deck(own.name if own else "")
    only: set[str] | None = None
    if not everything:
        name = _existing(profile or outer, Hints(index, own, profile or outer))
        only = reviewed_questions(trainer.progress, name, own.name if own else "")
    found = deck.select(filters, only)
    if not found:
        why = "none of the questions you have reviewed match; drill first, or take all with --all"
        raise RulesError(why if only is not None else f"no question matches: {deck.remedy(filters)}")
    hand_out(anki(deck, found, trainer.corpus if texts else None).encode(), file)
    say(f"{len(found):,} card{'s' * (len(found) != 1)}; in Anki: File, Import")


@progress.command()
@click.option("--add", metavar="NAME", help="Add a profile.")
@click.option("--rename", nargs=2, metavar="OLD NEW", help="Give one another name.")
@click.option("--remove", metavar="NAME", help="Remove one with all its progress; you are asked first.")
@click.option("--yes", is_flag=True, help="Don't ask.")
def profiles(add: str | None, rename: tuple[str, str] | None, remove: str | None, yes: bool) -> None:
    """List the profiles, or change them.

    Example: python -m ui progress profiles --add Anna
    """
    from ui.train.progress import Progress

    kept = Progress()
    if add:
        say(f"new profile: {kept.add_profile(add)}")
    if rename:
        say(f"{rename[0]} is now {kept.rename(*rename)}")
    if remove:
        count = _reviews(len(kept.reviews(remove)))
        if not yes:
            click.confirm(f"Remove {remove} with {count} for good?", abort=True, err=True)
        kept.remove(remove)
        say(f"{remove} is removed")
    names = kept.profiles()
    for name in names:
        click.echo(f"{name}\t{_reviews(len(kept.reviews(name)))}")
    if not names:
        say("there is no profile yet; begin: python -m ui drill")


def _reviews(count: int) -> str:
    return f"{count:,} review{'s' * (count != 1)}"
