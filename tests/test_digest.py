"""The digest: in the official form, under real numbers, and in our own words."""

import re
from pathlib import Path

import pytest

from index.citations import Citations
from index.decode import decode
from index.numbers import RuleNumber
from index.parse import parse
from index.sources import DIGEST

WORD = re.compile(r"[a-z0-9+/{}'-]+")
RUN = 10


def words(text: str) -> list[str]:
    return WORD.findall(text.lower().replace("’", "'").replace("“", " ").replace("”", " "))


def runs(line: str) -> set[tuple[str, ...]]:
    """All runs of ten words in a line."""
    found = words(line)
    return {tuple(found[i : i + RUN]) for i in range(len(found) - RUN + 1)}


def test_it_is_read_like_an_official_text() -> None:
    corpus, report = parse(DIGEST.read_bytes())
    assert not report.unplaced
    assert not report.notes
    assert len(corpus.rules) >= 300
    assert len(corpus.glossary) >= 80
    assert corpus.name == "2026-04-17"
    assert [rule.number for rule in corpus] == sorted(corpus.by_number)
    assert all(rule.number.parent is not None and rule.number.parent in corpus for rule in corpus)


@pytest.mark.parametrize(
    "number",
    """103.5 117.3b 302.6 400.7 508.1a 509.1b 510.1c 514.2 601.2c 603.3b 608.2b 613.7 614.12 616.1 702.2c 702.19b 702.21a
    702.111b 704.5g 704.5j 706.2 707.2 903.8 903.10a""".split(),
)
def test_it_has_what_is_asked_most(number: str) -> None:
    assert RuleNumber.parse(number) in parse(DIGEST.read_bytes())[0].by_number


def test_its_numbers_and_titles_are_those_of_the_real_edition(rules_data: Path) -> None:
    digest, _ = parse(DIGEST.read_bytes())
    real, _ = parse((rules_data / "cr" / "2026-04-17.txt").read_bytes())
    assert [rule.number for rule in digest if rule.number not in real] == []
    assert {s.number: s.title for s in digest.sections}.items() <= real.titles.items()
    for source, missing in Citations(digest).dangling.items():
        assert all(number in real for number in missing), source


def test_it_shares_no_run_of_ten_words_with_any_edition(rules_data: Path) -> None:
    ours = {run: line for line in DIGEST.read_text(encoding="utf-8").splitlines() for run in runs(line)}
    editions = sorted((rules_data / "cr").glob("*.txt"))
    assert len(editions) >= 23
    for edition in editions:
        for line in re.split(r"[\r\n]+", decode(edition.read_bytes())):
            shared = runs(line) & ours.keys()
            assert not shared, f"{edition.stem}: {ours[next(iter(shared))]}"
