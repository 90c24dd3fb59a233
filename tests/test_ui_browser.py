"""ui: the page in Debian's Chromium, on a served tiny rulebook."""

# ruff: noqa: F811 (a test's argument has the name of the fixture that it takes)

import json
import os
import re
from pathlib import Path

import pytest

from qa.judge import Judge
from tests.browsing import BOX, Page, ask, browser, expect, page, watch  # noqa: F401

QUESTION = "Does trample damage the player?"
PAGES: tuple[str, ...] = (
    "/",
    "/?q=Does%20trample%20damage%20the%20player%3F",
    "/browse",
    "/rule/702.19b",
    "/rule/7",
    "/glossary",
    "/term/Trample",
    "/search",
    "/sources",
)
ROOT = Path(__file__).resolve().parent.parent
AXE = [Path(os.environ.get("AXE", "")), ROOT / "node_modules" / "axe-core" / "axe.min.js"]


def test_ask_and_follow_up(page: Page, tiny_judge: Judge) -> None:
    page.goto("/")
    ask(page, QUESTION)
    first = tiny_judge.ask(QUESTION)
    numbers = page.locator("section.answer article.card").evaluate_all("cards => cards.map(card => card.dataset.number)")
    assert sorted(numbers) == sorted(str(hit.number) for hit in first.hits)
    expect(page.locator("mark").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"/\?q=Does%20trample"))
    ask(page, "And what if nobody blocks it?")
    expect(page.locator(".note").first).to_contain_text("Read together with the question before")
    expect(page.locator(".earlier")).to_contain_text(QUESTION)


def test_an_example_and_a_permalink(page: Page) -> None:
    page.goto("/")
    page.locator(".chip").first.click()
    expect(page.locator("section.answer .asked")).to_have_text("Does deathtouch work with trample?")
    page.goto(page.url)
    expect(page.locator("section.answer .asked")).to_have_text("Does deathtouch work with trample?")


def test_a_citation_opens_beside_the_answer_and_back_closes_it(page: Page) -> None:
    page.goto("/")
    ask(page, "What does a single point of deathtouch damage do?")
    before = page.url
    page.locator(".card p.text a.ref").first.click()
    expect(page.locator("aside.reader article.place")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/rule/\d+"))
    expect(page.locator("aside.reader nav.steps")).to_be_visible()
    page.go_back()
    expect(page.locator("aside.reader article.place")).to_have_count(0)
    assert page.url == before
    expect(page.locator("section.answer")).to_be_visible()
    page.go_forward()
    expect(page.locator("aside.reader article.place")).to_be_visible()
    page.locator("aside.reader .close").click()
    expect(page.locator("aside.reader article.place")).to_have_count(0)


def test_reload_with_an_open_rule_and_back(page: Page) -> None:
    page.goto("/")
    ask(page, QUESTION)
    page.locator(".card a.number").first.click()
    expect(page.locator("aside.reader article.place")).to_be_visible()
    page.reload()
    expect(page.locator("#view article.place")).to_be_visible()
    page.go_back()
    expect(page.locator("section.answer .asked")).to_have_text(QUESTION)


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("702.19b", "702.19b"),
        ("702.19", "702.19"),
        ("702", "702"),
        ("7", "7"),
        ("510.1a-b", "510.1a–510.1b"),
        ("CR%20702.19B", "702.19b"),
        ("702.19b/", "702.19b"),
    ],
)
def test_deep_links(page: Page, path: str, title: str) -> None:
    page.goto(f"/rule/{path}")
    expect(page.locator("#view h2").first).to_contain_text(title)
    expect(page).to_have_title(re.compile(re.escape(title)))
    assert page.url.endswith(f"/rule/{path}")
    expect(page.locator(".tree .chapter[open]")).to_have_count(1)


@pytest.mark.parametrize(
    "path", ["/rule/999.9", "/rule/..%2f..%2fetc", "/rule/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/rule/%E2%80%AE"]
)
def test_deep_links_that_lead_nowhere(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.locator("#view")).to_contain_text("Not in this edition")
    page.locator("#view").get_by_role("link", name="search").click()
    expect(page.locator("#find input")).to_be_visible()


