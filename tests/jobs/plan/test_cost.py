import dataclasses
import json
from pathlib import Path

import pytest
import torch

from s2s import settings
from s2s.config import PRESETS, Recipe, UserError, override
from s2s.data import Preview, load, load_pairs_for_training
from s2s.jobs.plan.calibration import BOUNDS, Calibration, calibrate
from s2s.jobs.plan.cost import (
    BYTES_OF_PYTHON,
    STARTUP_SECONDS,
    check_forecast,
    forecast,
    share_too_long,
    vocab_sizes,
)
from s2s.jobs.plan.throughput import SECONDS_PER_LAYER, seconds_per_step
from s2s.runs import RunFolder
from s2s.sizing import check_memory, count_parameters, training_bytes
from s2s.tokenizers import fit
from s2s.training import prepare

RECIPE = override(PRESETS["small"].recipe, {"train.device": "cpu"})


@pytest.fixture(scope="module")
def preview() -> Preview:
    return Preview.of(load("builtin:en-fr#split=random"))


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(
    ("kind", "error"),
    [("char", 0.15), ("byte", 0.0), ("word", 0.12), ("bpe", 0.12), ("unigram", 0.12)],
)
def test_the_vocabulary_is_about_what_it_becomes(
    kind: str, error: float, shared: bool, preview: Preview
) -> None:
    changes = {
        "tokenizer.kind": kind,
        "tokenizer.shared": shared,
        "model.embeddings.shared": shared,
    }
    recipe = override(RECIPE, changes)
    corpus = load("builtin:en-fr#split=random")
    pieces = fit(
        recipe.tokenizer, [pair.src for pair in corpus.pairs], [pair.tgt for pair in corpus.pairs]
    )
    for guess, real in zip(vocab_sizes(recipe, preview), pieces, strict=True):
        assert guess == pytest.approx(real.vocab_size, rel=error)


@pytest.mark.parametrize(
    ("preset", "precision", "slots", "seconds"),
    [
        ("transformer-base", "exact", 24_710, 0.177),
        ("transformer-base", "bf16", 24_710, 0.0851),
        ("transformer-tiny", "exact", 4163, 0.0372),
        ("transformer-tiny", "bf16", 4163, 0.0511),
    ],
)
def test_on_a_gpu_an_update_takes_about_what_was_measured(
    preset: str, precision: str, slots: int, seconds: float
) -> None:
    """38,628 and 7,171 tokens over the rates of benchmarks/results/gpu-train.json; one thread is slower by far."""
    changes = {"train.precision": precision, "train.threads": 1}
    on_cpu, on_gpu = (
        seconds_per_step(
            override(PRESETS[preset].recipe, {**changes, "train.device": device}), 10_000, slots
        )
        for device in ("cpu", "cuda")
    )
    assert on_gpu == pytest.approx(seconds, rel=0.15)
    assert on_cpu > 2 * on_gpu


def test_a_larger_run_costs_more(preview: Preview) -> None:
    small = forecast(RECIPE, preview)
    for changes in (
        {"train.steps": 5000},
        {"model.d_model": 256},
        {"train.batch_tokens": 8192},
        {"model.encoder.n_layers": 6},
    ):
        larger = forecast(override(RECIPE, changes), preview)
        assert larger.seconds > small.seconds
        assert larger.megabytes >= small.megabytes
        assert larger.parameters >= small.parameters
    assert small.parameters == count_parameters(
        RECIPE.model, small.src_vocab_size, small.tgt_vocab_size
    )


def test_a_forecast_counts_the_pairs_that_max_words_leaves(preview: Preview) -> None:
    recipe = override(RECIPE, {"data.clean.max_words": 6})
    kept = [
        pair
        for pair in load("builtin:en-fr#split=random").pairs
        if max(len(pair.src.split()), len(pair.tgt.split())) <= 6
    ]
    left = preview.within(6)
    assert len(kept) <= left.n_pairs < 1.1 * len(kept) < preview.n_pairs
    assert sum(left.src_counts) == sum(left.tgt_counts) == left.n_pairs
    assert forecast(recipe, preview) == forecast(recipe, left)
    assert forecast(recipe, preview).epochs > 1.5 * forecast(RECIPE, preview).epochs
    nothing = override(RECIPE, {"data.clean.max_words": 1})
    with pytest.raises(UserError, match=r"`data\.clean\.max_words` 1 leaves no pair"):
        check_forecast(nothing, preview, forecast(nothing, preview), 10**12)


