import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from s2s.analysis.alignment import row_entropies
from s2s.config import Recipe, override
from s2s.data import Gold, Link, Pair, load_pairs_for_training
from s2s.decode import Hypothesis, SearchResult
from s2s.jobs.training import checkpoint_evaluation
from s2s.jobs.training.checkpoint_evaluation import CheckpointEvaluator
from s2s.model.weights import trained_tensors
from s2s.runs import RunFolder, attention_history
from s2s.scores import METRICS
from s2s.training import Saved, Trainer, TrainingData, Validation, prepare
from tests.conftest import full_disk


def made(
    recipe: Recipe, spec: str = "builtin:en-fr#rows=400"
) -> tuple[TrainingData, tuple[Pair, ...]]:
    pairs = load_pairs_for_training(spec, None, 0, recipe.data)
    valid = replace(pairs.valid, pairs=pairs.valid.pairs[:80])
    return prepare(recipe, pairs.train, valid), valid.pairs


def trainer(
    recipe: Recipe, pairs: Sequence[Pair] | None = None, **more: Any
) -> tuple[Trainer, tuple[Pair, ...]]:
    data, valid = made(override(recipe, more))
    return Trainer(override(recipe, more), data, None), tuple(pairs or valid)


def fingerprint(found: Trainer) -> str:
    digest = hashlib.sha256()
    for name, tensor in sorted(trained_tensors(found.model).items()):
        digest.update(name.encode() + tensor.numpy().tobytes())
    return digest.hexdigest()


@pytest.mark.slow
def test_weights_are_the_same_bits_with_a_watcher_and_without(tiny: Recipe, tmp_path: Path) -> None:
    tiny = override(tiny, {"train.steps": 20, "train.watch.scores": 5})
    data, valid = made(tiny)
    prints = []
    looked = []
    for is_watched in (False, True):
        torch.manual_seed(0)
        found = Trainer(tiny, data, tmp_path / str(is_watched))
        watcher = CheckpointEvaluator(found, valid)
        for event in found.run():
            before = found.model.training
            state = torch.get_rng_state()
            if is_watched and isinstance(event, Validation):
                looked.append(watcher.at_validation(event.step))
            elif is_watched and isinstance(event, Saved):
                looked.append(watcher.at_checkpoint(event.step, RunFolder(tmp_path)))
            assert found.model.training == before
            assert torch.equal(torch.get_rng_state(), state)
        prints.append(fingerprint(found))
    assert prints[0] == prints[1]
    assert len(looked) == 3 + 2
    assert attention_history.saved_steps(RunFolder(tmp_path)) == [10, 20]


def test_scores_are_sacrebleus_of_greedy_translations(tiny: Recipe) -> None:
    found, valid = trainer(tiny)
    watcher = CheckpointEvaluator(found, valid)
    assert len(watcher.scored) == 50
    first = watcher.at_validation(0)
    later = watcher.at_validation(10)
    assert set(first) == {"memory"}
    assert first["memory"] > 10_000_000
    sources = [cut.pair.src for cut in watcher.scored]
    references = [cut.pair.tgt for cut in watcher.scored]
    assert set(later) == {"memory", "bleu", "chrf", "exact_match", "signature"}
    assert later["signature"] == METRICS["bleu"].compute(references, references).signature
    found.data = replace(found.data, probes=tuple(zip(sources, references, strict=True)))
    texts = [
        sample.text for sample in found.sample()
    ]  # each ends where this model ends it, or after 64 tokens
    longest = 2 * max(len(ids) for ids in found.data.tgt_tokenizer.encode_many(references)) + 10
    cut = [" ".join(text.split()[:longest]) for text in texts]  # a tiny recipe has one token a word
    assert later["bleu"] == pytest.approx(METRICS["bleu"].compute(cut, references).value, abs=1e-3)
    assert later["chrf"] == pytest.approx(METRICS["chrf"].compute(cut, references).value, abs=1e-3)
    equal = sum(map(str.__eq__, cut, references))
    assert later["exact_match"] == pytest.approx(100 * equal / len(cut), abs=1e-3)


