"""A picture of each page at 390 and 1280 px, light and dark."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from index.errors import RulesError
from qa.judge import Judge
from ui.browser import chromium, served

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTHS = (390, 1280)
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
QUESTION = "Does deathtouch work with trample?"
VIEWS: dict[str, tuple[str, str]] = {
    "start": ("/", ".welcome"),
    "answer": (f"/?q={QUESTION.replace(' ', '%20').replace('?', '%3F')}", "section.answer"),
    "answer-rule": (f"/?q={QUESTION.replace(' ', '%20').replace('?', '%3F')}", "section.answer"),
    "browse": ("/browse", ".tree"),
    "rule": ("/rule/702.19b", "article.place"),
    "section": ("/rule/704", "article.place"),
    "missing": ("/rule/999.9z", "article.place"),
    "glossary": ("/glossary", "#terms .card"),
    "search": ("/search", "#find input"),
    "sources": ("/sources", "table.facts"),
    "train": ("/train", ".training"),
    "train-question": ("/train", ".training"),
    "train-reveal": ("/train", ".training"),
    "progress": ("/progress", ".board"),
}
"""What is shown: an address, and what must be there before the picture is taken."""


def take(judge: Judge, out: Path, browser: str) -> Iterator[Path]:
    """Take all pictures.

    Raises:
        RulesError: the folder can't be written, or there is no browser.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RulesError(f"{out} can't be made ({error.strerror}); give another folder with --out") from None
    with served(judge) as address, chromium(browser) as chrome:
        for theme in THEMES:
            for width in WIDTHS:
                page = chrome.new_page(viewport={"width": width, "height": 844 if width < 700 else 900}, color_scheme=theme)
                for name, (path, wanted) in VIEWS.items():
                    page.goto(address + path)
                    page.wait_for_selector(wanted)
                    _prepare(page, name)
                    page.wait_for_timeout(400)
                    file = out / f"{name}-{width}-{theme}.png"
                    page.screenshot(path=file)
                    yield file
                page.close()


def _prepare(page: "Page", name: str) -> None:
    """What a visitor does before the picture."""
    if name == "answer-rule":
        page.locator(".card a.number").first.click()
        page.wait_for_selector("article.place")
    elif name == "search":
        page.fill("#find input", "lethal damage")
        page.wait_for_selector(".match")
    elif name == "browse":
        page.locator(".chapter > summary").nth(6).click()
    elif name.startswith("train-"):
        page.locator(".quick .primary").click()
        page.wait_for_selector("form.guess")
        if name == "train-reveal":
            page.fill("form.guess input[name=guess]", "702.2")
            page.press("form.guess input[name=guess]", "Enter")
            page.wait_for_selector(".revealed")
