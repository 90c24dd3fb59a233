"""ui: the HTTP routes, gradio_client, MCP and the command line, on a served tiny rulebook."""

import asyncio
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from qa.judge import Judge
from ui.library import Library
from ui.tools import mcp_problem

ROOT = Path(__file__).resolve().parent.parent
QUESTION = "Does trample damage the player?"


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, timeout=20) as found:
        yield found


def test_ask_answers_as_the_judge_does(client: httpx.Client, tiny_judge: Judge) -> None:
    wanted = tiny_judge.ask(QUESTION).to_json()
    assert client.get("/api/ask", params={"question": QUESTION}).json() == wanted
    assert client.post("/api/ask", json={"question": QUESTION}).json() == wanted
    three = client.get("/api/ask", params={"question": QUESTION, "k": 3}).json()
    assert three == tiny_judge.ask(QUESTION, 3).to_json()


def test_follow_ups_over_http(client: httpx.Client, tiny_judge: Judge) -> None:
    first = tiny_judge.ask(QUESTION).read_as
    got = client.get("/api/ask", params={"question": "And without blockers?", "previous": first}).json()
    assert got == tiny_judge.ask("And without blockers?", previous=first).to_json()


def test_copies(client: httpx.Client, tiny_corpus: Corpus) -> None:
    for form in ("text", "markdown"):
        reply = client.get("/api/ask", params={"question": QUESTION, "form": form})
        assert reply.headers["content-type"].startswith("text/plain")
        assert tiny_corpus.name in reply.text
        assert "702.19b" in client.get("/api/rule/702.19b", params={"form": form}).text
    assert client.get("/api/rule/999.9", params={"form": "text"}).status_code == 404


def test_a_rule_with_its_neighbours(client: httpx.Client, tiny_corpus: Corpus) -> None:
    rule = client.get("/api/rule/510.1a").json()
    assert rule["kind"] == "rule"
    assert [r["number"] for r in rule["rules"]] == ["510.1a"]
    assert (rule["previous"], rule["next"]) == ("510.1", "510.1b")
    assert "510.1" in rule["cited_by"]
    family = client.get("/api/rule/702.19").json()
    assert [r["number"] for r in family["rules"]] == [str(r.number) for r in tiny_corpus.family(RuleNumber(702, 19))]
    assert client.get("/api/rule/510.1a-b").json()["kind"] == "range"


def test_search_define_and_check(client: httpx.Client) -> None:
    assert client.get("/api/search", params={"query": "trample"}).json()["families"][0]["title"] == "Trample"
    term = client.get("/api/define/trample").json()
    assert term["term"].lower().startswith("trample")
    assert client.get("/api/define/nothing-like-it").status_code == 404
    checked = client.get("/api/check", params={"number": "702.19b", "quote": "quite another thing"}).json()
    assert checked["exists"] is True
    assert checked["quoted"] is False
    spread = client.get("/api/check", params={"number": "510.1a–b", "quote": "trample"}).json()
    assert (spread["number"], spread["exists"], spread["rules"]) == ("510.1a–510.1b", True, ["510.1a", "510.1b"])
    assert client.get("/api/check", params={"number": "510.1a-z"}).json()["exists"] is False


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("path", "status", "title"),
    [
        ("/", 200, "Ask – Rules Lawyer"),
        ("/?q=What%20is%20%3Cb%3E%3F", 200, "What is &lt;b&gt;? – Rules Lawyer"),
        ("/browse", 200, "Browse – Rules Lawyer"),
        ("/search?q=trample", 200, "trample – Search – Rules Lawyer"),
        ("/rule/702.19b", 200, "702.19b Trample – Rules Lawyer"),
        ("/rule/702.19b/", 200, "702.19b Trample – Rules Lawyer"),
        ("/rule/702.19B", 200, "702.19b Trample – Rules Lawyer"),
        ("/rule/CR%20702.19b", 200, "702.19b Trample – Rules Lawyer"),
        ("/rule/510.1a-b", 200, "510.1a–510.1b"),
        ("/term/trample/", 200, "Trample – Rules Lawyer"),
        ("/rule/999.9", 404, "Not found – Rules Lawyer"),
        ("/rule/702.19q", 404, "Not found – Rules Lawyer"),
        ("/rule/x", 404, "Not found – Rules Lawyer"),
        ("/term/nothing-like-it", 404, "Not found – Rules Lawyer"),
    ],
)
def test_addresses_have_a_status_and_a_title(client: httpx.Client, method: str, path: str, status: int, title: str) -> None:
    reply = client.request(method, path)
    assert reply.status_code == status
    assert reply.headers["content-type"].startswith("text/html")
    if method == "HEAD":
        assert reply.content == b""
    else:
        assert f"<title>{title}" in reply.text
        assert "gradio_config" in reply.text  # the page itself, which shows the kind word


