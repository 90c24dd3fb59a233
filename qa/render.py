"""Print an answer in the terminal."""

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from index.words import TOKEN, stem, tokens
from qa.answer import Answer, Hit, Reason

WHY = {
    "number": "you named it",
    "term": "names {via}",
    "phrase": 'speaks of "{via}"',
    "meaning": "close in meaning",
    "words": "shares words",
    "citation": "{via}",
    "together": "often decides beside {via}",
    "cards": "fits the text of a card named",
}
KNOWN = "decides a question like this one"


def print_answer(answer: Answer) -> None:
    """Print the ranked rules: number, title, text with the question's words marked, reasons and path."""
    console = Console(highlight=False)
    if answer.source.notice:
        console.print(Text(f"note: {answer.source.notice}", style="yellow"))
    if answer.notice:
        console.print(Text(answer.notice, style="yellow"))
    if answer.settled is False:
        console.print(Text("The rules found may not settle this; here are the nearest.", style="yellow"))
    for known in answer.known:
        rules = ", ".join(map(str, known.rules))
        console.print(Text.assemble(("\nknown question (ours, not official): ", "yellow"), known.question))
        console.print(Text.assemble(("ruling: ", "yellow"), (known.answer, "bold"), (f"  [{rules}]", "dim")))
    for card in answer.cards:
        console.print(Text.assemble((f"\n{card.name}  ", "bold blue"), (" ".join(card.text.split()), "dim")))
    for name in answer.unclear:
        console.print(Text(f'"{name.written}" may mean {", ".join(name.names)}', style="yellow"))
    words = set(tokens(answer.read_as))
    rank = 0
    for family in answer.families:
        console.print(Text(f"\n{family.number} {family.title}", style="bold"))
        for hit in family.hits:
            rank = answer.hits.index(hit) + 1
            _print_hit(console, rank, hit, words)
    console.print(Text(f"\nComprehensive Rules, edition {answer.edition} ({answer.source.kind})", style="dim"))


def _print_hit(console: Console, rank: int, hit: Hit, words: set[str]) -> None:
    text = Text.assemble((f"{rank:>2}. ", "dim"), (str(hit.number), "bold cyan"), "  ", marked(hit.rule.text, words))
    console.print(Padding(text, (0, 0, 0, 1)))
    for example in hit.rule.examples:
        console.print(Padding(Text(f"Example: {example}", style="dim italic"), (0, 0, 0, 6)))
    path = "; ".join(str(step) for step in hit.path)
    why = ", ".join(reasons(hit.reasons)) + (f"   ({path})" if path else "")
    console.print(Padding(Text(f"why: {why}", style="green"), (0, 0, 0, 6)))


def reasons(found: tuple[Reason, ...]) -> list[str]:
    """The reasons in plain words, each once, the best ranked first."""
    ordered = sorted(found, key=lambda reason: reason.rank)
    return list(dict.fromkeys(_plain(reason) for reason in ordered))


def _plain(reason: Reason) -> str:
    if reason.kind in ("meaning", "words") and reason.via.startswith("question"):
        return KNOWN
    return WHY.get(reason.kind, reason.kind).format(via=reason.via)


def marked(text: str, words: set[str]) -> Text:
    """A text with the words whose stems are given in bold."""
    out = Text(text)
    for match in TOKEN.finditer(text):
        if stem(match[0]) in words:
            out.stylize("bold magenta", *match.span())
    return out
