"""The shape that a Gradio Space wants: ``python app.py`` serves the page at port 7860 of every address."""

import sys

from index.cli import run
from ui.__main__ import main

if __name__ == "__main__":
    sys.argv[1:1] = ["--host", "0.0.0.0"]
    run(main, "app.py")
