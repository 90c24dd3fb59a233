"""Gradio's scripts and styles, compressed once and kept; Gradio itself compresses them anew for every visitor.

A page needs some forty of them, and compressing them is most of what a first visit costs.
"""

from collections.abc import MutableMapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST = 600
"""So many files are kept; Gradio has fewer that a page asks for."""
# A file's name holds a hash of its content, so a browser may keep it for good.
_KEEP = (b"cache-control", b"public, max-age=31536000, immutable")


class Assets:
    """ASGI middleware that answers for ``/assets/…`` from memory."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._kept: dict[str, tuple[Message, bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", ""))
        if scope["type"] != "http" or scope["method"] != "GET" or not path.startswith("/assets/") or not _takes_brotli(scope):
            await self.app(scope, receive, send)
            return
        if path not in self._kept:
            reply = _Held()
            await self.app(_whole(scope), receive, reply)
            start, body = reply.message, reply.body
            if start["status"] != 200 or not path.endswith((".js", ".css")) or len(self._kept) >= MOST:
                await _pass_on(send, start, body)
                return
            self._kept[path] = _compressed(start, body)
        await _pass_on(send, *self._kept[path])


class _Held:
    """Takes a reply and holds it."""

    def __init__(self) -> None:
        self.message: MutableMapping[str, Any] = {}
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.message = message
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")


def _takes_brotli(scope: Scope) -> bool:
    return b"br" in dict(scope["headers"]).get(b"accept-encoding", b"")


def _whole(scope: Scope) -> Scope:
    """The scope without what would make the reply a part of the file, or none of it."""
    partial = (b"range", b"if-none-match", b"if-modified-since", b"if-range")
    # Without its extensions the server can't send the file by itself, past the one who holds the reply.
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name not in partial], "extensions": {}}


def _compressed(start: Message, body: bytes) -> tuple[Message, bytes]:
    import brotli  # type: ignore[import-untyped]

    packed: bytes = brotli.compress(body, quality=9)
    headers = [(name, value) for name, value in start["headers"] if name not in (b"content-length", b"accept-ranges")]
    headers += [
        (b"content-length", str(len(packed)).encode()),
        (b"content-encoding", b"br"),
        (b"vary", b"accept-encoding"),
        _KEEP,
    ]
    return {**start, "headers": headers}, packed


async def _pass_on(send: Send, start: Message, body: bytes) -> None:
    await send(dict(start))
    await send({"type": "http.response.body", "body": body})
