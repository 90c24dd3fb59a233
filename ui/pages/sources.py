"""Sources: which rulebook speaks, how programs ask, and whose texts these are."""

from collections.abc import Sequence

import gradio as gr

from index.corpus import Source
from ui.frame import Page, html
from ui.library import Library
from ui.newest import newest
from ui.plain import NOTICE, source_name
from ui.text import esc


def build(library: Library) -> None:
    """Facts of the rulebook and the index; whether a newer edition is out is looked up only when asked."""
    html(facts(library), elem_id="facts")
    check = gr.Button("Look for a newer edition", elem_id="check", size="sm")
    said = html(elem_id="newest")

    def look() -> str:
        return f'<p class="note" role="status">{esc(newest(library.corpus))}</p>'

    check.click(look, None, said, queue=False, show_progress="hidden", api_visibility="private")
    html(programs(), elem_id="programs")


def facts(library: Library) -> str:
    """The rulebook and the index in figures."""
    corpus, config = library.corpus, library.judge.index.config
    encoder = config.get("encoder", {})
    rows = [
        ("Edition", f"effective {corpus.name}" if corpus.edition else "undated"),
        ("Source", source_name(corpus.source)),
        ("Notice", corpus.source.notice),
        ("From", _where(corpus.source)),
        ("Fetched", corpus.source.fetched.replace("T", " ")),
        ("SHA-256", corpus.source.sha256),
        ("Rules", f"{len(corpus.rules):,}"),
        ("Examples", f"{sum(len(rule.examples) for rule in corpus):,}"),
        ("Glossary terms", f"{len(corpus.glossary):,}"),
        ("Passages searched", f"{len(library.judge.index.passages):,}"),
        ("Encoder", f"{encoder.get('name', '')} {encoder.get('form', '')}".strip()),
        ("Index built", str(config.get("built", "")).replace("T", " ")),
    ]
    return f'<h1 class="page-title">Sources</h1>{_table(rows)}'


def _where(source: Source) -> str:
    """The address of a rulebook, or its file's name; a visitor needs no folder of this computer."""
    return source.where if "://" in source.where else source.where.replace("\\", "/").rsplit("/", 1)[-1]


def _table(rows: Sequence[tuple[str, str]]) -> str:
    lines = "".join(f'<tr><th scope="row">{esc(name)}</th><td>{esc(value)}</td></tr>' for name, value in rows if value)
    return f'<table class="facts"><tbody>{lines}</tbody></table>'


def programs() -> str:
    """How programs ask, the keys, and the licences."""
    return (
        "<section><h2>For programs</h2><ul><li>HTTP: <code>/api/ask?question=…</code>, <code>/api/rule/702.19b</code>, "
        "<code>/api/search?query=…</code>, <code>/api/define/Trample</code>, <code>/api/check?number=…&amp;quote=…</code>; "
        'described in <a href="/api/openapi.json">OpenAPI</a></li>'
        "<li>MCP: <code>/gradio_api/mcp/</code> with the tools ask, show_rule, search_rules, define, check_citation</li>"
        "<li>Python: <code>gradio_client</code>, the same five names</li></ul></section>"
        "<section><h2>Keys</h2><p><kbd>/</kbd> to the box, <kbd>↓</kbd> <kbd>↑</kbd> from rule to rule, <kbd>Enter</kbd> opens, "
        "<kbd>Esc</kbd> closes.</p></section>"
        f"<section><h2>Whose texts</h2><p>{esc(NOTICE)}</p><p>The program is free software under the Apache License 2.0. "
        "Card texts, where loaded, come from Scryfall, which is not affiliated with this program. What you tell with "
        "“Was this helpful?” stays in a file on this computer; nothing is sent anywhere.</p></section>"
    )


PAGE = Page("sources", "Sources", build, wide=True)
