"""Print a view in the terminal."""

from rich.console import Console
from rich.text import Text

from index.look import View


def print_view(view: View) -> None:
    """Print a number's rules with their examples, then its citations and neighbours."""
    console = Console(highlight=False, soft_wrap=False)
    console.print(Text.assemble((f"{view.number} ", "bold cyan"), (view.title, "bold")))
    for rule in view.rules:
        console.print(Text.assemble((f"{rule.number} ", "cyan"), rule.text))
        for example in rule.examples:
            console.print(Text(f"    Example: {example}", style="dim italic"))
    for name, numbers in (("cites", view.cites), ("cited by", view.cited_by)):
        if numbers:
            console.print(Text.assemble((f"{name:<9}", "dim"), ", ".join(map(str, numbers))))
    around = [f"before: {view.before}" if view.before else "", f"after: {view.after}" if view.after else ""]
    console.print(Text("   ".join(part for part in (*around, f"edition {view.corpus.name}") if part), style="dim"))
