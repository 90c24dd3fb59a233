"""A quiz as JSON, Markdown or PDF: the questions first, then the key with the rules that decide them."""

from dataclasses import asdict
from typing import Any

from index.bank import Question
from index.citations import Citations
from index.corpus import Corpus
from index.numbers import RuleNumber
from ui.plain import NOTICE, edition_line, escaped
from ui.train.quiz import Quiz

ARROW = " › "


def path_to(number: RuleNumber, corpus: Corpus) -> list[str]:
    """The way down to a rule: chapter, section and, where it has a heading, family, each with its title."""
    steps = [(step, corpus.titles.get(step, "")) for step in (number.chapter, number.head)]
    family = corpus.by_number.get(number.family)
    if family is not None and family.is_heading:
        steps.append((number.family, family.text))
    return [f"{step} {title}".strip() for step, title in steps]


def about(quiz: Quiz) -> str:
    """What a quiz is made of, in a line."""
    count = len(quiz.questions)
    return f"{count} question{'s' * (count != 1)}, {quiz.filters}, seed {quiz.seed}, from {quiz.deck}"


def foot(quiz: Quiz) -> str:
    """The edition that a quiz is about, and what must be known of it."""
    notice = f". {quiz.source.notice}" if quiz.source.notice else ""
    return f"{edition_line(quiz.edition, quiz.source)}{notice}"


def line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def to_json(quiz: Quiz, corpus: Corpus, citations: Citations) -> dict[str, Any]:
    """The quiz and its key as a JSON object; ``n`` counts the questions from 1."""
    numbered = list(enumerate(quiz.questions, 1))
    return {
        "edition": quiz.edition,
        "source": asdict(quiz.source),
        "seed": quiz.seed,
        "filters": quiz.filters.to_json(),
        "deck": quiz.deck,
        "notes": list(quiz.notes),
        "questions": [
            {"n": n, "id": q.id, "question": q.question, "level": q.level or None, "kind": q.kind or None, "cards": list(q.cards)}
            for n, q in numbered
        ],
        "key": [
            {
                "n": n,
                "id": q.id,
                "answer": q.answer,
                "rules": [_rule(number, corpus, citations) for number in q.rules],
                "note": quiz.remarks.get(q.id, ""),
            }
            for n, q in numbered
        ],
        "rights": NOTICE,
    }


def _rule(number: RuleNumber, corpus: Corpus, citations: Citations) -> dict[str, Any]:
    rule = corpus.rule(number)
    return {
        "number": str(number),
        "title": corpus.heading(number),
        "path": path_to(number, corpus),
        "text": rule.text,
        "examples": list(rule.examples),
        "cites": [str(cited) for cited in citations.cites(number)],
    }


def to_markdown(quiz: Quiz, corpus: Corpus, citations: Citations) -> str:
    """The quiz and its key for a note, a forum or a printer."""
    parts = ["# Rules quiz", escaped(line(about(quiz))), escaped(foot(quiz)), "## Questions"]
    parts += [f"**{n}.** {escaped(line(q.question))}" for n, q in enumerate(quiz.questions, 1)]
    parts.append("## Key")
    for n, question in enumerate(quiz.questions, 1):
        parts += _key(n, question, quiz, corpus, citations)
    parts += [f"*{escaped(note)}*" for note in quiz.notes]
    return "\n\n".join([*parts, f"*{escaped(NOTICE)}*"]) + "\n"


def _key(n: int, question: Question, quiz: Quiz, corpus: Corpus, citations: Citations) -> list[str]:
    numbers = ", ".join(str(number) for number in question.rules)
    parts = [f"### {n}. {numbers}"]
    if question.answer:
        parts.append(f"**Ruling:** {escaped(line(question.answer))}")
    for number in question.rules:
        text = "\n>\n".join(f"> {escaped(part)}" for part in corpus.rule(number).text.splitlines())
        parts += [f"**{number}** ({escaped(ARROW.join(path_to(number, corpus)))})", text]
        if cited := citations.cites(number):
            parts.append(f"Cites {', '.join(str(other) for other in cited)}.")
    if remark := quiz.remarks.get(question.id):
        parts.append(f"*{escaped(remark)}*")
    return parts


def to_pdf(quiz: Quiz, corpus: Corpus, citations: Citations) -> bytes:
    """The quiz and its key on A4 pages, the key on pages of its own; the same quiz gives the same bytes."""
    from ui.train.pdf import printed

    return printed(quiz, corpus, citations)
