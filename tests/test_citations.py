"""What a text cites: single numbers, lists, ranges, whole sections; the graph both ways."""

from pathlib import Path

import pytest

from index.citations import Citations, mentions
from index.corpus import Corpus
from index.numbers import RuleNumber
from index.parse import parse


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See rule 702.19b.", ["702.19b"]),
        ("(rules 601.2b and 601.2f–h)", ["601.2b", "601.2f–601.2h"]),
        ("as in 510.1c-d and rules 119.7–8.", ["510.1c–510.1d", "119.7–119.8"]),
        ("rules 409.1a-409.1f", ["409.1a–409.1f"]),
        ("rules 702.1 through 702.3, and section 6.", ["702.1–702.3", "6"]),
        ("see rule 704, “State-Based Actions,” and section 7", ["704", "7"]),
        ("rules 801–811 and 903", ["801–811", "903"]),
        ("rules 608.3a and b are skipped", ["608.3a", "608.3b"]),
        ("Rule 603.2a and a player", ["603.2a"]),
        ("rule 702.19b—it is", ["702.19b"]),
        ("rule 601.2b to be paid", ["601.2b"]),
        ("rule 702, 3 creatures", ["702"]),
        ("rules 704.5i, 704.5j, or 704.5k.", ["704.5i", "704.5j", "704.5k"]),
        ("it costs $702.19, version 1.702.19", []),
        ("a 4/4 and 100 or 702 tokens, 20.5 of them", []),
    ],
)
def test_mentions(text: str, found: list[str]) -> None:
    assert [f"{m.first}–{m.last}" if m.last else str(m.first) for m in mentions(text)] == found


def test_a_mention_knows_its_place() -> None:
    text = "See rules 601.2b and 601.2f–h, please."
    assert [text[m.start : m.end] for m in mentions(text)] == ["601.2b", "601.2f–h"]


def test_the_graph_goes_both_ways(tiny_corpus: Corpus) -> None:
    graph = Citations(tiny_corpus)

    def names(numbers: tuple[RuleNumber, ...]) -> list[str]:
        return [str(number) for number in numbers]

    assert names(graph.cites(RuleNumber.parse("702.2c"))) == ["510.1a", "510.1b", "702.19b"]
    assert names(graph.cited_by(RuleNumber.parse("510.1b"))) == ["510.1", "702.2c"]
    assert names(graph.cites(RuleNumber.parse("100.1b"))) == ["7"]
    assert names(graph.cited_by(RuleNumber.parse("702.19"))) == ["510.1b"]
    assert graph.dangling == {}


def test_a_number_that_the_edition_lacks_is_kept_apart() -> None:
    corpus, _ = parse("100.1. See rules 100.2 and 999.9.\n\n100.2. Here.\n")
    graph = Citations(corpus)
    assert [str(target) for _, target in graph.edges] == ["100.2"]
    assert {str(k): [str(n) for n in v] for k, v in graph.dangling.items()} == {"100.1": ["999.9"]}


def test_the_current_edition_cites_nothing_that_it_lacks(rules_data: Path) -> None:
    corpus, _ = parse((rules_data / "cr" / "2026-04-17.txt").read_bytes())
    graph = Citations(corpus)
    assert graph.dangling == {}
    assert len(graph.edges) == 1318
    for source, target in graph.edges:
        assert target in corpus
        assert source in graph.cited_by(target)
