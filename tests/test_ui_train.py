"""ui: judge training in Debian's Chromium, on a served tiny rulebook with invented questions."""

# ruff: noqa: F811 (a test's argument has the name of the fixture that it takes)

import json
import os
import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from index.corpus import Corpus
from qa.judge import Judge
from tests.browsing import Browser, Page, Watch, browser, expect, page, watch  # noqa: F401
from tests.serving import lines, served, trained_index
from tests.tiny import HashEncoder
from ui.train.progress import FILE, Progress
from ui.train.stats import ORDER

ROOT = Path(__file__).resolve().parent.parent
AXE = [Path(os.environ.get("AXE", "")), ROOT / "node_modules" / "axe-core" / "axe.min.js"]
GUESS = "form.guess input[name=guess]"
ROWS: list[dict[str, Any]] = [
    {"id": "t1", "question": "My 5/5 trampler meets a 2/2. Who takes what?", "answer": "Three go through.", "rules": ["702.19b"]},
    {"id": "t2", "question": "Its only blocker left combat. Hit the player?", "answer": "Yes, with all.", "rules": ["702.19c"]},
    {"id": "d1", "question": "One point for each blocker?", "answer": "One is enough.", "rules": ["702.2c", "702.19b"]},
    {"id": "d2", "question": "Does a scratch kill my 9/9?", "answer": "It does.", "rules": ["702.2b"], "level": 2},
    {"id": "s1", "question": "When is my hurt beast gone?", "answer": "At once.", "rules": ["704.5g"], "level": 2},
    {"id": "s2", "question": "A hero without loyalty: what now?", "answer": "It is put away.", "rules": ["704.5i"], "level": 2},
    {"id": "g1", "question": "One card allows, one forbids. Which wins?", "answer": "No wins.", "rules": ["101.2"], "level": 3},
    {
        "id": "g2",
        "question": "My card says otherwise. And now?",
        "answer": "The card wins.",
        "rules": ["101.1"],
        "kind": "definition",
    },
    {"id": "a1", "question": "Nobody blocks. Who is hit?", "answer": "The player.", "rules": ["510.1a"], "level": 2},
    {
        "id": "w1",
        "question": "They target my <b>warded</b> thing & can’t pay?",
        "answer": "Countered.",
        "rules": ["702.21a"],
    },
]
RULES = {row["question"]: row["rules"] for row in ROWS}


