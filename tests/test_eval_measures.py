"""The measures against hand calculation and against an implementation of their own."""

import random
from math import log2

import numpy as np
import pytest

from eval.measures import COLUMNS, MEASURES, expansion_precision, family_gold, per_question
from eval.runs import Run, RunHit, RunLine
from eval.sets import Question
from eval.stats import bootstrap, breakdown, randomisation
from eval.systems import Constant, Found, Random, Reversed, ask_all
from index.errors import RulesError
from index.numbers import RuleNumber

BOOK = [
    RuleNumber(section, rule, letter) for section in (100, 101, 702) for rule in range(1, 21) for letter in ("", "a", "b", "c")
]


def ask(identity: str, *rules: str, **facts: object) -> Question:
    return Question(identity, f"about {identity}", tuple(map(RuleNumber.parse, rules)), **facts)  # type: ignore[arg-type]


def line(identity: str, *numbers: str) -> RunLine:
    return RunLine(identity, tuple(RunHit(RuleNumber.parse(n), 1 / rank) for rank, n in enumerate(numbers, 1)))


def values(question: Question, *numbers: str) -> dict[str, float]:
    table = per_question([question], {question.id: line(question.id, *numbers)})
    return dict(zip(COLUMNS, table.values[0].tolist(), strict=True))


def independent(gains: list[int], found: list[int | None]) -> dict[str, float]:
    """The textbook's definitions from the gold's gains and ranks, without any of the code under test."""

    def within(k: int) -> list[int]:
        return [rank for rank in found if rank is not None and rank <= k]

    dcg = sum(gain / log2(rank + 1) for gain, rank in zip(gains, found, strict=True) if rank is not None and rank <= 10)
    ideal = sum(gain / log2(rank + 1) for rank, gain in enumerate(sorted(gains, reverse=True)[:10], 1))
    return {f"recall@{k}": len(within(k)) / len(gains) for k in (5, 10, 20)} | {
        "mrr@10": max((1 / rank for rank in within(10)), default=0.0),
        "ndcg@10": dcg / ideal,
        "success@1": float(bool(within(1))),
        "success@5": float(bool(within(5))),
        "all-gold@10": float(len(within(10)) == len(gains)),
    }


def test_by_hand() -> None:
    got = values(ask("q", "702.19b", "510.1c"), "100.1", "510.1c", "702.19a", "702.19b")
    assert got["exact recall@5"] == got["exact recall@10"] == got["exact all-gold@10"] == 1
    assert got["exact mrr@10"] == 1 / 2
    assert got["exact success@1"] == 0
    assert got["exact success@5"] == 1
    assert got["exact ndcg@10"] == pytest.approx((1 / log2(3) + 2 / log2(5)) / (2 + 1 / log2(3)))
    # By family the decisive rule is already found at rank 3, through 702.19a.
    assert got["family ndcg@10"] == pytest.approx((1 / log2(3) + 2 / log2(4)) / (2 + 1 / log2(3)))


def test_cut_offs_count_hits_not_families() -> None:
    same = [f"100.1{letter}" for letter in "abcdefghij"]
    got = values(ask("q", "702.19"), *same, "702.19b")
    assert got["family recall@10"] == got["family all-gold@10"] == got["family mrr@10"] == 0
    assert got["family recall@20"] == 1
    assert got["exact recall@20"] == 0


def test_gold_heads_sections_and_chapters() -> None:
    head = values(ask("q", "702.19"), "702.19b", "702.19")
    assert (head["exact mrr@10"], head["family mrr@10"]) == (1 / 2, 1)
    section = values(ask("q", "704"), "100.1", "704.5a", "704.5b")
    assert (section["exact recall@10"], section["family recall@10"], section["family mrr@10"]) == (0, 1, 1 / 2)
    assert values(ask("q", "7"), "704.5a")["family success@1"] == 1
    assert values(ask("q", "704.5"), "704")["family success@1"] == 0, "a section covers no rule in it"


