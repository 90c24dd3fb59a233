"""Browse: chapters, sections and rules as a tree; rules open beside it. ``/rule/702.19b`` leads here."""

from index.corpus import Corpus
from index.numbers import RuleNumber
from ui.frame import Page, html
from ui.library import Library
from ui.text import esc, ref


def build(library: Library) -> None:
    """The tree, and the place where rules are shown."""
    html(browser(library.corpus), elem_id="browse")


def browser(corpus: Corpus) -> str:
    """The whole page; its right-hand side is filled by the browser when a rule is opened."""
    start = (
        '<div class="start"><h2>Browse the rules</h2><p>Open a chapter, then a section. Every number is a link that you can '
        'share: <a class="ref" href="/rule/702">/rule/702</a>, <a class="ref" href="/rule/702.19">/rule/702.19</a>, '
        '<a class="ref" href="/rule/510.1c-d">/rule/510.1c-d</a>.</p></div>'
    )
    return (
        '<h1 class="sr">The rules</h1><div class="browser"><details class="contents" open><summary>Contents</summary>'
        f'<nav class="tree" aria-label="Contents of the rules">{tree(corpus)}</nav></details>'
        f'<div class="view" id="view">{start}</div></div>'
    )


def tree(corpus: Corpus) -> str:
    """Chapters and their sections, to unfold; page.js fetches what is in a section."""
    return "".join(_chapter(corpus, s.number) for s in corpus.sections if s.number.section < 10)


def _chapter(corpus: Corpus, number: RuleNumber) -> str:
    sections = "".join(_section(corpus, s.number) for s in corpus.sections if s.number.parent == number)
    return (
        f'<details class="chapter" data-chapter="{number}"><summary>{number} {esc(corpus.titles[number])}</summary>'
        f"<ul>{sections}</ul></details>"
    )


def _section(corpus: Corpus, number: RuleNumber) -> str:
    """A section; its rules are fetched when it is unfolded."""
    title = f"{number} {corpus.titles[number]}"
    return (
        f'<li><details class="section" data-contents="{number}"><summary>{esc(title)}</summary>'
        f'<p class="all">{ref(number, f"All of {number}")}</p><div class="rules"></div></details></li>'
    )


PAGE = Page("browse", "Browse", build, wide=True)