@pytest.fixture(scope="module")
def trained_judge(tiny_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """A judge on the tiny rulebook with a bank of the questions above."""
    folder = trained_index(tiny_corpus, tmp_path_factory.mktemp("trained"), ROWS)
    return Judge.load(folder, encoder=HashEncoder())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def address(trained_judge: Judge, home: Path) -> Iterator[str]:
    """The served site; it takes the place of the one without questions."""
    for port in served(trained_judge, home):
        yield f"http://127.0.0.1:{port}"


def question(page: Page) -> str:
    return page.locator("h1.situation").inner_text()


def begin(page: Page, label: str = "Start: 10 questions") -> None:
    page.goto("/train")
    page.locator(".quick .go", has_text=label).click()
    expect(page.locator("h1.situation")).to_be_visible()


def name_rule(page: Page, number: str) -> None:
    page.fill(GUESS, number)
    page.press(GUESS, "Enter")


def answer_right(page: Page) -> None:
    name_rule(page, RULES[question(page)][0])
    expect(page.locator(".verdict h2")).to_have_text("Right")


def profile_of(page: Page) -> str:
    return str(page.evaluate("localStorage.getItem('profile')"))


def choose(page: Page, **fields: str) -> None:
    page.goto("/train")
    page.locator(".choose > summary").click()
    for name, value in fields.items():
        page.fill(f"form[data-form=begin] [name={name}]", value)


def test_a_first_session_starts_with_one_click_and_has_no_dead_end(page: Page, home: Path) -> None:
    page.goto("/")
    page.get_by_role("link", name="Train", exact=True).click()
    page.locator(".quick .primary").click()
    expect(page.locator(GUESS)).to_be_focused()
    expect(page).to_have_title(re.compile(r"Question 1 of 9 – Train"))
    count = 0
    while page.locator("h1.situation").count():
        count += 1
        answer_right(page)
        expect(page.locator(".ours")).to_contain_text("our own, not official")
        page.locator(".verdict h2").press("Enter")
        expect(page.locator(".revealed")).to_have_count(0)
    assert count == 9  # of levels 1 and 2
    expect(page.locator(".result h1")).to_have_text("Session: 9 of 9 (100%)")
    assert len(Progress(home / FILE).reviews(profile_of(page))) == 9
    page.get_by_role("link", name="Progress").click()
    expect(page.locator(".board h1")).to_contain_text("Progress of me")


def test_the_reveal_tells_what_decides_and_how_near_the_guess_was(page: Page) -> None:
    begin(page)
    while RULES[question(page)] != ["702.19b"]:
        page.locator("[data-blank]").click()
        expect(page.locator(".verdict")).to_contain_text("No rule was named")
        page.locator(".verdict [data-key=n]").click()
        expect(page.locator("form.guess")).to_be_visible()
    page.locator(".sure .pick", has_text="75").click()
    page.locator("details.say summary").click()
    page.fill("form.guess textarea", "Three <i>points</i>.")
    name_rule(page, "rule 702.19(c)")
    expect(page.locator(".verdict h2")).to_have_text("Half right")
    expect(page.locator(".verdict")).to_contain_text("You named 702.19c: the right family, but another rule of it.")
    expect(page.locator(".ours")).to_contain_text("Three go through.")
    expect(page.locator(".deciding .crumbs")).to_contain_text("702.19 Trample")
    expect(page.locator(".deciding .text").first).to_contain_text("The attacker gives each blocker lethal damage first")
    named = page.locator(".alike .rule-card", has_text="You named")
    expect(named.locator("mark.differs").first).to_be_visible()
    expect(page.locator(".alike .rule-card.right mark.differs").first).to_be_visible()
    expect(page.locator(".revealed")).to_contain_text("This comes again")
    expect(page.locator(".yours")).to_contain_text("Three <i>points</i>.")
    page.locator(".verdict h2").press("2")
    expect(page.locator(".revealed")).to_contain_text("You graded your ruling half")
    page.locator(".deciding a.number").first.click()
    expect(page.locator("aside.reader h2").first).to_contain_text("702.19b")
    page.keyboard.press("Escape")
    expect(page.locator("aside.reader article.place")).to_have_count(0)
    expect(page.locator(".revealed")).to_be_visible()


def test_a_rule_is_found_beside_the_question(page: Page) -> None:
    begin(page)
    asked = question(page)
    page.locator("h1.situation").press("/")
    page.keyboard.type("lethal damage")
    page.locator(".found .this-one[data-number='702.19b']").click()
    expect(page.locator(GUESS)).to_have_value("702.19b")
    expect(page.locator(GUESS)).to_be_focused()
    page.locator(".rulebook > summary").click()
    page.locator(".rulebook .chapter > summary", has_text="Additional").click()
    page.locator(".rulebook .section > summary", has_text="702").click()
    page.locator(".rulebook .list a", has_text="702.2").first.click()
    reader = page.locator("aside.reader")
    reader.locator(".rule .this-one[data-number='702.2c']").click()
    expect(page.locator(GUESS)).to_have_value("702.2c")
    expect(reader.locator("article.place")).to_have_count(0)
    assert question(page) == asked
    page.locator(".found a.ref.number").first.click()
    expect(reader.locator("article.place")).to_be_visible()
    page.go_back()
    expect(reader.locator("article.place")).to_have_count(0)
    expect(page.locator(GUESS)).to_have_value("702.2c")


def test_a_number_that_is_none_is_said_where_it_was_typed(page: Page) -> None:
    begin(page)
    for text, said in {"702.99": "702", "trample": "rule number", "<img src=x>": "rule number", "": "Name a rule first"}.items():
        name_rule(page, text)
        expect(page.locator(".oops")).to_contain_text(said)
        assert page.locator(".oops img").count() == 0
    expect(page.locator(GUESS)).to_be_visible()
    answer_right(page)


def test_the_ruling_drill_is_graded_by_keys(page: Page, home: Path) -> None:
    begin(page, "Give the ruling")
    page.fill("form.guess textarea", "I think so.")
    page.press("form.guess textarea", "Enter")
    expect(page.locator(".yours")).to_contain_text("I think so.")
    expect(page.locator(".deciding")).to_be_visible()
    page.reload()
    expect(page.locator(".grades")).to_be_visible()
    page.locator(".ours h3").press("1")
    expect(page.locator(".flash")).to_contain_text("graded right, it comes again")
    page.locator("form.guess .primary").click()
    page.locator(".grades button", has_text="Wrong").click()
    expect(page.locator(".flash")).to_contain_text("graded wrong")
    reviews = Progress(home / FILE).reviews(profile_of(page))
    assert [(review.drill, review.grade, review.said) for review in reviews] == [
        ("ruling", "right", "I think so."),
        ("ruling", "wrong", ""),
    ]
    page.locator(".end").click()
    page.locator("dialog button[value=no]").click()
    expect(page.locator("form.guess")).to_be_visible()
    page.locator(".end").click()
    page.locator("dialog button[value=yes]").click()
    expect(page.locator(".result h1")).to_have_text("Session: 1 of 2 (50%)")
    page.locator(".result .go", has_text="Missed ones again").click()
    expect(page.locator(".at")).to_have_text("Question 1 of 1")


def test_two_rules_side_by_side(page: Page, home: Path) -> None:
    begin(page, "Which of two rules")
    numbers = page.locator(".rule-card h2 a").all_inner_texts()
    right = next(n for n in numbers if n in RULES[question(page)])
    page.locator("h1.situation").press(str(numbers.index(right) + 1))
    expect(page.locator(".verdict h2")).to_have_text("Right")
    beside = re.compile("The other of the two; (what differs is marked|little in common)")
    expect(page.locator(".alike .rule-card").nth(1)).to_contain_text(beside)
    page.locator(".verdict h2").press("n")
    expect(page.locator(".at")).to_contain_text("Question 2")
    numbers = page.locator("form.guess .rule-card h2 a").all_inner_texts()
    wrong = next(n for n in numbers if n not in RULES[question(page)])
    page.locator(".rule-card", has=page.locator(f"h2 a:text-is('{wrong}')")).locator(".choice").click()
    expect(page.locator(".verdict")).to_contain_text("the other of the two decides it")
    reviews = Progress(home / FILE).reviews(profile_of(page))
    assert [(review.drill, review.grade) for review in reviews] == [("contrast", "right"), ("contrast", "wrong")]


def test_an_exam_from_start_to_sheet(page: Page, home: Path) -> None:
    choose(page, length="3")
    expect(page.locator(".matching")).to_have_text("9 questions match.")
    page.locator("[name=exam]").check()
    page.fill("[name=minutes]", "5")
    page.locator("form[data-form=begin] .primary").click()
    expect(page.locator(".clock")).to_have_text(re.compile(r"^[45]:\d\d$"))
    first = question(page)
    name_rule(page, "100.1")
    expect(page.locator(".at")).to_have_text("Question 2 of 3")
    assert page.locator(".verdict, .ours, .deciding").count() == 0
    page.fill(GUESS, "999.1")
    page.locator(".places button", has_text="1").click()
    expect(page.locator(".oops")).to_contain_text("999")
    page.fill(GUESS, "100.1a")  # what is typed is kept when the question is left
    page.locator(".places button", has_text="1").click()
    expect(page.locator(GUESS)).to_have_value("100.1")
    name_rule(page, RULES[first][0])
    page.reload()
    expect(page.locator(".places .answered")).to_have_count(2)
    expect(page.locator(".at")).to_have_text("Question 3 of 3")
    page.locator(".places button", has_text="2").click()
    expect(page.locator(GUESS)).to_have_value("100.1a")
    page.locator("button", has_text="Later").click()
    expect(page.locator(".at")).to_have_text("Question 3 of 3")
    assert Progress(home / FILE).reviews(profile_of(page)) == []
    page.locator(".end").click()
    expect(page.locator("dialog")).to_contain_text("1 question has no answer yet")
    page.locator("dialog button[value=yes]").click()
    expect(page.locator(".result h1")).to_have_text("Exam: 1 of 3 (33%)")
    expect(page.locator(".bars").first).to_contain_text("By chapter")
    expect(page.locator(".rows > li")).to_have_count(3)
    page.locator(".rows summary").first.click()
    expect(page.locator(".rows .ours").first).to_be_visible()
    assert len(Progress(home / FILE).reviews(profile_of(page))) == 2
    sheet_of(page, first)


def sheet_of(page: Page, first: str) -> None:
    """The printed result, with and without answers: black on white, nothing else on the paper."""
    page.evaluate("void (window.print = () => { window.printed = (window.printed || 0) + 1; })")
    page.emulate_media(media="print")
    for label, solved in (("Print the sheet", True), ("Print it without answers", False)):
        page.emulate_media(media="screen")
        page.get_by_role("button", name=label).click()
        page.emulate_media(media="print")
        expect(page.locator(".sheet")).to_contain_text(first)
        assert page.locator(".sheet .solved").first.is_visible() is solved
        assert page.locator(".sheet .to-fill").first.is_visible() is not solved
        assert not page.locator("#header").is_visible()
        assert not page.locator(".rows").is_visible()
    assert page.evaluate("window.printed") == 2
    page.emulate_media(media="screen", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.querySelector('.sheet')).color") == "rgb(0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.querySelector('.gradio-container')).backgroundColor") == "rgb(255, 255, 255)"


def test_rulings_of_an_exam_are_graded_after_it(page: Page, home: Path) -> None:
    choose(page, length="2")
    page.locator(".pick", has_text="Give the ruling").click()
    page.locator("[name=exam]").check()
    page.locator("form[data-form=begin] .primary").click()
    for place in (1, 2):
        expect(page.locator(".at")).to_have_text(f"Question {place} of 2")
        page.fill("form.guess textarea", "So be it.")
        page.press("form.guess textarea", "Enter")
    expect(page.locator("h1.situation")).to_have_text("All questions have an answer")
    page.locator("h1.situation").press("Enter")
    expect(page.locator(".result .note")).to_contain_text("2 rulings to go")
    page.locator(".rows .grades button", has_text="Right").first.click()
    expect(page.locator(".result .note")).to_contain_text("1 ruling to go")
    page.locator(".rows .grades button", has_text="Half").first.click()
    expect(page.locator(".result h1")).to_have_text("Exam: 1½ of 2 (75%)")
    assert [review.grade for review in Progress(home / FILE).reviews(profile_of(page))] == ["right", "half"]


def test_an_exam_ends_when_its_time_is_up(page: Page, home: Path) -> None:
    choose(page, length="2")
    page.locator("[name=exam]").check()
    page.locator("form[data-form=begin] .primary").click()
    expect(page.locator(".clock")).to_be_visible()
    session = page.locator("[data-session]").first.get_attribute("data-session")
    soon = (datetime.now(UTC) + timedelta(seconds=4)).isoformat(timespec="microseconds")
    with sqlite3.connect(home / FILE) as db:
        db.execute("UPDATE sessions SET deadline = ? WHERE id = ?", (soon, session))
    page.reload()
    page.fill(GUESS, RULES[question(page)][0])
    expect(page.locator(".result h1")).to_have_text("Exam: 1 of 2 (50%)", timeout=15_000)
    expect(page.locator("#status")).to_have_text("Time is up.")


def test_a_session_survives_reload_and_is_offered_again(page: Page) -> None:
    begin(page)
    answer_right(page)
    asked = question(page)
    page.reload()
    expect(page.locator(".verdict h2")).to_have_text("Right")
    assert question(page) == asked
    page.locator(".verdict h2").press("n")
    expect(page.locator(".at")).to_have_text("Question 2 of 9")
    asked = question(page)
    page.reload()
    expect(page.locator(".at")).to_have_text("Question 2 of 9")
    assert question(page) == asked
    page.goto("/train")
    page.locator(".open-sessions button", has_text="question 2 of 9").click()
    expect(page.locator("h1.situation")).to_have_text(asked)
    page.go_back()
    expect(page.locator(".open-sessions")).to_be_visible()


def test_two_windows_count_an_answer_once(page: Page, home: Path) -> None:
    begin(page)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(GUESS)).to_be_visible()
    answer_right(page)
    name_rule(other, "100.1")
    expect(other.locator(".verdict h2")).to_have_text("Right")  # what was answered first stands
    assert len(Progress(home / FILE).reviews(profile_of(page))) == 1
    other.close()