def test_of_nested_gold_the_narrower_stands_for_both() -> None:
    gold = family_gold(ask("q", "704", "704.5a", "704.5b", "510.1c").rules)
    assert {str(number): gain for number, gain in gold.items()} == {"704.5": 2, "510.1": 1}


@pytest.mark.parametrize("seed", range(5))
def test_an_independent_implementation_agrees(seed: int) -> None:
    chance = random.Random(seed)
    questions = [ask(f"q {i}", *map(str, chance.sample(BOOK, chance.randint(1, 6)))) for i in range(40)]
    run = {q.id: line(q.id, *map(str, chance.sample(BOOK, chance.randint(0, 60)))) for q in questions}
    table = per_question(questions, run)
    for question, row in zip(questions, table.values, strict=True):
        hits = [hit.number for hit in run[question.id].hits]
        gains = [2] + [1] * (len(question.rules) - 1)
        exact = independent(gains, [hits.index(n) + 1 if n in hits else None for n in question.rules])
        families = list(dict.fromkeys((n.section, n.rule) for n in question.rules))
        first = [next((i for i, n in enumerate(hits, 1) if (n.section, n.rule) == f), None) for f in families]
        family = independent([2] + [1] * (len(families) - 1), first)
        assert row.tolist() == pytest.approx([exact[m] for m in MEASURES] + [family[m] for m in MEASURES], abs=1e-9)


def test_family_is_never_below_exact_in_recall_and_first_rank() -> None:
    chance = random.Random(3)
    questions = [ask(f"q{i}", str(chance.choice(BOOK))) for i in range(60)]
    table = per_question(questions, {q.id: line(q.id, *map(str, chance.sample(BOOK, 30))) for q in questions})
    half = len(MEASURES)
    assert (table.values[:, half:] >= table.values[:, :half] - 1e-12).all()


def test_a_question_without_hits_lowers_the_mean_and_never_drops_out() -> None:
    questions = [ask("found", "100.1"), ask("absent", "100.1"), ask("empty", "100.1")]
    table = per_question(questions, {"found": line("found", "100.1"), "empty": line("empty")})
    assert table.values.shape == (3, len(COLUMNS))
    assert table.values.mean(axis=0) == pytest.approx(1 / 3)
    assert (per_question(questions, {}).values == 0).all()


def test_questions_without_gold_are_not_measured() -> None:
    assert [q.id for q in per_question([ask("a", "100.1"), ask("never")], {}).questions] == ["a"]
    with pytest.raises(RulesError, match="nothing to measure"):
        per_question([ask("never")], {})


class Oracle:
    """Knows the gold, puts it first, and fills up with the book."""

    def __init__(self, questions: list[Question]) -> None:
        self.gold = {q.question: q.rules for q in questions}

    def answer(self, question: str, k: int) -> Found:
        rules = list(dict.fromkeys([*self.gold.get(question, ()), *BOOK]))[:k]
        return [(number, -float(rank)) for rank, number in enumerate(rules)]


def test_broken_rankers_score_as_they_must() -> None:
    questions = [ask(f"q{i}", str(BOOK[20 + i])) for i in range(200)]

    def means(run: Run) -> dict[str, float]:
        return dict(zip(COLUMNS, per_question(questions, run).values.mean(axis=0).tolist(), strict=True))

    oracle = means(ask_all(Oracle(questions), questions, 20))
    assert set(oracle.values()) == {1.0}
    turned = means(ask_all(Reversed(Oracle(questions)), questions, 20))
    assert turned["exact recall@20"] == 1
    assert turned["exact recall@10"] == turned["exact mrr@10"] == turned["exact ndcg@10"] == 0
    # 20 of 240 rules by chance: the expected recall is 1/12, with a standard error of 0.02.
    chance = means(ask_all(Random(BOOK, 1), questions, 20))
    assert chance["exact recall@20"] == pytest.approx(20 / 240, abs=0.06)
    assert chance["exact mrr@10"] < 0.05
    # Always the first 20 rules of the book, which are nobody's gold.
    assert set(means(ask_all(Constant(BOOK), questions, 20)).values()) == {0.0}


