"""An index that never saw the rulebook's examples, so that it can be asked them.

An example stands in its rule's passage and in one of its own; both go. So do the bank's questions that retell one: their
decisive rule is the example's, and they name a card that the example names or are near to it in meaning or in words.
"""

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from index.corpus import Corpus
from index.encoder import Encoder, Vectors
from index.passages import Passage
from index.store import Index
from index.words import tokens

NEAR = 0.6
"""A bank question with this cosine to an example of the same rule retells it."""
SAME_WORDS = 0.3
"""So does one that shares this much of the words (Jaccard, stemmed, without stop words)."""

_WORD = r"[A-Z][\w’'-]+"
_NAME = re.compile(rf"{_WORD}(?: (?:(?:of|the|to|in|from) )*{_WORD})*")
_OPENING = re.compile(
    r"^(?:after|also|an|as|because|during|each|if|in|instead|later|neither|since|suppose|the|thus|two|when|whenever|while) "
)


def bare(corpus: Corpus) -> Corpus:
    """The corpus without its examples."""
    return replace(corpus, rules=tuple(replace(rule, examples=()) for rule in corpus))


def names(text: str) -> set[str]:
    """What may be the name of a card, in lower case: words with capitals that do not merely open a sentence."""
    found: set[str] = set()
    for match in _NAME.finditer(text):
        name = match[0].lower().replace("’", "'").removesuffix("'s")
        short = _OPENING.sub("", name)
        before = text[: match.start()].rstrip(' “"(‘')
        opens = not before or before[-1] in ".?!:\n"
        if len(short) > 3 and "'" not in short[:3] and (" " in name or not opens):
            found.add(short)
    return found


def card_names(corpus: Corpus) -> list[set[str]]:
    """For each example in the order of the text: its names that the rules themselves never use."""
    examples = [example for rule in corpus for example in rule.examples]
    used = " ".join(text for rule in corpus for text in (rule.text, rule.title)).lower()
    written = " ".join(examples)  # a word that also occurs without a capital is no name
    return [{name for name in names(text) if name not in used and name not in written} for text in examples]


def retellings(corpus: Corpus, bank: Sequence[Passage], asked: Vectors, encoder: Encoder) -> list[bool]:
    """For each passage of the bank, with its vector in the same row, whether it retells an example."""
    examples = [(rule, example) for rule in corpus for example in rule.examples]
    mine = [[place for place, (rule, _) in enumerate(examples) if rule.number in row.rules[:1]] for row in bank]
    if not any(mine):
        return [False] * len(bank)
    told = encoder.encode([example for _, example in examples])
    cards = card_names(corpus)
    words = [frozenset(tokens(example)) for _, example in examples]

    def same(place: int, example: int) -> bool:
        own = frozenset(tokens(bank[place].text))
        likeness = len(own & words[example]) / max(1, len(own | words[example]))
        text = bank[place].text.lower().replace("’", "'")
        named = any(re.search(rf"\b{re.escape(name)}\b", text) for name in cards[example])
        return named or likeness >= SAME_WORDS or float(asked[place] @ told[example]) >= NEAR

    return [any(same(place, example) for example in rules) for place, rules in enumerate(mine)]


def without_examples(source: Index) -> tuple[Corpus, list[Passage], set[str]]:
    """The corpus and passages of an index as they would be without examples, and the ids of the bank's questions that go."""
    from index.passages import passages

    start, end = source.ranges.get("question", (0, 0))
    bank = source.passages[start:end]
    retold = retellings(source.corpus, bank, source.stored("question"), source.encoder) if bank else []
    hidden = {passage.label for passage, hide in zip(bank, retold, strict=True) if hide}
    corpus = bare(source.corpus)
    rules = [passage for passage in passages(corpus) if passage.kind == "rule"]
    others = [passage for passage in source.passages if passage.kind not in ("rule", "example", "question")]
    kept = [passage for passage in bank if passage.label not in hidden]
    return corpus, sorted([*rules, *others, *kept], key=lambda passage: passage.kind), hidden


def build_without_examples(folder: Path, target: Path, say: Callable[[str], None], encoder: Encoder | None = None) -> None:
    """Save the index of ``folder`` without its examples in ``target``; only the rules that had some are embedded anew.

    Args:
        encoder: of an index that was built with an encoder of one's own; else the index has its encoder.
    """
    from index.build import embed
    from index.store import load, save

    source = load(folder, encoder)
    corpus, texts, hidden = without_examples(source)
    old = source.vectors_by_key()
    vectors = embed(texts, source.encoder, old, say)
    kept = [question for question in source.questions.values() if question.id not in hidden]
    examples = sum(len(rule.examples) for rule in source.corpus)
    say(f"hidden: {examples} examples and {len(hidden)} of the bank's questions, which retell one")
    exported = folder / str(source.config["build"]) / "encoder"

    def copy_encoder(to: Path) -> None:
        if exported.is_dir():
            shutil.copytree(exported, to)

    save(target, corpus, texts, vectors, source.config["encoder"], copy_encoder, kept)
