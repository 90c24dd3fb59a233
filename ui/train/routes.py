"""The HTTP routes of judge training, which only its pages use: views as JSON, the rulebook's search, files to take along."""

import json
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from index.errors import RulesError
from ui.library import Library
from ui.text import tidy
from ui.train.room import Room, Shown, Wish
from ui.train.sets import MOST_BYTES as SET_BYTES
from ui.train.trainer import Trainer
from ui.train.transfer import MOST_BYTES as IMPORT_BYTES

WISH_BYTES = 100_000
FOUND = 8
"""Families that the search beside a question shows."""
# A form on another website can't send this header; ``ui.gate`` refuses what else comes from there.
OURS = ("x-lawyer", "train")
UNCACHED = {"cache-control": "no-store"}


def train_routes(library: Library, trainer: Trainer) -> APIRouter:
    """``/piece/train/…`` and ``/piece/find``."""
    router = APIRouter(prefix="/piece", include_in_schema=False)
    room = Room(library, trainer)

    @router.get("/find")
    def find(query: str = "") -> HTMLResponse:
        return HTMLResponse(library.reader.found(library.finder.find(tidy(query[:200]), FOUND)))

    @router.post("/train/{act}")
    async def act(act: str, request: Request) -> Response:
        if request.headers.get(OURS[0]) != OURS[1]:
            return JSONResponse({"error": "only the page itself may do this"}, 403, UNCACHED)
        if act in ("import", "set"):
            return await _uploaded(act, request, room)
        work = room.acts.get(act)
        if work is None:
            return JSONResponse({"error": "there is no such act"}, 404, UNCACHED)
        data = await _body(request, WISH_BYTES)
        return await run_in_threadpool(_shown, lambda: work(Wish.from_json(_json(data))))

    @router.get("/train/file/{name}")
    def file(name: str, profile: str = "", all: bool = False) -> Response:
        wish = Wish.from_json({"profile": profile})
        writers: dict[str, tuple[str, Callable[[], str]]] = {
            "progress.json": ("application/json", lambda: room.export(wish)),
            "anki.csv": ("text/csv", lambda: room.cards(wish, all)),
        }
        if name not in writers:
            return PlainTextResponse("there is no such file", 404, UNCACHED)
        kind, write = writers[name]
        try:
            content = write().encode("utf-8", "replace")
        except RulesError as error:
            return PlainTextResponse(str(error), 404, UNCACHED)
        # The file's name is ours, never a visitor's.
        saved = {"content-disposition": f'attachment; filename="rules-lawyer-{name}"', "x-content-type-options": "nosniff"}
        return Response(content, media_type=kind, headers=saved | UNCACHED)

    return router


async def _uploaded(act: str, request: Request, room: Room) -> Response:
    """A file that a visitor chose: its bytes are the body, the rest stands in the address."""
    data = await _body(request, IMPORT_BYTES if act == "import" else SET_BYTES)
    query = request.query_params
    work = room.import_file if act == "import" else room.add_set

    def done() -> Shown:
        return work(Wish.from_json({"profile": query.get("profile", ""), "name": query.get("name", "")}), data)

    return await run_in_threadpool(_shown, done)


async def _body(request: Request, most: int) -> bytes:
    """The body of a request, one byte more than allowed at the most: what reads it refuses that."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        if size <= most:
            parts.append(part[: most + 1 - size])
            size += len(parts[-1])
    return b"".join(parts)


def _json(data: bytes) -> Any:
    if len(data) > WISH_BYTES:
        raise RulesError("that is too long; shorten it")
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise RulesError("the page sent what can't be read; load it anew") from None


def _shown(work: Callable[[], Shown]) -> Response:
    """A view as JSON; what is refused is a kind word, so that the page can show it where the visitor is."""
    try:
        return JSONResponse(work().to_json(), headers=UNCACHED)
    except RulesError as error:
        return JSONResponse({"error": str(error)}, headers=UNCACHED)
