"""How fast the page is: from Enter to the answer on the screen, and the first load, measured in a browser."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from qa.judge import Judge
from ui.browser import chromium, free_port, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LOADS = 5
LIMIT_ANSWER, LIMIT_LOAD = 8.0, 2.0

# Enter is pressed and the clock stops at the first frame that shows another answer.
_ASK = """question => new Promise(done => {
  const box = document.querySelector('#question textarea'), place = document.querySelector('#answer');
  box.value = question; box.dispatchEvent(new Event('input', {bubbles: true}));
  setTimeout(() => {
    const start = performance.now();
    new MutationObserver((_, observer) => {
      if (place.querySelector('section.answer')?.dataset.question !== question) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0));
    }).observe(place, {childList: true, subtree: true, attributes: true});
    for (const type of ['keydown', 'keypress', 'keyup'])
      box.dispatchEvent(new KeyboardEvent(type, {key: 'Enter', code: 'Enter', bubbles: true, cancelable: true}));
  }, 30);
})"""


def measure(judge: Judge, count: int, browser: str) -> dict[str, Any]:
    """Medians in milliseconds, and their shares of the limits.

    Raises:
        RulesError: there is no browser.
    """
    questions = _questions(judge, count)
    with served(judge) as address, chromium(browser) as chrome:
        page = chrome.new_page()
        page.goto(address)
        page.wait_for_selector(".welcome")
        _enter(page, judge, questions[:3])
        on_screen, in_process = _enter(page, judge, questions)
        with _empty() as empty:
            loads = [
                (_load(chrome, address, "#question textarea", "visible"), _load(chrome, empty, "main", "attached"))
                for _ in range(LOADS)
            ]
    own, bare = median(a for a, _ in loads), median(b for _, b in loads)
    return {
        "questions": len(questions),
        "ask_in_process_ms": round(in_process, 1),
        "enter_to_screen_ms": round(on_screen, 1),
        "enter_ratio": round(on_screen / in_process, 2),
        "enter_limit": LIMIT_ANSWER,
        "first_load_ms": round(own),
        "empty_blocks_load_ms": round(bare),
        "load_ratio": round(own / bare, 2),
        "load_limit": LIMIT_LOAD,
    }


def _questions(judge: Judge, count: int) -> list[str]:
    """Questions that were not asked before: about the terms of the rulebook."""
    terms = [entry.term for entry in judge.index.corpus.glossary if "," not in entry.term]
    step = max(1, len(terms) // count)
    forms = ("What does {} do?", "Can I respond to {} when it happens in combat?", "How do {} and the stack interact?")
    return [forms[i % 3].format(term.lower()) for i, term in enumerate(terms[::step][:count])]


def _enter(page: "Page", judge: Judge, questions: list[str]) -> tuple[float, float]:
    """Medians of each question on the screen and in process, taken in turns so that both meet the same machine."""
    on_screen, in_process = [], []
    for question in questions:
        on_screen.append(float(page.evaluate(_ASK, question)))
        start = time.perf_counter()
        judge.ask(question)
        in_process.append((time.perf_counter() - start) * 1000)
    return median(on_screen), median(in_process)


def _load(chrome: "Browser", address: str, wanted: str, state: Literal["attached", "visible"]) -> float:
    """The first load with an empty cache, until the page can be used."""
    context = chrome.new_context()
    page = context.new_page()
    start = time.perf_counter()
    page.goto(address)
    page.wait_for_selector(wanted, state=state)
    taken = (time.perf_counter() - start) * 1000
    context.close()
    return taken


@contextmanager
def _empty() -> Iterator[str]:
    """An empty Gradio page, served beside ours."""
    import gradio as gr

    with gr.Blocks(analytics_enabled=False) as demo:
        pass
    port = free_port()
    demo.launch(server_name="127.0.0.1", server_port=port, prevent_thread_lock=True, quiet=True, ssr_mode=False)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        demo.close(verbose=False)
