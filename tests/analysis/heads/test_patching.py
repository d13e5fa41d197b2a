from collections.abc import Generator
from typing import TypeVar

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from s2s.analysis import KINDS, SIDES, heads
from s2s.analysis.heads import patching
from s2s.analysis.heads.patching import Contrast, Patch, PatchingResult, Site
from s2s.analysis.states import state_modules
from s2s.analysis.trace import attentions
from s2s.model import Transformer, inference
from s2s.model.attention import is_hooked
from tests.model.conftest import build, shrunk

T = TypeVar("T")
CONTRAST = Contrast((5, 9, 4, 12, 2), (5, 9, 7, 12, 2), (1, 7, 8), token_a=11, token_b=15)


def finished(steps: Generator[float, None, T]) -> T:
    """Run to the end; the shares rise to 1."""
    shares = []
    while True:
        try:
            shares.append(next(steps))
        except StopIteration as stop:
            assert shares == sorted(shares)
            assert shares[-1] == 1.0
            result: T = stop.value
            return result


def logits(model: Transformer, source: tuple[int, ...]) -> Tensor:
    """After the prefix, by the model's own forward."""
    with inference(model):
        return model(torch.tensor([source]), torch.tensor([CONTRAST.prefix]))[0, -1]


def metric(of: Tensor) -> float:
    """The difference of the two tokens' logits."""
    return float(of[CONTRAST.token_a] - of[CONTRAST.token_b])


def naive(model: Transformer, change: Patch, *, stored: list[Tensor]) -> float:
    """One forward on A that stores a tensor, one on B that writes its columns, by hand-written hooks."""
    site, positions, columns = change

    def store(tensor: Tensor) -> None:
        stored.append(tensor.clone())

    def write(tensor: Tensor) -> Tensor:
        mixed = tensor.clone()
        mixed[:, positions, columns] = stored[-1][:, positions, columns]
        return mixed

    for source, function in ((CONTRAST.source_a, store), (CONTRAST.source_b, write)):
        if site.is_input:
            handle = site.module.register_forward_pre_hook(lambda _, args, f=function: f(args[0]))
        else:
            handle = site.module.register_forward_hook(lambda _, __, out, f=function: f(out))
        value = metric(logits(model, source))
        handle.remove()
    return value


@pytest.mark.parametrize("preset", ["small", "t5-small"])
@pytest.mark.parametrize("side", SIDES)
def test_every_state_equals_one_forward_with_a_hand_written_replacement(
    preset: str, side: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patching, "PATCH_ROWS", 4)  # several batches, rows of several layers in one
    model = build(shrunk(preset))
    result = finished(heads.patch_states(model, CONTRAST, side))
    modules = state_modules(model.encoder if side == "encoder" else model.decoder)
    length = 5 if side == "encoder" else 3
    expected = [
        [
            naive(model, Patch(Site(module, False), slice(at, at + 1)), stored=[])
            for at in range(length)
        ]
        for module in modules
    ]
    np.testing.assert_allclose(result.patched, expected, atol=1e-5)
    assert result.own_a == pytest.approx(metric(logits(model, CONTRAST.source_a)), abs=1e-5)
    assert result.own_b == pytest.approx(metric(logits(model, CONTRAST.source_b)), abs=1e-5)
    assert not any(is_hooked(module) for module in model.modules())


@pytest.mark.parametrize("preset", ["small", "t5-small"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_head_equals_one_forward_with_a_hand_written_replacement(
    preset: str, kind: str
) -> None:
    model = build(shrunk(preset))
    result = finished(heads.patch_heads(model, CONTRAST, kind))
    expected = [
        [
            naive(
                model,
                Patch(
                    Site(one.output, True), columns=slice(at * one.d_head, (at + 1) * one.d_head)
                ),
                stored=[],
            )
            for at in range(one.n_heads)
        ]
        for one in attentions(model, kind)
    ]
    np.testing.assert_allclose(result.patched, expected, atol=1e-5)
    assert np.ptp(result.patched) > 0


def test_the_embedding_of_the_word_that_differs_and_the_last_state_carry_the_whole_answer() -> None:
    model = build(shrunk("small"))
    encoder = finished(heads.patch_states(model, CONTRAST, "encoder"))
    np.testing.assert_allclose(encoder.effects[0], [0, 0, 1, 0, 0], atol=1e-5)
    decoder = finished(heads.patch_states(model, CONTRAST, "decoder"))
    np.testing.assert_allclose(decoder.effects[0], 0, atol=1e-5)  # both runs read one prefix
    np.testing.assert_allclose(decoder.effects[-1], [0, 0, 1], atol=1e-5)


def test_a_patch_from_a_run_into_itself_changes_nothing_and_one_of_the_whole_memory_everything() -> (
    None
):
    model = build(shrunk("small"))
    same = Contrast(CONTRAST.source_b, CONTRAST.source_b, CONTRAST.prefix, 11, 15)
    for kind in KINDS:
        result = finished(heads.patch_heads(model, same, kind))
        np.testing.assert_allclose(result.patched, result.own_b, atol=1e-5)
    memory = Patch(Site(model.encoder.final_norm, False))
    rows = patching._patched(model, CONTRAST, [memory], is_encoder=True)
    np.testing.assert_allclose(finished(rows), metric(logits(model, CONTRAST.source_a)), atol=1e-5)


def test_the_difference_of_logits_is_that_of_log_probabilities() -> None:
    model = build(shrunk("small"))
    raw = heads.next_logits(model, CONTRAST, "a")
    of_logits = heads.logit_difference(CONTRAST, raw)
    torch.testing.assert_close(
        of_logits, heads.logit_difference(CONTRAST, F.log_softmax(raw, -1)), atol=1e-5, rtol=0
    )


def test_runs_that_hardly_differ_have_no_effects() -> None:
    patched = np.array([[0.5, 0.52]])
    assert not PatchingResult(0.55, 0.5, patched).is_measurable
    assert np.isnan(PatchingResult(0.55, 0.5, patched).effects).all()
    np.testing.assert_allclose(PatchingResult(2.5, 0.5, patched).effects, [[0, 0.01]])


def test_a_contrast_without_correspondence_is_refused() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        Contrast((5, 2), (5, 6, 2), (1,), 3, 4)
    with pytest.raises(ValueError, match="two different tokens"):
        Contrast((5, 2), (6, 2), (1,), 4, 4)
