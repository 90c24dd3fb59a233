"""The figures of RESULTS.md: small, the same bytes for the same data, readable without colour."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

STYLE: Any = {  # matplotlib types the keys as one huge Literal
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "rules-lawyer",
    "svg.fonttype": "none",
}
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")


@contextmanager
def _figure(path: Path, title: str, size: tuple[float, float] = (5.2, 3.4)) -> Iterator[Any]:
    """Axes to draw on; saved on leaving, as SVG or PNG by the file's suffix."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(figsize=size, layout="constrained")
        try:
            figure.suptitle(title, fontsize=10)  # not the axes' title: it would be cut beside long labels
            yield axes
            path.parent.mkdir(parents=True, exist_ok=True)
            # A date in the file would change it at each run.
            figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)
        finally:
            pyplot.close(figure)


def recall_curves(curves: Mapping[str, Sequence[float]], path: Path, title: str) -> None:
    """Recall at 1, 2, … for each system; marks differ, so that colour is not needed."""
    with _figure(path, title) as axes:
        for place, (name, values) in enumerate(curves.items()):
            axes.plot(range(1, len(values) + 1), values, marker=MARKS[place % len(MARKS)], markevery=3, markersize=4, label=name)
        axes.set_xticks([1, 5, 10, 15, 20])
        axes.set(xlabel="k: hits looked at", ylabel="recall@k", ylim=(0, 1))
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, frameon=False)


def group_bars(groups: Mapping[str, Mapping[str, float]], path: Path, title: str) -> None:
    """A bar a group with its 95 % interval; ``groups`` gives mean, low, high and n."""
    rows = list(groups.values())
    means = [row["mean"] for row in rows]
    errors = [[row["mean"] - row["low"] for row in rows], [row["high"] - row["mean"] for row in rows]]
    with _figure(path, title, (5.2, 0.8 + 0.42 * len(rows))) as axes:
        axes.barh(range(len(rows)), means, xerr=errors, height=0.6, color="#7aa6c2", ecolor="#333333", capsize=3)
        axes.set_yticks(range(len(rows)), [f"{name} ({row['n']:g})" for name, row in groups.items()])
        axes.invert_yaxis()
        axes.set(xlim=(0, 1))
        axes.grid(axis="x", alpha=0.3)


def reliability_diagram(bins: Sequence[Mapping[str, float]], path: Path, title: str) -> None:
    """What was said against what was true; the area of a dot is the number of questions."""
    with _figure(path, title, (3.8, 3.6)) as axes:
        axes.plot([0, 1], [0, 1], linestyle="--", color="#888888", linewidth=1)
        said, true = [row["said"] for row in bins], [row["true"] for row in bins]
        axes.plot(said, true, color="#2f6690", linewidth=1)
        axes.scatter(said, true, s=[8 + 3 * row["n"] for row in bins], color="#2f6690", clip_on=False)
        axes.set(xlabel="probability said", ylabel="share settled", xlim=(0, 1), ylim=(0, 1))


def risk_coverage(curve: Sequence[Sequence[float]], path: Path, title: str) -> None:
    """The share that is wrong among the surest answers, by how many are called settled."""
    with _figure(path, title, (4.2, 3.2)) as axes:
        axes.step([row[0] for row in curve], [row[1] for row in curve], where="post", color="#2f6690")
        axes.set(xlabel="share called settled (coverage)", ylabel="share of them wrong (risk)", xlim=(0, 1), ylim=(0, None))
        axes.grid(alpha=0.3)


def line_chart(series: Mapping[str, Sequence[tuple[str, float]]], path: Path, title: str, ylabel: str = "") -> None:
    """One line a series, over dates (YYYY-MM-DD)."""
    with _figure(path, title, (6.4, 3.4)) as axes:
        for place, (name, points) in enumerate(series.items()):
            days = [np.datetime64(day) for day, _ in points]
            axes.plot(days, [y for _, y in points], marker=MARKS[place % len(MARKS)], markersize=3, label=name)
        axes.set(ylabel=ylabel, ylim=(0, None))
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, frameon=False)


def bar_chart(values: Mapping[str, float], path: Path, title: str, xlabel: str = "") -> None:
    """A bar a value, in the order given."""
    with _figure(path, title, (6.4, 0.9 + 0.26 * len(values))) as axes:
        bars = axes.barh(range(len(values)), list(values.values()), height=0.7, color="#7aa6c2")
        axes.bar_label(bars, fmt="%.4g", padding=2, fontsize=8)
        axes.set_yticks(range(len(values)), list(values))
        axes.invert_yaxis()
        axes.margins(x=0.12)  # room for the numbers
        axes.set(xlabel=xlabel)


def heat_map(rows: Mapping[str, Mapping[str, float]], path: Path, title: str) -> None:
    """A square of shares in [0, 1], each written in its place."""
    names = list(rows)
    size = 1.6 + 0.55 * len(names)
    with _figure(path, title, (size + 0.6, size)) as axes:
        axes.imshow([[rows[a][b] for b in names] for a in names], vmin=0, vmax=1, cmap="Blues")
        for y, a in enumerate(names):
            for x, b in enumerate(names):
                value = rows[a][b]
                axes.text(x, y, f"{value:.2f}", ha="center", va="center", fontsize=7, color="white" if value > 0.6 else "black")
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
        axes.set_yticks(range(len(names)), names)
