"""The options by which quiz and drill choose their questions, once for both commands."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from ui.train.filters import KINDS, LEVELS, Filters

_OPTIONS = [
    click.option("--level", "levels", multiple=True, type=click.IntRange(LEVELS[0], LEVELS[-1]), help="May be repeated."),
    click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="May be repeated."),
    click.option(
        "--chapter", "chapters", multiple=True, type=click.IntRange(1, 9), help="Of the rule that decides. May be repeated."
    ),
    click.option(
        "--section",
        "sections",
        multiple=True,
        type=click.IntRange(100, 999),
        help="Of the rule that decides, for example 702. May be repeated.",
    ),
    click.option("--keyword", default="", help="A keyword's name, for example ward."),
    click.option("--commander/--no-commander", default=None, help="Only questions about Commander, or none of them."),
    click.option("--cards/--no-cards", default=None, help="Only questions that name cards, or none of them."),
    click.option(
        "--set",
        "own",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Questions of your own (JSON Lines with id, question, rules) in place of the bank.",
    ),
]


def chosen_questions(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command; ``filters_of`` makes ``Filters`` of their values."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def filters_of(
    levels: Iterable[int],
    kinds: Iterable[str],
    chapters: Iterable[int],
    keyword: str,
    commander: bool | None,
    cards: bool | None,
    sections: Iterable[int] = (),
) -> Filters:
    """The filters that the options name.

    Raises:
        RulesError: the keyword is too long to be one.
    """
    row = {"levels": [*levels], "kinds": [*kinds], "chapters": [*chapters], "sections": [*sections], "keyword": keyword}
    return Filters.from_json(row | {"commander": commander, "cards": cards})
