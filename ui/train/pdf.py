"""A quiz set on A4 pages, all in black, with the fonts that reportlab brings."""

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, KeepTogether, PageBreak, Paragraph, SimpleDocTemplate, Spacer

from index.bank import Question
from index.citations import Citations
from index.corpus import Corpus
from ui.plain import NOTICE
from ui.train import sheet
from ui.train.quiz import Quiz

PLAIN, BOLD, ITALIC = "Vera", "VeraBd", "VeraIt"
MARGIN = 20 * mm
PADDING = 6
"""Points between the margin and the texts, as reportlab's frames have it."""
NUMBER = 9 * mm
"""The width of the column in which the questions' numbers stand."""
_LOST = "Some characters are not in the PDF's font and are printed as ?; --format md has them all."
_ALIKE = {"\u2010": "-", "\u2011": "-", "\u2212": "-", "\u203a": "›", "\u00a0": " "}


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    """The characters that the fonts have; registers the fonts."""
    fonts = [TTFont(name, f"{name}.ttf") for name in (PLAIN, BOLD, ITALIC)]
    for font in fonts:
        pdfmetrics.registerFont(font)
    return frozenset.intersection(*(frozenset(font.face.charToGlyph) for font in fonts))


def _style(name: str, **changes: Any) -> ParagraphStyle:
    return ParagraphStyle(name, **{"fontName": PLAIN, "fontSize": 9.5, "leading": 13.5, "alignment": TA_LEFT} | changes)


TITLE = _style("title", fontName=BOLD, fontSize=18, leading=24)
SMALL = _style("small", fontSize=7.5, leading=10.5)
QUESTION = _style("question", leftIndent=NUMBER, bulletFontName=BOLD, bulletFontSize=9.5, allowWidows=0, allowOrphans=0)
RULING = _style("ruling", leftIndent=NUMBER, bulletFontName=BOLD, bulletFontSize=9.5, spaceBefore=4 * mm, keepWithNext=1)
NUMBERS = _style("numbers", fontName=BOLD, fontSize=8.5, leading=12, leftIndent=NUMBER, spaceBefore=1.5 * mm, keepWithNext=1)
TEXT = _style("text", fontSize=8.5, leading=12, leftIndent=NUMBER + 3 * mm, allowWidows=0, allowOrphans=0)
REMARK = _style("remark", fontName=ITALIC, fontSize=8, leading=11, leftIndent=NUMBER + 3 * mm)


class _Lines(Flowable):  # type: ignore[misc]  # reportlab has no types
    """Lines to write on, each after its label; a label may be empty."""

    GAP = 7 * mm

    def __init__(self, labels: list[str], indent: float = NUMBER) -> None:
        super().__init__()
        self.labels, self.indent, self.across = labels, indent, 0.0

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.across = width
        return width, self.GAP * len(self.labels) + 5 * mm

    def draw(self) -> None:
        self.canv.setFont(PLAIN, 8)
        self.canv.setLineWidth(0.4)
        for place, label in enumerate(self.labels):
            y = self.GAP * (len(self.labels) - place - 1) + 5 * mm
            self.canv.drawString(self.indent, y, label)
            self.canv.line(self.indent + 14 * mm, y - 1, self.across, y - 1)


def _numbered(foot: str) -> Callable[..., Canvas]:
    """A canvas that writes "page 2 of 7" below each page, once all pages are known."""

    class Numbered(Canvas):  # type: ignore[misc]  # reportlab has no types
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.pages: list[dict[str, Any]] = []

        def showPage(self) -> None:  # noqa: N802  reportlab's name
            self.pages.append(dict(self.__dict__))
            self._startPage()

        def save(self) -> None:
            for number, page in enumerate(self.pages, 1):
                self.__dict__.update(page)
                self.setFont(PLAIN, 7.5)
                self.drawString(MARGIN + PADDING, 11 * mm, foot)
                self.drawRightString(A4[0] - MARGIN - PADDING, 11 * mm, f"page {number} of {len(self.pages)}")
                super().showPage()
            super().save()

    return Numbered


class _Setter:
    """Sets texts in the fonts' characters and remembers whether any had to be left out."""

    def __init__(self) -> None:
        self.lost = False
        self._glyphs = _glyphs()

    def text(self, text: str) -> str:
        """A text as reportlab's markup; a character that the fonts lack becomes its plain letter, else "?"."""
        return escape("".join(self._character(c) for c in sheet.line(text)))

    def lines(self, text: str) -> str:
        return "<br/>".join(self.text(part) for part in text.splitlines())

    def _character(self, character: str) -> str:
        if ord(character) in self._glyphs:
            return character
        plain = [c for c in unicodedata.normalize("NFKD", _ALIKE.get(character, character)) if not unicodedata.combining(c)]
        if plain and all(ord(c) in self._glyphs for c in plain):
            return "".join(plain)
        if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
            return ""
        self.lost = True
        return "?"


def printed(quiz: Quiz, corpus: Corpus, citations: Citations) -> bytes:
    """The quiz and its key as a PDF; the same quiz gives the same bytes."""
    setter = _Setter()
    story: list[Flowable] = [
        Paragraph("Rules quiz", TITLE),
        Paragraph(setter.text(sheet.about(quiz)), SMALL),
        Paragraph(setter.text(sheet.foot(quiz)), SMALL),
        Spacer(1, 4 * mm),
        _Lines(["Name", "Date"], 0),
        Spacer(1, 2 * mm),
        *(_asked(n, question, setter) for n, question in enumerate(quiz.questions, 1)),
        PageBreak(),
        Paragraph("Key", TITLE),
        Paragraph(setter.text(sheet.about(quiz)), SMALL),
    ]
    for n, question in enumerate(quiz.questions, 1):
        story += _key(n, question, setter, quiz, corpus, citations)
    story.append(Spacer(1, 8 * mm))
    notes = [*quiz.notes, *([_LOST] if setter.lost else []), NOTICE]
    story += [Paragraph(setter.text(note), SMALL) for note in notes]
    file = BytesIO()
    foot = f"Rules quiz, seed {quiz.seed}, edition {quiz.edition}"
    _document(file).build(story, canvasmaker=_numbered(foot))
    return file.getvalue()


def _document(file: BytesIO) -> Any:
    return SimpleDocTemplate(
        file,
        pagesize=A4,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=18 * mm,
        bottomMargin=20 * mm,
        title="Rules quiz",
        author="Rules Lawyer",
        invariant=1,  # no time of printing, so that the same quiz is the same file
    )


def _asked(n: int, question: Question, setter: _Setter) -> Flowable:
    asked = Paragraph(setter.text(question.question), QUESTION, bulletText=f"{n}.")
    return KeepTogether([asked, _Lines(["Rule", "Ruling", ""])])


def _key(n: int, question: Question, setter: _Setter, quiz: Quiz, corpus: Corpus, citations: Citations) -> list[Flowable]:
    parts = [Paragraph(setter.text(question.answer or "No ruling is given; the rules decide it."), RULING, bulletText=f"{n}.")]
    for number in question.rules:
        path = sheet.ARROW.join(sheet.path_to(number, corpus))
        parts.append(Paragraph(f"{number} <font name='{PLAIN}'>({setter.text(path)})</font>", NUMBERS))
        parts.append(Paragraph(setter.lines(corpus.rule(number).text), TEXT))
        if cited := citations.cites(number):
            parts.append(Paragraph(f"Cites {', '.join(str(other) for other in cited)}.", REMARK))
    if remark := quiz.remarks.get(question.id):
        parts.append(Paragraph(setter.text(f"{remark[0].upper()}{remark[1:]}."), REMARK))
    return parts