def test_browse_to_a_rule_and_on(page: Page) -> None:
    page.goto("/browse")
    page.locator(".chapter > summary", has_text="Additional Rules").click()
    page.locator("details.section > summary", has_text="Keyword Abilities").click()
    page.locator(".tree .rules a", has_text="702.19").click()
    expect(page.locator("#view h2").first).to_contain_text("702.19")
    expect(page.locator("#view")).to_contain_text("702.19b")
    page.locator("#view nav.steps a.next").click()
    expect(page.locator("#view h2").first).to_contain_text("702.21")
    page.go_back()
    expect(page.locator("#view h2").first).to_contain_text("702.19")


def test_the_picture_can_be_walked(page: Page) -> None:
    page.goto("/rule/702.19b")
    node = page.locator(".graph a.node:not(.centre)").first
    number = node.locator("text").text_content()
    node.click()
    expect(page.locator("#view h2").first).to_contain_text(str(number))


def test_glossary(page: Page) -> None:
    page.goto("/glossary")
    expect(page.locator("#terms .card").first).to_be_visible()
    page.fill("#find input", "tram")
    expect(page.locator("#terms .card h2").first).to_have_text("Trample")
    page.fill("#find input", "")
    page.locator("#letters label", has_text="W").click()
    expect(page.locator("#terms .card h2").first).to_have_text("Ward")
    page.fill("#find input", "tram")
    expect(page.locator("#letters input:checked")).to_have_count(0)
    page.locator("#letters label", has_text="W").click()
    expect(page.locator("#terms .card h2").first).to_have_text("Ward")
    expect(page.locator("#find input")).to_have_value("")
    page.fill("#find input", "tram")
    expect(page.locator("#terms .card h2").first).to_have_text("Trample")
    page.fill("#find input", "")
    expect(page.locator("#letters input:checked")).to_have_count(1)
    page.locator("#letters label", has_text="W").click()
    expect(page.locator("#terms .card h2").first).to_have_text("Ward")
    page.locator("#terms .card a.term").first.click()
    expect(page.locator("aside.reader h2").first).to_have_text("Ward")
    page.goto("/term/Trample")
    expect(page.locator("aside.reader h2").first).to_have_text("Trample")


def test_search_as_you_type(page: Page) -> None:
    page.goto("/search")
    page.locator("#find input").press_sequentially("702.19")
    expect(page.locator(".match").first).to_have_attribute("data-number", "702.19")
    page.fill("#find input", '"wins over a rule"')
    expect(page.locator(".match")).to_have_count(1)
    expect(page.locator(".match .hit")).to_have_count(1)
    page.fill("#find input", "no such words anywhere")
    expect(page.locator("#results")).to_contain_text("Nothing found")


def test_copy_and_permalink(page: Page, tiny_judge: Judge) -> None:
    page.goto("/")
    ask(page, QUESTION)
    for form in ("text", "markdown"):
        button = page.locator(f"section.answer [data-copy={form}]")
        button.click()
        expect(button).to_have_text("Copied")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert all(str(hit.number) in copied for hit in tiny_judge.ask(QUESTION).hits)
        assert tiny_judge.index.corpus.name in copied
    page.locator("section.answer [data-permalink-link]").click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.includes('/?q=Does'))")


def test_feedback(page: Page, feedback_folder: Path) -> None:
    page.goto("/")
    ask(page, QUESTION)
    expect(page.locator("form.feedback")).to_be_visible()
    page.fill("form.feedback input", "702.19c")
    page.locator("form.feedback button[value=no]").click()
    expect(page.locator("form.feedback .said")).to_contain_text("Thank you")
    assert '"702.19c"' in (feedback_folder / "feedback.jsonl").read_text()


def test_enter_beside_the_right_rule_says_that_another_decides(page: Page, feedback_folder: Path) -> None:
    page.goto("/")
    ask(page, "What does ward do?")
    first = page.locator("section.answer").get_attribute("data-rules")
    page.fill("form.feedback input", "510.1b")
    page.press("form.feedback input", "Enter")
    expect(page.locator("form.feedback .said")).to_contain_text("Thank you")
    row = json.loads((feedback_folder / "feedback.jsonl").read_text().splitlines()[-1])
    assert (row["helpful"], row["rules"]) == (str(first).split()[0] == "510.1b", ["510.1b"])


