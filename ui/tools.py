"""The five functions that Gradio offers to programs: through ``gradio_client`` and as MCP tools.

Their docstrings are what a language model reads, so they speak to it.
"""

import json
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import gradio as gr
from gradio.events import api

from index.errors import RulesError
from ui.library import Library


class Tools:
    """The five functions over one library."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def ask(self, question: str, k: int = 10, previous: str = "") -> dict[str, Any]:
        """Find the numbered Magic: The Gathering rules that decide a question, best first, with exact text and reasons.

        Args:
            question: The question in plain words, or a rule number.
            k: How many rules at the most, 1 to 100.
            previous: The field read_as of the answer before this one, for a follow-up question; empty otherwise.
        """
        return _said(lambda: self._library.ask(question, k, previous))

    def show_rule(self, number: str) -> dict[str, Any]:
        """Show a rule of Magic: The Gathering by its number, with its neighbours, what it cites and what cites it.

        Args:
            number: A rule, family, section, chapter or range: 702.19b, 702.19, 702, 7, 510.1c-d.
        """
        return _said(lambda: self._library.show_rule(number))

    def search_rules(self, query: str, limit: int = 12) -> dict[str, Any]:
        """Search the rules of Magic: The Gathering by number, title, exact phrase in double quotes, or plain words.

        Args:
            query: What to search for; all words must occur.
            limit: How many families of rules at the most, 1 to 100.
        """
        return _said(lambda: self._library.search_rules(query, limit))

    def define(self, term: str) -> dict[str, Any]:
        """Define a term of the Magic: The Gathering glossary and name its rules.

        Args:
            term: The term, such as Deathtouch or Active Player.
        """
        return _said(lambda: self._library.define(term))

    def check_citation(self, number: str, quote: str = "") -> dict[str, Any]:
        """Check a citation of a Magic: The Gathering rule: the number exists, and the quote stands in it exactly.

        Args:
            number: What is cited: a rule, family, section, chapter or range: 702.19b, 702.19, 702, 7, 510.1c-d.
            quote: The words that are said to stand in one of its rules; empty to check the number alone.
        """
        return _said(lambda: self._library.check_citation(number, quote))

    def offer(self) -> None:
        """Offer the functions; called inside the ``Blocks`` context."""
        for function in (self.ask, self.show_rule, self.search_rules, self.define, self.check_citation):
            api(function, api_name=function.__name__, queue=False)


class ToolError(gr.Error):
    """An error whose text is the reason alone; Gradio's own puts it in quotes."""

    def __str__(self) -> str:
        return str(self.message)


def _said(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The result, or the reason as an error that clients show."""
    try:
        return work()
    except RulesError as error:
        raise ToolError(str(error), print_exception=False) from None


def speak_json(demo: gr.Blocks) -> None:
    """Make the MCP tools answer with JSON; Gradio would write Python's own notation, which other languages can't read."""
    server = demo.mcp_server_obj
    if server is None:
        return
    from mcp.types import TextContent

    def content(data: list[Any], root_url: str) -> list[TextContent]:
        return [TextContent(type="text", text=json.dumps(value, ensure_ascii=False)) for value in data]

    server.postprocess_output_data = content  # type: ignore[method-assign, assignment]


def mcp_problem() -> str:
    """Why the MCP tools can't be offered; empty where they can."""
    try:
        installed = version("mcp")
    except PackageNotFoundError:
        return "mcp is not installed"
    return "" if installed.startswith("1.") else f"mcp {installed} is installed, and Gradio needs version 1"
