"""The options that several commands of ``python -m eval`` share."""

from pathlib import Path

import click

FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path)

set_option = click.option(
    "--set", "set_name", required=True, help="A JSONL or Parquet file, dev, test, examples, or a data set id."
)
index_option = click.option("--index", type=FOLDER, help="The index folder; by default your own.")
seed_option = click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=7, show_default=True, help="Of everything that is drawn by chance."
)
