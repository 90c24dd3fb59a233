"""Commands that check what we wrote ourselves: the bank, its readers, the pairs of known questions."""

from collections.abc import Sequence
from pathlib import Path

import click

from eval.options import FILE, index_option


@click.command()
@click.argument("a", type=FILE)
@click.argument("b", type=FILE)
def agreement(a: Path, b: Path) -> None:
    """Measure how far two readers agree on the gold of the same questions.

    Example: python -m eval agreement data/questions/readers/test.A.jsonl data/questions/readers/test.B.jsonl
    """
    from eval.agreement import agree, agreement_table, read_reader

    click.echo(agreement_table(agree(read_reader(a), read_reader(b))), nl=False)


@click.command("check-bank")
@click.option("--rules", type=FILE, help="The rulebook whose numbers the bank uses; else the digest.")
@index_option
@click.option("--sections", is_flag=True, help="Also print how many rules of each section decide a question.")
def check_bank(rules: Path | None, index: Path | None, sections: bool) -> None:
    """Check our question bank and phrase table: rows, numbers, rights, distance from the evaluation sets, coverage.

    Exit code 1 if a row must be mended. Numbers and rights are checked where --rules is given, near-duplicates of the
    evaluation sets where --index is.

    Example: python -m eval check-bank --rules MagicCompRules.txt --index my-index
    """
    from eval.bank import check_bank as faults_of
    from eval.bank import check_phrases, coverage, own_bank
    from index.phrases import read_phrases
    from index.sources import load
    from index.store import load as load_index

    questions, phrases = own_bank(), read_phrases()
    corpus = load(rules, digest=rules is None).corpus
    faults = faults_of(questions, corpus if rules else None, load_index(index) if index else None, ("dev", "test"))
    faults += check_phrases(phrases, corpus if rules else None)
    for fault in faults:
        click.echo(str(fault))
    if sections:
        for number, title, count, deciding, asked in coverage(questions, corpus):
            click.echo(f"{number} {title}: {deciding} of {count} rules decide {asked} questions")
    twice = sum(question.checked > 1 for question in questions)
    counted = f"{len(questions):,} questions, {twice:,} checked by a second reader, {len(phrases):,} phrases"
    click.echo(f"{counted}, {len(faults)} faults")
    if faults:
        raise SystemExit(1)


@click.command()
@index_option
@click.option("--least", type=float, multiple=True, help="A threshold to look at; by default the one in use and some around it.")
def known(index: Path | None, least: Sequence[float]) -> None:
    """Measure how often a known question that is shown is the same case, on pairs that a reader has judged.

    Example: python -m eval known --least 0.95
    """
    from eval.known import read_pairs, shown
    from index.cli import chosen
    from index.store import load as load_index
    from qa.rank import default_weights

    loaded = load_index(chosen(index))
    used = default_weights().known
    thresholds = least or [round(used + step, 2) for step in (-0.15, -0.1, -0.05, 0.0, 0.05, 0.1)]
    for each in shown(read_pairs(loaded.questions), loaded.encoder, thresholds):
        click.echo(f"{each}{'  (in use)' if each.threshold == used else ''}")
