"""What stands around every page: the header with the edition, the reader beside the page, the footer with the notices."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import gradio as gr

from index.corpus import Corpus
from ui.library import Library
from ui.plain import NOTICE, source_name
from ui.text import esc


@dataclass(frozen=True)
class Page:
    """One page of the site; ``build`` fills it, inside the ``Blocks`` context.

    Attributes:
        path: its route; empty for the start page.
        wide: whether it has no reader beside it, because it shows rules itself.
        listed: whether the header links to it.
        script: a script of its own in ``static``, beside page.js.
    """

    path: str
    name: str
    build: Callable[[Library], None]
    wide: bool = False
    listed: bool = True
    script: str = ""


def html(value: str = "", elem_id: str | None = None) -> gr.HTML:
    """A piece of our own HTML, without Gradio's styles and listeners."""
    return gr.HTML(value, elem_id=elem_id, apply_default_css=False, js_on_load=None)


@contextmanager
def framed(library: Library, pages: Sequence[Page], page: Page) -> Iterator[None]:
    """Put the header, the reader and the footer around what is built inside."""
    html(header(library.corpus, pages, page), elem_id="header")
    with gr.Row(elem_id="layout", elem_classes="wide" if page.wide else "beside"):
        with gr.Column(elem_id="main"):
            yield
        if not page.wide:
            html(_READER, elem_id="reader")
    html(f'<footer class="site"><p>{esc(NOTICE)}</p></footer>', elem_id="footer")


def header(corpus: Corpus, pages: Sequence[Page], page: Page) -> str:
    """Name, pages, edition and source; a rulebook's notice stands below, on every page."""
    links = "".join(
        f'<a href="/{other.path}"{" aria-current=page" if other is page else ""}>{esc(other.name)}</a>'
        for other in pages
        if other.listed
    )
    notice = f'<p class="notice" role="note">{esc(corpus.source.notice)}</p>' if corpus.source.notice else ""
    return (
        f'<header class="site" data-page="{esc(page.path or "ask")}"><div class="bar">'
        f'<a class="brand" href="/">Rules Lawyer</a><nav class="pages" aria-label="Pages">{links}</nav>'
        f'<a class="edition" href="/sources"><span class="sr">Rulebook: </span>Edition <b>{esc(corpus.name)}</b>'
        f'<span class="kind">{esc(source_name(corpus.source))}</span></a>'
        '<button type="button" class="theme" aria-label="Dark or light" title="Dark or light">◐</button></div>'
        f'{notice}<p id="status" class="sr" role="status"></p></header>'
    )


_READER = (
    '<aside class="reader" aria-label="Reader"><button type="button" class="close" aria-label="Close">✕</button>'
    '<div class="reader-body"><div class="hint"><h2>Read along</h2><p>Click a number to read the rule here, with what it cites '
    "and what cites it.</p><dl><dt><kbd>/</kbd></dt><dd>to the box</dd>"
    "<dt><kbd>↓</kbd> <kbd>↑</kbd></dt><dd>from rule to rule</dd>"
    "<dt><kbd>Enter</kbd></dt><dd>open it</dd><dt><kbd>Esc</kbd></dt><dd>close it</dd></dl></div></div></aside>"
)
