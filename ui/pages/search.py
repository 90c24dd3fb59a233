"""Search as you type, for those who know what they want."""

import gradio as gr

from ui.frame import Page, html
from ui.library import Library
from ui.text import tidy

HELP = (
    '<div class="help small"><p>Type a number (<b>702.19</b>), a title (<b>trample</b>), plain words '
    "(<b>lethal damage planeswalker</b>) or an exact phrase in quotes (<b>“last known information”</b>). "
    "Whole families are shown, the rules that match set apart.</p></div>"
)


def build(library: Library) -> None:
    """The search box and the families found."""
    html('<h1 class="page-title">Search the rules</h1>')
    box = gr.Textbox(elem_id="find", label="Number, title, words or “exact phrase”", placeholder="702.19", lines=1, max_lines=1)
    results = html(HELP, elem_id="results")

    def find(query: str) -> str:
        return library.reader.found(library.finder.find(tidy(query or ""))) or HELP

    box.change(find, box, results, queue=False, show_progress="hidden", trigger_mode="always_last", api_visibility="private")


PAGE = Page("search", "Search", build)