def test_visitors_see_only_sessions_of_their_profile(page: Page, browser: Browser, address: str) -> None:
    begin(page)
    name, url = profile_of(page), page.url
    context = browser.new_context(base_url=address)
    stranger = context.new_page()
    stranger.goto("/train")
    expect(stranger.locator(".quick")).to_be_visible()
    assert stranger.locator(".open-sessions").count() == 0
    expect(stranger.locator(".panel .chip", has_text=re.compile(f"^{name}$"))).to_be_visible()
    stranger.goto(url)
    expect(stranger.locator(".oops")).to_contain_text("belongs to another profile")
    stranger.get_by_role("button", name="To the start").click()
    stranger.locator(".quick .primary").click()
    expect(stranger.locator("h1.situation")).to_be_visible()
    assert profile_of(stranger) != name
    stranger.goto("/train?session=nonsense")
    expect(stranger.locator(".oops")).to_contain_text("not there any more")
    context.close()


def test_an_empty_choice_says_what_to_relax(page: Page) -> None:
    choose(page, keyword="tramble")
    expect(page.locator(".matching")).to_contain_text("near it: Trample")
    page.locator("form[data-form=begin] .primary").click()
    expect(page.locator(".oops")).to_contain_text("near it: Trample")
    page.fill("[name=keyword]", "Trample")
    page.locator(".pick", has_text="7 Additional").click()
    expect(page.locator(".matching")).to_have_text("3 questions match.")
    page.locator("form[data-form=begin] .primary").click()
    expect(page.locator(".at")).to_have_text("Question 1 of 3")
    choose(page)
    page.locator("[name=missed]").check()
    page.locator("form[data-form=begin] .primary").click()
    expect(page.locator(".oops")).to_contain_text("Nothing was missed")