def test_boxes_show_that_they_have_the_focus(page: Page) -> None:
    for path, box in {"/": BOX, "/search": "#find input", "/glossary": "#find input"}.items():
        page.goto(path)
        page.focus(box)
        assert "solid" in page.evaluate("getComputedStyle(document.activeElement).outline"), path


def test_dark_and_light(page: Page) -> None:
    page.goto("/")
    expect(page.locator(".welcome")).to_be_visible()
    light = page.evaluate("getComputedStyle(document.querySelector('.gradio-container')).backgroundColor")
    page.locator("button.theme").click()
    dark = page.evaluate("getComputedStyle(document.querySelector('.gradio-container')).backgroundColor")
    assert light != dark
    page.reload()
    expect(page.locator(".welcome")).to_be_visible()
    expect(page.locator("body")).to_have_class(re.compile("dark"))


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_widths_with_edition_and_notice_in_sight(page: Page, width: int, tiny_judge: Judge) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for path in PAGES:
        page.goto(path)
        expect(page.locator("footer.site")).to_be_attached()
        expect(page.locator("header.site .edition")).to_contain_text(tiny_judge.index.corpus.name)
        expect(page.locator("footer.site")).to_contain_text("Fan Content Policy")
        page.wait_for_timeout(150)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page.goto(PAGES[1])
    page.locator(".card a.number").first.click()
    expect(page.locator("aside.reader article.place")).to_be_visible()
    covered = page.evaluate("[...document.querySelectorAll('[inert]')].map(part => part.id).join(' ')")
    assert covered == ("header main footer" if width < 1024 else "")  # where the reader is a sheet, keys stay in it
    page.keyboard.press("Escape")
    assert page.locator("[inert]").count() == 0
    expect(page.locator("aside.reader article.place")).to_have_count(0)


def test_keyboard_only(page: Page) -> None:
    page.goto("/")
    expect(page.locator(BOX)).to_be_visible()
    page.locator("body").press("/")
    expect(page.locator(BOX)).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator("section.answer")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".card").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".card").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("aside.reader article.place")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".card").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator(BOX)).to_be_focused()


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)> trample",
        "[a](javascript:alert(1)) trample",
        "{{this}} ${1+1} trample",
        "‮trample",
        "trample " * 12_500,
    ],
    ids=["html", "markdown", "template", "rtl", "long"],
)
def test_hostile_questions_are_shown_as_text(page: Page, text: str) -> None:
    page.goto("/")
    page.fill(BOX, text)
    page.press(BOX, "Enter")
    expect(page.locator("section.answer .asked")).to_contain_text(text[:40])
    assert page.locator("section.answer img, section.answer script, a[href^=javascript]").count() == 0


def test_nothing_shifts_when_an_answer_arrives(page: Page) -> None:
    page.goto("/")
    page.evaluate(
        "window.shift = 0; new PerformanceObserver(list => { for (const entry of list.getEntries())"
        " if (!entry.hadRecentInput) window.shift += entry.value }).observe({type: 'layout-shift', buffered: true})"
    )
    top = page.locator(BOX).bounding_box()
    ask(page, QUESTION)
    page.locator(".card a.number").first.click()
    expect(page.locator("aside.reader article.place")).to_be_visible()
    assert page.locator(BOX).bounding_box() == top
    assert page.evaluate("window.shift") < 0.1


@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 1280)])
def test_axe_finds_nothing_serious(page: Page, theme: str, width: int) -> None:
    script = next((path for path in AXE if path.is_file()), None)
    if script is None:
        pytest.skip("axe-core is not installed; npm install axe-core")
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    for path in PAGES:
        page.goto(path)
        expect(page.locator("footer.site")).to_be_attached()
        page.wait_for_function("'ready' in document.documentElement.dataset")
        page.wait_for_timeout(150)
        page.evaluate(script.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run().then(result => result.violations.map(v => [v.impact, v.id, v.nodes[0].html]))")
        assert [fault for fault in found if fault[0] in ("serious", "critical")] == [], path
