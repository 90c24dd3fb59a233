"""The command line of the index: ``python -m index``."""

import json
from pathlib import Path
from typing import Any

import click

from index.cli import INDEX, chosen, run, say

FILE = click.Path(path_type=Path)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Turn a rulebook into a searchable index, and look things up in it.

    Example: python -m index build --rules MagicCompRules.txt
    """


@cli.command()
@click.option("--page", help="Address of the page that lists the rulebook; else the official one.")
def fetch(page: str | None) -> None:
    """Fetch the newest official rulebook.

    Example: python -m index fetch
    """
    from index.fetch import OFFICIAL_PAGE
    from index.fetch import fetch as bring
    from index.sources import download_bar

    with download_bar() as progress:
        fetched = bring(page or OFFICIAL_PAGE, progress=progress) if page else bring(progress=progress)
    click.echo(str(fetched))
    if fetched.corpus.source.notice:
        click.echo(fetched.corpus.source.notice)
    say("now build the index: python -m index build")


@cli.command()
@click.option("--rules", type=FILE, help="A rulebook file (TXT) of any edition since 2003.")
@click.option("--dataset", help="A data set with rules: its name on the hub, or a Parquet or JSONL file.")
@click.option("--digest", is_flag=True, help="Use the built-in digest, our own short wording of the most used rules.")
@click.option("--out", "--index", "out", type=FILE, help="Folder of the index; else the one in your data folder.")
@click.option("--encoder", default=None, help="A sentence-transformers model: a name or a folder.  [default: all-MiniLM-L6-v2]")
@click.option("--plain", is_flag=True, help="Leave out our adapter: the encoder as it was published.")
def build(rules: Path | None, dataset: str | None, digest: bool, out: Path | None, encoder: str | None, plain: bool) -> None:
    """Build the index of a rulebook; takes a few minutes.

    Without --rules, --dataset or --digest it takes the fetched official text, else fetches it, else the digest.

    Example: python -m index build --rules MagicCompRules.txt --out my-index
    """
    from index.prepare import build_index
    from index.sources import load

    loaded = load(rules, dataset, digest, say=say)
    for line in loaded.lines:
        click.echo(line)
    config = build_index(loaded.corpus, chosen(out), encoder, say, plain)
    click.echo(f"{config['counts']['passages']:,} passages indexed in {chosen(out)}")
    if loaded.corpus.source.notice:
        say(f"note: {loaded.corpus.source.notice}")


@cli.command()
@click.option("--file", "file", type=FILE, help="Scryfall's bulk file of type oracle_cards.")
@click.option("--fetch", "download", is_flag=True, help="Download that file first (about 170 MB).")
@INDEX
def cards(file: Path | None, download: bool, index: Path | None) -> None:
    """Keep the cards beside an index, so that questions may name them.

    The cards kept before stay where the new ones can't be read.

    Example: python -m index cards --fetch --index my-index
    """
    from index.bulk import downloaded, keep
    from index.cards import require_index

    folder = chosen(index)
    if (file is None) == (not download):
        raise click.UsageError("give --file FILE or --fetch")
    require_index(folder)
    if file is not None:
        count = keep(file, folder)
    else:
        with downloaded(folder) as path:
            count = keep(path, folder)
    click.echo(f"{count:,} cards kept in {folder}")


@cli.command()
@click.argument("file", type=FILE)
@click.option("--all", "every", is_flag=True, help="List every note and unplaced line, not only the first 20.")
def check(file: Path, every: bool) -> int:
    """Report how a rulebook file was read: what became of every line of it.

    Exit code 1 if a line was not understood.

    Example: python -m index check MagicCompRules.txt
    """
    from index.sources import load_file

    loaded = load_file(file)
    report = loaded.report
    assert report is not None  # a file always has one
    for kind, count in report.lines.items():
        click.echo(f"{count:>7,} {kind}")
    click.echo(f"{report.total:>7,} lines that are not blank")
    most = None if every else 20
    for number, remark in report.notes[:most]:
        click.echo(f"line {number}: {remark}" if number else remark)
    for number, text in report.unplaced[:most]:
        click.echo(f"line {number}: unplaced: {click.style(text[:100], fg='red')}")
    click.echo(report.summary(loaded.corpus).removesuffix(" lines"))
    return 1 if report.unplaced else 0


@cli.command()
@click.option("--rules", type=FILE, required=True, help="The rulebook whose numbers the bank uses.")
@click.option("--out", type=FILE, default=Path("data/adapter"), show_default=True, help="Folder of the adapter.")
@click.option("--epochs", type=click.IntRange(1, 10), default=1, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def finetune(rules: Path, out: Path, epochs: int, seed: int) -> None:
    """Fine-tune the default encoder on the question bank; takes some tens of minutes.

    The adapter it writes is merged by "index build". Needs: pip install "peft".

    Example: python -m index finetune --rules MagicCompRules.txt
    """
    from index.bank import bank_for
    from index.build import progress
    from index.finetune import finetune as train
    from index.sources import load_file

    corpus = load_file(rules).corpus
    questions = bank_for(corpus).questions
    with progress("learning", 2 * len(questions) * epochs) as step:
        about = train(corpus, questions, out, seed=seed, epochs=epochs, step=lambda done, total: step(done))
    click.echo(json.dumps(about, indent=1))


@cli.command()
@click.option("--rules", type=FILE, required=True, help="The rulebook whose numbers the bank and the phrases use.")
@click.option("--bank", type=FILE, help="Folder of the question bank, with the phrase table beside it; else the project's own.")
def pins(rules: Path, bank: Path | None) -> None:
    """Write pins.json anew: the fingerprints of all rules that the question bank and the phrase table name.

    Hashes of the names of sections and families go with them.

    Needed after a change of data/bank or data/phrases.jsonl that names another rule.

    Example: python -m index pins --rules MagicCompRules.txt
    """
    from index.bank import BANK, PINS
    from index.phrases import write_pins
    from index.sources import load_file

    folder = bank or BANK
    count = write_pins(load_file(rules).corpus, folder)
    click.echo(f"{count:,} rules fingerprinted in {folder / PINS}")


@cli.command()
@INDEX
@click.option("--json", "as_json", is_flag=True, help="Print config.json instead.")
def info(index: Path | None, as_json: bool) -> None:
    """Tell which rulebook an index holds, from where, and how it was built.

    Example: python -m index info --index my-index
    """
    from index.store import read_config

    config = read_config(chosen(index))
    if as_json:
        click.echo(json.dumps(config, indent=1))
        return
    source, encoder, counts = config["source"], config["encoder"], config["counts"]
    rows = {
        "folder": chosen(index),
        "edition": config["edition"],
        "source": f"{source['kind']} {source['where']}",
        "fetched": source["fetched"],
        "built": config["built"],
        "holds": ", ".join(f"{count:,} {what}" for what, count in counts.items()),
        "encoder": f"{encoder['name']} ({encoder['kind']}{', ' + encoder['form'] if 'form' in encoder else ''})",
        "note": source["notice"],
    }
    for name, value in rows.items():
        if value:
            click.echo(f"{name:<8} {value}")


@cli.command()
@click.argument("number")
@INDEX
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(number: str, index: Path | None, as_json: bool) -> None:
    """Show a rule, a family, a section or a chapter, with what it cites and what cites it.

    Example: python -m index show 702.19b
    """
    from index.look import as_dict, look
    from index.show import print_view
    from index.store import read_corpus

    view = look(read_corpus(chosen(index)), number)
    if not _print(as_dict(view), as_json):
        print_view(view)


@cli.command()
@click.argument("number")
@INDEX
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cites(number: str, index: Path | None, as_json: bool) -> None:
    """List what a rule cites, and what cites it.

    Example: python -m index cites 702.19b
    """
    from index.look import as_dict, look
    from index.store import read_corpus

    view = look(read_corpus(chosen(index)), number)
    if _print({key: as_dict(view)[key] for key in ("number", "edition", "cites", "cited_by")}, as_json):
        return
    click.echo(f"{view.number} cites:    {', '.join(map(str, view.cites)) or 'nothing'}")
    click.echo(f"{view.number} cited by: {', '.join(map(str, view.cited_by)) or 'nothing'}")


def _print(data: dict[str, Any], as_json: bool) -> bool:
    if as_json:
        click.echo(json.dumps(data, indent=1, ensure_ascii=False))
    return as_json


if __name__ == "__main__":
    run(cli, "python -m index")
