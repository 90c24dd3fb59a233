"""Fine-tune the default encoder on the question bank; the result is a small adapter (see ``index.adapter``).

Contrastive learning: a question must lie nearer to the rules that decide it, and to other questions with the same
decisive rule, than to the other texts of its batch. Batches are drawn from few sections at a time, so that the others
are siblings and look-alikes. The loss is the cross-entropy over cosines × ``SCALE`` (InfoNCE; van den Oord et al., 2018).
"""

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from index.adapter import ABOUT, WEIGHTS
from index.bank import Question
from index.corpus import Corpus
from index.encoder import SentenceEncoder
from index.numbers import RuleNumber
from index.passages import passages

if TYPE_CHECKING:
    import torch

RANK = 16
ALPHA = 32
SCALE = 20.0
BATCH = 64
POOL = 16 * BATCH
"""So many pairs are sorted by section and then cut into batches: the larger, the more alike are a batch's texts."""
LEARNING_RATE = 5e-4
MOST_TOKENS = 64
"""Longer texts are cut in training only: the beginning of a rule says what it is about."""


@dataclass(frozen=True)
class Pair:
    """A question and a text that must be near to it.

    Attributes:
        gold: the rules that decide the question; a text that speaks for one of them is never used against it.
        rules: what the text speaks for.
    """

    question: str
    text: str
    gold: frozenset[RuleNumber]
    rules: frozenset[RuleNumber]
    section: RuleNumber


def batches(corpus: Corpus, questions: Sequence[Question], seed: int) -> list[list[Pair]]:
    """One epoch: every question once with a rule that decides it, and once with another question that its rule decides."""
    chance = random.Random(seed)
    texts = {
        p.rules[0]: f"{corpus.heading(p.rules[0])}: {p.text.partition(chr(10))[2]}" for p in passages(corpus) if p.kind == "rule"
    }
    by_rule: dict[RuleNumber, list[Question]] = defaultdict(list)
    for question in questions:
        by_rule[question.rules[0]].append(question)
    with_rules: list[Pair] = []
    with_twins: list[Pair] = []
    for question in questions:
        gold, decisive = frozenset(question.rules), question.rules[0]
        target = decisive if chance.random() < 0.7 else chance.choice(question.rules)
        with_rules.append(Pair(question.question, texts[target], gold, frozenset({target}), decisive.head))
        twins = [q for q in by_rule[decisive] if q is not question]
        if twins:
            twin = chance.choice(twins)
            with_twins.append(Pair(question.question, twin.question, gold, frozenset(twin.rules), decisive.head))
    found = [*_cut(with_rules, chance), *_cut(with_twins, chance)]
    chance.shuffle(found)
    return found


def _cut(pairs: list[Pair], chance: random.Random) -> Iterator[list[Pair]]:
    chance.shuffle(pairs)
    for start in range(0, len(pairs), POOL):
        pool = sorted(pairs[start : start + POOL], key=lambda pair: pair.section)
        for place in range(0, len(pool), BATCH):
            yield pool[place : place + BATCH]


def finetune(
    corpus: Corpus,
    questions: Sequence[Question],
    out: Path,
    *,
    seed: int,
    epochs: int,
    step: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Train an adapter and save it as ``adapter.safetensors`` and ``adapter.json``.

    Args:
        step: called after each batch with the number of its pairs, and of all pairs.

    Returns:
        The content of ``adapter.json``.
    """
    import torch

    torch.manual_seed(seed)
    encoder = SentenceEncoder(plain=True)
    model = encoder.model
    model.max_seq_length = MOST_TOKENS
    learned = _with_lora(model)
    optimiser = torch.optim.AdamW(learned, lr=LEARNING_RATE, weight_decay=0.01)
    data = [batch for epoch in range(epochs) for batch in batches(corpus, questions, seed + epoch)]
    total = sum(len(batch) for batch in data)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda n: min(1.0, (n + 1) / 20) * (1 - n / len(data)))
    model.train()
    for batch in data:
        optimiser.zero_grad()
        _loss(model, batch).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
        step(len(batch), total)
    return _save(model[0].auto_model, out, encoder.sha256, questions, seed, epochs)


def _with_lora(model: Any) -> list[Any]:
    """Put the adapter's weights into a model and freeze all others; returns what is to be learned."""
    from peft import LoraConfig, inject_adapter_in_model

    for weight in model.parameters():
        weight.requires_grad = False
    # The pooler is a "dense" layer too, but sentence vectors do not pass through it.
    config = LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=["query", "key", "value", "dense"], exclude_modules=r"pooler.*")
    inject_adapter_in_model(config, model[0].auto_model)
    return [weight for weight in model.parameters() if weight.requires_grad]


def _loss(model: Any, batch: Sequence[Pair]) -> "torch.Tensor":
    import torch

    scores = _encode(model, [pair.question for pair in batch]) @ _encode(model, [pair.text for pair in batch]).T * SCALE
    right = torch.tensor([[row is not other and bool(row.gold & other.rules) for other in batch] for row in batch])
    scores = scores.masked_fill(right, -1e4)  # another text that is right too must not count as wrong
    return torch.nn.functional.cross_entropy(scores, torch.arange(len(batch)))


def _encode(model: Any, texts: list[str]) -> "torch.Tensor":
    import torch

    out: torch.Tensor = model(model.preprocess(texts))["sentence_embedding"]
    return torch.nn.functional.normalize(out, dim=1)


def _save(model: Any, out: Path, encoder: str, questions: Sequence[Question], seed: int, epochs: int) -> dict[str, Any]:
    import torch
    from safetensors.torch import save_file

    parts: dict[str, torch.Tensor] = {}
    for name, weight in model.state_dict().items():
        for letter in "AB":
            mark = f".lora_{letter}.default.weight"
            if name.endswith(mark):
                parts[f"{name.removesuffix(mark)}.{letter}"] = weight.half().contiguous()
    out.mkdir(parents=True, exist_ok=True)
    save_file(parts, str(out / WEIGHTS))
    asked = hashlib.sha256("\n".join(f"{q.question}\t{q.rules[0]}" for q in questions).encode()).hexdigest()
    about = {
        "encoder": encoder,
        "sha256": hashlib.sha256((out / WEIGHTS).read_bytes()).hexdigest(),
        "rank": RANK,
        "scale": ALPHA / RANK,
        "seed": seed,
        "epochs": epochs,
        "questions": len(questions),
        "bank_sha256": asked,
    }
    (out / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return about
