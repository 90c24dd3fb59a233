"""The official page, played by a local server; the rulebooks that it serves are made up."""

import gzip
import json
import os
import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import NoReturn

import pytest

from index.errors import RulesError
from index.fetch import OFFICIAL_PAGE, Limits, fetch, read_kept
from index.folders import check_output, rulebook_file, write_atomic
from index.links import link_date, newest_link

QUICK = Limits(connect=2, read=0.4, whole=5, pause=0.01)
TODAY = date(2026, 5, 1)
TEXT = "/2026/downloads/MagicCompRules%2020260417.txt"
DOWNLOADS = "https://media.wizards.com/2026/downloads"


def rulebook(effective: str = "April 17, 2026", rules: int = 600, word: str = "thing") -> bytes:
    """A made-up text in the official form."""
    sections = [f"{100 + i}. Part {i}" for i in range(rules // 20)]
    contents = ["1. Made-up Concepts", *sections, "Glossary", "Credits"]
    lines = ["Made-up Rules", f"These rules are effective as of {effective}.", "Contents", *contents, "1. Made-up Concepts"]
    for i, section in enumerate(sections):
        lines += [section, *(f"{100 + i}.{n}. A {word} numbered {n} does as part {i} says." for n in range(1, 21))]
    lines += ["Glossary", f"Widget\nA {word} that nobody owns.", "Credits", "Written for these tests."]
    return b"\xef\xbb\xbf" + "\r\n\r\n".join(line.replace("\n", "\r\n") for line in lines).encode()


@dataclass
class Reply:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: Event | None = None
    """Waited for before anything is sent."""


@dataclass
class Site:
    """The server: what it answers under each path, and what it was asked."""

    root: str
    pages: dict[str, list[Reply]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def page(self) -> str:
        return f"{self.root}/en/rules"

    def link(self, *hrefs: str) -> None:
        body = "<!DOCTYPE html><html><body>" + "".join(f'<p><a href="{href}">TXT</a></p>' for href in hrefs)
        self.pages["/en/rules"] = [Reply(body.encode(), headers={"Content-Type": "text/html"})]

    def serve(self, path: str, *replies: Reply) -> None:
        """Answer with these in turn; the last one stays."""
        self.pages[path] = list(replies)

    def times(self, path: str) -> int:
        return sum(asked == path for asked, _ in self.asked)


def handler(site: Callable[[], Site]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site().asked.append((self.path, dict(self.headers)))
            replies = site().pages.get(self.path, [Reply(status=404)])
            reply = replies.pop(0) if len(replies) > 1 else replies[0]
            if reply.wait:
                reply.wait.wait(10)
            etag = reply.headers.get("ETag")
            unchanged = etag is not None and etag == self.headers.get("If-None-Match")
            self.send_response(304 if unchanged else reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                if not (unchanged and name == "Content-Length"):
                    self.send_header(name, value)
            self.end_headers()
            if not unchanged:
                self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, and no proxy between the tests and their server."""
    monkeypatch.setenv("RULES_LAWYER_HOME", str(tmp_path))
    for name in ("http_proxy", "https_proxy", "all_proxy", "RULES_LAWYER_PAGE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return tmp_path


class Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing when a client hangs up early: some tests make it."""


@pytest.fixture
def site() -> Iterator[Site]:
    holder: list[Site] = []
    server = Server(("127.0.0.1", 0), handler(lambda: holder[0]))
    holder.append(Site(f"http://127.0.0.1:{server.server_port}"))
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    holder[0].link(TEXT)
    yield holder[0]
    server.shutdown()
    server.server_close()


def refused(site: Site, limits: Limits = QUICK) -> str:
    """The message of a fetch that must fail, checked to be one line with a remedy."""
    with pytest.raises(RulesError) as caught:
        fetch(site.page, limits=limits, today=TODAY)
    message = str(caught.value)
    assert "\n" not in message
    assert "--rules FILE" in message
    return message


@pytest.mark.parametrize(
    ("names", "newest"),
    [
        (["MagicCompRules%2020260116.txt", "MagicCompRules%2020260417.txt"], 1),
        (["MagicCompRules 20260417.txt", "MagicCompRules%2020260116.txt"], 0),
        (["MagicCompRules&#32;20260116.txt", "MagicCompRules&#32;20260417.txt"], 1),
        (["MagicCompRules 20260116.txt", "MagicCompRules 2026417.txt"], 1),
        (["MagicCompRules 20260417.txt", "MagicCompRules 20260431.txt"], 1),
        (["MagicCompRules 20260116.txt", "MagicCompRules21030417.txt"], 1),
        (["MagicCompRules.txt", "MagicCompRules 20260417.txt"], 0),
        (["MagicCompRules 20260417.txt", "MagicCompRules.txt"], 0),
        (["MagicCompRules 20269999.txt", "MagicCompRules 20260417.txt"], 0),
        (["notes 20270101.txt", "MagicCompRules 20260417.txt"], 1),
        (["MagicCompRules 20260417.pdf", "MagicCompRules 20260116.txt"], 1),
        (["MagicCompRules 20260417 (1).TXT?v=2", "MagicCompRules 20260116.txt"], 0),
        (["MagicCompRules_2026-04-17.txt", "MagicCompRules_2026.01.16.txt"], 0),
    ],
)
def test_newest_link_is_chosen_by_date(names: list[str], newest: int) -> None:
    html = "".join(f'<a class=x href="{DOWNLOADS}/{name}">TXT</a>' for name in names)
    wanted = names[newest].replace("&#32;", "%20").replace(" ", "%20")
    assert newest_link(html, OFFICIAL_PAGE) == f"{DOWNLOADS}/{wanted}"


def test_the_folder_decides_where_names_have_no_date() -> None:
    html = (
        "<a href='/2024/MagicCompRules.txt'>a</a><a href='/2026/MagicCompRules.txt'>b</a><a href='/2025/MagicCompRules.txt'>c</a>"
    )
    assert newest_link(html, OFFICIAL_PAGE) == "https://magic.wizards.com/2026/MagicCompRules.txt"


@pytest.mark.parametrize(
    "html",
    [
        "",
        "no links",
        "<a>none</a><a href>none</a><a href=''>none</a>",
        '<!-- <a href="/MagicCompRules 20260417.txt">x</a> -->',
        '<a href="file:///etc/rules.txt">x</a><a href="ftp://x/rules.txt">x</a><a href="javascript:rules.txt">x</a>',
        '<a href="http://[rules.txt">x</a><a href="https://x:port/rules.txt">x</a>',
        "<a href='/MagicCompRules",
        "<![CDATA[ <!x <a " * 500,
    ],
)
def test_a_page_without_a_usable_link_is_refused(html: str) -> None:
    with pytest.raises(RulesError, match="links to no TXT"):
        newest_link(html, OFFICIAL_PAGE)


def test_relative_links_and_base() -> None:
    assert newest_link('<a href="../x/rules.txt">', "https://a.test/en/rules") == "https://a.test/x/rules.txt"
    assert newest_link('<base href="/b/"><a href="rules.txt">', "https://a.test/en/") == "https://a.test/b/rules.txt"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("/2026/x 20260417.txt", (2026, 4, 17)),
        ("/2026/x 2026417.txt", (2026, 4, 17)),
        ("/2026/x 2026111.txt", (2026, 1, 11)),
        ("/2026/x 202641.txt", (2026, 4, 1)),
        ("/2023/x21031101.txt", (2023, 11, 1)),
        ("/2026/x 20260431.txt", (2026, 4, 31)),
        ("/2026/x 20261340.txt", (2026, 0, 0)),
        ("/x.txt", (0, 0, 0)),
        ("/x ２０２６０４１７.txt", (0, 0, 0)),
    ],
)
def test_link_date(name: str, expected: tuple[int, int, int]) -> None:
    assert link_date(f"https://a.test{name}") == expected


def test_a_good_text_is_kept_byte_for_byte(site: Site, home: Path) -> None:
    site.serve(TEXT, Reply(rulebook(), headers={"ETag": '"1"', "Last-Modified": "Fri, 17 Apr 2026 10:00:00 GMT"}))
    arrived: list[tuple[int, int | None]] = []
    fetched = fetch(site.page, limits=QUICK, today=TODAY, progress=lambda done, total: arrived.append((done, total)))
    assert fetched.state == "new"
    assert fetched.path == home / "rulebook.txt"
    assert fetched.path.read_bytes() == rulebook()
    assert arrived[-1] == (len(rulebook()), len(rulebook()))
    corpus = fetched.corpus
    assert (corpus.name, len(corpus.rules), corpus.source.kind, corpus.source.notice) == ("2026-04-17", 600, "official", "")
    record = json.loads((home / "rulebook.json").read_text())
    assert record["address"] == corpus.source.where == site.root + TEXT
    assert record["etag"] == '"1"'
    assert record["edition"] == "2026-04-17"
    assert record["fetched"].endswith("+00:00")
    assert sorted(path.name for path in home.iterdir()) == ["rulebook.json", "rulebook.txt"]
    kept = read_kept(today=TODAY)
    assert kept is not None
    assert (kept.corpus, kept.state) == (corpus, "kept")


def test_unchanged_by_etag_and_by_content(site: Site) -> None:
    site.serve(TEXT, Reply(rulebook(), headers={"ETag": '"1"'}))
    first = fetch(site.page, limits=QUICK, today=TODAY)
    again = fetch(site.page, limits=QUICK, today=TODAY)
    assert (again.state, again.corpus) == ("unchanged", first.corpus)
    assert site.asked[-1][1]["If-None-Match"] == '"1"'
    site.serve(TEXT, Reply(rulebook()))  # a server that knows no ETag sends all of it again
    assert fetch(site.page, limits=QUICK, today=TODAY).state == "unchanged"


def test_a_text_corrected_in_place_is_noticed(site: Site) -> None:
    site.serve(TEXT, Reply(rulebook(), headers={"ETag": '"1"'}))
    fetch(site.page, limits=QUICK, today=TODAY)
    site.serve(TEXT, Reply(rulebook(word="widget"), headers={"ETag": '"2"'}))
    fetched = fetch(site.page, limits=QUICK, today=TODAY)
    assert fetched.state == "corrected"
    assert rulebook_file().read_bytes() == rulebook(word="widget")
    assert "corrected under the same name" in str(fetched)


def test_a_new_edition_under_a_new_name(site: Site) -> None:
    site.serve(TEXT, Reply(rulebook()))
    fetch(site.page, limits=QUICK, today=TODAY)
    later = "/2026/downloads/MagicCompRules%2020260619.txt"
    site.link(TEXT, later)
    site.serve(later, Reply(rulebook("June 19, 2026")))
    fetched = fetch(site.page, limits=QUICK, today=date(2026, 6, 19))
    assert (fetched.state, fetched.corpus.name, fetched.corpus.source.notice) == ("new", "2026-06-19", "")


def test_an_edition_not_yet_in_force_is_kept_and_says_so(site: Site) -> None:
    site.serve(TEXT, Reply(rulebook("June 19, 2026")))
    fetched = fetch(site.page, limits=QUICK, today=TODAY)
    assert fetched.corpus.source.notice == "not yet in force: effective as of 2026-06-19"
    assert "not yet in force" in str(fetched)
    kept = read_kept(today=date(2026, 6, 19))
    assert kept is not None
    assert kept.corpus.source.notice == ""


BAD_BODIES = {
    "HTML": (Reply(b"<!DOCTYPE html><html>Sorry</html>"), "web page"),
    "PDF": (Reply(b"%PDF-1.7 ..."), "a PDF"),
    "binary": (Reply(b"\1\0\2" * 50 + b"\7" * 400), "can't be used"),
    "empty": (Reply(b""), "empty"),
    "cut off half-way": (Reply(rulebook()[: len(rulebook()) // 2]), "only|cut off"),
    "cut off before the credits": (Reply(rulebook().split(b"\r\nCredits\r\n\r\nWritten")[0]), "cut off"),
    "cut off before the glossary": (Reply(b"Glossary".join(rulebook().split(b"Glossary")[:2])), "cut off"),
    "too few rules": (Reply(rulebook(rules=400)), "only 400 rules"),
    "no rules": (Reply(b"Come back later."), "not a rulebook"),
    "shorter than its Content-Length": (Reply(rulebook()[:5000], headers={"Content-Length": "90000"}), "cut off|in time"),
    "404": (Reply(status=404), "404 Not Found"),
    "403": (Reply(status=403), "403 Forbidden"),
    "204": (Reply(status=204), "204 No Content"),
    "304 unasked": (Reply(status=304), "304"),
    "broken gzip": (Reply(b"no gzip", headers={"Content-Encoding": "gzip"}), "decompressed"),
}


@pytest.mark.parametrize("case", BAD_BODIES)
@pytest.mark.parametrize("kept", [True, False])
def test_what_is_no_whole_rulebook_never_replaces_the_kept_one(site: Site, case: str, kept: bool) -> None:
    if kept:
        site.serve(TEXT, Reply(rulebook()))
        fetch(site.page, limits=QUICK, today=TODAY)
    reply, reason = BAD_BODIES[case]
    site.serve(TEXT, reply)
    message = refused(site)
    assert any(part in message for part in reason.split("|")), message
    assert rulebook_file().exists() == kept
    if kept:
        assert rulebook_file().read_bytes() == rulebook()


def test_compressed_text(site: Site) -> None:
    body = gzip.compress(rulebook())
    site.serve(TEXT, Reply(body, headers={"Content-Encoding": "gzip"}))
    assert len(fetch(site.page, limits=QUICK, today=TODAY).corpus.rules) == 600
    site.serve(TEXT, Reply(body, headers={"Content-Encoding": "gzip", "Content-Length": str(len(body) + 9)}))
    refused(site)


@pytest.mark.parametrize("compressed", [False, True])
def test_too_large(site: Site, compressed: bool) -> None:
    body = rulebook() + b"x" * 200_000
    reply = Reply(gzip.compress(body), headers={"Content-Encoding": "gzip"}) if compressed else Reply(body)
    site.serve(TEXT, reply)
    assert "more than" in refused(site, Limits(read=2, pause=0.01, text_bytes=100_000))


def test_passing_failures_are_tried_again(site: Site) -> None:
    site.serve(TEXT, Reply(status=500), Reply(status=429), Reply(rulebook()))
    assert fetch(site.page, limits=QUICK, today=TODAY).state == "new"
    assert site.times(TEXT) == 3


def test_lasting_failures_end_after_three_tries(site: Site) -> None:
    site.serve(TEXT, Reply(status=503))
    assert "503 Service Unavailable" in refused(site)
    assert site.times(TEXT) == 3


def test_a_404_is_not_tried_again(site: Site) -> None:
    refused(site)
    assert site.times(TEXT) == 1


def test_slow(site: Site) -> None:
    release = Event()
    site.serve(TEXT, Reply(rulebook(), wait=release))
    assert "does not answer in time" in refused(site)
    release.set()
    assert site.times(TEXT) == 1


def test_redirects(site: Site) -> None:
    site.serve("/en/rules", Reply(status=301, headers={"Location": "/new/place"}))
    site.serve("/new/place", Reply(b'<a href="text.txt">rules</a>'))  # relative to where the redirect led
    site.serve("/new/text.txt", Reply(status=302, headers={"Location": TEXT}))
    site.serve(TEXT, Reply(rulebook()))
    assert fetch(site.page, limits=QUICK, today=TODAY).state == "new"
    site.serve("/new/text.txt", Reply(status=302, headers={"Location": "/new/text.txt"}))
    assert "redirects in circles" in refused(site)
    site.serve("/new/text.txt", Reply(status=302, headers={"Location": "file:///etc/passwd"}))
    assert "http" in refused(site)


@pytest.mark.parametrize(
    "page",
    [
        *("ftp://a.test/x", "file:///etc/passwd", "nonsense", "http://", "http://[x", "http://a\n.test", "\0"),
        *("http://127.0.0.1:99999/", f"http://{'a' * 70}.test/"),
    ],
)
def test_addresses_that_are_none(page: str) -> None:
    with pytest.raises(RulesError) as caught:
        fetch(page, limits=QUICK)
    assert "\n" not in str(caught.value)


def test_nobody_listens(site: Site) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        site.root = f"http://127.0.0.1:{free.getsockname()[1]}"
        assert "no connection" in refused(site)


def test_a_name_that_can_not_be_resolved_fails_at_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def unresolved(*args: object, **named: object) -> None:
        asked.append(args)
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unresolved)
    site.root = "http://rules.invalid"
    assert "can't be resolved" in refused(site, Limits(pause=60))
    assert len(asked) == 1


def test_a_proxy_is_used(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", site.root)
    monkeypatch.setenv("no_proxy", "")
    site.serve("http://rules.invalid/page", Reply(b"<a href='/rules.txt'>"))
    site.serve("http://rules.invalid/rules.txt", Reply(rulebook()))
    assert fetch("http://rules.invalid/page", limits=QUICK, today=TODAY).state == "new"


def test_a_proxy_setting_that_is_none(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "gopher://x")
    with pytest.raises(RulesError, match="network settings"):
        fetch(site.page, limits=QUICK)


def test_the_page_can_be_set_by_variable(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.serve(TEXT, Reply(rulebook()))
    monkeypatch.setenv("RULES_LAWYER_PAGE", site.page)
    assert fetch(limits=QUICK, today=TODAY).corpus.source.where.startswith(site.root)


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b"null", b"\xff", b'{"address": 1}', b"[" * 100_000])
def test_a_damaged_record_costs_only_a_download(site: Site, home: Path, damage: bytes) -> None:
    site.serve(TEXT, Reply(rulebook(), headers={"ETag": '"1"'}))
    fetch(site.page, limits=QUICK, today=TODAY)
    (home / "rulebook.json").write_bytes(damage)
    kept = read_kept(today=TODAY)
    assert kept is not None
    assert kept.corpus.source.where == str(rulebook_file())
    assert fetch(site.page, limits=QUICK, today=TODAY).state == "new"
    assert "If-None-Match" not in site.asked[-1][1]


def test_a_damaged_text_is_refused_and_fetched_again(site: Site) -> None:
    site.serve(TEXT, Reply(rulebook(), headers={"ETag": '"1"'}))
    fetch(site.page, limits=QUICK, today=TODAY)
    rulebook_file().write_bytes(rulebook()[:3000])
    with pytest.raises(RulesError, match="python -m index fetch"):
        read_kept()
    assert fetch(site.page, limits=QUICK, today=TODAY).state == "new"
    assert rulebook_file().read_bytes() == rulebook()


def test_nothing_kept() -> None:
    assert read_kept() is None


def test_a_folder_that_can_not_be_written(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    site.serve(TEXT, Reply(rulebook()))
    with pytest.raises(RulesError, match=r"can't write .*choose another folder"):
        fetch(site.page, tmp_path / "file" / "below", limits=QUICK, today=TODAY)


def test_write_atomic_leaves_the_old_file_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_atomic(tmp_path / "a" / "x", b"old")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(RulesError, match="No space left"):
        write_atomic(tmp_path / "a" / "x", b"new")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["x"]
    assert (tmp_path / "a" / "x").read_bytes() == b"old"


def test_what_is_no_regular_file_is_written_and_not_replaced(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_atomic(pipe, b"data")
    reader.join(10)
    assert got == [b"data"]
    assert pipe.is_fifo()
    (tmp_path / "folder").mkdir()
    for folder in (tmp_path / "folder", Path()):
        with pytest.raises(RulesError, match="Is a directory"):
            write_atomic(folder, b"data")
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".tmp")] == []


def test_a_device_without_room_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device as ``/dev/full``: what is written to it fails. (No test touches the real one.)"""
    device = tmp_path / "device"
    os.mkfifo(device)

    def full(self: Path, mode: str = "r") -> NoReturn:
        assert self == device
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(RulesError, match="No space left"):
        write_atomic(device, b"data")
    assert [path.name for path in tmp_path.iterdir()] == ["device"]
    assert device.is_fifo()


def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "file")
    for data in (b"first", b"second"):  # at first it leads nowhere
        write_atomic(tmp_path / "link", data)
        assert (tmp_path / "real" / "file").read_bytes() == data
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "round").symlink_to(tmp_path / "round")
    with pytest.raises(RulesError, match="can't write"):
        write_atomic(tmp_path / "round", b"data")
    assert (tmp_path / "round").is_symlink()


def test_an_output_is_looked_at_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    for good in (tmp_path / "new", tmp_path / "pipe"):
        check_output(good)
    for path, why in {
        Path(): "without a name",
        tmp_path: "is a folder",
        tmp_path / "none" / "x": f"there is no folder {tmp_path / 'none'}",
        tmp_path / "pipe" / "x": f"there is no folder {tmp_path / 'pipe'}",
        tmp_path / ("x" * 300): "too long",
    }.items():
        with pytest.raises(RulesError, match=f"can't write .*{re.escape(why)}"):
            check_output(path)
    assert {path.name for path in tmp_path.iterdir()} <= {"pipe", "home"}
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(RulesError, match="read-only"):
        check_output(tmp_path / "new")


def test_real_editions_pass_the_check(site: Site, rules_data: Path) -> None:
    """The newest real text is whole; the same text, cut off anywhere before its credits, is not."""
    text = (rules_data / "cr" / "2026-04-17.txt").read_bytes()
    for share in (0.3, 0.6, 0.95):
        site.serve(TEXT, Reply(text[: int(len(text) * share)]))
        refused(site)
    site.serve(TEXT, Reply(text))
    fetched = fetch(site.page, limits=QUICK, today=TODAY)
    assert (fetched.corpus.name, len(fetched.corpus.rules)) == ("2026-04-17", 3138)