def upload(page: Page, form: str, name: str, content: str) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content.encode()}
    page.set_input_files(f"form[data-form={form}] input[type=file]", file)  # type: ignore[arg-type]
    page.locator(f"form[data-form={form}] button").click()


def test_progress_is_shown_and_taken_along(page: Page, tmp_path: Path) -> None:
    begin(page)
    page.locator(".sure .pick", has_text="95").click()
    answer_right(page)
    for _ in range(8):
        page.locator(".verdict [data-key=n]").click()
        page.locator("[data-blank]").click()
        expect(page.locator(".verdict h2")).to_have_text("Not it")
    page.goto("/progress")
    expect(page.locator(".tiles")).to_contain_text("right of 9")
    expect(page.locator(".plot svg[role=img]")).to_have_count(3)
    expect(page.locator(".calibration")).to_contain_text("95% sure: 100% right (1 answer)")
    expect(page.locator(".weak .bars")).to_contain_text("702 Keyword Abilities")
    expect(page.locator(".weak caption")).to_have_text(f"Weak sections first, {ORDER}")
    for label, start in {"Export as JSON": '{"app": "rules-lawyer"', "Anki cards of what": "#separator"}.items():
        with page.expect_download() as download:
            page.locator("a.button", has_text=label).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        assert "".join(path.read_text().split("\n")).startswith(start)
    assert (tmp_path / "rules-lawyer-anki.csv").read_text().count("rules-lawyer:") == 9
    export = (tmp_path / "rules-lawyer-progress.json").read_text()
    for broken in (export[:-20], export.replace('"schema": 1', '"schema": 2'), "[]", "\0"):
        upload(page, "import", "progress.json", broken)
        expect(page.locator(".oops")).to_contain_text("your progress is as it was")
    expect(page.locator(".tiles")).to_contain_text("right of 9")
    page.locator(".danger").click()
    page.locator("dialog button[value=yes]").click()
    expect(page.locator(".board .note")).to_contain_text("is deleted")
    page.fill("form[data-form=add-profile] input", "Anna")
    page.press("form[data-form=add-profile] input", "Enter")
    expect(page.locator(".board h1")).to_have_text("Progress of Anna")
    upload(page, "import", "progress.json", export)
    expect(page.locator(".board .note")).to_contain_text("9 answers imported")
    expect(page.locator(".tiles")).to_contain_text("right of 9")
    expect(page.locator(".weak .go")).to_have_text("Drill the weakestsection 702")  # "these" would be several
    page.locator(".weak .go").click()
    expect(page.locator("h1.situation")).to_be_visible()
    assert RULES[question(page)][0].startswith(("702", "704"))


