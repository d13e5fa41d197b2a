"""Beam sampling: beam search that draws its continuations instead of taking the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from s2s.decode.beam import Beams, Candidates, Running, search
from s2s.decode.limits import Truncation, truncate
from s2s.decode.noise import key_of, mixed
from s2s.decode.rules import NEVER, Rulebook
from s2s.decode.sampling import allowed
from s2s.decode.stepper import IDS, Found, Stepper, Words
from s2s.decode.stochastic_beam import perturbed


@dataclass(frozen=True)
class BeamSample(Beams, Truncation):
    """Settings of beam sampling."""


@torch.inference_mode()
def beam_sample(stepper: Stepper, config: BeamSample, words: Words = IDS) -> list[Found]:
    """As `generate` of transformers with num_beams and do_sample: twice num_beams are drawn without replacement at each step."""
    book = Rulebook(config, stepper, words)
    keys = [key_of(config.seed, source) for source in stepper.sources]

    def offer(logits: Tensor, norms: Tensor, running: Running, n: int) -> Candidates:
        log_probs = allowed(book, logits - norms, running.prefixes, running.source_of_rows)
        return drawn(
            truncate(log_probs, config, keep=2),
            running,
            [keys[source] for source in running.sources],
            n,
        )

    return search(stepper, config, book, offer)


def drawn(scores: Tensor, running: Running, keys: Sequence[int], n: int) -> Candidates:
    """n continuations of each source in the order drawn, without replacement, from the softmax of all its totals.

    That is what the highest are after Gumbel noise on each total (Vieira 2014). A key a source.
    """
    n_sources, width = running.totals.shape
    step = [running.prefixes.length] * n_sources * width
    of_rows = mixed(
        [key for key in keys for _ in range(width)], list(range(width)) * n_sources, step
    ).tolist()
    ranked, parents, tokens = perturbed(scores, running.totals, None, of_rows, n)
    rows = parents + torch.arange(n_sources)[:, None] * width
    totals = running.totals.gather(1, parents) + scores[rows, tokens]
    return Candidates(totals.masked_fill(ranked.eq(NEVER), NEVER), parents, tokens)
