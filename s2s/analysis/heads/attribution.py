"""Attribution: what each source token contributes to the log-probability of each target token.

Beside attention, on the same axes (target tokens x source tokens). The input is the token vectors of the source, before
positions are added; a baseline replaces them, so that positions, masks and the target stay. Knows nothing of text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from s2s.analysis.alignment import NO_WORD, Floats
from s2s.config import UserError
from s2s.model import Transformer

ATTRIBUTION_ROWS = 16  # copies of the source per pass
STEPS = 32  # of the integral; Sundararajan et al. 2017, section 5: between 20 and 300
MOST_STEPS = 300


@dataclass(frozen=True)
class AttributionInput:
    """A sentence pair, and how to attribute.

    `tgt` begins with the start id and ends in `</s>`. `words` is the word of each source token, from 0, NO_WORD where
    it belongs to none; occlusion removes whole words. `baseline` is a row of BASELINES. `n_steps`: of the integral.
    """

    src: tuple[int, ...]
    tgt: tuple[int, ...]
    words: tuple[int, ...]
    baseline: str = "zero"
    n_steps: int = STEPS

    def __post_init__(self) -> None:
        if len(self.words) != len(self.src):
            raise ValueError(f"{len(self.src)} source tokens cannot have {len(self.words)} words")
        if self.baseline not in BASELINES:
            raise UserError(f"There is no baseline `{self.baseline}`; choose {_or(BASELINES)}.")
        if not 1 <= self.n_steps <= MOST_STEPS:
            raise UserError(f"The integral takes 1 to {MOST_STEPS} steps, not {self.n_steps}.")


@dataclass(frozen=True)
class Attribution:
    """Nats of each target token's log-probability that each source token accounts for: (tgt_len, src_len)."""

    values: Floats
    own: Floats  # (tgt_len,) log-probability of each target token
    without: Floats  # (tgt_len,) and with the baseline in place of every source token
    sums: Floats = field(init=False)  # (tgt_len,)
    residuals: Floats = field(init=False)  # (tgt_len,) what is missing to completeness

    def __post_init__(self) -> None:
        object.__setattr__(self, "sums", self.values.sum(1))
        object.__setattr__(self, "residuals", self.values.sum(1) - (self.own - self.without))


class Baseline(NamedTuple):
    """A way to make a token vector for "no word", (d_model,), from the table of all of them, (vocab, d_model)."""

    label: str
    vector: Callable[[Tensor], Tensor]
    about: str


# A slug is stored in links, in `set`: if you rename one, keep reading the old one.
BASELINES: Mapping[str, Baseline] = MappingProxyType(
    {
        "zero": Baseline(
            "Zero vector",
            lambda table: torch.zeros_like(table[0]),
            "A zero vector in place of each token's; positions stay.",
        ),
        "mean": Baseline(
            "Mean vector",
            lambda table: table.mean(0),
            "The mean vector of the vocabulary in place of each token's; positions stay.",
        ),
    }
)

Steps = Generator[float, None, Attribution]


class AttributionMethod(NamedTuple):
    """A way to attribute, and what its sums promise."""

    label: str
    attribute: Callable[[Transformer, AttributionInput], Steps]
    about: str
    completeness: str
    source: str


def gradient_times_input(model: Transformer, given: AttributionInput) -> Steps:
    """Attribute by the gradient at each token vector, times the vector; the baseline is zero, whatever is given."""
    vectors, _ = _vectors(model, given)
    zero = torch.zeros_like(vectors)
    with _differentiable(model):
        gradients = _gradients(model, given, vectors[None])[0]  # (tgt_len, src_len, d_model)
        values = (gradients * vectors).sum(-1)
        result = _result(model, given, values, torch.stack([vectors, zero]))
    yield 1.0
    return result


def integrated_gradients(model: Transformer, given: AttributionInput) -> Steps:
    """Attribute by the mean gradient on the straight path from the baseline, times the way (Sundararajan et al. 2017,
    eq. 1).

    The integral is a Gauss-Legendre sum of `n_steps`; the residual says how far it is from the exact one.
    """
    vectors, baseline = _vectors(model, given)
    way = vectors - baseline  # (src_len, d_model)
    nodes, shares = np.polynomial.legendre.leggauss(given.n_steps)  # on -1 to 1
    points = torch.tensor((nodes + 1) / 2, dtype=way.dtype, device=way.device)
    weights = torch.tensor(shares / 2, dtype=way.dtype, device=way.device)
    total = way.new_zeros(len(given.tgt) - 1, *way.shape)
    for start in range(0, given.n_steps, ATTRIBUTION_ROWS):
        some = slice(start, start + ATTRIBUTION_ROWS)
        with _differentiable(model):
            path = baseline + points[some, None, None] * way  # (steps, src_len, d_model)
            gradients = _gradients(model, given, path)  # (steps, tgt_len, src_len, d_model)
        total += torch.einsum("s,stkd->tkd", weights[some], gradients)
        yield min(start + ATTRIBUTION_ROWS, given.n_steps) / (given.n_steps + 1)
    with _differentiable(model):
        result = _result(model, given, (total * way).sum(-1), torch.stack([vectors, baseline]))
    yield 1.0
    return result


