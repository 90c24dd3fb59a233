"""Progress: due, streak, accuracy and weak sections of a profile; what can be taken along; own questions."""

from ui.frame import Page, html
from ui.library import Library
from ui.pages.train import ROOM


def build(library: Library) -> None:
    """The place in which the view stands."""
    html(ROOM.format(view="progress"), elem_id="progress")


PAGE = Page("progress", "Progress", build, wide=True, listed=False, script="train.js")
