"""ui: what becomes HTML and text; no server, no browser."""

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest

from index.cards import Card, Face
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from qa.answer import Known, Reason, Unclear
from qa.judge import Judge
from ui.cards import answer_html, earlier_html, reasons
from ui.find import Finder, fold, read_query
from ui.graph import graph_svg, neighbourhood
from ui.http import shown_rule
from ui.library import Library
from ui.middleware import clean_page, not_found
from ui.places import Places
from ui.plain import answer_markdown, answer_text
from ui.text import Marks, Writer, esc, snippet, tidy

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "[link](javascript:alert(1))",
    "{{constructor}} ${1+1}",
    "\x00\x08\x1b[31m",
    "\u202eright to left",
    "\ud800 lone",
    "../../etc/passwd",
    "'; drop table rules; --",
]


class _Tags(HTMLParser):
    """Collects the tags and the attributes of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def shown(html: str) -> str:
    """What a browser shows of HTML as text."""
    return unescape(re.sub(r"<[^>]*>", "", html))


@pytest.fixture(scope="module")
def library(tiny_judge: Judge) -> Library:
    return Library(tiny_judge)


def test_texts_are_shown_exactly(tiny_corpus: Corpus) -> None:
    writer = Writer(tiny_corpus)
    marks = Marks.asked("Does trample damage a blocker of two players?")
    for rule in tiny_corpus:
        for text in (rule.text, *rule.examples):
            assert shown(writer.text(text, marks, terms=True)) == text


def test_real_texts_are_shown_exactly(rules_data: object) -> None:
    from pathlib import Path

    from index.sources import load_file

    corpus = load_file(Path(str(rules_data)) / "cr" / "2026-04-17.txt").corpus
    writer = Writer(corpus)
    marks = Marks.asked("Does deathtouch work with trample when a creature taps {T}?")
    assert all(shown(writer.text(rule.text, marks, terms=True)) == rule.text for rule in corpus)


def test_citations_become_links(tiny_corpus: Corpus) -> None:
    html = Writer(tiny_corpus).text("See rules 510.1a–b and 702.19, and section 7. Not 999.9.")
    assert '<a class="ref" href="/rule/510.1a-510.1b"' in html
    assert 'href="/rule/702.19"' in html
    assert 'href="/rule/7"' in html
    assert "/rule/999.9" not in html


def test_symbols_stay_text_and_have_a_name(tiny_corpus: Corpus) -> None:
    html = Writer(tiny_corpus).text("Pay {2}{R}, {T}, {W/P}.")
    assert '<abbr class="symbol" title="tap">{T}</abbr>' in html
    assert 'title="2 mana"' in html
    assert 'title="white mana or Phyrexian mana"' in html
    assert shown(html) == "Pay {2}{R}, {T}, {W/P}."


def test_matching_words_are_marked_in_any_form(tiny_corpus: Corpus) -> None:
    writer = Writer(tiny_corpus)
    assert writer.text("Blockers share damage.", Marks.asked("What if nobody blocks?")).startswith("Blockers")
    assert "<mark>Creatures</mark>" in writer.text("Creatures share damage.", Marks.asked("Which creature?"))
    assert "<mark>Trample</mark>" in writer.text("Trample is static.", Marks.typed(["tram"]))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_never_markup(library: Library, text: str) -> None:
    question = f"{text} trample damage"
    pages = [
        answer_html(library.answer(question), library.writer),
        shown_rule(library, text),
        earlier_html([(question, question, [])]),
    ]
    pages.append(library.reader.found(library.finder.find(f'"{text}" trample')))
    for html in pages:
        tags = _Tags(html)
        assert not {"script", "img", "iframe", "style"} & set(tags.tags)
        assert not [name for name, _ in tags.attributes if name.startswith("on")]
        assert not [value for name, value in tags.attributes if name == "href" and not str(value).startswith("/")]
        html.encode()


def test_hundred_thousand_characters_are_cut(library: Library) -> None:
    html = answer_html(library.answer("trample " * 12_500), library.writer)
    assert len(html) < 60_000
    assert "were read" in html


def test_escaping_replaces_what_html_cannot_carry() -> None:
    assert esc('<a href="x">') == "&lt;a href=&quot;x&quot;&gt;"
    assert tidy("a\x00b\ud800") == "a\ufffdb\ufffd"


def test_an_answer_shows_rules_reasons_and_tools(library: Library) -> None:
    answer = replace(library.answer("Does trample damage the player?"), settled=True)
    html = answer_html(answer, library.writer)
    for hit in answer.hits:
        assert f'data-number="{hit.number}"' in html
    assert html.count("best match") == 1
    assert "data-copy" in html
    assert 'class="feedback"' in html
    assert html.count('class="family"') == len(answer.families)


def test_no_rule_is_the_best_match_of_an_answer_that_may_not_settle(library: Library) -> None:
    answer = replace(library.answer("Does trample damage the player?"), settled=False)
    html = answer_html(answer, library.writer)
    assert "may not settle" in html
    assert "best match" not in html
    assert 'data-settled="no"' in html


def test_a_follow_up_names_the_earlier_question_briefly(library: Library) -> None:
    first, then = "Does trample damage the player?", "And what if nobody blocks it?"
    answer = library.answer(then, previous=library.answer(first).read_as)
    assert answer.read_as == f"{first} {then}"
    html = answer_html(answer, library.writer)
    assert f'Read together with the question before: <q dir="auto">{first}</q>' in html
    long = answer_html(library.answer(then, previous=f"{first} {'lethal damage ' * 40}"), library.writer)
    quoted = shown(long.split('<q dir="auto">')[1].split("</q>")[0])
    assert len(quoted) <= 102
    assert quoted.startswith(first)
    assert "Read together" not in answer_html(library.answer(f"  {first}\n"), library.writer)


def test_reasons_in_plain_words() -> None:
    found = [Reason("words", "rule", 3), Reason("citation", "cited by 702.2c"), Reason("term", "Trample", 1)]
    found += [Reason("meaning", "question: x-1", 2, 0.9)]
    assert reasons(found) == [
        "same situation as a known question",
        "the question names “Trample”",
        "cited by 702.2c",
        "its text shares words",
    ]
    assert reasons([Reason("cards", "meaning-question: x-1", 1, 0.9)]) == ["same situation as a known question"]
    assert reasons([Reason("words", "question: x-1", 1, 9.0)]) == ["it decides a similar known question"]
    assert reasons([Reason("cards", "words-rule", 1)]) == ["its text shares most words with the cards’ texts"]
    assert reasons([Reason("meaning", "glossary: Ward", 1)]) == ["its glossary entry is nearest in meaning"]
    assert reasons([Reason("someday", "new", 1)])


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("702.19b", "rule", "702.19b"),
        ("CR 702.19B.", "rule", "702.19b"),
        ("702.19", "family", "702.19"),
        ("702", "section", "702"),
        ("7", "chapter", "7"),
        ("510.1a-b", "range", "510.1a–510.1b"),
        ("510.1a–510.1b", "range", "510.1a–510.1b"),
        ("510.1-2", "range", "510.1–510.2"),
        ("101-510", "range", "101–510"),
    ],
)
def test_deep_links(tiny_corpus: Corpus, text: str, kind: str, name: str) -> None:
    place = Places(tiny_corpus).find(text)
    assert (place.kind, place.name) == (kind, name)
    assert place.rules


@pytest.mark.parametrize(
    "text", ["", "../../etc", "702.19b-a", "510.1-702.2a", "999", "702.99z", "x" * 100_000, "1-2-3", "\x00", "😀"]
)
def test_deep_links_that_lead_nowhere(tiny_corpus: Corpus, text: str) -> None:
    with pytest.raises(RulesError):
        Places(tiny_corpus).find(text)


def test_neighbours_in_order(tiny_corpus: Corpus) -> None:
    places = Places(tiny_corpus)
    walked, number = [], tiny_corpus.rules[0].number
    while True:
        walked.append(number)
        step = places.beside(places.at(number))[1] if places.at(number).kind == "rule" else None
        index = [rule.number for rule in tiny_corpus].index(number)
        if index + 1 == len(tiny_corpus.rules):
            break
        following = tiny_corpus.rules[index + 1].number
        assert step in (None, following)
        number = following
    assert walked == [rule.number for rule in tiny_corpus]


def test_the_picture_shows_both_directions(library: Library) -> None:
    citations = library.judge.index.citations
    cited = next(n for n in citations._cited_by if n in library.corpus.by_number)
    around = neighbourhood(citations, cited)
    assert around.columns[0] == (cited,)
    assert set(citations.cited_by(cited)[:3]) <= set(around.columns[-1])
    svg = graph_svg(citations, cited, library.writer)
    assert svg.count("<svg") == 1
    assert f'href="/rule/{citations.cited_by(cited)[0]}"' in svg


def test_search_reads_numbers_phrases_and_words() -> None:
    query = read_query("702.19 “first strike” tram rule")
    assert (query.numbers, query.phrases, query.words) == (("702.19",), ("first strike",), ("tram",))
    assert fold("Don’t") == "don't"


def test_search_finds_whole_families(tiny_corpus: Corpus) -> None:
    finder = Finder(tiny_corpus)
    by_number = finder.find("510.1a")
    assert by_number.matches[0].number == RuleNumber.parse("510.1")
    assert by_number.matches[0].rules == tiny_corpus.family(RuleNumber.parse("510.1"))
    assert by_number.matches[0].hits == {RuleNumber.parse("510.1a")}
    assert finder.find("trample").matches[0].title == "Trample"
    assert finder.find('"wins over a rule"').total == 1
    assert finder.find('"over wins"').total == 0
    assert finder.find("").total == 0


def test_copies_name_rules_and_edition(library: Library) -> None:
    answer = library.answer("Does trample damage the player?")
    for text in (answer_text(answer), answer_markdown(answer)):
        assert all(str(hit.number) in text for hit in answer.hits)
        assert library.corpus.name in text
    assert all(hit.rule.text in answer_text(answer) for hit in answer.hits)
    assert "\\[x\\]" in answer_markdown(library.answer("[x](y) trample"))


def test_citations_are_checked(library: Library) -> None:
    rule = library.corpus.rules[0]
    good = library.check_citation(str(rule.number), rule.text[:20])
    assert (good["exists"], good["quoted"]) == (True, True)
    assert str(rule.number) in good["stands_in"]
    assert library.check_citation(str(rule.number), "not at all in there")["quoted"] is False
    assert library.check_citation("999.9")["exists"] is False
    assert library.check_citation("<b>")["exists"] is False


@pytest.mark.parametrize(
    ("cited", "name", "rules"),
    [
        ("510.1a-b", "510.1a–510.1b", ["510.1a", "510.1b"]),
        ("510.1–2", "510.1–510.2", None),
        ("CR 702.19", "702.19", None),
        ("702", "702", None),
        ("702.19b", "702.19b", ["702.19b"]),
    ],
)
def test_ranges_and_families_are_checked(library: Library, cited: str, name: str, rules: list[str] | None) -> None:
    inside = library.place(cited).rules
    last = inside[-1]
    found = library.check_citation(cited, last.text[-25:])
    assert (found["number"], found["exists"], found["quoted"], found["message"]) == (name, True, True, "")
    assert found["title"]
    assert found["rules"] == (rules or [str(rule.number) for rule in inside])
    assert found["stands_in"][0] in found["rules"]
    assert library.check_citation(cited, "not at all in there")["quoted"] is False
    assert set(found) == set(library.check_citation("999.9"))


@pytest.mark.parametrize("cited", ["510.1a-z", "510.1b-a", "510.1a-", "998-999", "1" * 100, "-", "\ud800-b"])
def test_ranges_that_do_not_exist(library: Library, cited: str) -> None:
    found = library.check_citation(cited, "damage")
    assert (found["exists"], found["quoted"], found["rules"]) == (False, None, [])
    assert found["message"]


def test_gradios_page_loses_what_points_elsewhere() -> None:
    page = '<head>\n<base href="./" />\n<meta property="og:image" content="https://example.org/x" /><link rel="manifest"></head>'
    cleaned = clean_page(page)
    assert "example.org" not in cleaned
    assert "manifest" not in cleaned
    assert '<base href="/">' in cleaned
    assert "<script>" in cleaned
    assert "<b>" not in not_found("/<b>")


def test_snippets_are_cut_between_words() -> None:
    assert snippet("one two three", 9) == "one two\N{NO-BREAK SPACE}…"
    assert snippet("one\ntwo") == "one two"


def test_known_questions_and_cards_stand_on_top(library: Library) -> None:
    plain = library.answer("Does trample damage the player?")
    card = Card("Test Bear", (Face("Test Bear", "Creature — Bear", "{1}{G}", "{T}: Add {G}. <b>"),))
    known = Known("Same <case>?", "Yes, see 702.19b.", (RuleNumber(702, 19, "b"),), 0.9)
    answer = replace(plain, known=(known,), cards=(card,), unclear=(Unclear("jace", ("Jace A", "Jace B")),), settled=False)
    html = answer_html(answer, library.writer)
    order = [html.index(part) for part in ("may not settle", "Same &lt;case&gt;?", "Test Bear", 'class="family"')]
    assert order == sorted(order)
    assert '<abbr class="symbol" title="tap">{T}</abbr>' in html
    assert "Add " in html
    assert "<b>." not in html
    assert "Jace A or Jace B" in html
    assert "Ruling: Yes" in answer_text(answer)
