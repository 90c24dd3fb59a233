"""The texts that the official page links to, and which of them is the newest."""

import re
from datetime import date
from html.parser import HTMLParser
from pathlib import PurePosixPath
from urllib.parse import unquote, urljoin, urlsplit

import httpx

from index.errors import RulesError


def newest_link(html: str, page: str, remedy: str = "") -> str:
    """The address of the newest TXT that a page links to.

    The date in the name decides, in the forms that have been seen: ``20260417``, ``2026417`` (a zero lost),
    ``20260431`` (no such day), ``21031101`` (a wrong year: then the folder's year counts). Among the texts of the
    newest year, the first on the page is taken where its date can't be read.

    Args:
        remedy: what the message ends with where there is none.

    Raises:
        RulesError: the page links to no TXT.
    """
    links = _Links(page)
    links.feed(html)
    links.close()
    found = list(dict.fromkeys(links.texts))
    rules = [link for link in found if "rules" in _name(link).lower()] or found
    if not rules:
        raise RulesError(f"{page} links to no TXT of the rules; the page may have changed{remedy}")
    dates = {link: link_date(link) for link in rules}
    year = max(year for year, _, _ in dates.values())
    newest = [link for link in rules if dates[link][0] == year]
    if dates[newest[0]][1] == 0:
        return newest[0]
    return max(newest, key=lambda link: dates[link])


def link_date(address: str) -> tuple[int, int, int]:
    """Year, month and day in a link's name; month and day are 0 where they can't be read, and so is the year.

    The day may be one that its month lacks: such slips have been published, and they still sort rightly.
    """
    parts = [unquote(part) for part in urlsplit(address).path.split("/")]
    run = re.search(r"[0-9]{4}[0-9._ -]*", parts[-1])
    digits = re.sub(r"[^0-9]", "", run[0])[:8] if run else ""
    folder = max((int(part) for part in parts[:-1] if len(part) == 4 and _plausible(part)), default=0)
    year = int(digits[:4]) if _plausible(digits[:4]) else folder
    rest = digits[4:]
    # Where one zero is lost ("2026417"), it is taken for the month's unless that gives no date.
    for cut in {4: (2,), 3: (1, 2), 2: (1,)}.get(len(rest), ()):
        month, day = int(rest[:cut]), int(rest[cut:])
        if 1 <= month <= 12 and 1 <= day <= 31:
            return year, month, day
    return year, 0, 0


class _Links(HTMLParser):
    """Collects the addresses of the TXT files that a page links to, in its order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.base = page
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = (dict(attrs).get("href") or "").strip()
        if tag not in ("a", "base") or not href:
            return
        try:
            address = str(httpx.URL(urljoin(self.base, href)))  # writes spaces as %20
            path = urlsplit(address).path
        except (ValueError, httpx.InvalidURL):
            return
        if tag == "base":
            self.base = address
        elif path.lower().endswith(".txt") and address.startswith(("http://", "https://")):
            self.texts.append(address)


def _name(address: str) -> str:
    return PurePosixPath(unquote(urlsplit(address).path)).name


def _plausible(year: str) -> bool:
    """Whether it is a year in which a rulebook can have been published."""
    return year.isascii() and year.isdigit() and 1993 <= int(year) <= date.today().year + 1
