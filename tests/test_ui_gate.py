"""ui: no other website reads or changes what people trained and said."""

import asyncio
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from qa.judge import Judge
from tests.serving import served
from ui.gate import ELSEWHERE, Gate, is_loopback
from ui.train.progress import FILE, Progress

OURS = {"X-Lawyer": "train"}
EVIL = "http://evil.test:7996"
PATHS = ("/piece/train/progress", "/piece/train/file/progress.json?profile=Anna", "/api/feedback")
FEEDBACK = {"question": "Who wins?", "helpful": True, "shown": ["702.19b"]}


def site_at(judge: Judge, host: str, folder: Path) -> Iterator[int]:
    Progress(folder / FILE).add_profile("Anna")
    yield from served(judge, folder, host)


@pytest.fixture(scope="module", name="named")
def a_named_site(tiny_judge: Judge, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a site that other computers reach by a name."""
    yield from site_at(tiny_judge, "0.0.0.0", tmp_path_factory.mktemp("named"))


@pytest.fixture(scope="module", name="local")
def a_local_site(tiny_judge: Judge, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    yield from site_at(tiny_judge, "127.0.0.1", tmp_path_factory.mktemp("local"))


def asked(port: int, path: str, host: str = "lawyer.test", method: str = "", **headers: str) -> httpx.Response:
    own = {"Host": f"{host}:{port}", **OURS, **{name.replace("_", "-"): value for name, value in headers.items()}}
    body = None if "/file/" in path or method else FEEDBACK if "/api/" in path else {"profile": "Anna"}
    way = method or ("GET" if body is None else "POST")
    return httpx.request(way, f"http://127.0.0.1:{port}{path}", headers=own, json=body, timeout=20)


def refused(reply: httpx.Response) -> bool:
    assert not [name for name in reply.headers if name.startswith("access-control-")]
    return reply.status_code == 403 and len(reply.text.strip().splitlines()) == 1


@pytest.mark.parametrize("path", PATHS)
def test_another_website_is_refused(named: int, path: str) -> None:
    assert refused(asked(named, path, Origin=EVIL))
    assert refused(asked(named, path, Origin="null"))
    assert refused(asked(named, path, Origin="http://lawyer.test:1"))
    assert refused(asked(named, path, Sec_Fetch_Site="cross-site"))
    assert refused(asked(named, path, Sec_Fetch_Site="same-site"))
    asks = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "x-lawyer"}
    assert refused(asked(named, path, method="OPTIONS", Origin=EVIL, **asks))
    assert refused(asked(named, path, method="OPTIONS", Origin=f"http://lawyer.test:{named}", **asks))


@pytest.mark.parametrize("path", PATHS)
def test_the_page_itself_and_programs_are_served(named: int, path: str) -> None:
    for headers in (
        {"Origin": f"http://lawyer.test:{named}", "Sec_Fetch_Site": "same-origin"},
        {"Origin": f"http://lawyer.test:{named}"},
        {"Origin": f"https://lawyer.test:{named}", "Sec_Fetch_Site": "same-origin"},  # behind a program that adds TLS
        {"Sec_Fetch_Site": "none"},  # typed into the address line
        {},
    ):
        reply = asked(named, path, **headers)
        assert reply.status_code == 200, headers
        assert not refused(reply)


@pytest.mark.parametrize("path", PATHS)
def test_a_name_that_leads_here_is_not_this_page(local: int, path: str) -> None:
    """DNS rebinding: the website's own name leads to 127.0.0.1, so that its origin is the Host's."""
    assert refused(asked(local, path, "evil.test", Origin=f"http://evil.test:{local}", Sec_Fetch_Site="same-origin"))
    assert refused(asked(local, path, "evil.test"))
    for host in ("localhost", "127.0.0.1", "127.1.2.3", "[::1]", "LOCALHOST"):
        assert asked(local, path, host, Origin=f"http://{host.lower()}:{local}").status_code == 200
    assert refused(asked(local, path, "localhost", Origin=f"http://127.0.0.1:{local}"))


def test_what_is_public_stays_so(local: int, named: int) -> None:
    for port in (local, named):
        question = {"params": {"query": "trample"}, "headers": {"Host": f"lawyer.test:{port}", "Origin": EVIL}}
        assert httpx.get(f"http://127.0.0.1:{port}/api/search", **question, timeout=20).status_code == 200  # type: ignore[arg-type]


def test_why_is_said_as_it_is_read(named: int) -> None:
    assert asked(named, PATHS[0], Origin=EVIL).json() == {"error": ELSEWHERE}
    assert asked(named, PATHS[1], Origin=EVIL).text == f"{ELSEWHERE}\n"


def status_of(scheme: str, *headers: tuple[bytes, bytes]) -> int:
    """What a gate in front of an app that answers everything says."""
    found: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: MutableMapping[str, Any]) -> None:
        found.extend([message["status"]] if "status" in message else [])

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "POST", "path": "/piece/train/start", "scheme": scheme, "headers": list(headers)}
    asyncio.run(Gate(app, local=False)(scope, receive, send))
    return found[0]


@pytest.mark.parametrize(
    ("host", "origin", "scheme"),
    [
        ("lawyer.test", "http://lawyer.test", "https"),
        ("lawyer.test", "http://lawyer.test@evil.test", "http"),
        ("lawyer.test", "http://lawyer.test.", "http"),
        ("lawyer.test", "http://lawyer.test:80/", "http"),
        ("lawyer.test", "chrome-extension://lawyer.test", "http"),
        ("a:b:c", "http://evil.test", "http"),
        ("", "http://evil.test", "http"),
        ("lawyer.test", "", "http"),
        ("[::1", "http://[::1", "http"),
    ],
)
def test_odd_origins(host: str, origin: str, scheme: str) -> None:
    assert status_of(scheme, (b"host", host.encode()), (b"origin", origin.encode())) == 403


def test_default_ports_need_not_be_named() -> None:
    assert status_of("http", (b"host", b"lawyer.test"), (b"origin", b"http://Lawyer.test:80")) == 200
    assert status_of("https", (b"host", b"lawyer.test:443"), (b"origin", b"https://lawyer.test")) == 200
    both = ((b"origin", b"http://lawyer.test"), (b"origin", b"http://evil.test"))
    assert status_of("http", (b"host", b"lawyer.test"), *both) == 403


def test_loopback() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]")))
    assert not any(map(is_loopback, ("", "0.0.0.0", "::", "192.168.0.2", "localhost.evil.test", "127.0.0.1.evil.test")))
