import pytest

from s2s.config import override
from s2s.data import load
from s2s.data.preview import Preview
from s2s.jobs.forecast import forecast, peak, vocab_sizes
from s2s.model.presets import PRESETS
from s2s.model.size import count_parameters
from s2s.tokenizers import fit

RECIPE = PRESETS["small"].recipe


@pytest.fixture(scope="module")
def seen() -> Preview:
    return Preview.of(load("builtin:en-fr#split=random"))


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(("kind", "error"), [("char", 0.15), ("byte", 0.0), ("word", 0.12), ("bpe", 0.12), ("unigram", 0.12)])
def test_the_vocabulary_is_about_what_it_becomes(kind: str, error: float, shared: bool, seen: Preview) -> None:
    changes = {"tokenizer.kind": kind, "tokenizer.shared": shared, "model.embeddings.shared": shared}
    recipe = override(RECIPE, changes)
    corpus = load("builtin:en-fr#split=random")
    pieces = fit(recipe.tokenizer, [pair.src for pair in corpus.pairs], [pair.tgt for pair in corpus.pairs])
    for guess, real in zip(vocab_sizes(recipe, seen), pieces, strict=True):
        assert guess == pytest.approx(real.vocab_size, rel=error)


def test_a_larger_run_costs_more(seen: Preview) -> None:
    small = forecast(RECIPE, seen)
    for changes in ({"train.steps": 5000}, {"model.d_model": 256}, {"train.batch_tokens": 8192}, {"model.encoder.n_layers": 6}):
        larger = forecast(override(RECIPE, changes), seen)
        assert larger.seconds > small.seconds
        assert larger.megabytes >= small.megabytes
        assert larger.parameters >= small.parameters
    assert small.parameters == count_parameters(RECIPE.model, small.src_vocab_size, small.tgt_vocab_size)


def test_short_runs_take_the_express_slot() -> None:
    tiny = Preview.of(load("builtin:first-steps"))
    assert forecast(PRESETS["first-steps"].recipe, tiny).is_express
    assert not forecast(PRESETS["transformer-base"].recipe, tiny).is_express


def test_the_peak_is_a_speed() -> None:
    assert 1e8 < peak() < 1e14
