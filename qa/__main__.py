"""The command line for questions: ``python -m qa`` and ``./ask``."""

import json
import sys
from pathlib import Path

import click

from index.cli import INDEX, chosen, run, say
from index.errors import RulesError
from index.prepare import ensure_index
from qa.answer import Answer
from qa.judge import MOST, Judge

STDIN_BYTES = 4_000_000


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("words", nargs=-1, metavar="[QUESTION]...")
@INDEX
@click.option("-k", type=click.IntRange(1, MOST), default=10, show_default=True, help="How many rules at the most.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON (docs/answer.schema.json).")
@click.option("--no-expand", is_flag=True, help="Do not follow citations.")
@click.option("--no-known", is_flag=True, help="Do not show known questions that are the same case.")
def cli(words: tuple[str, ...], index: Path | None, k: int, as_json: bool, no_expand: bool, no_known: bool) -> None:
    """Ask a question; the rules that decide it are printed, best first.

    Without a question it is read from standard input, or a chat starts in a terminal.

    Example: ./ask "Does deathtouch work with trample?"
    """
    judge = _open(index)
    if not words and sys.stdin is not None and sys.stdin.isatty():
        _chat(judge, k, not no_expand, not no_known)
        return
    question = " ".join(words) if words else _standard_input()
    _print(judge.ask(question, k, expand=not no_expand, known=not no_known), as_json)


def _open(index: Path | None) -> Judge:
    if index is None:
        ensure_index(chosen(None), say)
    return Judge.load(chosen(index))


def _standard_input() -> str:
    text = sys.stdin.buffer.read(STDIN_BYTES).decode("utf-8", "replace").strip() if sys.stdin is not None else ""
    if not text:
        raise RulesError('there is no question; write one, for example: ./ask "Does deathtouch work with trample?"')
    return text


def _print(answer: Answer, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(answer.to_json(), indent=1, ensure_ascii=False))
        return
    from qa.render import print_answer

    print_answer(answer)


def _chat(judge: Judge, k: int, expand: bool, known: bool) -> None:
    import readline  # noqa: F401  line editing and history for input()

    say("Ask about the rules; follow-ups are understood. An empty line or Ctrl-D ends.")
    previous = ""
    while True:
        try:
            question = input("? ")
        except EOFError:
            break
        if not question.strip():
            break
        answer = judge.ask(question, k, expand=expand, previous=previous, known=known)
        if previous and answer.read_as.startswith(previous) and len(answer.read_as) > len(previous):
            say("(read together with the question before)")
        previous = answer.read_as
        _print(answer, False)


if __name__ == "__main__":
    run(cli, Path(sys.argv[0]).name if Path(sys.argv[0]).name == "ask" else "python -m qa")
