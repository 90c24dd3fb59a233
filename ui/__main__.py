"""``python -m ui``: the web page."""

from pathlib import Path
from typing import Any

import click

from index.errors import RulesError

FOLDER = click.Path(path_type=Path, file_okay=False)
index_option = click.option("--index", type=FOLDER, help="The index folder; by default your own.")


class Group(click.Group):
    """Turns the project's one error class into one line on stderr and exit code 1, for every command."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except RulesError as error:
            click.echo(f"error: {' '.join(str(error).split())}", err=True)
            ctx.exit(1)


@click.group(cls=Group, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@index_option
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
    from index.folders import index_folder
    from index.store import read_config
    from ui.port import check_port

    check_port(host, port)
    read_config(index or index_folder())  # a missing index is said at once, not after Gradio is loaded
    click.echo("loading …", err=True)
    from ui.site import launch, open_judge

    judge = open_judge(index)
    demo = launch(judge, host, port, share=share)
    shown = "localhost" if host in ("0.0.0.0", "::") else host
    click.echo(f"Rules Lawyer, edition {judge.index.corpus.name}: http://{shown}:{port}/ (Ctrl+C ends it)", err=True)
    if demo.share_url:
        click.echo(f"public address: {demo.share_url}", err=True)
    demo.block_thread()


@main.command()
@index_option
@click.option("--out", type=FOLDER, required=True, help="The folder for the pictures.")
@click.option("--browser", default="/usr/bin/chromium", show_default=True, help="The Chromium to use.")
def screenshots(index: Path | None, out: Path, browser: str) -> None:
    """Take a picture of each page at 390 and 1280 px, light and dark.

    Example: python -m ui screenshots --index digest-index --out screenshots
    """
    from ui.screenshots import take

    for path in take(index, out, browser):
        click.echo(str(path))


@main.command()
@index_option
@click.option("--count", default=50, show_default=True, type=click.IntRange(3), help="How many questions are asked.")
@click.option("--browser", default="/usr/bin/chromium", show_default=True, help="The Chromium to use.")
def bench(index: Path | None, count: int, browser: str) -> None:
    """Measure the page in a browser: from Enter to the answer, and the first load.

    Example: python -m ui bench --count 50
    """
    import json

    from ui.bench import measure

    click.echo(json.dumps(measure(index, count, browser), indent=1))


if __name__ == "__main__":
    main(prog_name="python -m ui")
