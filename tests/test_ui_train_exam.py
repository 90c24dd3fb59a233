"""ui: exams, guesses and views of judge training in a browser, where they were wrong before."""

# ruff: noqa: F811 (a test's argument has the name of the fixture that it takes)

import re
from pathlib import Path

import pytest

from tests.browsing import Page, browser, expect, page, watch  # noqa: F401
from tests.serving import lines
from tests.test_ui_train import (
    GUESS,
    RULES,
    address,  # noqa: F401
    answer_right,
    begin,
    choose,
    home,  # noqa: F401
    name_rule,
    profile_of,
    question,
    trained_judge,  # noqa: F401
    upload,
)
from ui.train.progress import FILE, Progress


def an_exam(page: Page, length: int = 3, drill: str = "") -> None:
    choose(page, length=str(length))
    if drill:
        page.locator(".pick", has_text=drill).click()
    page.locator("[name=exam]").check()
    page.locator("form[data-form=begin] .primary").click()
    expect(page.locator(".clock")).to_be_visible()


def hand_in(page: Page) -> None:
    page.locator(".end").click()
    page.locator("dialog button[value=yes]").click()
    expect(page.locator(".result")).to_be_visible()


def test_an_answer_is_emptied_again(page: Page, home: Path) -> None:
    an_exam(page)
    name_rule(page, "")
    expect(page.locator(".oops")).to_contain_text("Name a rule first")  # there is nothing to take back
    for way in ("empty", "clear", "leave"):
        if way != "empty":
            page.locator(".places button", has_text="1").click()
        expect(page.locator(".places [aria-current]")).to_have_text("1")
        name_rule(page, "100.1")
        expect(page.locator(".places .answered")).to_have_count(1)
        page.locator(".places button", has_text="1").click()
        expect(page.locator(GUESS)).to_have_value("100.1")
        if way == "empty":
            name_rule(page, "")
        elif way == "clear":
            page.get_by_role("button", name="Clear").click()
        else:
            page.fill(GUESS, "")
            page.locator(".places button", has_text="3").click()
        expect(page.locator(".places .answered")).to_have_count(0)
        if way != "leave":
            expect(page.locator(".flash")).to_have_text("Question 1: the answer is taken back.")
    hand_in(page)
    assert Progress(home / FILE).reviews(profile_of(page)) == []


def test_what_was_left_unanswered_is_missed(page: Page) -> None:
    an_exam(page)
    name_rule(page, RULES[question(page)][0])
    expect(page.locator(".places .answered")).to_have_count(1)
    hand_in(page)
    expect(page.locator(".result .primary")).to_have_text("Missed ones again2 questions")
    mark = page.locator(".rows summary").first.evaluate("row => getComputedStyle(row, '::after').borderBottomStyle")
    assert mark == "solid"  # a row that unfolds looks so
    expect(page.locator(".sheet")).to_contain_text("3 questions, 6 minutes: find the rule, level 1 or 2")
    page.locator(".result .primary").click()
    expect(page.locator(".at")).to_have_text("Question 1 of 2")


def test_a_ruling_of_an_exam_is_emptied(page: Page) -> None:
    an_exam(page, 2, "Give the ruling")
    page.fill("form.guess textarea", "So be it.")
    page.press("form.guess textarea", "Enter")
    expect(page.locator(".at")).to_have_text("Question 2 of 2")
    page.locator(".places button", has_text="1").click()
    expect(page.locator(".at")).to_have_text("Question 1 of 2")
    page.fill("form.guess textarea", " ")
    page.press("form.guess textarea", "Enter")
    expect(page.locator(".places .answered")).to_have_count(0)


def test_a_second_window_is_told_that_the_first_answered(page: Page) -> None:
    begin(page)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(GUESS)).to_be_visible()
    name_rule(page, "101.1" if RULES[question(page)] != ["101.1"] else "101.2")
    expect(page.locator(".verdict")).to_be_visible()
    assert page.locator(".flash").count() == 0
    name_rule(other, "100.1")
    expect(other.locator(".flash")).to_have_text(re.compile(r"^Already answered \(in another window\?\): 101\.[12]\.$"))
    other.close()


