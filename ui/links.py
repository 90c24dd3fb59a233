"""What an address shows: which of Gradio's pages, with which status and title."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs

from index.errors import RulesError
from ui.frame import Page
from ui.library import Library
from ui.text import tidy

SITE = "Rules Lawyer"
LONGEST = 60
"""Characters of a question that a title holds."""


@dataclass(frozen=True)
class Link:
    """What an address shows.

    Attributes:
        page: the path of Gradio's page.
        status: 404 where the address names what this edition lacks; the page then says so and names what is near.
        deep: whether the address is of a rule or term, which the page opens by itself.
        script: what the page runs beside page.js.
    """

    page: str
    title: str
    status: int = 200
    deep: bool = False
    script: str = ""


class Links:
    """Reads the addresses of one site."""

    def __init__(self, library: Library, pages: Sequence[Page]) -> None:
        self._library = library
        self._pages = {f"/{page.path}": page for page in pages}

    def read(self, path: str, query: bytes = b"") -> Link | None:
        """What a path shows; None where it is no page."""
        for start, led, find in (("/rule/", "/browse", self._place), ("/term/", "/glossary", self._term)):
            name = path.removeprefix(start).rstrip("/")
            if path.startswith(start) and name:
                try:
                    return Link(led, titled(find(name)), deep=True)
                except RulesError:
                    return Link(led, titled("Not found"), 404, deep=True)
        if path not in self._pages:
            return None
        asked = " ".join(tidy(parse_qs(query.decode("latin-1")).get("q", [""])[0]).split())[:LONGEST]
        page = self._pages[path]
        return Link(path, titled(*((asked,) if path == "/" and asked else (asked, page.name))), script=page.script)

    def _place(self, name: str) -> str:
        place = self._library.place(name)
        return f"{place.name} {place.title}"

    def _term(self, name: str) -> str:
        return self._library.entry(tidy(name)).term


def titled(*parts: str) -> str:
    """The title of a page, as page.js writes it."""
    return " – ".join(part for part in (*parts, SITE) if part)
