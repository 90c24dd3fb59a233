"""ui: questions in a row, permalinks, titles and colours, in Debian's Chromium on a served tiny rulebook."""

# ruff: noqa: F811 (a test's argument has the name of the fixture that it takes)

import re
import time
import zlib

import pytest

from qa.answer import Answer
from tests.browsing import BOX, Page, Watch, ask, browser, expect, page, watch  # noqa: F401
from ui.library import Library

QUESTION = "Does trample damage the player?"


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers that take their time, the first the longest."""
    answer, delays = Library.answer, iter([1.2, 0.6])

    def slowly(self: Library, question: str, k: int = 10, previous: str = "") -> Answer:
        time.sleep(next(delays, 0.1))
        return answer(self, question, k, previous)

    monkeypatch.setattr(Library, "answer", slowly)


def earlier(page: Page) -> list[str]:
    """The questions before, the oldest first."""
    return page.locator(".earlier li > a").all_inner_texts()[::-1]


@pytest.mark.usefixtures("slow")
def test_questions_sent_while_another_is_answered_are_all_answered_in_order(page: Page) -> None:
    page.goto("/")
    page.fill(BOX, QUESTION)
    page.press(BOX, "Enter")
    page.press(BOX, "Enter")
    expect(page.locator(BOX)).to_have_value("")
    page.keyboard.type("What is ward?")
    page.press(BOX, "Enter")
    page.evaluate("document.querySelectorAll('.chip').forEach((chip, i) => { if (i < 2) chip.click() })")
    page.fill(BOX, "And with two blockers?")
    page.locator("#question button").click()
    page.locator(BOX).press_sequentially("being typed")
    expect(page.locator("section.answer .asked")).to_have_text("And with two blockers?", timeout=10_000)
    assert earlier(page) == [QUESTION, "What is ward?", "Does deathtouch work with trample?", "What does ward do?"]
    expect(page.locator(".note").first).to_contain_text("What does ward do?")
    for link in (page.locator(".earlier li > a").first, page.locator(".earlier li > a").last):
        link.evaluate("link => link.click()")
    expect(page.locator("section.answer .asked")).to_have_text(QUESTION)
    assert len(earlier(page)) == 4  # each stands there once
    expect(page.locator(BOX)).to_have_value("being typed")


def test_back_and_forth_between_answers(page: Page) -> None:
    page.goto("/")
    ask(page, QUESTION)
    ask(page, "Is that damage lethal?")
    together = page.url
    expect(page.locator(".note").first).to_contain_text("Read together")
    page.evaluate("window.kept = true")
    page.evaluate("history.back()")
    expect(page.locator("section.answer .asked")).to_have_text(QUESTION)
    expect(page).to_have_title(f"{QUESTION} – Rules Lawyer")
    assert page.locator("section.answer .note", has_text="Read together").count() == 0
    page.evaluate("history.forward()")
    expect(page.locator("section.answer .asked")).to_have_text(f"{QUESTION} Is that damage lethal?")
    assert page.url == together
    assert page.evaluate("window.kept")


@pytest.mark.usefixtures("slow")
def test_what_was_not_answered_before_a_reload_is_answered_after_it(page: Page) -> None:
    page.goto("/")
    for question in (QUESTION, "What is ward?"):
        page.fill(BOX, question)
        page.press(BOX, "Enter")
    page.reload()
    expect(page.locator("section.answer .asked")).to_have_text("What is ward?")
    assert earlier(page) == [QUESTION]


def test_a_question_that_failed_can_be_sent_again(page: Page, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Library, question: str, k: int = 10, previous: str = "") -> Answer:
        raise ValueError("broken")

    page.goto("/")
    with monkeypatch.context() as patched:
        patched.setattr(Library, "answer", broken)
        page.fill(BOX, QUESTION)
        page.press(BOX, "Enter")
        expect(page.locator(BOX)).to_have_value("")
        expect(page.locator(BOX)).to_have_value(QUESTION)
    page.press(BOX, "Enter")
    expect(page.locator("section.answer .asked")).to_have_text(QUESTION)
    assert ["500" in fault for fault in watch.faults] == [True]
    watch.faults.clear()


def test_titles_come_back_when_a_rule_is_closed(page: Page) -> None:
    for path, title in {"/": "Ask", "/glossary": "Glossary", "/search?q=ward": "ward – Search", "/browse": "Browse"}.items():
        page.goto(path)
        expect(page).to_have_title(f"{title} – Rules Lawyer")
        if path == "/":
            ask(page, QUESTION)
            title = QUESTION
            expect(page).to_have_title(f"{title} – Rules Lawyer")
        elif path == "/browse":
            page.goto("/rule/702")
        page.locator("a.number, a.term.plain, #view h2 ~ * a.ref").first.click()
        expect(page).to_have_title(re.compile(r"^(\d|\w).+ – Rules Lawyer$"))
        expect(page).not_to_have_title(f"{title} – Rules Lawyer")
        page.keyboard.press("Escape")
        expect(page).to_have_title(f"{title} – Rules Lawyer")


def test_a_search_has_a_permalink(page: Page) -> None:
    page.goto("/search?q=trample")
    expect(page.locator("#find input")).to_have_value("trample")
    expect(page.locator(".match").first).to_have_attribute("data-number", "702.19")
    length = page.evaluate("history.length")
    page.fill("#find input", '"wins over" a&b')
    expect(page).to_have_url(re.compile(r"/search\?q=%22wins%20over%22%20a%26b$"))
    page.fill("#find input", "ward")
    expect(page).to_have_url(re.compile(r"/search\?q=ward$"))
    assert page.evaluate("history.length") == length
    expect(page.locator(".match").first).to_contain_text("Ward")
    page.locator("#results [data-permalink-link]").click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.endsWith('/search?q=ward'))")


def test_back_and_forward_on_search(page: Page) -> None:
    page.goto("/search")
    page.fill("#find input", "trample")
    page.locator(".match a.number").first.click()
    expect(page.locator("aside.reader article.place")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(re.compile(r"/search\?q=trample$"))
    expect(page.locator("aside.reader article.place")).to_have_count(0)
    page.go_forward()
    expect(page.locator("aside.reader article.place")).to_be_visible()
    page.reload()
    expect(page.locator("#view article.place")).to_be_visible()
    page.go_back()
    expect(page.locator("#find input")).to_have_value("trample")
    expect(page.locator(".match").first).to_be_visible()
    page.fill("#find input", "ward")
    page.locator("header.site a", has_text="Glossary").click()
    expect(page.locator("#terms .card").first).to_be_visible()
    page.go_back()
    expect(page.locator("#find input")).to_have_value("ward")
    expect(page.locator(".match").first).to_contain_text("Ward")


def test_the_edge_of_the_page_changes_with_the_theme(page: Page) -> None:
    """The strip that is kept free for the scroll bar is no element; its pixels tell its colour."""
    page.goto("/sources")
    expect(page.locator("table.facts")).to_be_visible()
    colours = []
    for _ in range(2):
        page.locator("button.theme").click()
        page.wait_for_timeout(100)
        paper = page.evaluate("getComputedStyle(document.querySelector('.gradio-container')).backgroundColor")
        assert pixel(page, 1275, 450) == paper
        colours.append(paper)
    assert len(set(colours)) == 2


def pixel(page: Page, x: int, y: int) -> str:
    """The colour of one pixel of the screen, as CSS writes it."""
    png = page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})
    packed, place = b"", 8
    while place < len(png):
        length = int.from_bytes(png[place : place + 4], "big")
        if png[place + 4 : place + 8] == b"IDAT":
            packed += png[place + 8 : place + 8 + length]
        place += 12 + length
    red, green, blue = zlib.decompress(packed)[1:4]
    return f"rgb({red}, {green}, {blue})"
