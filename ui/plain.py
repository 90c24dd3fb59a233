"""An answer or a rule as plain text and as Markdown, with citations and the edition, to take elsewhere."""

import re

from index.corpus import Corpus, Rule, Source
from qa.answer import Answer
from ui.places import Place

SOURCES = {
    "file": "rulebook file",
    "official": "official text",
    "dataset": "data set",
    "digest": "digest, our own wording",
}
NOTICE = (
    "Rules Lawyer is unofficial Fan Content permitted under the Fan Content Policy. Not approved/endorsed by Wizards. "
    "Portions of the materials used are property of Wizards of the Coast. ©Wizards of the Coast LLC."
)
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~]|&(?=#?\w+;))")


def source_name(source: Source) -> str:
    """Which kind of rulebook speaks, in plain words."""
    return SOURCES.get(source.kind, source.kind)


def edition_line(edition: str, source: Source) -> str:
    """The edition and the source, as every copy names them."""
    return f"Comprehensive Rules, edition {edition} ({source_name(source)})"


def answer_text(answer: Answer) -> str:
    """The answer for a mail or a chat."""
    parts = [
        " ".join(answer.question.split()),
        *_remarks(answer),
        *(f"Known case: {k.question}\nRuling: {k.answer}" for k in answer.known),
    ]
    parts += [rule_text(hit.rule, answer.titles.get(hit.number.family, hit.rule.title)) for hit in answer.hits]
    return "\n\n".join([*parts, _foot(answer)]) + "\n"


def answer_markdown(answer: Answer) -> str:
    """The answer for a forum or a note."""
    parts = [f"**{escaped(' '.join(answer.question.split()))}**"]
    parts += [f"*{escaped(remark)}*" for remark in _remarks(answer)]
    parts += [f"Known case: {escaped(k.question)}\n\n**Ruling:** {escaped(k.answer)}" for k in answer.known]
    parts += [rule_markdown(hit.rule, answer.titles.get(hit.number.family, hit.rule.title)) for hit in answer.hits]
    return "\n\n".join([*parts, f"*{escaped(_foot(answer))}*"]) + "\n"


def _remarks(answer: Answer) -> list[str]:
    """What a reader must know of the answer as a whole."""
    unsettled = ["The rules found may not settle this question; these are the nearest."] if answer.settled is False else []
    return [remark for remark in (answer.notice, *unsettled) if remark]


def place_text(place: Place, corpus: Corpus) -> str:
    """The rules of a place as plain text."""
    parts = [rule_text(rule, corpus.heading(rule.number)) for rule in place.rules]
    return "\n\n".join([*parts, edition_line(corpus.name, corpus.source)]) + "\n"


def place_markdown(place: Place, corpus: Corpus) -> str:
    """The rules of a place as Markdown."""
    parts = [rule_markdown(rule, corpus.heading(rule.number)) for rule in place.rules]
    return "\n\n".join([*parts, f"*{escaped(edition_line(corpus.name, corpus.source))}*"]) + "\n"


def rule_text(rule: Rule, title: str) -> str:
    """One rule: its number and title, its exact text, its examples."""
    return "\n".join([f"{rule.number} ({title})", rule.text, *(f"Example: {text}" for text in rule.examples)])


def rule_markdown(rule: Rule, title: str) -> str:
    """One rule as a quotation under its number."""
    lines = [*rule.text.splitlines(), *(f"Example: {text}" for text in rule.examples)]
    quoted = "\n>\n".join(f"> {escaped(line)}" for line in lines)
    return f"**{rule.number}** ({escaped(title)})\n\n{quoted}"


def _foot(answer: Answer) -> str:
    notice = f". {answer.source.notice}" if answer.source.notice else ""
    return f"{edition_line(answer.edition, answer.source)}{notice}"


def escaped(text: str) -> str:
    """A text that Markdown shows as it is."""
    return _MARKDOWN.sub(r"\\\1", text)