def test_own_questions_are_added_drilled_and_removed(page: Page) -> None:
    begin(page)
    page.goto("/progress")
    good = {"id": 1, "question": "<script>alert(1)</script> Who is hit?", "rules": ["510.1a"], "answer": "<b>You</b>"}
    upload(page, "set", "team.jsonl", lines(good) + '{"id": "x", "question": 3}\n')
    expect(page.locator(".oops")).to_contain_text("team.jsonl, line 2 (x): 'question' must be text")
    upload(page, "set", "old.jsonl", lines({"id": "x", "question": "Gone?", "rules": ["999.1"]}))
    expect(page.locator(".oops")).to_contain_text("was not added")
    upload(page, "set", "../<i>team</i>.jsonl", lines(good))
    expect(page.locator(".board .note")).to_contain_text("1 question")
    assert page.locator(".sets i, .note i").count() == 0
    page.locator(".sets button", has_text="Drill").click()
    expect(page.locator("h1.situation")).to_contain_text("<script>alert(1)</script>")
    name_rule(page, "510.1a")
    expect(page.locator(".ours")).to_contain_text("<b>You</b>")
    page.goto("/progress")
    page.locator(".sets button", has_text="Remove").click()
    page.locator("dialog button[value=yes]").click()
    expect(page.locator(".sets")).to_have_count(0)


