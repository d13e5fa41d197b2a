"""Heads of a known role are found, whatever their layer and number."""

import numpy as np
import pytest

import s2s
from s2s.analysis import KINDS, Attention
from s2s.analysis.alignment import row_entropies
from s2s.analysis.attention import Weights
from s2s.analysis.roles import NO_ROLE, ROLES, distances, roles, summarize_heads

N = 8


def pointing(places: list[int], n_keys: int = N, *, sharp: float = 0.7) -> Weights:
    """(1, 1, rows, keys): row i looks at `places[i]` with `sharp`, and evenly at the rest."""
    weights = np.full((len(places), n_keys), (1 - sharp) / (n_keys - 1), np.float32)
    weights[np.arange(len(places)), places] = sharp
    return weights[None, None]


def causal(weights: Weights) -> Weights:
    """Nothing ahead; rows sum to 1."""
    lower = np.tril(weights)
    scaled: Weights = (lower / lower.sum(-1, keepdims=True)).astype(np.float32)
    return scaled


BACK = [0, *range(N - 1)]
AHEAD = [*range(1, N), N - 1]
SWAPPED = [0, 2, 1, 3, 4, 6, 5, 7]  # two adjectives change places with their nouns
HEADS = {
    "previous": ("encoder", pointing(BACK)),
    "previous, causal": ("decoder", causal(pointing(BACK))),
    "next": ("encoder", pointing(AHEAD)),
    "same": ("encoder", pointing([*range(N)])),
    "same, causal": ("decoder", causal(pointing([*range(N)]))),
    "first": ("encoder", pointing([0] * N)),
    "first, causal": ("decoder", causal(pointing([0] * N))),
    "end": ("cross", pointing([N - 1] * N)),
    "spread": ("cross", np.full((1, 1, N, N), 1 / N, np.float32)),
    "spread, causal": ("decoder", causal(np.full((1, 1, N, N), 1.0, np.float32))),
    "aligned": ("cross", pointing(SWAPPED)),
    "aligned, longer": ("cross", pointing([*range(0, 2 * N, 2)], 2 * N)),
    "mixed": ("cross", pointing([5, 2, 7, 0, 3, 6, 1, 4])),
    "mixed, both ends": (
        "cross",
        pointing([2, 2, 2, 2, 5, 5, 5, 5]),
    ),  # goes forward, but over two tokens alone
}


def test_a_head_of_a_known_role_is_called_by_it() -> None:
    for name, (kind, weights) in HEADS.items():
        assert roles(weights, kind).item() == name.partition(",")[0]


def test_the_end_is_the_last_source_token_whichever_it_is() -> None:
    before_it = pointing([N - 2] * N)  # `</s>` where a source ends in its language
    assert [roles(weights, "cross").item() for weights in (pointing([N - 1] * N), before_it)] == [
        "end",
        NO_ROLE,
    ]
    assert "on the last source token, which is </s> in most models" in ROLES["end"].rule


def test_every_role_is_tested() -> None:
    assert {name.partition(",")[0] for name in HEADS} == set(ROLES)


def test_a_role_depends_on_the_head_alone() -> None:
    every = np.concatenate(
        [weights for kind, weights in HEADS.values() if weights.shape[-2:] == (N, N)], 1
    )[:, :12]  # (1, 12, N, N)
    together = roles(every.reshape(2, -1, N, N), "encoder").ravel()
    assert list(together) == [
        roles(every[:, [head]], "encoder").item() for head in range(every.shape[1])
    ]
    order = np.random.default_rng(0).permutation(every.shape[1])
    assert list(roles(every[:, order], "encoder")[0]) == list(together[order])


def test_a_causal_row_is_measured_against_what_it_may_see() -> None:
    weights = HEADS["spread, causal"][1]
    assert row_entropies(weights).mean() < 0.9 * np.log(
        N
    )  # against all keys it would not be spread out
    assert roles(weights, "decoder").item() == "spread"


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_row_of_several_keys_there_is_no_role(kind: str) -> None:
    assert roles(np.ones((2, 3, 1, 1), np.float32), kind).tolist() == [["mixed"] * 3] * 2


def test_distance_is_in_tokens_from_a_rows_own_position() -> None:
    exact = {"previous": 7 / 8, "next": 7 / 8, "same": 0.0}
    for name, places in (("previous", BACK), ("next", AHEAD), ("same", [*range(N)])):
        assert distances(pointing(places, sharp=1.0), is_self=True).mean() == pytest.approx(
            exact[name]
        )
    assert (
        distances(pointing([0, 7, 14], 15, sharp=1.0), is_self=False).mean() == 0
    )  # in step with a source five times as long
    assert distances(pointing([14, 7, 0], 15, sharp=1.0), is_self=False)[0, 0].tolist() == [
        14,
        0,
        14,
    ]
    assert distances(pointing([2], 5, sharp=1.0), is_self=False).item() == 2


def test_a_link_to_no_kind_of_attention_is_refused() -> None:
    with pytest.raises(
        ValueError, match="there is no attention `self`; there are cross, encoder, decoder"
    ):
        roles(pointing(BACK), "self")


def seen_by_demo(text: str) -> Attention:
    run = s2s.load("demo-en-fr")
    return run.attention(text, run.translate([text])[0].text)


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_of_a_demo_head_are_those_of_its_rows(kind: str) -> None:
    attention = seen_by_demo("the cat who chased the mouse was black")
    found = summarize_heads(attention, kind)
    weights = attention.view(kind).weights
    assert found.role.shape == found.entropy.shape == weights.shape[:2]
    for layer, head in np.ndindex(weights.shape[:2]):
        rows = weights[layer, head].astype(float)
        nats = -np.sum(rows * np.log(np.where(rows > 0, rows, 1)), 1)
        np.testing.assert_allclose(found.entropy[layer, head], nats.mean())
        np.testing.assert_allclose(found.peak[layer, head], rows.max(1).mean())
        assert found.role[layer, head] in ROLES
        assert kind in ROLES[found.role[layer, head]].kinds


def test_the_demo_has_monotonic_heads() -> None:
    assert (
        "aligned"
        in summarize_heads(seen_by_demo("the cat who chased the mouse was black"), "cross").role[-1]
    )