def test_openapi_describes_every_route(client: httpx.Client) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    assert set(paths) == {"/api/ask", "/api/rule/{number}", "/api/search", "/api/define/{term}", "/api/check", "/api/feedback"}
    documented = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
    assert all(path.split("{")[0].rstrip("/") in documented for path in paths)


@pytest.mark.parametrize(
    "path",
    [
        "/api/rule/..%2f..%2fetc%2fpasswd",
        "/api/rule/%00",
        "/api/rule/" + "7" * 5_000,
        "/api/define/%3Cscript%3E",
        "/api/ask?question=%00%1b%5B31m",
        "/api/ask?question=%E2%80%AE%F0%9F%98%80",
        "/api/ask?question=" + "x" * 20_000,
        "/api/search?query=%22%22%22%5B%28%2A",
        "/api/check?number=%00&quote=%00",
        "/rule/..%2f..%2fetc",
        "/rule/%00",
        "/rule/%3Cscript%3E",
        "/term/%E2%80%AE",
        "/piece/rule?number=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
        "/piece/term?name=%00",
        "/piece/contents?number=../..",
        "/rule/",
        "/nothing/at/all",
        "/?deep_link=../../x",
    ],
)
def test_hostile_addresses_are_refused_kindly(client: httpx.Client, path: str) -> None:
    reply = client.get(path, headers={"accept": "text/html"})
    assert reply.status_code in (200, 400, 404, 422)
    assert "Traceback" not in reply.text
    assert "<script>alert" not in reply.text
    assert "<img src=x" not in reply.text


def test_long_and_broken_bodies(client: httpx.Client) -> None:
    reply = client.post("/api/ask", json={"question": "trample " * 12_500})
    assert reply.status_code == 200
    assert len(reply.json()["question"]) <= 4_000
    assert client.post("/api/ask", content=b'{"question": "\\ud800 trample"}').status_code in (200, 422)
    assert client.post("/api/ask", content=b"{").status_code == 422
    assert client.post("/api/ask", json={"question": "x", "k": 1_000}).status_code == 422


def test_pages_point_nowhere_else(client: httpx.Client) -> None:
    for path in ("/", "/browse", "/glossary", "/search", "/sources", "/rule/702.19b", "/term/Trample"):
        reply = client.get(path)
        assert reply.status_code == 200
        assert reply.headers["content-security-policy"].startswith("default-src 'self'")
        head = reply.text.split("window.gradio_config = {")[0]
        assert "https://" not in head.replace("http://127.0.0.1", "")
        assert '<base href="/">' in head


def test_scripts_are_kept_compressed(client: httpx.Client) -> None:
    path = "/" + client.get("/").text.split('src="./')[1].split('"')[0]
    plain = client.get(path, headers={"accept-encoding": "identity"})
    for _ in range(2):
        packed = client.get(path, headers={"accept-encoding": "br"})
        assert packed.headers["content-encoding"] == "br"
        assert packed.content == plain.content
        assert "immutable" in packed.headers["cache-control"]
    assert client.get("/assets/nothing.js", headers={"accept-encoding": "br"}).status_code in (403, 404)
    assert client.get("/assets/..%2f..%2froutes.py", headers={"accept-encoding": "br"}).status_code in (403, 404)


def test_feedback_is_a_question_set(client: httpx.Client, feedback_folder: Path, tiny_corpus: Corpus) -> None:
    from eval.sets import check_gold, read_set

    shown = ["702.19b", "510.1a"]
    said = [
        {"question": QUESTION, "helpful": True, "shown": shown},
        {"question": "Another?\nquestion", "helpful": False, "shown": shown, "number": "510.1b"},
        {"question": "No idea", "helpful": False, "shown": shown},
    ]
    assert all(client.post("/api/feedback", json=body).status_code == 200 for body in said)
    questions = read_set(feedback_folder / "feedback.jsonl")
    check_gold(questions, tiny_corpus)
    assert [str(question.rules[0]) for question in questions] == ["702.19b", "510.1b"]
    assert questions[1].question == "Another? question"
    assert len(read_set(feedback_folder / "feedback-open.jsonl", unanswerable=True)) == 1
    row = json.loads((feedback_folder / "feedback.jsonl").read_text().splitlines()[0])
    assert row["source"] == "feedback"
    assert row["helpful"] is True


