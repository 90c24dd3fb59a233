"""The HTTP routes: the library as JSON, and the pieces of HTML that the pages fetch. docs/http.md describes them."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel, Field

from index.errors import RulesError
from ui.feedback import Feedback, Said
from ui.library import Library
from ui.plain import answer_markdown, answer_text, place_markdown, place_text

Form = Literal["json", "text", "markdown"]
VERSION = "1"


class AskBody(BaseModel):
    """A question."""

    question: str = Field(description="In plain words, or a rule number.")
    k: int = Field(10, ge=1, le=100, description="How many rules at the most.")
    previous: str = Field("", description="`read_as` of the answer before, so that a follow-up is understood.")


class FeedbackBody(BaseModel):
    """A word on an answer."""

    question: str = Field(max_length=20_000)
    helpful: bool
    shown: list[str] = Field(default_factory=list, max_length=100, description="The numbers of the answer, best first.")
    number: str = Field("", max_length=60, description="The rule that decides, if known.")


def _answered(work: Callable[[], dict[str, Any]]) -> Response:
    """A JSON answer, or 404 with the reason."""
    try:
        return JSONResponse(work())
    except RulesError as error:
        return JSONResponse({"error": str(error)}, status_code=404)


def json_routes(library: Library, feedback: Feedback) -> APIRouter:
    """``/api/…``: what programs use."""
    router = APIRouter(prefix="/api")
    _asking(router, library, feedback)
    _looking_up(router, library)

    @router.get("/openapi.json", include_in_schema=False)
    def openapi() -> dict[str, Any]:
        about = "Questions about Magic: The Gathering, answered with the numbered rules that decide them."
        return get_openapi(title="Rules Lawyer", version=VERSION, description=about, routes=router.routes)

    return router


def _asking(router: APIRouter, library: Library, feedback: Feedback) -> None:
    def ask_form(question: str, k: int, previous: str, form: Form) -> Response:
        if form == "json":
            return _answered(lambda: library.ask(question, k, previous))
        answer = library.answer(question, k, previous)
        return PlainTextResponse(answer_text(answer) if form == "text" else answer_markdown(answer))

    @router.get("/ask", summary="Ask a question")
    def ask(
        question: Annotated[str, Query(description="In plain words, or a rule number.")],
        k: Annotated[int, Query(ge=1, le=100)] = 10,
        previous: Annotated[str, Query(description="`read_as` of the answer before.")] = "",
        form: Form = "json",
    ) -> Response:
        return ask_form(question, k, previous, form)

    @router.post("/ask", summary="Ask a question that is too long for an address")
    def ask_long(body: AskBody) -> Response:
        return ask_form(body.question, body.k, body.previous, "json")

    @router.post("/feedback", summary="Say whether an answer helped")
    def say(body: FeedbackBody) -> Response:
        said = Said(body.question, body.helpful, body.shown, body.number)
        return _answered(lambda: feedback.add(said))


def _looking_up(router: APIRouter, library: Library) -> None:
    @router.get("/rule/{number:path}", summary="Show a rule, family, section, chapter or range")
    def show_rule(number: str, form: Form = "json") -> Response:
        if form == "json":
            return _answered(lambda: library.show_rule(number))
        try:
            place = library.place(number)
        except RulesError as error:
            return JSONResponse({"error": str(error)}, status_code=404)
        return PlainTextResponse((place_text if form == "text" else place_markdown)(place, library.corpus))

    @router.get("/search", summary="Search by number, title, quoted phrase or words")
    def search_rules(query: str, limit: Annotated[int, Query(ge=1, le=100)] = 12) -> Response:
        return _answered(lambda: library.search_rules(query, limit))

    @router.get("/define/{term:path}", summary="Define a glossary term")
    def define(term: str) -> Response:
        return _answered(lambda: library.define(term))

    @router.get("/check", summary="Check a citation: the number or range exists, and a quote stands in it")
    def check_citation(number: str, quote: str = "") -> Response:
        return _answered(lambda: library.check_citation(number, quote))


def piece_routes(library: Library) -> APIRouter:
    """``/piece/…``: HTML that the pages put in place when a number or term is clicked. A miss is a kind word, not an error."""
    router = APIRouter(prefix="/piece", include_in_schema=False)
    reader = library.reader

    @router.get("/rule")
    def rule(number: str = "") -> HTMLResponse:
        return HTMLResponse(shown_rule(library, number))

    @router.get("/term")
    def term(name: str = "") -> HTMLResponse:
        try:
            return HTMLResponse(reader.term(library.entry(name)))
        except RulesError as error:
            return HTMLResponse(reader.missing(str(error)))

    @router.get("/contents")
    def contents(number: str = "") -> HTMLResponse:
        try:
            return HTMLResponse(reader.contents(library.place(number).number))
        except RulesError as error:
            return HTMLResponse(reader.missing(str(error)))

    return router


def shown_rule(library: Library, number: str) -> str:
    """A place as HTML, or a kind word where there is none."""
    try:
        return library.reader.place(library.place(number))
    except RulesError as error:
        return library.reader.missing(str(error))
