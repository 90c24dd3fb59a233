"""Our own look on Gradio's base theme: paper and ink, system fonts only, light and dark."""

from functools import cache
from pathlib import Path

import gradio as gr

STATIC = Path(__file__).parent / "static"
SANS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "Liberation Sans", "sans-serif")
MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "Liberation Mono", "monospace")
_INK = gr.themes.Color(
    "#f4f6fd",
    "#e6ebfb",
    "#cdd7f7",
    "#a9bdff",
    "#7f97ec",
    "#5570d6",
    "#2f4bb8",
    "#283f99",
    "#22347c",
    "#1d2b63",
    "#141d44",
    "indigo",
)


_COLOURS = {
    "body_background_fill": "#fbfaf7",
    "body_background_fill_dark": "#14171d",
    "body_text_color": "#1d2430",
    "body_text_color_dark": "#e7e9ee",
    "body_text_color_subdued": "#565f6e",
    "body_text_color_subdued_dark": "#a6afbd",
    "background_fill_primary": "#ffffff",
    "background_fill_primary_dark": "#1b2028",
    "background_fill_secondary": "#f3f1ea",
    "background_fill_secondary_dark": "#20262f",
    "block_background_fill": "transparent",
    "block_background_fill_dark": "transparent",
    "block_border_width": "0px",
    "block_shadow": "none",
    "block_shadow_dark": "none",
    "block_padding": "0px",
    "block_label_background_fill": "transparent",
    "block_label_background_fill_dark": "transparent",
    "block_title_text_color": "#565f6e",
    "block_title_text_color_dark": "#a6afbd",
    "input_background_fill": "#ffffff",
    "input_background_fill_dark": "#1b2028",
    "input_border_color": "#8a92a0",
    "input_border_color_dark": "#727c8c",
    "input_border_width": "1px",
    "input_placeholder_color": "#667080",
    "input_placeholder_color_dark": "#98a2b1",
    "button_primary_background_fill": "#2f4bb8",
    "button_primary_background_fill_dark": "#a9bdff",
    "button_primary_text_color": "#ffffff",
    "button_primary_text_color_dark": "#14171d",
    "button_secondary_background_fill": "#efece3",
    "button_secondary_background_fill_dark": "#2a313c",
    "button_secondary_text_color": "#1d2430",
    "button_secondary_text_color_dark": "#e7e9ee",
    "link_text_color": "#2f4bb8",
    "link_text_color_dark": "#a9bdff",
}


def theme() -> gr.themes.Base:
    """Gradio's base theme in our colours; ``static/style.css`` holds the same colours as variables."""
    base = gr.themes.Base(primary_hue=_INK, secondary_hue=_INK, neutral_hue="zinc", font=SANS, font_mono=MONO)
    return base.set(**_COLOURS)


# Gradio puts a page together piece by piece; it is shown when page.js says that all are there, so that nothing jumps.
_EARLY = (
    "html:not([data-ready]) .contain{opacity:0}.nav-holder{display:none}"
    "@media print{html{color-scheme:light!important}"
    "html,html gradio-app,html body .gradio-container.gradio-container{background:#fff!important}}"
)


@cache
def early(script: str = "") -> str:
    """What must stand in the page's head; Gradio's own ``head`` is put in by its client and would come too late.

    Args:
        script: a page's own, beside page.js.
    """
    scripts = [(STATIC / name).read_text(encoding="utf-8") for name in ("page.js", script) if name]
    return f"<style>{_EARLY}</style>" + "".join(f"<script>{text}</script>" for text in scripts)


def css() -> str:
    """Our style sheets."""
    return "\n".join((STATIC / name).read_text(encoding="utf-8") for name in ("style.css", "train.css"))
