"""Plots of progress without a plotting library: bars in tables, columns and points as SVG, each readable as text too."""

from collections.abc import Sequence
from datetime import date

from ui.text import esc
from ui.train.session import Score
from ui.train.stats import Bin

HEIGHT = 100
STEP = 10
SIDE = 240
"""Width and height of the calibration plot, in its own units, which are pixels."""


def bars(title: str, rows: Sequence[tuple[str, Score]], action: Sequence[str] = ()) -> str:
    """Shares as a table whose cells hold bars.

    Args:
        action: HTML at the end of each row.
    """
    if not rows:
        return ""
    ends = action or [""] * len(rows)
    lines = "".join(
        f'<tr><th scope="row">{esc(name)}</th><td class="bar"><span style="width:{score.share:.0%}"></span></td>'
        f'<td class="figure">{score.share:.0%} <span class="small">of {score.of}</span></td>'
        f"{f'<td>{end}</td>' if action else ''}</tr>"
        for (name, score), end in zip(rows, ends, strict=True)
    )
    heads = '<th scope="col">Part</th><th scope="col">Bar</th><th scope="col">Right</th>' + '<th scope="col">Drill</th>' * bool(
        action
    )
    return (
        f'<table class="bars"><caption>{esc(title)}</caption><thead class="sr"><tr>{heads}</tr></thead>'
        f"<tbody>{lines}</tbody></table>"
    )


def columns(title: str, days: Sequence[tuple[date, int]], what: str) -> str:
    """A column for each day.

    Args:
        what: what is counted, for the text: "due", "reviews".
    """
    most = max((count for _, count in days), default=0)
    total = sum(count for _, count in days)
    if not total:
        return f'<figure class="plot"><figcaption>{esc(title)}</figcaption><p class="small">None.</p></figure>'
    shapes = "".join(_column(place, day, count, most, what) for place, (day, count) in enumerate(days))
    first, middle, last = days[0][0], days[len(days) // 2][0], days[-1][0]
    rows = "".join(f"<tr><th scope=row>{_day(day)}</th><td>{count}</td></tr>" for day, count in days if count)
    table = (
        f'<table class="facts"><thead><tr><th scope="col">Day</th><th scope="col">{esc(what)}</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
    text = f"{title}: {total} in all, {most} on the fullest day"
    return (
        f'<figure class="plot"><figcaption>{esc(title)} <span class="small">{total:,} in all</span></figcaption>'
        f'<div class="canvas"><span class="small top" aria-hidden="true">{most}</span>'
        f'<svg viewBox="0 0 {len(days) * STEP} {HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{esc(text)}">'
        f'{shapes}</svg></div><div class="axis small" aria-hidden="true"><span>{_day(first)}</span><span>{_day(middle)}</span>'
        f"<span>{_day(last)}</span></div>"
        f"<details><summary>As a table</summary>{table}</details></figure>"
    )


def _column(place: int, day: date, count: int, most: int, what: str) -> str:
    height = max(3.0, HEIGHT * count / most) if count else 1.0
    css = "some" if count else "none"
    return (
        f'<rect class="{css}" x="{place * STEP + 1}" y="{HEIGHT - height:.1f}" width="{STEP - 2}" height="{height:.1f}">'
        f"<title>{_day(day)}: {count} {esc(what)}</title></rect>"
    )


def _day(day: date) -> str:
    return f"{day.day} {day:%b}"


def calibration(bins: Sequence[Bin]) -> str:
    """How often answers were right against how sure they were; on the line, both are the same."""
    if not bins:
        return ""
    pad = 48  # "100%" stands left of the axis, in whatever font there is
    scale = SIDE - 2 * pad

    def x(share: float) -> float:
        return pad + share * scale

    def y(share: float) -> float:
        return SIDE - pad - share * scale

    most = max(b.count for b in bins)
    dots = "".join(
        f'<circle cx="{x(b.said):.1f}" cy="{y(b.right):.1f}" r="{4 + 6 * (b.count / most) ** 0.5:.1f}">'
        f"<title>{_sentence(b)}</title></circle>"
        for b in bins
    )
    ticks = "".join(
        f'<text x="{x(s):.0f}" y="{SIDE - 10}" text-anchor="middle">{s:.0%}</text>'
        f'<text x="{pad - 6}" y="{y(s) + 4:.0f}" text-anchor="end">{s:.0%}</text>'
        for s in (0.0, 0.5, 1.0)
    )
    rows = "".join(f"<li>{_sentence(b)}</li>" for b in bins)
    return (
        '<figure class="plot calibration"><figcaption>How sure, how right <span class="small">below the line: too sure</span>'
        f'</figcaption><div class="beside"><svg viewBox="0 0 {SIDE} {SIDE}" width="{SIDE}" height="{SIDE}" role="img" '
        f'aria-label="Own confidence across, share right upwards; the list says the same">'
        f'<path class="frame" d="M{pad} {pad}V{SIDE - pad}H{SIDE - pad}"/><path class="even" d="M{x(0)} {y(0)}L{x(1)} {y(1)}"/>'
        f"{ticks}{dots}</svg><ul>{rows}</ul></div></figure>"
    )


def _sentence(b: Bin) -> str:
    noun = "answer" if b.count == 1 else "answers"
    return f"{b.said:.0%} sure: {b.right:.0%} right ({b.count} {noun})"