def test_random_depends_on_seed_and_question_only() -> None:
    system = Random(BOOK, 1)
    first = system.answer("a", 5)
    system.answer("b", 5)
    assert first == Random(BOOK, 1).answer("a", 5)
    assert first not in (Random(BOOK, 2).answer("a", 5), system.answer("b", 5))


def test_precision_of_what_the_expansion_added() -> None:
    hits = [RunHit(RuleNumber.parse(n), 1.0, added) for n, added in (("100.1", False), ("702.19b", True), ("702.2", True))]
    run = {"q": RunLine("q", (*hits, RunHit(RuleNumber.parse("100.1a"), 0.5, True)))}
    got = expansion_precision([ask("q", "702.19b", "100.1"), ask("absent", "100.1")], run)
    assert got == {"added": 3, "exact": 1 / 3, "family": 2 / 3}
    assert expansion_precision([ask("q", "100.1")], {"q": line("q", "100.1")}) == {"added": 0, "exact": None, "family": None}


def test_rows_hold_numbers_and_facts_but_no_text() -> None:
    question = ask("q", "702.19b", "510.1c", kind="timing", level=2, cards=("Frog",))
    (row,) = per_question([question], {"q": line("q", "702.19a", "510.1c", "100.1", "100.2")}).rows()
    assert row["kind"] == "timing"
    assert (row["level"], row["chapter"], row["gold rules"], row["cards"]) == ("2", "7", "2", "with cards")
    assert (row["exact ranks"], row["family ranks"], row["top"]) == ([None, 2], [1, 2], ["702.19a", "510.1c", "100.1"])
    assert question.question not in str(row)


def test_the_interval_covers() -> None:
    # Of 200 samples of 60 coin flips with p = 0.4, about 95 % must have the truth in their interval.
    coins = (np.random.default_rng(5).random((200, 60, 1)) < 0.4).astype(float)
    estimates = [bootstrap(sample, seed, 500)[0] for seed, sample in enumerate(coins)]
    assert 0.90 <= np.mean([e.low <= 0.4 <= e.high for e in estimates]) <= 0.99
    assert all(e.low <= e.mean <= e.high and e.n == 60 for e in estimates)


def test_a_seed_decides_every_random_figure() -> None:
    sample = np.random.default_rng(1).random((50, 3))
    assert bootstrap(sample, 7) == bootstrap(sample, 7) != bootstrap(sample, 8)
    assert (randomisation(sample - 0.5, 7) == randomisation(sample - 0.5, 7)).all()
    assert bootstrap(np.ones((1, 1)), 7)[0].low == 1


def test_randomisation_agrees_with_all_sign_flips() -> None:
    differences = np.array([0.5, 0.2, -0.1, 0.4, 0.3, 0.25, -0.05, 0.15])
    signs = np.array([[1 if flip >> bit & 1 else -1 for bit in range(8)] for flip in range(256)])
    exact = (np.abs(signs @ differences) >= abs(differences.sum()) - 1e-9).mean()
    p = randomisation(np.column_stack([differences, -differences, np.zeros(8)]), 7)
    assert p[0] == pytest.approx(exact, abs=0.01)
    assert p[0] == p[1]
    assert p[2] == 1


def test_breakdown_groups_every_question_once_a_name() -> None:
    labels = [{"kind": "a", "level": "1"}, {"kind": "b", "level": "1"}, {"kind": "a", "level": "1"}]
    got = breakdown(labels, np.array([[1.0], [0.0], [0.0]]), 7)
    assert {name: {group: (row[0].mean, row[0].n) for group, row in rows.items()} for name, rows in got.items()} == {
        "kind": {"a": (0.5, 2), "b": (0.0, 1)},
        "level": {"1": (pytest.approx(1 / 3), 3)},
    }
