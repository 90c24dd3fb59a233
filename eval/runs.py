"""Runs: what a system found for each question of a set.

Our own form is JSONL, one object a line: ``id``, ``hits`` ([{``number``, ``score``}], with ``"added": true`` where the
expansion brought the rule) and ``ms``. TREC's form (``id Q0 number rank score tag``) is read and written too, so that
anybody's output can be scored and ours can be scored by anybody.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from struct import pack, unpack
from typing import Any, TypeAlias

from eval.jsonl import parse_object, read_lines, write_objects
from eval.sets import Question
from index.corpus import Corpus
from index.errors import RulesError
from index.folders import write_atomic
from index.numbers import RuleNumber


@dataclass(frozen=True)
class RunHit:
    """A rule that a system found; ``added`` says that following citations brought it."""

    number: RuleNumber
    score: float
    added: bool = False


@dataclass(frozen=True)
class RunLine:
    """The hits for one question, best first, and the time they took in milliseconds where it is known."""

    id: str
    hits: tuple[RunHit, ...]
    ms: float | None = None


Run: TypeAlias = dict[str, RunLine]
"""Lines by question id. A question that is absent got no hits."""


def ranked(hits: Iterable[RunHit]) -> tuple[RunHit, ...]:
    """Highest score first; ties stay in the order in which they are listed."""
    return tuple(sorted(hits, key=lambda hit: -hit.score))


def read_run(path: Path) -> Run:
    """Read a run in either form.

    Raises:
        RulesError: the file is not a run; names the line.
    """
    lines = list(read_lines(path))
    if not lines:
        raise RulesError(f"{path} holds no run")
    return _read_jsonl(lines) if lines[0][1].startswith("{") else _read_trec(lines)


def write_run(path: Path, run: Run) -> None:
    """Write our JSONL form, atomically."""
    write_objects(path, (_line_json(line) for line in run.values()))


def write_trec(path: Path, run: Run, tag: str) -> None:
    """Write TREC's form, atomically.

    Tools that read it sort by score and break ties by document name. Where a question's scores are not strictly falling
    in single precision, 1/rank stands in for them, so that every tool keeps our order.

    Raises:
        RulesError: an id or the tag has white space, which the form cannot hold.
    """
    rows: list[str] = []
    for line in run.values():
        if any(len(word.split()) != 1 for word in (line.id, tag)):
            raise RulesError(f"TREC's form cannot hold white space: id {line.id!r}, tag {tag!r}")
        for rank, (hit, score) in enumerate(zip(line.hits, _falling(line.hits), strict=True), 1):
            rows.append(f"{line.id} Q0 {hit.number} {rank} {score!r} {tag}\n")
    write_atomic(path, "".join(rows).encode())


def check_run(run: Run, questions: Sequence[Question], corpus: Corpus | None = None) -> list[str]:
    """What a reader of the scores must know about a run: one remark for each kind of mismatch with the set.

    Raises:
        RulesError: the run answers no question of the set at all.
    """
    ids = {question.id for question in questions}
    if not ids & run.keys():
        raise RulesError(f"the run answers none of the set's {len(ids)} questions; is it a run over another set?")
    absent = [question.id for question in questions if question.id not in run]
    foreign = [identity for identity in run if identity not in ids]
    lacking = (
        {hit.number for line in run.values() for hit in line.hits if hit.number not in corpus} if corpus is not None else set()
    )
    unknown = [f"{hit.number} for {line.id}" for line in run.values() for hit in line.hits if hit.number in lacking]
    remarks = (
        (absent, "questions are absent from the run and count as no hits"),
        (foreign, "ids of the run are not in the set and are left out"),
        (unknown, "hits name rules that the edition lacks and count as wrong"),
    )
    return [f"{len(items)} {text} (first: {items[0]})" for items, text in remarks if items]


def _line_json(line: RunLine) -> dict[str, Any]:
    hits = [{"number": str(h.number), "score": h.score} | ({"added": True} if h.added else {}) for h in line.hits]
    return {"id": line.id, "hits": hits, "ms": line.ms}


def _falling(hits: Sequence[RunHit]) -> list[float]:
    singles = [unpack("f", pack("f", hit.score))[0] for hit in hits]
    if all(a > b for a, b in pairwise(singles)):
        return [hit.score for hit in hits]
    return [1 / rank for rank in range(1, len(hits) + 1)]


def _read_jsonl(lines: Iterable[tuple[str, str]]) -> Run:
    run: Run = {}
    for where, text in lines:
        row = parse_object(text, where)
        identity = row.get("id")
        if not isinstance(identity, str | int) or isinstance(identity, bool) or not str(identity).strip():
            raise RulesError(f"{where}: 'id' is missing or empty")
        line = RunLine(str(identity).strip(), _hits(row.get("hits"), where), _milliseconds(row.get("ms"), where))
        if line.id in run:
            raise RulesError(f"{where}: the id {line.id!r} occurs twice in the run")
        run[line.id] = line
    return run


def _hits(rows: Any, where: str) -> tuple[RunHit, ...]:
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise RulesError(f'{where}: \'hits\' must be a list of objects like {{"number": "702.19b", "score": 1.5}}')
    return _checked([_hit(row.get("number"), row.get("score"), bool(row.get("added")), where) for row in rows], where)


def _hit(number: Any, score: Any, added: bool, where: str) -> RunHit:
    if not isinstance(number, str):  # as a JSON number, 702.10 would silently become 702.1
        raise RulesError(f"{where}: 'number' is {number!r}; write it as text, like \"702.19b\"")
    try:
        parsed = RuleNumber.parse(number)
    except RulesError as error:
        raise RulesError(f"{where}: {error}") from error
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise RulesError(f"{where}: the score of {parsed} is {score!r}, not a finite number")
    return RunHit(parsed, float(score), added)


def _checked(hits: Sequence[RunHit], where: str) -> tuple[RunHit, ...]:
    seen: set[RuleNumber] = set()
    for hit in hits:
        if hit.number in seen:
            raise RulesError(f"{where}: {hit.number} occurs twice among the hits of one question")
        seen.add(hit.number)
    return ranked(hits)


def _milliseconds(value: Any, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise RulesError(f"{where}: 'ms' is {value!r}, not a time in milliseconds")
    return float(value)


def _read_trec(lines: Iterable[tuple[str, str]]) -> Run:
    found: dict[str, list[RunHit]] = {}
    for where, text in lines:
        words = text.split()
        if len(words) != 6:
            raise RulesError(f"{where}: a TREC line has six words (id Q0 number rank score tag), this has {len(words)}")
        try:
            score = float(words[4])
        except ValueError as error:
            raise RulesError(f"{where}: the score {words[4]!r} is not a number") from error
        found.setdefault(words[0], []).append(_hit(words[2], score, False, where))
    return {identity: RunLine(identity, _checked(hits, f"question {identity}")) for identity, hits in found.items()}
