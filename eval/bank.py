"""Check the question bank and the phrase table: rows, rights, distance from the evaluation sets, coverage."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.sets import read_set
from index.bank import Question, read_bank
from index.corpus import Corpus
from index.encoder import Vectors
from index.errors import RulesError
from index.numbers import RuleNumber
from index.phrases import Phrase
from index.store import Index
from qa.phrases import parts_of

RUN = 10
"""So many words in a row, shared with the rulebook, are its wording and not ours."""
LIKELY = 5
"""So many of the nearest rows, in meaning and in words, are compared with each question of a set."""
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


def _runs_of(corpus: Corpus) -> set[int]:
    """The runs of words of a whole rulebook."""
    theirs = {run for rule in corpus for text in (rule.text, *rule.examples) for run in word_runs(text)}
    return theirs | {run for entry in corpus.glossary for run in word_runs(entry.text)}


def _rights(questions: Sequence[Question], corpus: Corpus) -> Iterator[Fault]:
    theirs = _runs_of(corpus)
    for q in questions:
        if any(word_runs(text) & theirs for text in (q.question, q.answer)):
            yield Fault(q.id, f"shares a run of {RUN} words with the rulebook")


def check_phrases(phrases: Sequence[Phrase], corpus: Corpus | None) -> list[Fault]:
    """All faults of the phrase table.

    Args:
        corpus: the edition whose numbers the phrases use; numbers and rights are not checked without it.
    """
    return [*_forms(phrases), *(_phrases_in(phrases, corpus) if corpus is not None else ())]


def _forms(phrases: Sequence[Phrase]) -> Iterator[Fault]:
    first: dict[object, str] = {}
    for phrase in phrases:
        for form in phrase.forms:
            parts = parts_of(form)
            if not all(parts):
                yield Fault(phrase.phrase, f"{form!r} has a part without a word")
            elif parts in first:
                yield Fault(phrase.phrase, f"{form!r} is there twice, also under {first[parts]!r}")
            first.setdefault(parts, phrase.phrase)


def _phrases_in(phrases: Sequence[Phrase], corpus: Corpus) -> Iterator[Fault]:
    theirs = _runs_of(corpus)
    for phrase in phrases:
        for number in phrase.rules:
            rule = corpus.by_number.get(number)
            if rule is None:
                yield Fault(phrase.phrase, f"the edition {corpus.name} has no rule {number}")
            elif rule.is_heading and len(corpus.family(number)) > 1:
                yield Fault(phrase.phrase, f"{number} is a heading; name the rules under it that decide")
        if any(word_runs(text) & theirs for text in (*phrase.forms, phrase.means)):
            yield Fault(phrase.phrase, f"shares a run of {RUN} words with the rulebook")


def _near(questions: Sequence[Question], index: Index, sets: Iterable[str]) -> Iterator[Fault]:
    """Rows that are nearly a question of a set; the index names the likely ones, whose questions alone are then compared."""
    from rapidfuzz.fuzz import token_sort_ratio

    known = {q.id: q.question for q in questions}
    for name in sets:
        asked = read_set(name, unanswerable=True)
        vectors = index.encoder.encode([question.question for question in asked])
        near = [_likely(index, question.question, vector) & known.keys() for question, vector in zip(asked, vectors, strict=True)]
        labels = sorted({label for found in near for label in found})
        own = dict(zip(labels, index.encoder.encode([known[label] for label in labels]), strict=True))
        for question, vector, found in zip(asked, vectors, near, strict=True):
            for label in sorted(found):
                cosine = float(vector @ own[label])
                words = token_sort_ratio(question.question.lower(), known[label].lower())
                if cosine >= NEAR_COSINE or words >= NEAR_WORDS:
                    why = f"cosine {cosine:.2f}, words {words:.0f} %"
                    yield Fault(label, f"is nearly {question.id} of the set {name} ({why})")


def _likely(index: Index, text: str, vector: Vectors) -> set[str]:
    """The ids of the bank's questions that are nearest to a text in meaning and in words."""
    found = [*index.nearest(vector, "question", LIKELY), *index.matching(text, "question", LIKELY)]
    return {each.passage.label for each in found}


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
