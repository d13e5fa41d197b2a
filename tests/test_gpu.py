"""A GPU computes what the CPU computes: training resumes there, hooks change nothing, strategies write the same."""

from pathlib import Path

import pytest
import torch

import s2s
from s2s.analysis import KINDS
from s2s.config import Recipe, override
from s2s.data import Corpus, load
from s2s.decode import STRATEGIES
from s2s.model import inference
from s2s.model.weights import trained_tensors
from s2s.runs import Run
from s2s.training import Saved, Step, Trainer, prepare

DEVICE = "cuda"
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="gpu: there is none here"),
]
SOURCES = (
    "I am happy .",
    "The red house is not near the old school .",
    "She gives a book to the children .",
    "We see the dog that the teacher likes .",
)
REQUIRED = {"constrained": {"force_words": "la"}}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus("synthetic:reverse", "train", load("synthetic:reverse", "valid").pairs[:80])


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


@pytest.fixture(scope="module")
def on_gpu() -> Run:
    return s2s.load("demo-en-fr", device=DEVICE)


@pytest.mark.parametrize(("begun_on", "dropout"), [(DEVICE, 0.3), ("cpu", 0.0)])
def test_a_resumed_run_ends_as_an_undisturbed_one(
    begun_on: str, dropout: float, tiny: Recipe, corpus: Corpus, tmp_path: Path
) -> None:
    """A GPU adds in any order, so that the last bits may differ; the masks of dropout may not."""
    recipe = override(tiny, {"train.device": DEVICE, "model.dropout": dropout, "train.lr": 0.01})
    data = prepare(recipe, corpus, corpus)
    undisturbed = Trainer(recipe, data, None)
    losses = {event.step: event.loss for event in undisturbed.run() if isinstance(event, Step)}
    begun = Trainer(override(recipe, {"train.device": begun_on}), data, tmp_path).run()
    next(event for event in begun if isinstance(event, Saved) and event.step == 20)
    resumed = Trainer(recipe, data, tmp_path)
    resumed.resume()
    again = {event.step: event.loss for event in resumed.run() if isinstance(event, Step)}
    assert sorted(again) == list(range(21, 31))
    assert again == pytest.approx({step: losses[step] for step in again}, abs=1e-4)
    torch.testing.assert_close(
        with_gradient(resumed), with_gradient(undisturbed), rtol=1e-3, atol=1e-4
    )


def with_gradient(trainer: Trainer) -> dict[str, torch.Tensor]:
    """What is trained, but for the biases of keys: softmax takes them out, and Adam makes steps of the rounding."""
    tensors = trained_tensors(trainer.model)
    return {name: tensor for name, tensor in tensors.items() if not name.endswith("key.bias")}


def test_attention_and_states_are_those_of_the_cpu(run: Run, on_gpu: Run) -> None:
    for source in SOURCES:
        target = run.translate([source])[0].text
        expected, found = (one.attention(source, target) for one in (run, on_gpu))
        for kind in KINDS:
            torch.testing.assert_close(
                torch.from_numpy(found.view(kind).weights),
                torch.from_numpy(expected.view(kind).weights),
                rtol=0,
                atol=2e-5,
            )
        states, theirs = (one.states(source, target) for one in (on_gpu, run))
        assert states.decoder == pytest.approx(theirs.decoder, abs=1e-4)


def test_hooks_and_the_cache_change_no_logit(on_gpu: Run) -> None:
    """One pass under teacher forcing, the same while attention is captured, and token by token from the cache."""
    for source in SOURCES:
        (greedy,) = on_gpu.translate([source], "greedy")
        best = greedy.hypotheses[0]
        with inference(on_gpu.model):
            plain = on_gpu.next_tokens(source, best.ids)
        on_gpu.attention(source, greedy.text)
        torch.testing.assert_close(on_gpu.next_tokens(source, best.ids), plain, rtol=0, atol=2e-5)
        taken = plain[torch.arange(len(best.ids)), torch.tensor(best.ids)]
        assert float(taken.sum()) == pytest.approx(best.log_prob, abs=1e-4)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_writes_the_tokens_of_the_cpu(strategy: str, run: Run, on_gpu: Run) -> None:
    settings = REQUIRED.get(strategy, {})
    expected, found = (one.translate(SOURCES, strategy, **settings) for one in (run, on_gpu))
    for ours, theirs in zip(found, expected, strict=True):
        assert [one.ids for one in ours.hypotheses] == [one.ids for one in theirs.hypotheses]
        assert [one.log_prob for one in ours.hypotheses] == pytest.approx(
            [one.log_prob for one in theirs.hypotheses], abs=1e-4
        )


@pytest.mark.parametrize(
    ("kind", "layout"),
    [
        ("sinusoidal", "halves"),
        ("rotary", "interleaved"),
        ("rotary", "halves"),
        ("alibi", "halves"),
        ("relative", "halves"),
    ],
)
def test_rounded_factors_train_nearly_as_float32_does(
    kind: str, layout: str, tiny: Recipe, corpus: Corpus
) -> None:
    """The same batches and masks of dropout: losses differ by the rounding of bfloat16, and only by that."""
    positions = {"model.positions.kind": kind, "model.positions.layout": layout}
    recipe = override(tiny, {"train.device": DEVICE, "train.lr": 0.01, **positions})
    data = prepare(recipe, corpus, corpus)
    exact, rounded = (
        [
            event.loss
            for event in Trainer(override(recipe, {"train.precision": precision}), data, None).run()
            if isinstance(event, Step)
        ]
        for precision in ("exact", "bf16")
    )
    assert rounded != exact
    assert rounded == pytest.approx(exact, rel=0.05)
    assert exact[-1] < exact[0]
