"""The command line of the index, as a user runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import index.prepare
from index.__main__ import cli
from tests.tiny import TINY, HashEncoder

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ["fetch", "build", "info", "check", "show", "cites"]


def run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m index`` in a process of its own."""
    command = [sys.executable, "-m", "index", *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, env={**os.environ, **env}, check=False)


@pytest.fixture
def rulebook(tmp_path: Path) -> Path:
    path = tmp_path / "rules.txt"
    path.write_text(TINY, encoding="utf-8")
    return path


def test_build_says_what_it_read(rulebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.encoder.SentenceEncoder", lambda name, plain=False: HashEncoder())
    result = CliRunner().invoke(cli, ["build", "--rules", str(rulebook), "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "24 rules, 3 examples, 5 glossary entries, 0 unplaced lines" in result.output
    index.prepare.ensure_index(tmp_path / "out", pytest.fail)  # there is one, so nothing happens and nothing is said


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_has_an_example(command: str) -> None:
    result = run(*command.split(), "--help")
    assert result.returncode == 0
    assert "Example: python -m index" in result.stdout


def test_check_accounts_for_every_line(rulebook: Path) -> None:
    good = run("check", str(rulebook))
    assert good.returncode == 0
    assert good.stdout.splitlines()[-1].endswith(" 0 unplaced")
    rulebook.write_text(TINY.replace("702.21. Ward", "What is this?\n\n702.21. Ward"))
    bad = run("check", str(rulebook))
    assert bad.returncode == 1
    assert bad.stdout.splitlines()[-1].endswith(" 1 unplaced")
    assert "line 73: unplaced: What is this?" in bad.stdout


def test_show_and_cites(tiny_index_folder: Path) -> None:
    shown = run("show", "702.19", "--index", str(tiny_index_folder))
    assert "702.19b The attacker gives each blocker lethal damage first" in " ".join(shown.stdout.split())
    assert "Example: A 5/5 with trample" in shown.stdout
    data = json.loads(run("show", "702.2c", "--json", "--index", str(tiny_index_folder)).stdout)
    assert data["cites"] == ["510.1a", "510.1b", "702.19b"]
    assert (data["before"], data["after"]) == ("702.2b", "702.19")
    cited = run("cites", "702.19", "--index", str(tiny_index_folder))
    assert "702.19 cited by: 510.1b, 702.2c" in cited.stdout


def test_info_tells_where_the_rules_come_from(tiny_index_folder: Path) -> None:
    assert "edition  2025-03-04" in run("info", "--index", str(tiny_index_folder)).stdout


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (["show", "702.19z"], "has no rule 702.19z; the nearest is 702.19c"),
        (["show", "555"], "has no section 555"),
        (["show", "hello"], "is not a rule number"),
        (["check", "/no/such/file"], "there is no file"),
        (["check", "/"], "is a folder"),
        (["info", "--index", "/no/such/index"], "there is no index"),
        (["build", "--rules", "/etc/hostname", "--out", "/tmp/never"], "not a rulebook"),
        (["build", "--rules", "x", "--digest"], "give only one of"),
        (["fetch"], "--rules FILE"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_1(args: list[str], part: str, tiny_index_folder: Path) -> None:
    extra = ["--index", str(tiny_index_folder)] if args[0] == "show" else []
    result = run(*args, *extra)
    assert result.returncode == 1
    assert result.stderr.strip().splitlines()[-1].startswith("error: ")
    assert part in result.stderr
    assert "Traceback" not in result.stderr


def test_wrong_use_is_exit_code_2() -> None:
    assert run("build", "--nonsense").returncode == 2
    assert run("show").returncode == 2
