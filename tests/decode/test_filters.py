import functools
import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from transformers.generation import logits_process as theirs

from s2s.config import UserError
from s2s.decode.filters import FILTERS, Truncation, truncate

# What `generate` of transformers builds of a setting, in its order.
WARPERS = {
    "temperature": lambda value, keep: theirs.TemperatureLogitsWarper(value),
    "top_h": lambda value, keep: theirs.TopHLogitsWarper(value),
    "top_k": lambda value, keep: theirs.TopKLogitsWarper(value, min_tokens_to_keep=keep),
    "top_p": lambda value, keep: theirs.TopPLogitsWarper(value, min_tokens_to_keep=keep),
    "min_p": lambda value, keep: theirs.MinPLogitsWarper(value, min_tokens_to_keep=keep),
    "typical_p": lambda value, keep: theirs.TypicalLogitsWarper(value, min_tokens_to_keep=keep),
    "epsilon_cutoff": lambda value, keep: theirs.EpsilonLogitsWarper(
        value, min_tokens_to_keep=keep
    ),
    "eta_cutoff": lambda value, keep: theirs.EtaLogitsWarper(value, min_tokens_to_keep=keep),
}
VALUES = {
    "temperature": (0.01, 0.3, 0.7, 1.5, 100.0),
    "top_h": (0.001, 0.2, 0.5, 0.9, 1.0),
    "top_k": (1, 2, 3, 7, 50, 5000),
    "top_p": (0.0, 0.1, 0.5, 0.9, 0.999),
    "min_p": (0.01, 0.1, 0.5, 1.0),
    "typical_p": (0.001, 0.1, 0.5, 0.95, 0.999),
    "epsilon_cutoff": (1e-5, 3e-3, 0.05, 0.5, 0.999),
    "eta_cutoff": (1e-5, 3e-3, 0.05, 0.5, 0.999),
}


@functools.cache
def _logits() -> list[Tensor]:
    draw = torch.Generator().manual_seed(0)
    plain = [
        torch.randn(rows, vocab, generator=draw) * 3
        for rows, vocab in ((1, 1), (3, 2), (5, 5), (7, 64), (4, 777), (1, 3000))
    ]
    tied = [(logits * 2).round() / 2 for logits in plain]
    equal = [torch.zeros(3, vocab) for vocab in (2, 5, 300)]
    ruled = [
        logits.masked_fill(torch.rand(logits.shape, generator=draw) < 0.5, float("-inf"))
        for logits in (*plain[3:5], *tied[3:])
    ]
    return [*plain, *tied, *equal, *ruled, *(logits.log_softmax(1) for logits in plain[2:5])]


def _check(values: dict[str, float], keep: int) -> None:
    chain = theirs.LogitsProcessorList(
        [WARPERS[name](values[name], keep) for name in WARPERS if name in values]
    )
    config = Truncation(**values)
    for logits in _logits():
        given = logits.clone()
        wanted = chain(None, logits.clone())
        found = truncate(logits, config, keep)
        assert torch.equal(logits, given)
        assert torch.equal(found.isinf(), wanted.isinf()), f"{values} of {tuple(logits.shape)}"
        torch.testing.assert_close(found.softmax(1), wanted.softmax(1), atol=1e-6, rtol=0)


@pytest.mark.parametrize("keep", [1, 2])
@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in VALUES.items() for value in values]
)
def test_a_filter_leaves_what_transformers_leaves(name: str, value: float, keep: int) -> None:
    _check({name: value}, keep)


@settings(max_examples=20)
@given(
    chosen=st.fixed_dictionaries(
        {}, optional={name: st.sampled_from(values) for name, values in VALUES.items()}
    ).filter(lambda chosen: len(chosen) > 1),
    keep=st.integers(1, 2),
)
def test_filters_together_leave_what_transformers_leaves(
    chosen: dict[str, float], keep: int
) -> None:
    _check(chosen, keep)


def test_the_filters_stand_in_transformers_order() -> None:
    assert ["temperature", *FILTERS] == list(WARPERS) == list(VALUES)
    logits = torch.tensor([[2.0, 1.0, 0.9, 0.8]])
    assert truncate(logits, Truncation(top_p=0.7)).isfinite().sum() == 3
    assert (
        truncate(logits, Truncation(top_k=2, top_p=0.7)).isfinite().sum() == 1
    )  # the first has 0.7 of what top_k left


def test_the_defaults_change_nothing() -> None:
    logits = torch.randn(4, 9)
    assert truncate(logits, Truncation()) is logits


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_keeps_the_most_probable_or_the_typical_and_at_least_one(name: str) -> None:
    for value, keep in itertools.product(VALUES[name], (1, 2)):
        logits = torch.randn(50, 30, generator=torch.Generator().manual_seed(1))
        left = truncate(logits, Truncation(**{name: value}), keep).isfinite().sum(1)
        assert int(left.min()) >= (1 if name == "top_h" else keep)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        (
            "temperature",
            0,
            "`temperature` 0 leaves nothing to draw; take the strategy `greedy`, or give a number between 0.01 and 100",
        ),
        ("temperature", 0.0, "take the strategy `greedy`"),
        (
            "temperature",
            -1.0,
            "`temperature` -1.0 is out of range; give a number between 0.01 and 100.0",
        ),
        ("temperature", False, "`temperature` is False; give a number"),
        ("top_p", 1.5, "`top_p` 1.5 is out of range; give a number between 0.0 and 1.0"),
        ("top_h", 0.0, "`top_h` 0.0 is out of range; give a number between 0.001 and 1.0"),
        ("top_k", -1, "`top_k` -1 is out of range"),
        ("typical_p", 0, "`typical_p` 0 is out of range"),
    ],
)
def test_what_is_out_of_range_is_said(name: str, value: float, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        Truncation(**{name: value})
