"""The pages, in the order of the header. A further page is a module with a ``PAGE`` that is added here."""

from ui.frame import Page
from ui.pages import ask, browse, glossary, progress, search, sources, train

PAGES: tuple[Page, ...] = (
    ask.PAGE,
    browse.PAGE,
    glossary.PAGE,
    search.PAGE,
    train.PAGE,
    progress.PAGE,
    sources.PAGE,
)