def test_names_are_shown_as_text(page: Page) -> None:
    page.goto("/train")
    box = page.locator("form[data-form=add-profile] input")
    page.locator(".who summary").click()
    box.fill("<img src=x onerror=alert(1)>")
    box.press("Enter")
    expect(page.locator(".training .note").first).to_have_text("New profile: <img src=x onerror=alert(1)>")
    expect(page.locator(".who b")).to_have_text("<img src=x onerror=alert(1)>")
    assert page.locator(".training img").count() == 0
    for name, said in {"  ": "printable", "<IMG src=x onerror=alert(1)>": "already"}.items():
        if not box.is_visible():
            page.locator(".who summary").click()
        box.fill(name)
        box.press("Enter")
        expect(page.locator(".oops")).to_contain_text(said)


def test_the_routes_refuse_what_the_page_would_not_send(page: Page, address: str) -> None:
    ours = {"X-Lawyer": "train", "Content-Type": "application/json"}
    post = page.request.post
    assert post(f"{address}/piece/train/start", data="{}").status == 403
    assert post(f"{address}/piece/train/no-such", data="{}", headers=ours).status == 404
    long, deep = json.dumps({"profile": "x" * 200_000}), '{"plan": {"filters": ' + "[" * 800 + "]" * 800 + "}}"
    for body in (
        "",
        "[1]",
        "{",
        '{"profile": 3}',
        '{"place": 1e400}',
        '{"plan": {"drill": "\\ud800"}}',
        "[" * 50_000,
        long,
        deep,
    ):
        for act in ("start", "begin", "go", "answer", "grade", "finish", "progress", "add-profile", "count", "remove-profile"):
            reply = post(f"{address}/piece/train/{act}", data=body.encode(), headers=ours)
            assert reply.status == 200, (act, body[:40])
            assert {"html", "error"} & reply.json().keys()
    for path in ("file/..%2f..%2fetc", "file/progress.json?profile=nobody", "file/anki.csv"):
        assert page.request.get(f"{address}/piece/train/{path}").status == 404
    assert page.request.get(f"{address}/piece/find?query=" + "x" * 5_000).ok


