"""What the tests in a browser share: Debian's Chromium, and a page of a served tiny rulebook."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ui.browser import CHROMIUM, FLAGS

pytest.importorskip("playwright.sync_api", reason="playwright is not installed; pip install playwright")
if not Path(CHROMIUM).exists():
    pytest.skip(f"no Chromium at {CHROMIUM}; apt-get install chromium", allow_module_level=True)

from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

__all__ = ("BOX", "Browser", "Page", "Watch", "ask", "browser", "expect", "page", "watch")
BOX = "#question textarea"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as running:
        chrome = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chrome
        chrome.close()


class Watch:
    """Notes what a page says on the console and whom it asks."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def follow(self, page: Page, address: str) -> None:
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self._ask(request.url, address))

    def _hear(self, message: ConsoleMessage) -> None:
        # Chromium itself tells of a page that answers 404, as that of an unknown rule must.
        told = "404" in message.text and re.search(r"/(rule|term)/", str(message.location.get("url", "")))
        if message.type in ("error", "warning") and not told:
            self.faults.append(message.text)

    def _ask(self, url: str, address: str) -> None:
        if not url.startswith((address, "data:", "blob:")):
            self.faults.append(f"asks {url}")


@pytest.fixture
def watch() -> Watch:
    """What the page of the test said and asked."""
    return Watch()


@pytest.fixture
def page(browser: Browser, address: str, watch: Watch) -> Iterator[Page]:
    """A fresh page of 1280 px; after the test it must have said and asked nothing untoward."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=address)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    opened.set_default_timeout(10_000)
    watch.follow(opened, address)
    yield opened
    context.close()
    assert watch.faults == []


def ask(page: Page, question: str) -> None:
    page.fill(BOX, question)
    page.press(BOX, "Enter")
    expect(page.locator("section.answer .asked")).to_have_text(question)
