"""``python -m eval``: ask a question set, score, compare, report, calibrate. Data goes to stdout, talk to stderr."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eval.checks import agreement, check_bank, known
from eval.options import FILE, FOLDER, index_option, seed_option, set_option
from index.errors import RulesError

if TYPE_CHECKING:
    from eval.measures import Table
    from eval.results import Results
    from eval.runs import Run
    from eval.sets import Question
    from index.corpus import Corpus

ROOT = Path(__file__).parent.parent


class Group(click.Group):
    """Turns the project's one error class into one line on stderr and exit code 1, for every command."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except RulesError as error:
            click.echo(f"error: {' '.join(str(error).split())}", err=True)
            ctx.exit(1)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure how well rules are found.

    Example: python -m eval run --set dev --system full --out runs/full
    """


for command in (agreement, check_bank, known):
    main.add_command(command)


@main.command()
@set_option
@click.option(
    "--system", required=True, help="bm25, dense, hybrid, hybrid+citation, full, full-no-SIGNAL, or random, constant, reversed."
)
@click.option("--out", type=FOLDER, required=True, help="The folder for run.jsonl, per_question.jsonl and metrics.json.")
@index_option
@click.option("--encoder", help="Another encoder, by name or path; an index with it is built beside OUT.")
@click.option("--show-examples", is_flag=True, help="Leave the examples in the index; else the examples set hides them.")
@click.option("-k", default=20, show_default=True, type=click.IntRange(1, 1000), help="Hits asked for each question.")
@click.option("--limit", type=click.IntRange(1), help="Only the first questions of the set.")
@click.option("--trec", is_flag=True, help="Also write run.trec.")
@seed_option
def run(
    set_name: str,
    system: str,
    out: Path,
    index: Path | None,
    encoder: str | None,
    show_examples: bool,
    k: int,
    limit: int | None,
    trec: bool,
    seed: int,
) -> None:
    """Ask a system every question of a set and measure what it finds.

    Example: python -m eval run --set data/questions/dev.jsonl --system full --out runs/dev-full
    """
    from eval.results import describe_set, peak_memory_mb, write_results
    from eval.sets import check_gold, read_set
    from eval.systems import ask_all, load_corpus, load_system, rebuild

    corpus = load_corpus(index)
    check_gold(questions := read_set(set_name, corpus=corpus)[:limit], corpus)
    _note_edition(questions, corpus)
    hide = set_name == "examples" and not show_examples
    special = "-".join(["index", *([Path(encoder).name] if encoder else []), *["no-examples"] * hide])
    # Beside the results, not in them: the next system's run finds the vectors there and embeds nothing again.
    searched = rebuild(index, out.parent / special, encoder=encoder, hide_examples=hide) if encoder or hide else index
    with _progress(f"asking {system}", len(questions)) as tick:
        found = ask_all(load_system(system, searched, seed), questions, k, tick)
    facts = {
        "system": system,
        "set": describe_set(set_name, questions),
        "edition": corpus.name,
        "config": {"index": str(searched or ""), "encoder": encoder or "", "limit": limit, "examples_hidden": hide},
        "k": k,
        "command": f"python -m eval run --set {set_name} --system {system} -k {k} --seed {seed}",
        "peak_memory_mb": peak_memory_mb(),
    }
    _print_metrics(write_results(out, _table(questions, found), found, facts, seed, trec=trec))


@main.command()
@click.option("--run", "run_file", type=FILE, required=True, help="Our JSONL or TREC's form.")
@set_option
@index_option
@click.option("--out", type=FOLDER, help="Also write the results folder there.")
@seed_option
def score(run_file: Path, set_name: str, index: Path | None, out: Path | None, seed: int) -> None:
    """Score a run that any program made; with --index, its numbers are checked.

    Example: python -m eval score --run theirs.trec --set dev
    """
    from eval.results import summarise, write_results

    found, questions, corpus = _foreign(run_file, set_name, index)
    table = _table(questions, found)
    facts = _foreign_facts(run_file, set_name, questions, corpus)
    _print_metrics(write_results(out, table, found, facts, seed) if out else {**facts, **summarise(table, found, seed)})


@main.command()
@click.argument("a", type=FILE)
@click.argument("b", type=FILE)
@click.option("--set", "set_name", help="The set, where A or B is a run file and not a results folder.")
@index_option
@seed_option
def compare(a: Path, b: Path, set_name: str | None, index: Path | None, seed: int) -> None:
    """Compare two runs over the same set: differences with intervals, and a paired randomisation test.

    Example: python -m eval compare runs/dev-hybrid runs/dev-full
    """
    from dataclasses import asdict

    from eval.report import compare_table
    from eval.results import paired
    from eval.stats import bootstrap, randomisation

    one, other = (_results(path, set_name, index) for path in (a, b))
    first, second = paired(one, other)
    differences = [asdict(estimate) for estimate in bootstrap(second - first, seed)]
    names = (one.system, other.system) if one.system != other.system else (a.name, b.name)
    means = [first.mean(axis=0).tolist(), second.mean(axis=0).tolist()]
    click.echo(compare_table(names, means, differences, randomisation(second - first, seed).tolist()), nl=False)


@main.command()
@click.argument("folders", nargs=-1, required=True, type=FOLDER)
@click.option("--out", type=FILE, default=ROOT / "eval" / "RESULTS.md", help="The Markdown file; figures go beside it.")
def report(folders: Sequence[Path], out: Path) -> None:
    """Write tables, figures and the worst misses of runs and calibrations as Markdown.

    Example: python -m eval report runs/dev-bm25 runs/dev-full runs/settled
    """
    from eval.report import write_report

    write_report(folders, out)
    click.echo(out)


@main.command()
@click.option("--dev", default="dev", show_default=True, help="The set to fit on.")
@click.option("--unanswerable", default="unanswerable", show_default=True, help="Half of it is fitted on, half is for the check.")
@click.option("--test", default="test", show_default=True, help="The set to check on.")
@index_option
@click.option("--system", default="full", show_default=True, help="A system of our own.")
@click.option("-k", default=10, show_default=True, type=click.IntRange(1, 1000), help="Hits asked for each question.")
@click.option("--save", type=FILE, default=ROOT / "data" / "settled.json", help="Where the calibration goes.")
@click.option("--out", type=FOLDER, help="A folder for calibration.json, which report reads.")
def calibrate(
    dev: str, unanswerable: str, test: str, index: Path | None, system: str, k: int, save: Path, out: Path | None
) -> None:
    """Fit the probability that the rules found settle a question, and check it on other questions.

    Example: python -m eval calibrate --dev dev --unanswerable unanswerable --test test --out runs/settled
    """
    import json

    from eval.calibrate import fit_and_check
    from eval.jsonl import write_json
    from eval.sets import check_gold, read_set, title
    from eval.systems import load_corpus, load_system

    corpus = load_corpus(index)
    names = (dev, unanswerable, test)
    sets = [(title(name), read_set(name, corpus=corpus, unanswerable=name == unanswerable)) for name in names]
    every = [question for _, questions in sets for question in questions]
    check_gold(every, corpus)
    with _progress("asking", len(every)) as tick:
        calibration, checked = fit_and_check(load_system(system, index), sets, k, tick)
    write_json(save, calibration.to_json())
    checked = {"system": system, "command": f"python -m eval calibrate --system {system} -k {k}", **checked}
    if out:
        write_json(out / "calibration.json", checked)
    click.echo(json.dumps({name: value for name, value in checked.items() if not isinstance(value, list)}, indent=2))


@main.command(name="all")
@index_option
@click.option("--rules", type=FILE, help="A rulebook file; its index is built under RUNS.")
@click.option("--cards", type=FILE, help="Scryfall's bulk file, to go with --rules.")
@click.option("--runs", type=FOLDER, default=ROOT / "runs", help="Where the runs go; those that are up to date are kept.")
@click.option("--out", type=FILE, default=ROOT / "eval" / "RESULTS.md", help="The report; figures go beside it.")
@click.option("--save", type=FILE, default=ROOT / "data" / "settled.json", help="Where the calibration goes.")
@click.option("-k", default=20, show_default=True, type=click.IntRange(10, 100), help="Hits asked for each question.")
@click.option("--limit", type=click.IntRange(1), help="Only the first questions of each set: a trial.")
@seed_option
def everything(
    index: Path | None,
    rules: Path | None,
    cards: Path | None,
    runs: Path,
    out: Path,
    save: Path,
    k: int,
    limit: int | None,
    seed: int,
) -> None:
    """Run all systems on all sets, calibrate, and rewrite the report: what "make eval" does.

    Example: python -m eval all --rules MagicCompRules.txt
    """
    from eval.report import write_report
    from eval.suite import Suite, index_of, run_all
    from index.cli import chosen, say
    from index.prepare import ensure_index

    if (rules and index) or (cards and not rules):
        raise RulesError("give either --index, or --rules with or without --cards")
    if not rules and not index:
        ensure_index(chosen(None), say)
    folder = index_of(rules, cards, runs, say) if rules else chosen(index)
    suite = Suite(folder, runs, save, k, seed, limit or 0)
    write_report(run_all(suite, _progress, say), out)
    click.echo(out)


@main.command()
@index_option
def notebooks(index: Path | None) -> None:
    """Run the notebooks and keep their outputs; without --index on the digest.

    Example: python -m eval notebooks --index my-index
    """
    from eval.notebook import execute

    with _progress("running the notebooks", 3) as tick:
        for path in execute(index, tick):
            click.echo(path)


@main.command()
@index_option
@click.option("--set", "set_name", default="dev", show_default=True, help="The questions to ask.")
@click.option("--limit", default=100, show_default=True, type=click.IntRange(5), help="How many of them.")
@click.option("--out", type=FILE, default=ROOT / "runs" / "bench.json", help="Where the figures go.")
@click.option("--skip", multiple=True, type=click.Choice(["start", "warm", "help", "build", "page"]), help="Leave a part out.")
def bench(index: Path | None, set_name: str, limit: int, out: Path, skip: Sequence[str]) -> None:
    """Measure speed and memory as ratios on this machine: what "make bench" does.

    Example: python -m eval bench --index my-index
    """
    from eval.bench import PARTS, bench_table, measure
    from eval.jsonl import write_json
    from index.cli import chosen, say
    from index.prepare import ensure_index

    if not index:
        ensure_index(chosen(None), say)
    parts = [part for part in PARTS if part not in skip]
    with _progress("measuring", len(parts)) as tick:
        figures = measure(chosen(index), set_name, limit, parts, tick)
    write_json(out, figures)
    click.echo(bench_table(figures), nl=False)


@main.command()
@set_option
@index_option
@seed_option
@click.option("--save", type=FILE, help="Write the fitted weights to this file, for example qa/weights.json.")
def fit(set_name: str, index: Path | None, seed: int, save: Path | None) -> None:
    """Fit the weights of the signals on a set, with cross-validation; takes some minutes.

    Example: python -m eval fit --set dev --save qa/weights.json
    """
    import json
    from dataclasses import asdict

    from eval.fit import fit as fit_weights
    from eval.sets import read_set
    from index.cli import chosen
    from index.folders import write_atomic
    from qa.judge import Judge
    from qa.retrieve import SIGNALS

    judge = Judge.load(chosen(index))
    with _progress("fitting", 6 * 3 * len(SIGNALS)) as tick:
        found = fit_weights(judge, read_set(set_name), seed, tick=tick)
    click.echo(f"questions {found.questions}; objective held out: {found.start_held_out:.4f} now, {found.held_out:.4f} fitted")
    text = json.dumps(asdict(found.weights), indent=2) + "\n"
    click.echo(text, nl=False)
    if save:
        write_atomic(save, text.encode())


def _foreign(run_file: Path, set_name: str, index: Path | None) -> "tuple[Run, list[Question], Corpus | None]":
    from eval.runs import check_run, read_run
    from eval.sets import check_gold, read_set
    from eval.systems import load_corpus

    corpus = load_corpus(index) if index or set_name == "examples" else None
    questions = read_set(set_name, corpus=corpus)
    if corpus is not None:
        check_gold(questions, corpus)
        _note_edition(questions, corpus)
    found = read_run(run_file)
    for remark in check_run(found, questions, corpus):
        click.echo(f"note: {remark}", err=True)
    return found, questions, corpus


def _foreign_facts(run_file: Path, set_name: str, questions: "list[Question]", corpus: "Corpus | None") -> dict[str, Any]:
    from eval.results import describe_set

    edition = corpus.name if corpus is not None else ""
    return {
        "system": run_file.stem,
        "set": describe_set(set_name, questions),
        "edition": edition,
        "config": {"run": str(run_file)},
    }


def _results(path: Path, set_name: str | None, index: Path | None) -> "Results":
    """A results folder as it is, or a run file scored now."""
    from eval.results import Results, read_results

    if path.is_dir():
        return read_results(path)
    if set_name is None:
        raise RulesError(f"{path} is a run file; name its question set with --set")
    found, questions, corpus = _foreign(path, set_name, index)
    return Results(path, _foreign_facts(path, set_name, questions, corpus), _table(questions, found).rows())


def _table(questions: "list[Question]", found: "Run") -> "Table":
    from eval.measures import per_question

    table = per_question(questions, found)
    if len(table.questions) < len(questions):
        click.echo(f"note: {len(questions) - len(table.questions)} questions have no gold and are not measured", err=True)
    return table


def _note_edition(questions: "list[Question]", corpus: "Corpus") -> None:
    other = {question.edition for question in questions} - {"", corpus.name}
    if other:
        click.echo(f"note: the set uses the numbers of {', '.join(sorted(other))}, the index those of {corpus.name}", err=True)


def _print_metrics(metrics: dict[str, Any]) -> None:
    from eval.measures import LEVELS, MEASURES
    from eval.report import interval, table

    rows = [[measure, *(interval(metrics["measures"][f"{level} {measure}"]) for level in LEVELS)] for measure in MEASURES]
    click.echo(table([f"{metrics['system']} on {metrics['set']['name']}", *LEVELS], rows), nl=False)


@contextmanager
def _progress(text: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on stderr; gives the function to call after each step."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(text, total=total)
        yield lambda: progress.advance(task)


if __name__ == "__main__":
    main(prog_name="python -m eval")
