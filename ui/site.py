"""The site: all pages as one Gradio app with routes, the JSON routes beside it, and its server."""

import os
import sys
from pathlib import Path
from typing import Any

from index.errors import RulesError
from index.folders import data_folder
from qa.judge import Judge

# Before Gradio is imported anywhere: it must tell nobody that it runs.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr
from starlette.middleware import Middleware

from ui.assets import Assets
from ui.feedback import Feedback
from ui.frame import framed
from ui.gate import gate, is_loopback
from ui.http import json_routes, piece_routes
from ui.library import Library
from ui.links import SITE, Links
from ui.middleware import Frame
from ui.pages import PAGES
from ui.port import check_port
from ui.theme import css, theme
from ui.tools import Tools, mcp_problem, speak_json
from ui.train.progress import FILE, Progress
from ui.train.routes import train_routes
from ui.train.trainer import Trainer


def build(library: Library) -> gr.Blocks:
    """All pages as one ``Blocks``: the start page first, the others as its routes."""
    start, *others = PAGES
    demo = gr.Blocks(title=SITE, analytics_enabled=False, fill_width=True)
    with demo:
        Tools(library).offer()  # first, so that these functions get the plain names
        with framed(library, PAGES, start):
            start.build(library)
    for page in others:
        with demo.route(page.name, page.path, show_in_navbar=False), framed(library, PAGES, page):
            page.build(library)
    return demo


def launch(
    judge: Judge, host: str = "127.0.0.1", port: int = 7860, *, share: bool = False, folder: Path | None = None
) -> gr.Blocks:
    """Serve the site, in threads of its own; ``block_thread`` of the result stays with it until it is interrupted.

    Args:
        folder: where feedback and training progress are kept; the user's data folder by default.

    Raises:
        RulesError: the port is in use, or the host is none of this computer's.
    """
    check_port(host, port)
    library = Library(judge)
    library.warm()
    demo = build(library)
    problem = _told_mcp_problem()
    home = folder or data_folder()
    trainer = Trainer(judge.index, Progress(home / FILE), cards=judge.cards)
    routes = [
        *json_routes(library, Feedback(home, library.corpus)).routes,
        *piece_routes(library).routes,
        *train_routes(library, trainer).routes,
    ]
    around = [Middleware(Assets), Middleware(Frame, links=Links(library, PAGES))]
    # A shared page has a public name besides localhost.
    entry = gate(local=is_loopback(host) and not share)
    app = {"routes": routes, "middleware": around, "lifespan": entry, "docs_url": None, "redoc_url": None}
    try:
        demo.launch(server_name=host, server_port=port, share=share, app_kwargs=app, mcp_server=not problem, **_look())
    except OSError as error:
        raise RulesError(f"the page can't be served at {host}:{port} ({error}); choose another port with --port") from None
    # A shared page would load Gradio's scripts from elsewhere; ours come from here also through the tunnel.
    demo.share = False
    speak_json(demo)
    return demo


def _told_mcp_problem() -> str:
    """Why there are no MCP tools, which is also said; empty where there are."""
    problem = mcp_problem()
    if problem:
        print(f"note: no MCP tools ({problem}); run: pip install 'gradio[mcp]'", file=sys.stderr)
    return problem


def _look() -> dict[str, Any]:
    """The settings of ``Blocks.launch`` that are always the same: our look, and nothing of Gradio's around the page."""
    off = dict.fromkeys(("run_history", "ssr_mode", "pwa", "inbrowser"), False)
    return {
        "theme": theme(),
        "css": css(),
        "footer_links": [],
        "quiet": True,
        "show_error": True,
        "prevent_thread_lock": True,
    } | off