@pytest.mark.parametrize("kind", ["bpe", "word", "char"])
def test_memory_is_forecast_for_sentences_as_long_as_there_are(kind: str, preview: Preview) -> None:
    """With dropout in attention, its scores are kept: as many as sentences are long."""
    recipe = override(RECIPE, {"tokenizer.kind": kind, "model.attention.dropout": True})
    corpus = load("builtin:en-fr#split=random")
    far, near = (override(recipe, {"data.max_length": n}) for n in (1000, 200))
    cost = forecast(far, preview)
    assert cost.megabytes == forecast(near, preview).megabytes
    data = prepare(far, corpus, dataclasses.replace(corpus, pairs=corpus.pairs[:9]))
    sizes = (data.src_tokenizer.vocab_size, data.tgt_tokenizer.vocab_size)
    slots = {"batch_tokens": far.train.batch_tokens}
    needed, allowed = (
        training_bytes(far, sizes, longest=n, **slots) for n in (data.train.longest, 1000)
    )
    assert 1e6 * cost.megabytes - BYTES_OF_PYTHON == pytest.approx(needed, rel=0.1)
    assert allowed > 3 * needed
    assert forecast(override(far, {"data.max_length": 8}), preview).megabytes < cost.megabytes


def test_memory_is_that_of_each_process(preview: Preview) -> None:
    alone = override(RECIPE, {"train.batch_tokens": 8000})
    shared = override(alone, {"train.processes": 4})
    quarter = override(RECIPE, {"train.batch_tokens": 2000})
    cost = forecast(shared, preview)
    assert cost.megabytes == forecast(quarter, preview).megabytes
    assert cost.megabytes < 0.7 * forecast(alone, preview).megabytes
    with pytest.raises(UserError, match=r"about [\d.]+ GB of memory in each of 4 processes and"):
        check_forecast(shared, preview, cost, 10**6)
    sizes = (1000, 1000)
    free = training_bytes(quarter, sizes, batch_tokens=2000)
    check_memory(shared, sizes, batch_tokens=8000, free=free)
    with pytest.raises(UserError, match=r"batches of 8,000 tokens needs about"):
        check_memory(alone, sizes, batch_tokens=8000, free=free)


def test_short_runs_take_the_express_slot() -> None:
    tiny = Preview.of(load("builtin:first-steps"))
    assert forecast(PRESETS["first-steps"].recipe, tiny).is_express
    assert not forecast(PRESETS["transformer-base"].recipe, tiny).is_express


