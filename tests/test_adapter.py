"""The adapter: trained from the bank, saved small, merged only where it belongs."""

import json
from pathlib import Path

import numpy as np
import pytest

from index.adapter import ABOUT, ADAPTER, WEIGHTS, read_adapter
from index.bank import Question
from index.corpus import Corpus
from index.encoder import DEFAULT_SHA256, SentenceEncoder
from index.errors import RulesError
from index.finetune import BATCH, batches, finetune
from index.numbers import RuleNumber


def questions() -> list[Question]:
    """Four questions about each of five rules of the small rulebook."""
    numbers = [RuleNumber.parse(n) for n in ("702.19b", "702.2c", "704.5g", "101.2", "702.21a")]
    return [Question(f"q{n}-{i}", f"Question {i} about {n}?", "Yes.", (n,), 1, "interaction") for n in numbers for i in range(4)]


def test_every_question_is_learned_with_its_rule_and_with_a_twin(tiny_corpus: Corpus) -> None:
    pairs = [pair for batch in batches(tiny_corpus, questions(), seed=3) for pair in batch]
    assert len(pairs) == 2 * len(questions())
    for pair in pairs:
        assert pair.gold & pair.rules
        assert pair.text != pair.question
    assert batches(tiny_corpus, questions(), seed=3) == batches(tiny_corpus, questions(), seed=3)
    assert batches(tiny_corpus, questions(), seed=3) != batches(tiny_corpus, questions(), seed=4)
    assert max(map(len, batches(tiny_corpus, questions() * 20, seed=1))) == BATCH


def test_training_saves_a_small_adapter_that_changes_the_encoder(
    tiny_corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    about = finetune(tiny_corpus, questions(), tmp_path, seed=1, epochs=1, step=lambda count, total: seen.append(count))
    assert sum(seen) == 40
    assert about["encoder"] == DEFAULT_SHA256
    assert (tmp_path / WEIGHTS).stat().st_size < 2_000_000
    adapter = read_adapter(DEFAULT_SHA256, tmp_path)
    assert adapter is not None
    plain = SentenceEncoder(plain=True)
    monkeypatch.setattr("index.encoder.read_adapter", lambda sha256: adapter)
    tuned = SentenceEncoder()
    assert tuned.sha256 != plain.sha256 == DEFAULT_SHA256
    before, after = plain.encode(["Does trample work?"]), tuned.encode(["Does trample work?"])
    assert not np.allclose(before, after, atol=1e-4)  # forty pairs teach little, but something
    assert float((before * after).sum()) > 0.5


def test_an_adapter_is_left_out_where_it_does_not_belong(tmp_path: Path) -> None:
    assert read_adapter(DEFAULT_SHA256, tmp_path) is None
    (tmp_path / WEIGHTS).write_bytes(b"x")
    (tmp_path / ABOUT).write_text(json.dumps({"encoder": "another", "sha256": "y"}))
    assert read_adapter(DEFAULT_SHA256, tmp_path) is None
    (tmp_path / ABOUT).write_text("{")
    with pytest.raises(RulesError, match="can't be read"):
        read_adapter(DEFAULT_SHA256, tmp_path)


def test_our_adapter_belongs_to_the_default_encoder() -> None:
    if not ADAPTER.is_dir():
        pytest.skip("the repository has no adapter")
    adapter = read_adapter(DEFAULT_SHA256)
    assert adapter is not None
    assert (adapter.folder / WEIGHTS).stat().st_size < 2_000_000
