"""Greedy search."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from s2s.decode.numerics import logsumexp, row_max
from s2s.decode.prefixes import start
from s2s.decode.processors import GenerationConfig, LogitsProcessors
from s2s.decode.results import Hypothesis, SearchResult, path_records
from s2s.decode.stepper import ID_CODEC, Stepper, TextCodec


@dataclass(frozen=True)
class Greedy(GenerationConfig):
    """Settings of greedy search."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_returned(1, "greedy finds")


@torch.inference_mode()
def greedy(stepper: Stepper, config: Greedy, codec: TextCodec = ID_CODEC) -> list[SearchResult]:
    """The most probable token at each step, of equal ones the lowest id.

    One hypothesis per source; its score is its log-probability.
    """
    processors = LogitsProcessors(config, stepper, codec)
    prefixes = start(stepper, processors)
    written = prefixes.ids[:, 1:].tolist()  # the tokens of each source
    written_log_probs = prefixes.log_probs.tolist()
    live = list(range(stepper.n_rows))  # the source of each row
    tokens = prefixes.last  # (rows,)
    ids = prefixes.ids  # (rows, 1 + length), kept up to date only where processors need it
    for _ in range(prefixes.length, processors.limit):
        logits = stepper.step(tokens)  # (rows, vocab)
        if processors.is_idle:
            token_logits, tokens = row_max(logits)  # (rows,) both
        else:
            logits = logits.cpu()
            scores = processors.apply(logits.clone(), ids, live)  # (rows, vocab)
            _, tokens = row_max(scores)  # (rows,)
            token_logits = logits.gather(1, tokens[:, None])[:, 0]  # (rows,)
            ids = torch.cat([ids, tokens[:, None]], 1)
        log_probs = token_logits - logsumexp(logits)[:, 0]  # (rows,)
        new_tokens = tokens.tolist()
        for source, token, log_prob in zip(live, new_tokens, log_probs.tolist(), strict=True):
            written[source].append(token)
            written_log_probs[source].append(log_prob)
        unfinished = [row for row, token in enumerate(new_tokens) if token != stepper.eos_id]
        if not unfinished:
            break
        if len(unfinished) < len(live):
            rows = torch.tensor(unfinished)
            live = [live[row] for row in unfinished]
            tokens = tokens[rows]
            if not processors.is_idle:
                ids = ids[rows]
            stepper.reorder(rows)
    return [
        _result(target, log_probs, n_forced=prefixes.length, eos_id=stepper.eos_id)
        for target, log_probs in zip(written, written_log_probs, strict=True)
    ]


def _result(ids: list[int], log_probs: list[float], *, n_forced: int, eos_id: int) -> SearchResult:
    hypothesis = Hypothesis(tuple(ids), tuple(log_probs), score=sum(log_probs))
    steps = path_records(ids, log_probs, eos_id=eos_id, n_forced=n_forced)
    return SearchResult((hypothesis,), steps)
