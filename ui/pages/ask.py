"""Ask: the start page, a chat whose answers are rules."""

from functools import partial
from typing import Any

import gradio as gr

from index.errors import RulesError
from ui.cards import answer_html, earlier_html
from ui.frame import Page, html
from ui.library import Library
from ui.text import esc, question_address

EXAMPLES = (
    "Does deathtouch work with trample?",
    "What does ward do?",
    "Can I respond to a mana ability?",
    "When do state-based actions happen?",
    "What happens if both players would lose at once?",
    "702.19b",
)
TURNS = 20
"""So many questions of a chat are listed."""

WELCOME = (
    '<section class="welcome" aria-label="How to ask"><h1>Which rule decides it?</h1>'
    "<p>Ask about a game of Magic in plain words. You get the numbered rules that decide it, word for word, "
    "with the reason why each is there.</p>"
    '<ul class="chips" aria-label="Examples">{chips}</ul></section>'
)

Turn = tuple[str, str, list[str]]
"""How a question was asked, how it was read, and its best rules."""


def welcome() -> str:
    chips = "".join(f'<li><a class="chip" href="{esc(question_address(q))}">{esc(q)}</a></li>' for q in EXAMPLES)
    return WELCOME.format(chips=chips)


def build(library: Library) -> None:
    """The ask box, the answer, and the questions before."""
    box = gr.Textbox(
        elem_id="question",
        label="Your question",
        placeholder="Does deathtouch work with trample?",
        lines=1,
        max_lines=5,
        submit_btn="Ask",
        html_attributes=gr.InputHTMLAttributes(autocomplete="off", spellcheck=True),
    )
    whole = gr.Checkbox(visible=False)
    chat = gr.State(())
    answer = html(welcome(), elem_id="answer")

    # No queue: an answer takes some 15 ms, and the queue alone would take longer. page.js empties the box, hands one question
    # after the other to "take", and waits for "done".
    sent = box.submit(
        partial(_ask, library),
        [box, whole, chat],
        [answer, chat],
        js="() => window.lawyer.take()",
        trigger_mode="multiple",
        queue=False,
        show_progress="hidden",
        api_visibility="private",
    )
    sent.success(None, js="() => window.lawyer.done(false)")
    sent.failure(None, js="() => window.lawyer.done(true)")


def _ask(library: Library, question: str, whole: bool, turns: tuple[Turn, ...]) -> tuple[Any, tuple[Turn, ...]]:
    """Answer a question; one that is whole, as a permalink's is, is not read with the one before."""
    if not (question or "").strip():
        return gr.skip(), turns
    try:
        found = library.answer(question, previous=turns[-1][1] if turns and not whole else "")
    except RulesError as error:
        return f'<p class="note" role="note">{esc(error)}</p>', turns
    turn = (found.question[:300], found.read_as or found.question[:300], [str(hit.number) for hit in found.hits[:3]])
    turns = tuple(before for before in turns if before[1] != turn[1])
    return answer_html(found, library.writer) + earlier_html(turns), (*turns, turn)[-TURNS:]


PAGE = Page("", "Ask", build)
