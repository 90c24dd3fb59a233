"""Which rulebook is chosen, and what is refused. All texts here are made up."""

from pathlib import Path

import pytest

from index import sources
from index.errors import RulesError
from index.sources import Loaded, load

OWN = """Our Digest
These rules are effective as of April 17, 2026.

1. First Part

100. Beginnings

100.1. A game starts when all are ready.
Example: Two people nod.

100.1a Nobody starts alone.

Glossary

Nod
To move the head.

Credits

Us.
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, a page that nobody serves, and a tiny digest."""
    folder = tmp_path / "home"
    monkeypatch.setenv("RULES_LAWYER_HOME", str(folder))
    monkeypatch.setenv("RULES_LAWYER_PAGE", "http://127.0.0.1:9/en/rules")
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setattr("index.transport.time.sleep", lambda seconds: None)
    digest = tmp_path / "digest.txt"
    digest.write_text(OWN)
    monkeypatch.setattr(sources, "DIGEST", digest)
    return folder


def whole(effective: str = "April 17, 2026") -> bytes:
    """A text that is long enough for an official one."""
    rules = "\n\n".join(f"100.{n}. Thing {n} happens." for n in range(2, 602))
    return (
        OWN.replace("100.1a", f"{rules}\n\n100.601a")
        .replace("April 17, 2026", effective)
        .replace("Us.", "Us.\nAnd others.")
        .encode()
    )


def keep(home: Path, data: bytes) -> None:
    home.mkdir()
    (home / "rulebook.txt").write_bytes(data)


def refused(path: Path) -> str:
    with pytest.raises(RulesError) as caught:
        load(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.count("give the TXT of the Comprehensive Rules") == 1
    return message


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text(OWN)
    loaded = load(path)
    corpus = loaded.corpus
    assert [str(rule.number) for rule in corpus] == ["100.1", "100.1a"]
    assert (corpus.source.kind, corpus.source.where, len(corpus.source.sha256), corpus.source.notice) == (
        "file",
        str(path),
        64,
        "",
    )
    assert loaded.lines == ("edition 2026-04-17: 2 rules, 1 examples, 1 glossary entries, 0 unplaced lines",)
    assert loaded.report is not None


def test_a_file_not_yet_in_force_and_with_unplaced_lines(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text(OWN.replace("2026", "2999").replace("100.1a", "What is this?\n\n100.1a"))
    loaded = load(path)
    assert loaded.corpus.source.notice == "not yet in force: effective as of 2999-04-17"
    assert "1 unplaced" in loaded.lines[0]
    assert "What is this?" in loaded.lines[1]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf  \r\n", "not a rulebook"),
        (b"%PDF-1.4", "a PDF"),
        (b"PK\3\4...", "ZIP"),
        (b"PAR1...", "--dataset"),
        (b"  \n<!DOCTYPE html><html>100.1. x</html>", "web page"),
        ("<html>".encode("utf-16"), "web page"),
        (bytes(range(256)) * 9, "binary|not a rulebook"),
        (b"\xff\xfe", "not a rulebook"),
        (b"Hello, world.", "not a rulebook"),
        (b"x" * (20 * 2**20 + 1), "more than 20 MB"),
    ],
)
def test_files_that_are_no_rulebook(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "rules.txt"
    path.write_bytes(content)
    message = refused(path)
    assert any(part in message for part in reason.split("|")), message


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    assert "there is no file" in refused(tmp_path / "missing.txt")
    assert "is a folder" in refused(tmp_path)
    assert "can't read" in refused(tmp_path / ("x" * 5000))
    assert "can't read" in refused(Path("a\0b"))
    (tmp_path / "locked.txt").write_text(OWN)
    assert "can't read" in refused(tmp_path / "locked.txt" / "below")


@pytest.mark.parametrize(
    "asked", [{"rules": Path("x"), "digest": True}, {"rules": Path("x"), "dataset": "y"}, {"dataset": "y", "digest": True}]
)
def test_only_one_can_be_asked_for(asked: dict[str, object]) -> None:
    with pytest.raises(RulesError, match="only one"):
        load(**asked)  # type: ignore[arg-type]


def test_the_digest_when_asked_for() -> None:
    source = load(digest=True).corpus.source
    assert source.kind == "digest"
    assert source.notice.startswith("Answers come from the built-in digest, our own short wording")
    assert "2026-04-17" in source.notice
    assert source.notice.endswith("Get the official text: python -m index fetch")


def test_offline_without_a_kept_text_the_digest_answers_and_says_why() -> None:
    said: list[str] = []
    corpus = load(say=said.append).corpus
    assert corpus.source.kind == "digest"
    assert corpus.source.notice.startswith("No official rulebook could be fetched (no connection to http://127.0.0.1:9/")
    assert "built-in digest" in corpus.source.notice
    assert "--rules FILE" not in corpus.source.notice
    assert len(said) == 2


def test_without_leave_to_fetch_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.fetch.fetch", lambda **named: pytest.fail("it was fetched"))
    notice = load(fetch_if_missing=False).corpus.source.notice
    assert notice.startswith("There is no official rulebook here (none has been fetched yet)")


def test_the_kept_official_text_comes_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.fetch.fetch", lambda **named: pytest.fail("it was fetched"))
    keep(home, whole())
    loaded = load()
    assert (loaded.corpus.source.kind, len(loaded.corpus.rules)) == ("official", 602)
    assert loaded.lines[0].startswith("official rulebook 2026-04-17")


def test_a_kept_text_not_yet_in_force_says_so(home: Path) -> None:
    keep(home, whole("April 17, 2999"))
    assert load().corpus.source.notice == "not yet in force: effective as of 2999-04-17"


def test_a_broken_kept_text_is_said_and_passed_over(home: Path) -> None:
    keep(home, whole()[:5000])
    said: list[str] = []
    assert load(say=said.append, fetch_if_missing=False).corpus.source.kind == "digest"
    assert "rulebook.txt can't be used" in said[0]


def test_what_is_fetched_is_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetched(progress: object) -> object:
        from index.fetch import read_kept

        keep(home, whole())
        return read_kept()

    monkeypatch.setattr("index.fetch.fetch", fetched)
    assert load().corpus.source.kind == "official"


def test_a_missing_digest_names_the_ways_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sources, "DIGEST", tmp_path / "gone.txt")
    with pytest.raises(RulesError, match=r"gone\.txt is missing .*python -m index fetch.*--rules FILE"):
        load(fetch_if_missing=False)


def test_a_data_set(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"number": "100.1", "text": "A game starts.", "examples": []}\n')
    loaded: Loaded = load(dataset=str(path))
    assert (loaded.corpus.source.kind, loaded.corpus.edition, loaded.report) == ("dataset", None, None)
    assert loaded.lines == ("1 rows: 1 rules, 0 headings; no faults",)


def test_real_editions(rules_data: Path) -> None:
    loaded = load(rules_data / "cr" / "2022-11-18.txt")  # UTF-16
    assert loaded.corpus.name == "2022-11-18"
    assert loaded.lines[0].endswith("0 unplaced lines")