VIEWS = ("start", "question", "reveal", "ruling", "contrast", "contrast-reveal", "exam", "result", "progress")


def at_view(page: Page, view: str) -> None:
    """Bring the page to one of ``VIEWS``; each goes on from the one before."""
    if view == "start":
        page.goto("/train")
        page.locator(".choose > summary").click()
    elif view == "question":
        page.locator(".quick .primary").click()
        page.fill("#find input", "lethal damage")
        expect(page.locator(".found .match").first).to_be_visible()
    elif view == "reveal":
        name_rule(page, "100.1")
        expect(page.locator(".revealed")).to_be_visible()
    elif view in ("ruling", "contrast"):
        begin(page, "Give the ruling" if view == "ruling" else "Which of two rules")
    elif view == "contrast-reveal":
        page.locator(".choice").first.click()
        expect(page.locator(".revealed")).to_be_visible()
    elif view == "exam":
        begin(page, "Exam")
        name_rule(page, "100.1")
        expect(page.locator(".at")).to_contain_text("Question 2")
    elif view == "result":
        page.locator(".end").click()
        page.locator("dialog button[value=yes]").click()
        page.locator(".rows summary").first.click()
    else:
        page.goto("/progress")
        expect(page.locator(".board")).to_be_visible()


@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 1280), ("dark", 390), ("light", 360)])
def test_every_view_fits_and_axe_finds_nothing_serious(page: Page, theme: str, width: int) -> None:
    script = next((path for path in AXE if path.is_file()), None)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    for view in VIEWS:
        at_view(page, view)
        page.wait_for_timeout(250)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
        if script is None or width == 360:
            continue
        page.evaluate(script.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run().then(result => result.violations.map(v => [v.impact, v.id, v.nodes[0].html]))")
        assert [fault for fault in found if fault[0] in ("serious", "critical")] == [], view


def test_this_one_by_touch_in_the_sheet(browser: Browser, address: str, watch: Watch) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True, base_url=address)
    page = context.new_page()
    watch.follow(page, address)
    page.goto("/train")
    page.locator(".quick .primary").tap()
    page.locator("#find input").tap()
    page.keyboard.type("trample")
    page.locator(".found .match h2 a").first.tap()
    button = page.locator("aside.reader .this-one").nth(1)
    expect(button).to_be_visible()
    number = button.get_attribute("data-number")
    button.tap()
    expect(page.locator(GUESS)).to_have_value(str(number))
    expect(page.locator("aside.reader article.place")).to_have_count(0)
    page.locator("form.guess .primary").tap()
    expect(page.locator(".revealed")).to_be_visible()
    context.close()
    assert watch.faults == []
