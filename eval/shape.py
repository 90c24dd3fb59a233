"""The shape of a rulebook in numbers: its size, its growth over the editions, its citation graph."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from index.citations import Citations
from index.corpus import Corpus


@dataclass(frozen=True)
class Size:
    """How large a rulebook, or a chapter of one, is."""

    name: str
    sections: int
    rules: int
    examples: int
    words: int


@dataclass(frozen=True)
class Graph:
    """The citation graph of a rulebook.

    Attributes:
        nodes: rules, and the sections that are cited as a whole.
        lonely: the share of rules that cite nothing and are cited by nothing.
        cited, citing: the numbers with the most citations to and from them, with how many.
        components: the sizes of the parts that hang together, largest first.
        depth: the longest chain of citations; a ring of rules that cite each other counts as one link.
    """

    nodes: int
    edges: int
    lonely: float
    cited: list[tuple[str, int]]
    citing: list[tuple[str, int]]
    components: list[int]
    depth: int


def size(corpus: Corpus) -> Size:
    """The whole rulebook."""
    examples = sum(len(rule.examples) for rule in corpus)
    words = sum(len(text.split()) for rule in corpus for text in (rule.text, *rule.examples))
    sections = sum(number.section >= 10 for number in corpus.titles)
    return Size(corpus.name, sections, len(corpus.rules), examples, words)


def chapters(corpus: Corpus) -> list[Size]:
    """Each chapter by itself."""
    found = []
    for chapter in dict.fromkeys(rule.number.chapter for rule in corpus):
        rules = corpus.under(chapter)
        words = sum(len(text.split()) for rule in rules for text in (rule.text, *rule.examples))
        sections = len({rule.number.section for rule in rules})
        found.append(Size(str(chapter), sections, len(rules), sum(len(rule.examples) for rule in rules), words))
    return found


def growth(folder: Path) -> list[Size]:
    """The size of each edition in a folder of texts, in the order of their dates; none where there is no such folder."""
    from index.sources import load_file

    return [size(load_file(path).corpus) for path in sorted(folder.glob("*.txt"))]


def letters(corpus: Corpus) -> dict[int, int]:
    """How many rules have how many subrules."""
    counts = Counter(len(corpus.family(rule.number)) - 1 for rule in corpus if not rule.number.letter)
    return dict(sorted(counts.items()))


def graph(corpus: Corpus, most: int = 15) -> Graph:
    """The citation graph with its ``most`` largest hubs."""
    import networkx

    edges = Citations(corpus).edges
    net: networkx.DiGraph = networkx.DiGraph()
    net.add_nodes_from(rule.number for rule in corpus)
    net.add_edges_from(edges)
    rings = networkx.condensation(net)
    parts = sorted((len(part) for part in networkx.weakly_connected_components(net)), reverse=True)
    return Graph(
        nodes=net.number_of_nodes(),
        edges=len(edges),
        lonely=sum(net.degree(rule.number) == 0 for rule in corpus) / max(1, len(corpus.rules)),
        cited=_largest(net.in_degree(), most),
        citing=_largest(net.out_degree(), most),
        components=parts,
        depth=networkx.dag_longest_path_length(rings),
    )


def _largest(degrees: Sequence[tuple[object, int]], most: int) -> list[tuple[str, int]]:
    order = sorted(degrees, key=lambda item: (-item[1], str(item[0])))
    return [(str(number), count) for number, count in order[:most] if count]
