import numpy as np
import pytest
import torch

import s2s
from s2s.analysis.logit_lens import apply_logit_lens
from s2s.analysis.states import recorded_states
from s2s.runs import states
from tests.model.conftest import DISTINCT, build, shrunk

SRC = torch.tensor([[5, 9, 4, 2]])
TGT = torch.tensor([[1, 7, 8, 2]])


@pytest.mark.parametrize("preset", DISTINCT)
def test_the_last_layer_is_the_models_own_distribution(preset: str) -> None:
    model = build(shrunk(preset))
    with recorded_states(model) as streams:
        own = model(SRC, TGT[:, :-1])[0].softmax(-1)
        states = torch.stack(streams.decoder)[:, 0]
    found = apply_logit_lens(model, states, TGT[0, 1:].tolist(), 23)
    np.testing.assert_allclose(
        found.probabilities[-1], own.sort(-1, descending=True).values, atol=1e-5
    )
    np.testing.assert_allclose(
        found.target_probabilities[-1], own.gather(1, TGT[0, 1:, None])[:, 0], atol=1e-5
    )
    np.testing.assert_allclose(found.probabilities.sum(-1), 1, atol=1e-4)
    for layer, place in np.ndindex(found.target_ranks.shape):
        rank = found.target_ranks[layer, place]
        assert found.probabilities[layer, place, rank - 1] == pytest.approx(
            found.target_probabilities[layer, place], abs=1e-6
        )


def test_a_state_before_the_last_passes_the_final_norm_and_the_projection() -> None:
    model = build(shrunk("small"))
    with recorded_states(model) as streams:
        model(SRC, TGT[:, :-1])
        states = torch.stack(streams.decoder)[:, 0]
        by_hand = torch.nn.functional.linear(
            model.decoder.final_norm(states[1, 2]), model.output.weight, model.output.bias
        )
    assert apply_logit_lens(model, states, [7, 8, 2]).ids[1, 2, 0] == int(by_hand.argmax())


def test_a_runs_lens_ends_in_its_next_tokens() -> None:
    run = s2s.load("demo-en-fr")
    source = "the red house"
    target = "la maison verte"
    found = states.logit_lens(run, run.states(source, target), target)
    ids = run.tgt_tokenizer.encode(target)
    rows = run.next_tokens(source, ids)
    np.testing.assert_array_equal(found.ids[-1], rows.topk(5).indices)
    np.testing.assert_allclose(found.probabilities[-1], rows.topk(5).values.exp(), atol=1e-5)
    own = rows.gather(1, torch.tensor([*ids, 2])[:, None])
    np.testing.assert_allclose(found.target_probabilities[-1], own[:, 0].exp(), atol=1e-5)
    np.testing.assert_array_equal(found.target_ranks[-1], (rows > own).sum(1) + 1)