def occlusion(model: Transformer, given: AttributionInput) -> Steps:
    """Attribute by the fall of the log-probability when the baseline replaces all tokens of a word (Zeiler and Fergus
    2014).

    Tokens of one word share its value evenly; a token of no word is removed alone.
    """
    vectors, baseline = _vectors(model, given)
    groups = _groups(given.words)
    is_removed = torch.tensor(
        [[group == token_group for token_group in groups] for group in range(max(groups) + 1)],
        device=vectors.device,
    )  # (groups, src_len)
    falls = []
    for start in range(0, len(is_removed), ATTRIBUTION_ROWS):
        some = is_removed[start : start + ATTRIBUTION_ROWS, :, None]
        with _differentiable(model), torch.no_grad():
            without = torch.where(some, baseline, vectors)  # (groups, src_len, d_model)
            falls.append(
                _log_probs(model, given, vectors[None]) - _log_probs(model, given, without)
            )
        yield min(start + ATTRIBUTION_ROWS, len(is_removed)) / (len(is_removed) + 1)
    shares = is_removed / is_removed.sum(1, keepdim=True)  # (groups, src_len)
    values = torch.cat(falls).T @ shares.to(vectors.dtype)  # (tgt_len, src_len)
    with _differentiable(model):
        result = _result(model, given, values, torch.stack([vectors, baseline]))
    yield 1.0
    return result


# A slug is stored in links, in `set`: if you rename one, keep reading the old one.
ATTRIBUTIONS: Mapping[str, AttributionMethod] = MappingProxyType(
    {
        "integrated": AttributionMethod(
            "Integrated gradients",
            integrated_gradients,
            "The gradient at each source token, averaged on the straight path from the baseline to the sentence, times"
            " the distance. The words on that path exist for no reader: a linear mixture of a word and nothing.",
            "Rows sum to the log-probability minus that with the baseline; the residual is the error of the integral.",
            "Sundararajan et al. 2017",
        ),
        "gradient": AttributionMethod(
            "Gradient x input",
            gradient_times_input,
            "The gradient at each source token times its vector: what a linear model with this slope would lose"
            " without the token. It only sees the sentence as it is.",
            "Rows need not sum to anything; the residual shows how far this model is from linear.",
            "Shrikumar et al. 2017",
        ),
        "occlusion": AttributionMethod(
            "Occlusion",
            occlusion,
            "The fall of the log-probability when one source word is replaced by the baseline. Words that can stand in"
            " for each other both get little.",
            "Rows need not sum to anything: the residual is what words do only together.",
            "Zeiler and Fergus 2014",
        ),
    }
)


def _vectors(model: Transformer, given: AttributionInput) -> tuple[Tensor, Tensor]:
    """The source's token vectors and the baseline's, both (src_len, d_model) and scaled as the model does."""
    tokens = model.encoder.embed.tokens
    with _differentiable(model), torch.no_grad():
        vectors = tokens(torch.tensor(given.src, device=model.device))
        baseline = BASELINES[given.baseline].vector(tokens.weight) * tokens.scale
    return vectors, baseline.expand_as(vectors)


def _groups(words: Sequence[int]) -> list[int]:
    keys = [(word, at if word == NO_WORD else 0) for at, word in enumerate(words)]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return [numbers[key] for key in keys]


def _gradients(model: Transformer, given: AttributionInput, vectors: Tensor) -> Tensor:
    """Gradients of target tokens' log-probability: (rows, src_len, d_model) -> (rows, tgt_len, src_len, d_model)."""
    vectors = vectors.clone().requires_grad_()
    sums = _log_probs(model, given, vectors).sum(0)  # (tgt_len,); rows do not know each other
    last = len(sums) - 1
    of_tokens = [
        torch.autograd.grad(value, vectors, retain_graph=at < last)[0]
        for at, value in enumerate(sums)
    ]
    return torch.stack(of_tokens, 1)


def _log_probs(model: Transformer, given: AttributionInput, vectors: Tensor) -> Tensor:
    """Log-probability of each target token, nats: (rows, src_len, d_model) -> (rows, tgt_len)."""
    src = torch.tensor([given.src], device=model.device).expand(len(vectors), -1)
    tgt = torch.tensor([given.tgt], device=model.device).expand(len(vectors), -1)
    # only while the source is read: the decoder may share the embedding
    handle = model.encoder.embed.tokens.register_forward_hook(lambda *_: vectors)
    try:
        memory = model.encode(src)
    finally:
        handle.remove()
    logits = model.project(model.decode(tgt[:, :-1], memory, src))  # (rows, tgt_len, vocab)
    log_probs: Tensor = logits.log_softmax(-1).gather(-1, tgt[:, 1:, None])[..., 0]
    return log_probs


def _result(
    model: Transformer, given: AttributionInput, values: Tensor, ends: Tensor
) -> Attribution:
    """The result from `values` (tgt_len, src_len); `ends`: the sentence's vectors, and those of the baseline."""
    with torch.no_grad():
        own, without = _log_probs(model, given, ends).double().cpu().numpy()
    return Attribution(values.double().cpu().numpy(), own, without)


@contextlib.contextmanager
def _differentiable(model: Transformer) -> Iterator[None]:
    with model.lock, torch.inference_mode(False), torch.enable_grad():
        was_training = model.training
        if was_training:  # walking through all modules takes a while
            model.eval()
        try:
            yield
        finally:
            if was_training:
                model.train()


def _or(names: Mapping[str, object]) -> str:
    return " or ".join(f"`{name}`" for name in names)
