"""Beam sampling: beam search that draws its continuations instead of taking the most probable ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from s2s.decode.beam import BeamConfig, Candidates, LiveBeams, search
from s2s.decode.filters import Truncation, truncate
from s2s.decode.noise import key_of, mixed
from s2s.decode.numerics import NEG_INF, flat_rows
from s2s.decode.processors import LogitsProcessors
from s2s.decode.results import SearchResult
from s2s.decode.sampling import processed
from s2s.decode.stepper import ID_CODEC, Stepper, TextCodec
from s2s.decode.stochastic_beam import perturbed


@dataclass(frozen=True)
class BeamSample(BeamConfig, Truncation):
    """Settings of beam sampling."""


@torch.inference_mode()
def beam_sample(
    stepper: Stepper, config: BeamSample, codec: TextCodec = ID_CODEC
) -> list[SearchResult]:
    """Beam sampling as `generate` of transformers does it with num_beams and do_sample: each step draws 2 * num_beams
    candidates without replacement.
    """
    processors = LogitsProcessors(config, stepper, codec)
    keys = [key_of(config.seed, source) for source in stepper.sources]

    def propose(logits: Tensor, log_sums: Tensor, live: LiveBeams, n: int) -> Candidates:
        log_probs = processed(processors, logits - log_sums, live.prefixes, live.source_of_rows)
        scores = truncate(log_probs, config, keep=2)
        live_keys = [keys[source] for source in live.sources]
        return drawn(scores, live, live_keys, n)

    return search(stepper, config, processors, propose)


def drawn(scores: Tensor, live: LiveBeams, keys: Sequence[int], n: int) -> Candidates:
    """n continuations of each source, drawn without replacement from the softmax of all its totals, in the order drawn.

    Those are the highest totals after Gumbel noise on each (Vieira 2014). One key per source.
    """
    n_sources, beam = live.totals.shape
    source_keys = [key for key in keys for _ in range(beam)]
    places = list(range(beam)) * n_sources
    row_keys = mixed(source_keys, places, live.prefixes.length).tolist()
    noisy, parents, tokens = perturbed(scores, live.totals, None, row_keys, n)  # (sources, n) each
    rows = flat_rows(parents, beam)
    totals = live.totals.gather(1, parents) + scores[rows, tokens]
    totals = totals.masked_fill(noisy.eq(NEG_INF), NEG_INF)
    return Candidates(totals, parents, tokens)
