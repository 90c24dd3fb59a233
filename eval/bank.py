"""Check the question bank: its rows, its rights, its distance from the evaluation sets, its coverage."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.sets import read_set
from index.bank import Question, read_bank
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.store import Index

RUN = 10
"""So many words in a row, shared with the rulebook, are its wording and not ours."""
NEAR_COSINE = 0.93
NEAR_WORDS = 88
"""From these likenesses on, two questions are near-duplicates: a cosine, and rapidfuzz's token_sort_ratio in percent."""
_WORD = re.compile(r"[a-z0-9+/{}'-]+")


@dataclass(frozen=True)
class Fault:
    """A row that must be mended, and why."""

    id: str
    problem: str

    def __str__(self) -> str:
        return f"{self.id}: {self.problem}"


def check_bank(questions: Sequence[Question], corpus: Corpus | None, index: Index | None, sets: Iterable[str]) -> list[Fault]:
    """All faults of the bank.

    Args:
        corpus: the edition whose numbers the bank uses; numbers and rights are not checked without it.
        index: of any edition, to find near-duplicates of the evaluation sets; they are not looked for without it.
        sets: the sets that must stay unseen.
    """
    faults = list(_rows(questions))
    if corpus is not None:
        faults += [*_numbers(questions, corpus), *_rights(questions, corpus)]
    if index is not None:
        faults += _near(questions, index, sets)
    return faults


def _numbers(questions: Sequence[Question], corpus: Corpus) -> Iterator[Fault]:
    for q in questions:
        missing = [str(n) for n in q.rules if n not in corpus.by_number]
        if missing:
            yield Fault(q.id, f"the edition {corpus.name} has no rule {', '.join(missing)}")


def _rows(questions: Sequence[Question]) -> Iterator[Fault]:
    ids = Counter(q.id for q in questions)
    texts = Counter(" ".join(q.question.lower().split()) for q in questions)
    for q in questions:
        if ids[q.id] > 1:
            yield Fault(q.id, "the id occurs more than once")
        if texts[" ".join(q.question.lower().split())] > 1:
            yield Fault(q.id, "another row asks the same in the same words")
        if q.checked < 1:
            yield Fault(q.id, "nobody has checked it")


def word_runs(text: str) -> set[int]:
    """The hashes of all runs of ``RUN`` words in a text."""
    words = _WORD.findall(text.lower().replace("’", "'"))
    return {hash(tuple(words[i : i + RUN])) for i in range(len(words) - RUN + 1)}


def _rights(questions: Sequence[Question], corpus: Corpus) -> Iterator[Fault]:
    theirs = {run for rule in corpus for text in (rule.text, *rule.examples) for run in word_runs(text)}
    theirs |= {run for entry in corpus.glossary for run in word_runs(entry.text)}
    for q in questions:
        if any(word_runs(text) & theirs for text in (q.question, q.answer)):
            yield Fault(q.id, f"shares a run of {RUN} words with the rulebook")


def _near(questions: Sequence[Question], index: Index, sets: Iterable[str]) -> Iterator[Fault]:
    from rapidfuzz.fuzz import token_sort_ratio

    known = {q.id for q in questions}
    for name in sets:
        asked = read_set(name, unanswerable=True)
        vectors = index.encoder.encode([question.question for question in asked])
        for question, vector in zip(asked, vectors, strict=True):
            near = {
                f.passage.label: f
                for f in [*index.nearest(vector, "question", 5), *index.matching(question.question, "question", 5)]
            }
            cosines = {f.passage.label: f.score for f in index.nearest(vector, "question", 5)}
            for label, found in near.items():
                words = token_sort_ratio(question.question.lower(), found.passage.text.lower())
                if label in known and (cosines.get(label, 0.0) >= NEAR_COSINE or words >= NEAR_WORDS):
                    yield Fault(
                        label,
                        f"is nearly {question.id} of the set {name} (cosine {cosines.get(label, 0):.2f}, words {words:.0f} %)",
                    )


def coverage(questions: Sequence[Question], corpus: Corpus) -> list[tuple[RuleNumber, str, int, int, int]]:
    """For each section: its number, title, rules, rules that decide a question, and questions."""
    decisive = Counter(q.rules[0] for q in questions)
    rows: list[tuple[RuleNumber, str, int, int, int]] = []
    for number, title in corpus.titles.items():
        rules = [rule.number for rule in corpus.under(number) if not rule.is_heading] if number.section >= 100 else []
        if rules:
            rows.append((number, title, len(rules), sum(n in decisive for n in rules), sum(decisive[n] for n in rules)))
    return rows


def own_bank(folder: Path | None = None) -> list[Question]:
    """The rows of the bank as they are written.

    Raises:
        RulesError: a row does not parse, or there are none.
    """
    questions = read_bank(folder) if folder else read_bank()
    if not questions:
        raise RulesError("the bank has no questions; restore data/bank from the repository")
    return questions
