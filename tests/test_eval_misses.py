"""Where and why rules are missed, and the shape of a rulebook: by hand on the small one."""

from pathlib import Path

import pytest

from eval import plots, shape
from eval.measures import per_question
from eval.misses import FATES, causes, fates, gold_ranks, single_signals, taken_apart, together, within
from eval.runs import Run, RunHit, RunLine
from eval.sets import Question
from eval.shared import ask_together
from index.citations import Citations
from index.corpus import Corpus
from index.numbers import RuleNumber
from qa.judge import Judge


def number(text: str) -> RuleNumber:
    return RuleNumber.parse(text)


def question(identity: str, *rules: str) -> Question:
    return Question(identity, f"about {identity}", tuple(map(number, rules)))


def run(**hits: str) -> Run:
    return {
        i: RunLine(i, tuple(RunHit(number(text), -float(rank)) for rank, text in enumerate(line.split())))
        for i, line in hits.items()
    }


FILLER = " ".join(f"100.{n}" for n in range(2, 12))
ASKED = [
    question("a", "702.19b"),
    question("b", "702.19b"),
    question("c", "702.19b"),
    question("d", "704.5g"),
    question("e", "702"),
]
FOUND = run(a="702.19b", b="101.1 702.19b", c="702.19a", d=f"{FILLER} 704.5g", e="101.1 702.21a")


def test_fates() -> None:
    counts = fates(per_question([*ASKED, question("f", "101.2")], FOUND).rows())
    assert tuple(counts) == FATES
    # 702 stands for its whole section by family only
    assert list(counts.values()) == [1, 1, 2, 1, 1]


def test_ranks_of_the_decisive_rule() -> None:
    ranks = gold_ranks(ASKED, FOUND)
    assert ranks == [1, 2, None, 11, 2]
    assert within(ranks, 10) == 3 / 5
    assert together({"x": [1, None], "y": [20, 3]})["x"] == {"x": 0.5, "y": 1.0}


def test_causes(tiny_corpus: Corpus) -> None:
    asked = [question(i, "702.2c") for i in "abcde"] + [question("f", "704.1")]
    full = run(a="702.2c", b="702.2a", c="702.19b", d="101.1", e="101.1", f="101.1")
    ranks: dict[str, list[int | None]] = {"x": [1, None, None, 5, 60, None], "y": [None] * 6}
    found = causes(asked, full, ranks, Citations(tiny_corpus))
    assert list(found.values()) == [1, 1, 1, 1, 1]


def test_each_signal_alone_and_an_answer_taken_apart(tiny_judge: Judge) -> None:
    signals = single_signals(tiny_judge)
    assert signals.keys() == set(tiny_judge.signals)
    found = ask_together(signals, [question("a", "702.19b")], 5)
    assert found.keys() == signals.keys()
    rows = taken_apart(tiny_judge, "does trample need lethal damage first?", 4)
    assert len(rows) == 4
    assert all(number(row[0]) in tiny_judge.index.corpus for row in rows)
    assert all(len(cell.split()) < 40 for row in rows for cell in row)


def test_size_and_chapters(tiny_corpus: Corpus) -> None:
    whole, parts = shape.size(tiny_corpus), shape.chapters(tiny_corpus)
    assert (whole.name, whole.sections, whole.rules, whole.examples) == ("2025-03-04", 5, len(tiny_corpus.rules), 3)
    for name in ("rules", "examples", "words"):
        assert sum(getattr(part, name) for part in parts) == getattr(whole, name)
    assert sum(shape.letters(tiny_corpus).values()) == sum(not rule.number.letter for rule in tiny_corpus)


def test_graph(tiny_corpus: Corpus) -> None:
    graph = shape.graph(tiny_corpus)
    # 100.1b → 7 stands alone; 510.1 → 510.1a, 510.1b → 702.19; 702.2c → 510.1a, 510.1b, 702.19b; 702.2b → 704.5h
    assert graph.edges == len(Citations(tiny_corpus).edges)
    assert dict(graph.cited)["510.1b"] == 2
    assert graph.depth == 2
    assert sum(graph.components) == graph.nodes
    assert graph.components == sorted(graph.components, reverse=True)
    assert 0 < graph.lonely < 1


def test_growth_reads_every_edition(tmp_path: Path, rules_data: Path) -> None:
    assert shape.growth(tmp_path / "nowhere") == []
    (tmp_path / "a.txt").write_bytes((rules_data / "cr" / "2003-03-15.txt").read_bytes())
    (only,) = shape.growth(tmp_path)
    assert (only.name, only.rules) == ("2003-03-15", 514)


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_charts_are_the_same_bytes_each_time(tmp_path: Path, suffix: str) -> None:
    pictures = []
    for turn in "ab":
        paths = [tmp_path / f"{name}{turn}.{suffix}" for name in ("line", "bar", "heat")]
        plots.line_chart({"rules": [("2003-03-15", 1), ("2026-04-17", 3)]}, paths[0], "Growth")
        plots.bar_chart({"one": 1, "two": 2.5}, paths[1], "Bars")
        plots.heat_map({"a": {"a": 0.1, "b": 0.9}, "b": {"a": 0.9, "b": 0.5}}, paths[2], "Heat")
        pictures.append([path.read_bytes() for path in paths])
    assert pictures[0] == pictures[1]
