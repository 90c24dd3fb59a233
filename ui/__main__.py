"""``python -m ui``: the web page, and judge training in the terminal."""

import json
from pathlib import Path

import click

from index.cli import INDEX, chosen, run, say
from ui.train.commands import quiz
from ui.train.trainee import drill, progress

BROWSER = click.option("--browser", default="/usr/bin/chromium", show_default=True, help="The Chromium to use.")


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@INDEX
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 lets other computers in.")
@click.option("--port", default=7860, show_default=True, type=click.IntRange(1, 65535))
@click.option("--share", is_flag=True, help="Also open a public address through Gradio's servers.")
@click.pass_context
def main(ctx: click.Context, index: Path | None, host: str, port: int, share: bool) -> None:
    """Serve the web page, the HTTP routes and the MCP tools.

    Example: python -m ui --port 8080
    """
    if ctx.invoked_subcommand is None:
        serve(index, host, port, share)


def serve(index: Path | None, host: str, port: int, share: bool) -> None:
    """Serve until interrupted."""
    from index.prepare import ensure_index
    from index.store import read_config
    from ui.port import check_port

    check_port(host, port)
    if index is None:
        ensure_index(chosen(None), say)
    read_config(chosen(index))  # what is wrong with an index is said at once, not after Gradio is loaded
    say("opening the page …")
    from qa.judge import Judge
    from ui.site import launch

    judge = Judge.load(chosen(index))
    demo = launch(judge, host, port, share=share)
    shown = "localhost" if host in ("0.0.0.0", "::") else host
    say(f"Rules Lawyer, edition {judge.index.corpus.name}: http://{shown}:{port}/ (Ctrl+C ends it)")
    if demo.share_url:
        say(f"public address: {demo.share_url}")
    demo.block_thread()


@main.command()
@INDEX
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="The folder for the pictures.")
@BROWSER
def screenshots(index: Path | None, out: Path, browser: str) -> None:
    """Take a picture of each page at 390 and 1280 px, light and dark.

    Example: python -m ui screenshots --index digest-index --out screenshots
    """
    from qa.judge import Judge
    from ui.screenshots import take

    for path in take(Judge.load(chosen(index)), out, browser):
        click.echo(str(path))


@main.command()
@INDEX
@click.option("--count", default=50, show_default=True, type=click.IntRange(3), help="How many questions are asked.")
@BROWSER
def bench(index: Path | None, count: int, browser: str) -> None:
    """Measure the page in a browser: from Enter to the answer, and the first load.

    Example: python -m ui bench --count 50
    """
    from qa.judge import Judge
    from ui.bench import measure

    click.echo(json.dumps(measure(Judge.load(chosen(index)), count, browser), indent=1))


for command in (quiz, drill, progress):
    main.add_command(command)

if __name__ == "__main__":
    run(main, "python -m ui")
