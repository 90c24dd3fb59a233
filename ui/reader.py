"""A rule, family, section, chapter, range or glossary term as HTML: what opens when a number or a term is clicked."""

from collections.abc import Iterable, Sequence

from index.citations import Citations
from index.corpus import GlossaryEntry, Rule
from index.numbers import RuleNumber
from index.passages import glossary_rules
from ui.cards import examples
from ui.find import Found, Match
from ui.graph import graph_svg, neighbours
from ui.places import Place, Places
from ui.text import UNMARKED, Marks, Writer, esc, question_address, ref, rule_address, search_address, snippet, term_address

FULL = 60
"""A section with more rules than this shows its headings; each opens its family."""
LISTED = 6
"""Longer lists of citations are folded after this many."""


class Reader:
    """Shows the parts of one rulebook."""

    def __init__(self, writer: Writer, places: Places, citations: Citations) -> None:
        self.writer = writer
        self.places = places
        self.citations = citations
        self.corpus = writer.corpus

    def place(self, place: Place) -> str:
        """A place with its neighbours, its citations both ways and a picture of them."""
        return (
            f'<article class="place" data-number="{esc(place.name)}" data-title="{esc(f"{place.name} {place.title}")}" '
            f'aria-label="{esc(f"{place.name} {place.title}")}">'
            f'{self._crumbs(place.number)}<h2 tabindex="-1">{esc(place.name)} <span class="title">{esc(place.title)}</span></h2>'
            f"{self._body(place)}{self._steps(place)}{self._family(place)}{self._citations(place)}{_tools(place)}</article>"
        )

    def _crumbs(self, number: RuleNumber) -> str:
        way = self.places.parents(number)
        links = "".join(f"<li>{ref(n, f'{n} {self.places.title(n)}')}</li>" for n in way)
        return f'<nav class="crumbs" aria-label="Where this stands"><ol><li><a href="/browse">Rules</a></li>{links}</ol></nav>'

    def _body(self, place: Place) -> str:
        if place.kind == "chapter":
            return self.contents(place.number)
        if place.kind in ("section", "range") and len(place.rules) > FULL:
            return self.contents(place.number) if place.kind == "section" else self._headings(place.rules)
        return "".join(self._rule(rule, alone=len(place.rules) == 1) for rule in place.rules)

    def _rule(self, rule: Rule, *, alone: bool) -> str:
        number = "" if alone else f'<span class="lead">{ref(rule.number, css="ref number")}</span> '
        css = "rule heading" if rule.is_heading else "rule"
        text = self.writer.text(rule.text, terms=alone)
        return f'<div class="{css}"><p class="text">{number}{text}</p>{examples(rule.examples, self.writer, opened=alone)}</div>'

    def contents(self, number: RuleNumber) -> str:
        """What a chapter or section holds, one line each."""
        if number.section < 10:
            inside = [section.number for section in self.corpus.sections if section.number.parent == number]
            return _list(f"<li>{ref(n, f'{n} {self.places.title(n)}')}</li>" for n in inside)
        return self._headings(self.corpus.under(number))

    def _headings(self, rules: Sequence[Rule]) -> str:
        heads = [rule for rule in rules if not rule.number.letter]
        return _list(f"<li>{ref(rule.number)} {esc(snippet(rule.text))}</li>" for rule in heads)

    def _steps(self, place: Place) -> str:
        """Links to what comes before and after."""
        before, after = self.places.beside(place)
        links = []
        for number, word, css in ((before, "Previous", "previous"), (after, "Next", "next")):
            if number is not None:
                name = f"{number} {self.places.title(number)}"
                links.append(
                    f'<a class="ref {css}" href="{esc(rule_address(number))}" aria-label="{word}: {esc(name)}">'
                    f'<span aria-hidden="true">{word}</span> <b>{number}</b></a>'
                )
            else:
                links.append("<span></span>")
        return f'<nav class="steps" aria-label="Neighbours">{"".join(links)}</nav>'

    def _family(self, place: Place) -> str:
        """The other rules of a rule's family, in short."""
        family = self.corpus.family(place.number) if place.kind == "rule" else ()
        if len(family) < 2:
            return ""
        items = (
            f"<li{' class=here aria-current=true' if rule.number == place.number else ''}>"
            f"{ref(rule.number)} {esc(snippet(rule.text))}</li>"
            for rule in family
        )
        return f'<details class="related" open><summary>The family of {place.number.family}</summary>{_list(items)}</details>'

    def _citations(self, place: Place) -> str:
        if place.kind == "chapter":
            return ""
        own = [place.number] if place.kind != "range" else []
        cites, cited_by = neighbours(self.citations, list(dict.fromkeys([*own, *(rule.number for rule in place.rules)])))
        wider = self._citing_whole(place)
        lists = (
            self._related("Cites", cites)
            + self._related("Cited by", cited_by)
            + self._related(f"Cite {place.number.family} as a whole", wider)
        )
        picture = graph_svg(self.citations, place.number, self.writer) if place.kind in ("rule", "family") else ""
        shown = f'<details class="related picture" open><summary>Citations, two steps around</summary>{picture}</details>'
        return (lists or '<p class="small">It cites no other rule, and none cites it.</p>') + (shown if picture else "")

    def _citing_whole(self, place: Place) -> list[RuleNumber]:
        """What cites the rule that a subrule belongs to; it speaks of the subrule too."""
        if not place.number.letter or place.last:
            return []
        return [n for n in self.citations.cited_by(place.number.family) if n.family != place.number.family]

    def _related(self, title: str, numbers: Sequence[RuleNumber]) -> str:
        if not numbers:
            return ""
        items = [f"<li>{self._line(number)}</li>" for number in numbers]
        rest = items[LISTED:]
        more = f"<details><summary>{len(rest)} more</summary>{_list(rest)}</details>" if rest else ""
        count = f' <span class="count">{len(numbers)}</span>'
        return f'<section class="related"><h3>{esc(title)}{count}</h3>{_list(items[:LISTED])}{more}</section>'

    def _line(self, number: RuleNumber) -> str:
        rule = self.corpus.by_number.get(number)
        title = self.places.title(number)
        if rule is None or rule.is_heading:
            return f"{ref(number)} <b>{esc(title)}</b>"
        return f"{ref(number)} <b>{esc(title)}</b> {esc(snippet(rule.text))}"

    def missing(self, message: str) -> str:
        """A kind word where a link names nothing in this edition."""
        text = self.writer.text(message[:1].upper() + message[1:])
        return (
            f'<article class="place missing" aria-label="Not found"><h2 tabindex="-1">Not in this edition</h2><p>{text}.</p>'
            '<p><a href="/browse">Browse the rules</a> or <a href="/search">search</a> them.</p></article>'
        )

    def term(self, entry: GlossaryEntry) -> str:
        """A glossary entry with the rules that it sends its reader to."""
        rules = glossary_rules(self.corpus, entry.text)
        question = question_address(f"What is {entry.term}?")
        return (
            f'<article class="place entry" data-term="{esc(entry.term)}" data-title="{esc(entry.term)}" '
            f'aria-label="{esc(entry.term)}"><nav class="crumbs" aria-label="Where this stands"><ol>'
            f'<li><a href="/glossary">Glossary</a></li></ol></nav><h2 tabindex="-1">{esc(entry.term)}</h2>'
            f'<p class="text">{self.writer.text(entry.text)}</p>{self._related("Its rules", rules)}'
            f'<p class="small"><a href="{esc(question)}">Ask about it</a></p></article>'
        )

    def entries(self, entries: Sequence[GlossaryEntry], query: str = "") -> str:
        """A list of glossary entries."""
        marks = Marks.typed([query])
        items = "".join(self._entry(entry, marks) for entry in entries)
        return items or '<p class="note" role="note">No term of this edition has these letters.</p>'

    def _entry(self, entry: GlossaryEntry, marks: Marks) -> str:
        link = f'<a class="term plain" href="{esc(term_address(entry.term))}">{esc(entry.term)}</a>'
        text = self.writer.text(entry.text, marks)
        return f'<article class="card entry" tabindex="-1"><h2>{link}</h2><p class="text">{text}</p></article>'

    def found(self, found: Found) -> str:
        """Search results: whole families, the rules that match set apart."""
        if found.query.empty:
            return ""
        if not found.matches:
            return (
                '<p class="note" role="status">Nothing found. Fewer words find more; a question goes to <a href="/">Ask</a>.</p>'
            )
        shown = len(found.matches)
        count = f"{found.total} families" if found.total != 1 else "1 family"
        more = f" The best {shown} are shown; another word narrows it." if found.total > shown else ""
        marks = Marks.typed((*found.query.phrases, *found.query.words))
        families = "".join(self._match(match, marks) for match in found.matches)
        link = f'<a class="button" data-permalink-link href="{esc(search_address(found.query.text))}">Permalink</a>'
        return (
            f'<div class="count-line"><p class="small" role="status">{count}.{more}</p><div class="tools">{link}</div></div>'
            f"{families}"
        )

    def _match(self, match: Match, marks: Marks) -> str:
        rows = "".join(self._found_rule(rule, rule.number in match.hits, marks) for rule in match.rules[:FULL])
        heading = f"{ref(match.number, f'{match.number} {match.title}', css='ref number')}"
        section = self.writer.title(match.number.head)
        above = f'<span class="section">{esc(section)}</span>' if section != match.title else ""
        return f'<section class="card match" tabindex="-1" data-number="{match.number}"><h2>{heading}{above}</h2>{rows}</section>'

    def _found_rule(self, rule: Rule, hit: bool, marks: Marks) -> str:
        if rule.is_heading:
            return ""
        css = "rule hit" if hit else "rule"
        text = self.writer.text(rule.text, marks if hit else UNMARKED)
        return (
            f'<div class="{css}"><p class="text"><span class="lead">{ref(rule.number, css="ref number")}</span> {text}</p>'
            f"{examples(rule.examples, self.writer, marks if hit else UNMARKED)}</div>"
        )


def _list(items: Iterable[str]) -> str:
    return f'<ul class="list">{"".join(items)}</ul>'


def _tools(place: Place) -> str:
    name = esc(place.name)
    return (
        f'<div class="tools" role="group" aria-label="Take {name} with you">'
        '<button type="button" data-copy="text">Copy as text</button>'
        '<button type="button" data-copy="markdown">Copy as Markdown</button>'
        f'<a class="button" data-permalink-link href="{esc(rule_address(place.name.replace("–", "-")))}">Permalink</a></div>'
    )
