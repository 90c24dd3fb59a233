"""Glossary: by letter, and searched as you type. ``/term/Trample`` leads here."""

import gradio as gr

from ui.frame import Page, html
from ui.library import Library, first_letter


def build(library: Library) -> None:
    """The search box, the letters and the terms."""
    letters = sorted({first_letter(entry) for entry in library.corpus.glossary})
    first = next((letter for letter in letters if letter != "#"), "")
    html('<h1 class="page-title">Glossary</h1>')
    box = gr.Textbox(elem_id="find", label="Find a term", placeholder="trample", lines=1, max_lines=1)
    letter = gr.Radio(letters, value=first or None, label="Letters", elem_id="letters")
    terms = html(library.reader.entries(library.glossary(letter=first)), elem_id="terms")

    def by_text(query: str, chosen: str) -> tuple[str, str | None]:
        """No letter is chosen while a text is searched for, so that each can be clicked."""
        query = (query or "").strip()
        letter = None if query else chosen or first
        return library.reader.entries(library.glossary(query, letter or ""), query[:100]), letter or None

    def by_letter(chosen: str) -> tuple[str, str]:
        return library.reader.entries(library.glossary(letter=chosen or first)), ""

    box.change(
        by_text,
        [box, letter],
        [terms, letter],
        queue=False,
        show_progress="hidden",
        trigger_mode="always_last",
        api_visibility="private",
    )
    letter.input(by_letter, letter, [terms, box], queue=False, show_progress="hidden", api_visibility="private")


PAGE = Page("glossary", "Glossary", build)