def test_a_model_that_writes_the_references_has_full_marks(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, valid = trainer(tiny)
    pairs = list({pair.src: pair for pair in valid}.values())
    sources = [pair.src for pair in pairs]
    references = [pair.tgt for pair in pairs]
    rows = zip(
        found.data.src_tokenizer.encode_many(sources),
        found.data.tgt_tokenizer.encode_many(references),
        strict=True,
    )
    known = {tuple(src): tuple(tgt) for src, tgt in rows}
    monkeypatch.setattr(checkpoint_evaluation, "ROWS", 7)
    monkeypatch.setattr(
        checkpoint_evaluation,
        "stepper_for",
        lambda model, src: [tuple(row[row > 2].tolist()) for row in src],
    )
    monkeypatch.setattr(
        checkpoint_evaluation,
        "greedy",
        lambda rows, settings: [SearchResult((Hypothesis(known[row], (), 0.0),)) for row in rows],
    )
    references = [
        found.data.tgt_tokenizer.decode(found.data.tgt_tokenizer.encode(text))
        for text in references
    ]  # `<unk>` and all
    assert checkpoint_evaluation.scores(found, sources, references) == {
        "bleu": pytest.approx(100),
        "chrf": pytest.approx(100),
        "exact_match": pytest.approx(100),
        "signature": METRICS["bleu"].compute(references, references).signature,
    }


def test_nobody_asks_for_scores(tiny: Recipe) -> None:
    assert CheckpointEvaluator(*trainer(tiny, **{"train.watch.scores": 0})).at_validation(
        10
    ).keys() == {"memory"}


def test_the_fixed_pair_is_legible_and_has_gold_where_there_is_gold(tiny: Recipe) -> None:
    found, valid = trainer(tiny)
    chosen = checkpoint_evaluation.fixed_pair(found, valid)
    assert chosen is not None
    assert chosen.pair == next(
        pair for pair in valid if all(4 < len(side.split()) < 15 for side in (pair.src, pair.tgt))
    )
    bare = [replace(pair, gold=None) for pair in valid]
    last = next(
        pair
        for pair in reversed(valid)
        if all(4 < len(side.split()) < 15 for side in (pair.src, pair.tgt))
    )
    assert checkpoint_evaluation.fixed_pair(found, [*bare, last]).pair == last  # type: ignore[union-attr]
    assert checkpoint_evaluation.fixed_pair(found, bare).pair == replace(chosen.pair, gold=None)  # type: ignore[union-attr]
    short = [
        Pair("the cat " * 20, "le chat " * 20),
        Pair("the cat", "le chat"),
        Pair("the old cat", "le chat"),
    ]
    assert checkpoint_evaluation.fixed_pair(found, short).pair == short[1]  # type: ignore[union-attr]
    assert checkpoint_evaluation.fixed_pair(found, [Pair("the " * 500, "le " * 500)]) is None


def test_what_is_measured_is_spread_and_prefers_gold(tiny: Recipe) -> None:
    found, valid = trainer(tiny)
    cuts = checkpoint_evaluation.pairs_for_attention(found, valid)
    assert len(cuts) == checkpoint_evaluation.MEASURED
    assert [cut.pair for cut in cuts] == [valid[place * len(valid) // 32] for place in range(32)]
    bare = [replace(pair, gold=None) for pair in valid]
    assert len(checkpoint_evaluation.pairs_for_attention(found, bare)) == 32
    assert [
        cut.pair for cut in checkpoint_evaluation.pairs_for_attention(found, [*bare, valid[3]])
    ] == [valid[3]]
    assert checkpoint_evaluation.pairs_for_attention(found, [Pair("the " * 500, "le " * 500)]) == []


@pytest.mark.parametrize("kind", ["word", "bpe", "unigram", "char", "byte"])
def test_heads_in_a_batch_are_heads_one_by_one(kind: str, tiny: Recipe) -> None:
    found, valid = trainer(
        tiny, **{"tokenizer.kind": kind, "data.max_length": 200, "model.n_layers": 2}
    )
    cuts = checkpoint_evaluation.pairs_for_attention(found, valid)
    together = checkpoint_evaluation.heads(found, cuts)
    assert np.shape(together["entropy"]) == np.shape(together["aer"]) == (2, 4)
    assert np.shape(together["aer_mean"]) == (2,)
    alone = [checkpoint_evaluation.attention(found, cut) for cut in cuts]
    rows = np.concatenate([row_entropies(attention.cross) for attention in alone if attention], -1)
    np.testing.assert_allclose(together["entropy"], rows.mean(-1), atol=1e-4)
    assert np.max(together["entropy"]) <= together["uniform"] + 1e-4
    assert 0 <= np.min(together["aer"]) <= np.max(together["aer"]) <= 1


def test_heads_that_look_where_gold_says_make_no_error(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _ = trainer(tiny)
    pairs = [
        Pair("the red house", "la maison rouge", Gold((Link(0, 0), Link(2, 1), Link(1, 2)))),
        Pair("the cat", "le chat", None),
    ]
    cuts = checkpoint_evaluation._encode(found, pairs, 64)
    perfect = np.array([[[[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]]], np.float32)
    monkeypatch.setattr(
        checkpoint_evaluation,
        "_cross",
        lambda trainer, cuts: iter([perfect, np.eye(3, dtype=np.float32)[None, None]]),
    )
    assert checkpoint_evaluation.heads(found, cuts) == {
        "entropy": [[0.0]],
        "uniform": pytest.approx(1.263, abs=1e-3),
        "n_pairs": 2,
    } | {"aer": [[0.0]], "aer_mean": [0.0]}


def test_without_gold_or_with_gold_for_other_words_there_is_no_error(tiny: Recipe) -> None:
    found, valid = trainer(tiny)
    for pairs in (
        [replace(pair, gold=None) for pair in valid],
        [replace(pair, gold=Gold(())) for pair in valid],
    ):
        assert set(
            checkpoint_evaluation.heads(
                found, checkpoint_evaluation.pairs_for_attention(found, pairs)
            )
        ) == {"entropy", "uniform", "n_pairs"}
    pieces, _ = trainer(tiny, **{"tokenizer.kind": "bpe"})
    strange = [
        Pair("the\tcat", "le chat", Gold((Link(0, 0), Link(1, 1))))
    ]  # one word to the pieces, two to aligners
    assert "aer" not in checkpoint_evaluation.heads(
        pieces, checkpoint_evaluation.pairs_for_attention(pieces, strange)
    )


def test_what_is_no_number_is_not_kept(tiny: Recipe, tmp_path: Path) -> None:
    found, valid = trainer(tiny)
    watcher = CheckpointEvaluator(found, valid)
    with torch.no_grad():
        next(found.model.parameters()).fill_(float("nan"))
    assert watcher.at_checkpoint(10, RunFolder(tmp_path)) == {}
    assert attention_history.saved_steps(RunFolder(tmp_path)) == []


def test_it_can_be_switched_off(tiny: Recipe, tmp_path: Path) -> None:
    watcher = CheckpointEvaluator(*trainer(tiny, **{"train.watch.attention": False}))
    assert watcher.at_checkpoint(10, RunFolder(tmp_path)) == {}
    assert attention_history.saved_steps(RunFolder(tmp_path)) == []


def test_long_pairs_are_left_out(tiny: Recipe, tmp_path: Path) -> None:
    watcher = CheckpointEvaluator(
        *trainer(
            tiny,
            **{
                "model.positions.kind": "learned",
                "model.positions.max_length": 9,
                "data.max_length": 9,
            },
        )
    )
    for cuts in (watcher.scored, watcher.measured, [watcher.fixed]):
        assert cuts
        assert all(cut and max(len(cut.src), len(cut.tgt) - 1) <= 9 for cut in cuts)
    assert watcher.at_checkpoint(10, RunFolder(tmp_path))["n_pairs"] > 0
    assert "bleu" in watcher.at_validation(10)


def test_a_full_disk_is_said(tiny: Recipe, tmp_path: Path) -> None:
    watcher = CheckpointEvaluator(*trainer(tiny))
    with full_disk(100), pytest.raises(ValueError, match="free some space"):
        watcher.at_checkpoint(10, RunFolder(tmp_path))
