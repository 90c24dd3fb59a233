"""The neighbourhood of a rule as a small picture: what cites it on the left, what it cites on the right, two steps each way."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from index.citations import Citations
from index.numbers import RuleNumber
from ui.text import Writer, esc, rule_address

COLUMN = 7
"""At most this many rules in a column; the rest is counted."""
HUB = 14
"""A rule with more citations than this is not followed further: it would draw half the rulebook."""
WIDTH, HEIGHT, GAP, ROW = 92, 30, 46, 42


@dataclass(frozen=True)
class Neighbourhood:
    """The rules two steps around one.

    Attributes:
        columns: by step, -2 to 2; negative steps cite towards the centre, 0 holds the centre alone.
        edges: (citing, cited) among the rules shown.
        hidden: how many more each column has.
    """

    columns: dict[int, tuple[RuleNumber, ...]]
    edges: tuple[tuple[RuleNumber, RuleNumber], ...]
    hidden: dict[int, int]


def neighbourhood(citations: Citations, centre: RuleNumber) -> Neighbourhood:
    """What cites a rule and what it cites, two steps each way."""
    columns: dict[int, tuple[RuleNumber, ...]] = {0: (centre,)}
    hidden: dict[int, int] = {}
    edges: dict[tuple[RuleNumber, RuleNumber], None] = {}
    shown = {centre}
    for sign, follow in ((-1, citations.cited_by), (1, citations.cites)):
        for step in (1, 2):
            found = _next(columns.get(sign * (step - 1), ()), follow, shown, step)
            columns[sign * step] = tuple(found[:COLUMN])
            hidden[sign * step] = max(0, len(found) - COLUMN)
            shown.update(found[:COLUMN])
    for number in shown:
        for target in citations.cites(number):
            if target in shown:
                edges[number, target] = None
    return Neighbourhood({s: c for s, c in columns.items() if c}, tuple(sorted(edges)), hidden)


def _next(
    column: Iterable[RuleNumber], follow: Callable[[RuleNumber], tuple[RuleNumber, ...]], shown: set[RuleNumber], step: int
) -> list[RuleNumber]:
    found: dict[RuleNumber, None] = {}
    for number in column:
        others = follow(number)
        if step == 1 or len(others) <= HUB:
            found.update(dict.fromkeys(n for n in others if n not in shown))
    return list(found)


def graph_svg(citations: Citations, centre: RuleNumber, writer: Writer) -> str:
    """The picture; empty where the rule neither cites nor is cited."""
    around = neighbourhood(citations, centre)
    if len(around.columns) == 1:
        return ""
    steps = sorted(around.columns)
    tallest = max(len(numbers) + (around.hidden.get(step, 0) > 0) for step, numbers in around.columns.items())
    height = tallest * ROW + 34
    width = len(steps) * (WIDTH + GAP) - GAP + 8
    at: dict[RuleNumber, tuple[float, float]] = {}
    for i, step in enumerate(steps):
        numbers = around.columns[step]
        top = 30 + (tallest - len(numbers)) * ROW / 2
        at.update({number: (4 + i * (WIDTH + GAP), top + j * ROW) for j, number in enumerate(numbers)})
    lines = "".join(_edge(at[start], at[end], centre in (start, end)) for start, end in around.edges)
    nodes = "".join(_node(number, at[number], number == centre, writer) for number in at)
    heads = "".join(_head(step, 4 + i * (WIDTH + GAP), around, at) for i, step in enumerate(steps))
    return (
        f'<div class="graph" tabindex="0" role="group" aria-label="Citations around {centre}: on the left what cites it, '
        f'on the right what it cites"><svg viewBox="0 0 {width} {height:.0f}" width="{width}" height="{height:.0f}">'
        f"{heads}{lines}{nodes}</svg></div>"
    )


_HEADS = {-2: "two steps", -1: "cites this", 0: "this rule", 1: "cited here", 2: "two steps"}


def _head(step: int, x: float, around: Neighbourhood, at: dict[RuleNumber, tuple[float, float]]) -> str:
    title = f'<text class="head" x="{x + WIDTH / 2}" y="14">{_HEADS[step]}</text>'
    hidden = around.hidden.get(step, 0)
    if not hidden:
        return title
    bottom = max(at[number][1] for number in around.columns[step]) + ROW
    return f'{title}<text class="head" x="{x + WIDTH / 2}" y="{bottom + 18:.0f}">and {hidden} more</text>'


def _edge(start: tuple[float, float], end: tuple[float, float], near: bool) -> str:
    """A curve from the citing to the cited rule, with a small arrow head."""
    x1, y1 = start[0] + WIDTH, start[1] + HEIGHT / 2
    x2, y2 = end[0], end[1] + HEIGHT / 2
    if x2 < x1:  # the cited rule stands in the same column or further left
        x1, x2 = start[0] + WIDTH / 2, end[0] + WIDTH / 2
        y1, y2 = (start[1] + HEIGHT, end[1]) if start[1] <= end[1] else (start[1], end[1] + HEIGHT)
        curve = f"M{x1:.0f} {y1:.0f}L{x2:.0f} {y2:.0f}"
        tip = ""
    else:
        bend = (x2 - x1) / 2
        curve = f"M{x1:.0f} {y1:.0f}C{x1 + bend:.0f} {y1:.0f} {x2 - bend:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"
        tip = f'<path class="tip" d="M{x2:.0f} {y2:.0f}l-7 -4v8z"/>'
    return f'<path class="edge{" near" if near else ""}" d="{curve}"/>{tip}'


def _node(number: RuleNumber, at: tuple[float, float], centre: bool, writer: Writer) -> str:
    x, y = at
    box = f'<rect x="{x:.0f}" y="{y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
    text = f'<text x="{x + WIDTH / 2:.0f}" y="{y + HEIGHT / 2 + 5:.0f}">{number}</text>'
    name = f"{number} {writer.title(number)}"
    css = "node centre" if centre else "node"
    current = ' aria-current="true"' if centre else ""
    return (
        f'<a class="{css} ref" href="{esc(rule_address(number))}" aria-label="{esc(name)}"{current}>'
        f"<title>{esc(name)}</title>{box}{text}</a>"
    )


def neighbours(citations: Citations, numbers: Sequence[RuleNumber]) -> tuple[list[RuleNumber], list[RuleNumber]]:
    """What these rules cite and what cites them, without each other, in the order of the text."""
    own = set(numbers)
    cites = dict.fromkeys(n for number in numbers for n in citations.cites(number) if n not in own)
    cited_by = {n for number in numbers for n in citations.cited_by(number) if n not in own}
    return list(cites), sorted(cited_by)
