"""A site of its own in this process and a Chromium that looks at it: for pictures and measurements."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from index.errors import RulesError
from qa.judge import Judge

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
CHROMIUM = "/usr/bin/chromium"


def free_port() -> int:
    """A port of this computer that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@contextmanager
def served(judge: Judge) -> Iterator[str]:
    """Serve a judge's site as long as it is needed; gives its address. Feedback goes to a folder that is thrown away."""
    from ui.site import launch

    port = free_port()
    with TemporaryDirectory() as folder:
        demo = launch(judge, port=port, folder=Path(folder))
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            demo.close(verbose=False)


@contextmanager
def chromium(path: str = CHROMIUM) -> "Iterator[Browser]":
    """A headless Chromium.

    Raises:
        RulesError: playwright or the browser is not installed.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise RulesError("this needs playwright; run: pip install playwright") from None
    if not Path(path).exists():
        raise RulesError(f"there is no browser at {path}; install Chromium or name another with --browser")
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        except Error as error:
            raise RulesError(f"{path} does not start: {str(error).splitlines()[0]}") from None
        yield browser
        browser.close()
