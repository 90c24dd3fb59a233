"""Who may use the routes that hold what people trained and said: the page itself and programs, but no other website.

Gradio answers for other websites wherever the page is reached by a name other than localhost. Training progress has no
password, so that any website that a trainee opens could read and delete it; for these routes the gate stands in front.
"""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PRIVATE, FEEDBACK = "/piece/train/", "/api/feedback"
ELSEWHERE = "this may be done by the page itself only, not from another website"
STRANGE_HOST = "this page is served to this computer only; open it as http://localhost, or serve it with --host"
PORTS = {"http": 80, "https": 443}


class Gate:
    """ASGI middleware in front of everything, Gradio's own answers to other websites included.

    Args:
        local: whether the page is served to this computer only, so that it has no other name than localhost: a website
            whose name leads to 127.0.0.1 would pass for the page itself (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, local: bool) -> None:
        self.app = app
        self.local = local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", ""))
        if scope["type"] != "http" or not (path.startswith(PRIVATE) or path.rstrip("/") == FEEDBACK):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if self.local and not is_loopback(_host_of(headers.get("host", ""))):
            await _refuse(scope, send, STRANGE_HOST)
        elif _from_elsewhere(scope, headers):
            await _refuse(scope, send, ELSEWHERE)
        else:
            await self.app(scope, receive, _unshared(send))


def gate(local: bool) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """A lifespan that puts a ``Gate`` around the whole app before it is asked anything.

    Gradio adds its answer to other websites outside of all middleware that an app is given, so there is no earlier place.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        assert app.middleware_stack is not None  # it is what runs this
        app.middleware_stack = Gate(app.middleware_stack, local)
        yield

    return lifespan


def is_loopback(host: str) -> bool:
    """Whether a name or address is always this computer itself."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _host_of(netloc: str) -> str:
    """A Host header without its port; "" where it is none."""
    try:
        return urlsplit(f"//{netloc}").hostname or ""
    except ValueError:
        return ""


def _from_elsewhere(scope: Scope, headers: Headers) -> bool:
    """Whether a browser says that another website asks, or asks whether one may. Programs say nothing."""
    fetched = headers.get("sec-fetch-site", "").lower()
    if fetched in ("cross-site", "same-site"):
        return True
    if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
        return True  # the page itself never needs to ask
    # More than one would let the second hide behind the first.
    return any(not _own(origin, scope, headers, fetched) for origin in headers.getlist("origin"))


def _own(origin: str, scope: Scope, headers: Headers, fetched: str) -> bool:
    """Whether an origin is that of the page: scheme, host and port of the Host header."""
    asked = _parts(origin)
    if asked is None or asked != _parts(f"{asked[0]}://{headers.get('host', '')}"):
        return False
    # Where another program adds TLS, the page is https and we are asked as http; the browser itself then vouches for it.
    return asked[0] == scope.get("scheme", "http") or (asked[0] == "https" and fetched == "same-origin")


def _parts(origin: str) -> tuple[str, str, int] | None:
    """Scheme, host and port; None for what is no origin of a website."""
    try:
        parts = urlsplit(origin)
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return None
    if port is None or not parts.hostname or "@" in parts.netloc or parts.path or parts.query or parts.fragment:
        return None
    return parts.scheme, parts.hostname, port


async def _refuse(scope: Scope, send: Send, why: str) -> None:
    """403 with one line: JSON for what reads JSON, plain text for a download."""
    plain = scope["method"] in ("GET", "HEAD")
    body = (why + "\n").encode() if plain else json.dumps({"error": why}).encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8" if plain else b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"vary", b"Origin, Sec-Fetch-Site"),
    ]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def _unshared(send: Send) -> Send:
    """Passes a reply on without what would let another website read it."""

    async def passed(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [pair for pair in message.get("headers", []) if not pair[0].lower().startswith(b"access-control-")]
            message = {**message, "headers": kept}
        await send(message)

    return passed
