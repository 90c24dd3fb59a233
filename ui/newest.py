"""Whether a newer edition is out than the one that speaks; asked of the official page only when a visitor wants to know."""

import os
import time

from index.corpus import Corpus
from index.errors import RulesError

KEPT_SECONDS = 600.0
"""So long an answer is kept, so that visitors can't make this computer knock at the official page all day."""

_kept: tuple[float, tuple[int, int, int] | None, str] = (-KEPT_SECONDS, None, "")


def newest(corpus: Corpus) -> str:
    """One line for people; a connection that fails is said kindly."""
    global _kept
    if time.monotonic() - _kept[0] > KEPT_SECONDS:
        try:
            _kept = (time.monotonic(), _ask(), "")
        except RulesError as error:
            _kept = (time.monotonic(), None, str(error))
    _, date, problem = _kept
    if date is None:
        return f"It can't be told now: {problem}."
    name = "-".join(f"{part:02}" for part in date if part)
    own = corpus.edition
    if own is None or date > (own.year, own.month, own.day):
        return f"A newer edition is out: {name}. Get it: python -m index fetch, then python -m index build."
    return f"Edition {corpus.name} is the newest that the official page offers."


def _ask() -> tuple[int, int, int]:
    import httpx

    from index.fetch import OFFICIAL_PAGE, PAGE_VARIABLE
    from index.links import link_date, newest_link

    page = os.environ.get(PAGE_VARIABLE) or OFFICIAL_PAGE
    try:
        reply = httpx.get(page, timeout=httpx.Timeout(10.0, connect=4.0), follow_redirects=True)
        reply.raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise RulesError(f"the official page did not answer ({type(error).__name__})") from None
    return link_date(newest_link(reply.text, str(reply.url)))