@pytest.mark.parametrize("body", [{"number": "999.9"}, {"number": "<b>"}, {"question": "  "}])
def test_feedback_that_cannot_be_kept_says_why(client: httpx.Client, body: dict[str, Any]) -> None:
    reply = client.post("/api/feedback", json={"question": QUESTION, "helpful": False} | body)
    assert reply.status_code == 404
    assert reply.json()["error"]


def test_gradio_client_gets_the_same(address: str, tiny_judge: Judge) -> None:
    from gradio_client import Client  # type: ignore[import-untyped]

    client = Client(address, verbose=False)
    got = client.predict(question=QUESTION, k=10, previous="", api_name="/ask")
    assert got == tiny_judge.ask(QUESTION).to_json()
    assert client.predict(number="702.19b", api_name="/show_rule")["number"] == "702.19b"
    assert client.predict(query="trample", limit=3, api_name="/search_rules")["total"] >= 1
    named = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    assert set(named) == {"/ask", "/show_rule", "/search_rules", "/define", "/check_citation"}


def test_an_mcp_client_gets_the_same(address: str, tiny_judge: Judge) -> None:
    if mcp_problem():
        pytest.skip(f"no MCP here: {mcp_problem()}; pip install 'gradio[mcp]'")
    tools, results = asyncio.run(_mcp(address))
    assert tools == {"ask", "show_rule", "search_rules", "define", "check_citation"}
    assert json.loads(results["ask"].content[0].text) == tiny_judge.ask(QUESTION).to_json()
    assert json.loads(results["check_citation"].content[0].text) == Library(tiny_judge).check_citation("510.1a-b", "damage")
    assert results["show_rule"].isError
    assert "999.9" in results["show_rule"].content[0].text


async def _mcp(address: str) -> tuple[set[str], dict[str, Any]]:
    from mcp import ClientSession
    from mcp.client import streamable_http

    # The older name is gone in mcp 2, the newer one is not in the first of mcp 1.
    connect = getattr(streamable_http, "streamable_http_client", None) or getattr(streamable_http, "streamablehttp_client")  # noqa: B009
    calls = {
        "ask": {"question": QUESTION},
        "check_citation": {"number": "510.1a-b", "quote": "damage"},
        "show_rule": {"number": "999.9"},
    }
    async with connect(f"{address}/gradio_api/mcp/") as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        tools = {tool.name for tool in (await session.list_tools()).tools}
        return tools, {name: await session.call_tool(name, arguments) for name, arguments in calls.items()}


def test_many_at_once_get_their_own_answers(client: httpx.Client, tiny_judge: Judge) -> None:
    questions = [f"What about rule {rule.number}?" for rule in tiny_judge.index.corpus.rules[:12]]
    wanted = [tiny_judge.ask(question).to_json()["hits"] for question in questions]
    got: list[Any] = [None] * len(questions)

    def one(place: int) -> None:
        got[place] = client.get("/api/ask", params={"question": questions[place]}).json()["hits"]

    threads = [threading.Thread(target=one, args=(place,)) for place in range(len(questions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == wanted


def _ui(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "ui", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_help_is_quick() -> None:
    best = 9.0
    for _ in range(3):
        start = time.perf_counter()
        reply = _ui("--help")
        best = min(best, time.perf_counter() - start)
    assert reply.returncode == 0
    assert "Example: python -m ui" in reply.stdout
    assert best < 0.5


def test_errors_are_one_line(tmp_path: Path) -> None:
    reply = _ui("--index", str(tmp_path / "none"), "--port", "7999")
    assert (reply.returncode, reply.stdout) == (1, "")
    assert len(reply.stderr.splitlines()) == 1
    assert "python -m index build" in reply.stderr
    with socket.create_server(("127.0.0.1", 0)) as taken:
        busy = _ui("--index", str(tmp_path), "--port", str(taken.getsockname()[1]))
    assert busy.returncode == 1
    assert len(busy.stderr.splitlines()) == 1
    assert "choose another with --port" in busy.stderr


def test_a_newer_edition_is_told(tiny_corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    from ui import newest

    monkeypatch.setattr(newest, "_kept", (-newest.KEPT_SECONDS, None, ""))
    assert "can't be told" in newest.newest(tiny_corpus)  # conftest points to a page that nobody serves
    monkeypatch.setattr(newest, "_kept", (time.monotonic(), (2999, 1, 2), ""))
    assert "2999-01-02" in newest.newest(tiny_corpus)


def test_feedback_into_a_folder_that_cannot_be_written(tiny_corpus: Corpus, tmp_path: Path) -> None:
    from ui.feedback import Feedback, Said

    (tmp_path / "file").write_text("")
    with pytest.raises(RulesError, match="can't be written"):
        Feedback(tmp_path / "file" / "below", tiny_corpus).add(Said("q", True, ["702.19b"]))
