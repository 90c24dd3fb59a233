"""Train: drills and exams for judges. train.js puts the views in place; they come from ``ui.train.room``."""

from ui.frame import Page, html
from ui.library import Library

HELP = (
    '<template id="train-help"><div class="hint"><h2>Read along</h2><p>Click a number to read the rule here. While a question '
    "is open, “This one” takes it as your answer.</p><dl><dt><kbd>/</kbd></dt><dd>search the rulebook</dd>"
    "<dt><kbd>Enter</kbd></dt><dd>answer; then on to the next (or <kbd>n</kbd>)</dd>"
    "<dt><kbd>1</kbd> <kbd>2</kbd> <kbd>3</kbd></dt><dd>choose, or grade: right, half, wrong</dd>"
    "<dt><kbd>Esc</kbd></dt><dd>close what is open here</dd></dl></div></template>"
)
ROOM = (
    '<div class="room" data-view="{view}"><p class="small">One moment …</p></div><dialog class="sure-dialog" '
    'aria-labelledby="sure-text"><p id="sure-text"></p><form method="dialog" class="row"><button value="yes" class="primary">Yes'
    '</button><button value="no">No</button></form></dialog>'
)


def build(library: Library) -> None:
    """The place in which the views stand."""
    html(ROOM.format(view="start") + HELP, elem_id="train")


PAGE = Page("train", "Train", build, script="train.js")