@pytest.mark.parametrize(("capability", "times"), [("AVX2", 1.1), ("AVX512", 2.5)])
def test_fast_products_are_faster_where_the_processor_has_them(
    capability: str, times: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a wide model, products are nearly all of an update."""
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    wide = override(RECIPE, {"model.d_model": 4096, "train.threads": 1})
    exact, fast = (
        seconds_per_step(override(wide, {"train.precision": precision}), 100, 2048)
        for precision in ("exact", "fast")
    )
    assert exact / fast == pytest.approx(times, rel=0.1)


def test_a_table_of_positions_takes_no_time() -> None:
    tables = {"model.positions.kind": "learned", "model.positions.max_length": 60_000}
    usual, learned = (
        seconds_per_step(recipe, 1000, 2048) for recipe in (RECIPE, override(RECIPE, tables))
    )
    assert learned == usual


def test_a_slower_computer_takes_longer(preview: Preview) -> None:
    usual = forecast(RECIPE, preview)
    slow = forecast(RECIPE, preview, Calibration(2.0, 3))
    assert slow.seconds - STARTUP_SECONDS == pytest.approx(2 * (usual.seconds - STARTUP_SECONDS))
    assert slow.tokens_per_second == pytest.approx(usual.tokens_per_second / 2)
    assert usual.tokens == RECIPE.train.steps * usual.slots


def test_processes_share_the_rows_of_a_batch() -> None:
    alone, together = (
        seconds_per_step(override(RECIPE, {"train.processes": n}), 1000, 4096) for n in (1, 4)
    )
    layers = RECIPE.model.encoder.n_layers + 2 * RECIPE.model.decoder.n_layers
    fixed = SECONDS_PER_LAYER * layers
    assert together - fixed == pytest.approx((alone - fixed) / 4)


def run_that_took(
    times: float,
    tiny: Recipe,
    *,
    steps: int = 120,
    written_at: int = 10**6,
    device: str = "cpu",
    name: str = "abcdefgh12345678",
) -> Path:
    """A run's files: the last steps, after `begun` ones, took so many times what the formula says."""
    recipe = override(tiny, {"train.batch_tokens": 100, "train.threads": 1})
    pieces = fit(recipe.tokenizer, ["a b"], ["c d"])
    folder = RunFolder(settings.home() / "runs" / name)
    shown = {**recipe.to_json(), "train": {**recipe.to_json()["train"], "device": device}}
    folder.create(recipe, {}, pieces)
    folder.write_about({**folder.about(), "recipe": shown})
    each = 1.12 * times * seconds_per_step(recipe, pieces[1].vocab_size, 100)
    for step in range(1, steps + 1):
        pause = 3600 if step > steps // 2 else 0  # somebody went to lunch
        first = {"first": True} if step in (1, steps // 2 + 1) else {}
        line = {
            "kind": "train",
            "step": written_at + step,
            "n_tokens": 170,
            "seconds": each,
            "time": 1e9 + pause + step * each,
        }
        folder.log("metrics", line | first)
        folder.log("metrics", {"kind": "attention", "step": written_at + step})
    return folder.path


@pytest.mark.parametrize("times", [0.5, 1.7])
def test_the_throughput_is_calibrated_with_runs_of_this_home(times: float, tiny: Recipe) -> None:
    assert calibrate("cpu") == Calibration()
    for number in range(3):
        run_that_took(times, tiny, name=f"{number}" * 16)
    assert calibrate("cpu").n_runs == 3
    assert calibrate("cpu").factor == pytest.approx(times, rel=0.02)
    assert calibrate("cuda") == Calibration()


@pytest.mark.parametrize("n_runs", [1, 2])
def test_one_or_two_runs_are_half_believed(n_runs: int, tiny: Recipe) -> None:
    for number in range(n_runs):
        run_that_took(2.25, tiny, name=f"{number}" * 16)
    assert calibrate("cpu").n_runs == n_runs
    assert calibrate("cpu").factor == pytest.approx(1.5, rel=0.02)


def test_runs_that_cannot_tell_are_left_out(tiny: Recipe) -> None:
    run_that_took(1.0, tiny, steps=99)
    run_that_took(1.0, tiny, written_at=0, name="a" * 16)  # a second or so
    run_that_took(1.0, tiny, device="cuda", name="b" * 16)
    broken = run_that_took(1.0, tiny, name="c" * 16)
    (broken / "recipe.json").write_text("{")
    torn = run_that_took(1.0, tiny, name="d" * 16)
    (torn / "metrics.jsonl").write_text(json.dumps({"kind": "train"}) + "\n" + '{"kind"')
    assert calibrate("cpu") == Calibration()


def test_one_strange_run_does_not_decide(tiny: Recipe) -> None:
    for number, times in enumerate([1.2, 1.2, 100.0]):
        run_that_took(times, tiny, name=f"{number}" * 16)
    assert calibrate("cpu").factor == pytest.approx(1.2, rel=0.02)
    for number in range(3, 8):
        run_that_took(100.0, tiny, name=f"{number}" * 16)
    assert calibrate("cpu").factor == BOUNDS[1]


@pytest.mark.parametrize("options", ["", "#length=60", "#stride=40"])
def test_halves_of_plain_text_are_counted_as_training_packs_them(options: str) -> None:
    spec = f"builtin:plain-text{options}"
    recipe = PRESETS["char-halves"].recipe
    preview = Preview.of(load(spec))
    assert share_too_long(recipe, preview) == 0
    pairs = load_pairs_for_training(spec, None, 1, recipe.data)
    data = prepare(recipe, pairs.train, pairs.valid)
    assert data.train.n_dropped == 0
    cost = forecast(recipe, preview)
    sides = zip(data.train.src, data.train.tgt, strict=True)
    longer_sides = sum(max(len(src), len(tgt) - 1) for src, tgt in sides)
    longer_sides *= preview.n_pairs / len(data.train)  # with those that are held out
    assert cost.steps * cost.slots / cost.epochs == pytest.approx(longer_sides, rel=0.05)