def test_a_guess_with_little_in_common_is_not_marked(page: Page) -> None:
    begin(page)
    while RULES[question(page)] == ["101.2"]:
        answer_right(page)
        page.locator(".verdict h2").press("n")
    name_rule(page, '"100,1a"')
    named = page.locator(".alike .rule-card", has_text="You named")
    expect(named).to_contain_text("You named; little in common")
    assert named.locator("mark").count() == 0
    expect(page.locator(".alike h3")).to_have_text(re.compile(r"^Beside \d+\.\d+[a-z]?$"))


def test_a_session_that_is_gone_leads_on(page: Page, home: Path) -> None:
    begin(page)
    kept, name = Progress(home / FILE), profile_of(page)
    kept.remove(name)
    name_rule(page, "100.1")
    expect(page.locator(".oops")).to_contain_text("not there any more")
    page.locator(".oops button").click()
    expect(page.locator(".quick .primary")).to_be_visible()


def test_the_cards_filter_is_shut_for_a_bank_that_knows_none(page: Page) -> None:
    begin(page)
    page.goto("/progress")
    row = {"id": 1, "question": "Who is hit?", "rules": ["510.1a"], "cards": ["A Beast"]}
    upload(page, "set", "team.jsonl", lines(row, {**row, "id": 2, "cards": []}))
    expect(page.locator(".board .note")).to_contain_text("2 questions")
    choose(page)
    cards = page.locator("[name=cards]")
    expect(cards).to_be_disabled()
    expect(page.locator("[data-unknown]")).to_contain_text("rebuild the index: python -m index build")
    levels = page.locator("[name=levels]:checked")
    expect(levels).to_have_count(2)
    page.locator("[name=deck]").select_option("team.jsonl")
    expect(levels).to_have_count(0)
    expect(cards).to_be_enabled()
    expect(page.locator("[data-unknown]")).to_be_hidden()
    cards.select_option("true")
    expect(page.locator(".matching")).to_have_text("1 question matches.")
    page.locator(".pick", has_text="1 Game Concepts").click()
    expect(page.locator(".matching")).to_contain_text("leave a filter out: chapter 1 (then 1 matches)")
    page.locator("[name=deck]").select_option("")
    expect(levels).to_have_count(2)
    expect(cards).to_be_disabled()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_stands_alone_is_cut_off_or_too_wide(page: Page, home: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    an_exam(page, 1)
    tops = [page.locator(part).bounding_box() for part in (".task-head .at", ".task-head .clock", ".task-head .end")]
    middles = [box["y"] + box["height"] / 2 for box in tops if box]
    assert max(middles) - min(middles) < 8  # one row
    name_rule(page, "100.1")
    page.locator("h1.situation", has_text="All questions").press("Enter")
    expect(page.locator(".result")).to_be_visible()
    rows = [round(page.locator(".result .others > *").nth(n).bounding_box()["y"]) for n in range(4)]  # type: ignore[index]
    assert len(set(rows)) == 2
    assert rows.count(rows[0]) == 2  # two and two, none alone
    begin(page)
    page.locator(".sure .pick", has_text="95").click()
    answer_right(page)
    Progress(home / FILE).add_deck("w" * 74 + ".jsonl", lines({"id": "a", "question": "Who?", "rules": ["510.1a"]}))
    page.goto("/progress")
    expect(page.locator(".sets")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    left = page.locator(".calibration svg").bounding_box()
    for text in page.locator(".calibration text").all():
        box = text.bounding_box()
        assert box
        assert left
        assert box["x"] >= left["x"] + 2
    for canvas in page.locator(".plot .canvas").all():
        label, plot = canvas.locator(".top").bounding_box(), canvas.locator("svg").bounding_box()
        assert label
        assert plot
        assert label["y"] + label["height"] <= plot["y"] + 1
