import numpy as np
import pytest
import torch
from torch import nn

import s2s
from s2s.analysis.states import SIDES, recorded_states, word_states
from s2s.config import override
from tests.model.conftest import DISTINCT, build, shrunk

SRC = torch.tensor([[5, 9, 4, 2], [6, 2, 0, 0]])
TGT = torch.tensor([[1, 7, 8], [1, 5, 6]])


@pytest.mark.parametrize("preset", DISTINCT)
def test_the_stream_is_the_input_and_output_of_each_layer(preset: str) -> None:
    model = build(shrunk(preset))
    given: list[torch.Tensor] = []
    hooks = [
        layer.register_forward_pre_hook(lambda _, inputs: given.append(inputs[0]))
        for layer in model.encoder.layers
    ]
    with recorded_states(model) as streams:
        logits = model(SRC, TGT)
    for hook in hooks:
        hook.remove()
    n_layers = len(model.encoder.layers)
    assert [tuple(each.shape) for each in streams.encoder] == [(2, 4, model.config.d_model)] * (
        n_layers + 1
    )
    for states, real in zip(streams.encoder, given, strict=False):
        torch.testing.assert_close(states, real, rtol=0, atol=0)
    with torch.inference_mode():
        torch.testing.assert_close(model.project(streams.decoder[-1]), logits)
        torch.testing.assert_close(streams.decoder[-1], model.decode(TGT, model.encode(SRC), SRC))
        torch.testing.assert_close(
            streams.encoder[-1], model.encoder(SRC, SRC.ne(0)[:, None, None])
        )


def test_hooks_are_removed_after_an_error_and_the_lock_is_held() -> None:
    model = build(shrunk("small"))
    model.train()
    with recorded_states(model):
        assert not model.training
    with pytest.raises(RuntimeError), recorded_states(model):
        raise RuntimeError
    assert model.training
    assert not any(module._forward_hooks for module in model.modules())


def test_a_stack_without_a_final_norm_has_its_last_layer_as_last_state() -> None:
    model = build(
        override(
            shrunk("small"), {"model.encoder.final_norm": False, "model.decoder.final_norm": False}
        )
    )
    assert isinstance(model.encoder.final_norm, nn.Identity)
    kept: list[torch.Tensor] = []
    model.encoder.layers[-1].register_forward_hook(lambda _, given, output: kept.append(output))
    with recorded_states(model) as streams:
        model(SRC, TGT)
    torch.testing.assert_close(streams.encoder[-1], kept[0], rtol=0, atol=0)


def test_a_run_gives_its_states_with_their_tokens() -> None:
    run = s2s.load("demo-en-fr")
    states = run.states("the red house", "la maison rouge")
    assert states.src_tokens == ("the", "red", "house", "</s>")
    assert (states.tgt_inputs[0], states.tgt_tokens[-1]) == ("<s>", "</s>")
    assert states.encoder.shape == (3, 4, 128)
    assert states.decoder.shape == (3, len(states.tgt_inputs), 128)
    assert states.encoder.dtype == np.float32
    ids = torch.tensor([*run.src_tokenizer.encode("the red house"), 2])[None]
    with torch.inference_mode():
        np.testing.assert_allclose(states.encoder[0], run.model.encoder.embed(ids)[0], atol=1e-6)
    for side, n_layers in zip(SIDES, (2, 2), strict=True):
        assert states.side(side).n_layers == n_layers
        assert len(states.side(side).tokens) == states.side(side).vectors.shape[1]
    with pytest.raises(ValueError, match="no states of `memory`"):
        states.side("memory")


def test_the_first_state_knows_nothing_of_the_other_words() -> None:
    run = s2s.load("demo-en-fr")
    one = run.states("the red house", "la")
    other = run.states("the old house", "la")
    np.testing.assert_array_equal(one.encoder[0, 2], other.encoder[0, 2])
    assert np.abs(one.encoder[1, 2] - other.encoder[1, 2]).max() > 1e-3


def test_a_word_is_the_mean_of_its_tokens() -> None:
    vectors = np.arange(10, dtype=np.float32).reshape(1, 5, 2)
    words = word_states(vectors, ("▁the", "▁ca", "ts", "▁", "</s>"), is_whole=False)
    assert words.words == ("the", "cats")
    np.testing.assert_allclose(words.vectors, [[[0, 1], [3, 4]]])
    np.testing.assert_allclose(words.mean, [[1.5, 2.5]])
    whole = word_states(vectors, ("the", "ca", "ts", "x", "</s>"), is_whole=True)
    assert whole.words == ("the", "ca", "ts", "x")
    np.testing.assert_allclose(whole.vectors, vectors[:, :4])
    assert word_states(vectors[:, :1], ("</s>",), is_whole=True).words == ()
