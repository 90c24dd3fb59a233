"""The shape that a Gradio Space wants: ``python app.py`` serves the page at port 7860 of every address."""

from ui.__main__ import main

if __name__ == "__main__":
    main(["--host", "0.0.0.0"], prog_name="app.py")
