"""Look a number up: its rules, its neighbours, what it cites and what cites it."""

from dataclasses import dataclass
from typing import Any

from index.citations import Citations
from index.corpus import Corpus, Rule
from index.errors import RulesError
from index.numbers import RuleNumber


@dataclass(frozen=True)
class View:
    """What stands at a number.

    Attributes:
        number: a chapter, section, rule or subrule.
        title: what names it.
        rules: itself and all below it, in order.
        before, after: its neighbours of the same level or the next rule in the text; None at the ends.
        cites, cited_by: of a rule with its subrules or of a section all together, without those inside it.
    """

    corpus: Corpus
    number: RuleNumber
    title: str
    rules: tuple[Rule, ...]
    before: RuleNumber | None
    after: RuleNumber | None
    cites: tuple[RuleNumber, ...]
    cited_by: tuple[RuleNumber, ...]


def look(corpus: Corpus, number: str | RuleNumber, citations: Citations | None = None) -> View:
    """What stands at a number.

    Args:
        citations: the citation graph where it is at hand; else it is made.

    Raises:
        RulesError: it is not a number, or the edition lacks it.
    """
    wanted = RuleNumber.parse(number) if isinstance(number, str) else number
    rules = corpus.under(wanted)
    if not rules and wanted not in corpus:
        if wanted.rule is not None:
            corpus.rule(wanted)  # raises, and names the nearest
        raise RulesError(f"this edition ({corpus.name}) has no {'section' if wanted.section >= 10 else 'chapter'} {wanted}")
    graph = citations or Citations(corpus)
    before, after = _neighbours(corpus, wanted)
    return View(
        corpus,
        wanted,
        corpus.titles.get(wanted) or corpus.heading(wanted),
        rules,
        before,
        after,
        tuple(dict.fromkeys(n for rule in rules for n in graph.cites(rule.number) if not wanted.contains(n))),
        _cited_by(graph, wanted, rules),
    )


def _cited_by(graph: Citations, wanted: RuleNumber, rules: tuple[Rule, ...]) -> tuple[RuleNumber, ...]:
    numbers = dict.fromkeys((wanted, *(rule.number for rule in rules)))
    return tuple(sorted({n for number in numbers for n in graph.cited_by(number) if not wanted.contains(n)}))


def _neighbours(corpus: Corpus, number: RuleNumber) -> tuple[RuleNumber | None, RuleNumber | None]:
    """The numbers before and after, among the rules for a rule, among the sections or chapters otherwise."""
    if number.rule is None:
        line = [n for n in corpus.titles if (n.section < 10) == (number.section < 10)]
    else:
        line = [rule.number for rule in corpus]
    if number not in line:
        return None, None
    place = line.index(number)
    return (line[place - 1] if place else None), (line[place + 1] if place + 1 < len(line) else None)


def as_dict(view: View) -> dict[str, Any]:
    """A view as JSON: number, title, edition, rules with their texts and examples, neighbours, citations."""
    return {
        "number": str(view.number),
        "title": view.title,
        "edition": view.corpus.name,
        "rules": [{"number": str(r.number), "text": r.text, "examples": list(r.examples)} for r in view.rules],
        "before": str(view.before) if view.before else None,
        "after": str(view.after) if view.after else None,
        "cites": [str(n) for n in view.cites],
        "cited_by": [str(n) for n in view.cited_by],
    }
