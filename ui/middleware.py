"""What happens to requests and replies around Gradio: deep links, titles, a clean page head, a kind 404, a strict policy."""

import re
from collections.abc import MutableMapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.links import SITE, Link, Links
from ui.text import esc
from ui.theme import early

# The page may load nothing from elsewhere; Gradio builds its templates with eval and inline styles.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' blob:; object-src 'none'; base-uri 'self'"
)
_META = re.compile(r'\s*<meta\s+(?:property|name)="(?:og|twitter):[^>]*>')
_BASE = re.compile(r'<base href="[^"]*"\s*/?>')
_RESIZER = re.compile(r"<script>\s*\(\(\) => \{(?:(?!</script>).)*iframeResizer(?:(?!</script>).)*</script>", re.DOTALL)
_MANIFEST = re.compile(r'<link rel="manifest"[^>]*>')
DESCRIPTION = "Ask about a game of Magic: The Gathering and get the numbered rules that decide it."


class Frame:
    """ASGI middleware around the Gradio app."""

    def __init__(self, app: ASGIApp, links: Links) -> None:
        self.app = app
        self.links = links

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path, method = str(scope["path"]), scope["method"]
        link = self.links.read(path, scope["query_string"]) if method in ("GET", "HEAD") else None
        reply = _Reply(send if method != "HEAD" or not link else _bodiless(send), path, _wants_html(scope), link)
        await self.app(_routed(scope, link) if link else scope, receive, reply)


class _Reply:
    """Passes a reply on; an HTML page is held until it is whole and then cleaned."""

    def __init__(self, send: Send, path: str, html: bool, link: Link | None = None) -> None:
        self._send = send
        self._path = path
        self._html = html
        self._link = link
        self._start: MutableMapping[str, Any] | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and self._holds(message):
            self._start = message
        elif self._start is not None and message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._finish()
        else:
            await self._send(message)

    def _holds(self, message: Message) -> bool:
        kind = dict(message["headers"]).get(b"content-type", b"")
        missing = message["status"] == 404 and self._html and not self._path.startswith(("/api/", "/gradio_api/"))
        return missing or (kind.startswith(b"text/html") and not self._path.startswith("/piece/"))

    async def _finish(self) -> None:
        assert self._start is not None
        status = self._start["status"]
        title, script = (self._link.title, self._link.script) if self._link else (SITE, "")
        body = (not_found(self._path) if status == 404 else clean_page(self._body.decode(), title, script)).encode()
        if self._link and status == 200:
            status = self._link.status
        dropped = (b"content-length", b"content-type", b"content-security-policy")
        headers = [(name, value) for name, value in self._start["headers"] if name.lower() not in dropped]
        headers += [
            (b"content-length", str(len(body)).encode()),
            (b"content-type", b"text/html; charset=utf-8"),
            (b"content-security-policy", POLICY.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"same-origin"),
        ]
        await self._send({**self._start, "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def _wants_html(scope: Scope) -> bool:
    return b"text/html" in dict(scope["headers"]).get(b"accept", b"")


def _routed(scope: Scope, link: Link) -> Scope:
    """The scope of a page: a deep link is led to the page that shows it, and HEAD is answered as GET is."""
    led = {"path": link.page, "raw_path": link.page.encode(), "query_string": b""} if link.deep else {}
    return {**scope, "method": "GET", **led}


def _bodiless(send: Send) -> Send:
    """Passes a reply on without its body, as HEAD wants it."""

    async def passed(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return passed


def clean_page(page: str, title: str = SITE, script: str = "") -> str:
    """Gradio's page without what points elsewhere or describes Gradio; addresses in it count from the root."""
    page = _RESIZER.sub("", _MANIFEST.sub("", _META.sub("", page)), count=1)
    page = _BASE.sub('<base href="/">', page, count=1)
    head = f'<title>{esc(title)}</title><meta name="description" content="{DESCRIPTION}">{early(script)}'
    return page.replace("<head>", f"<head>{head}", 1)


def not_found(path: str) -> str:
    """A page for an address that leads nowhere."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        "<title>Not found – Rules Lawyer</title><style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:40rem;"
        "margin:15vh auto;padding:0 1rem;color:#1d2430;background:#fbfaf7}a{color:#2f4bb8}@media(prefers-color-scheme:dark)"
        "{body{color:#e7e9ee;background:#14171d}a{color:#a9bdff}}</style>"
        f"<main><h1>There is no page here</h1><p>{esc(path[:80])} leads nowhere.</p>"
        '<p><a href="/">Ask a question</a>, <a href="/browse">browse the rules</a> or <a href="/search">search</a> them.</p>'
        "</main></html>"
    )
