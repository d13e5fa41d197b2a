"""The tokens of a target for a token strip: each with its probability, and the candidates at its position."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from s2s.runs import Run
from s2s.ui.canvas import Alternative, StripToken

N_CANDIDATES = 5  # that hover shows


def token_cells(
    run: Run, ids: Sequence[int], log_probs: Tensor, n_forced: int = 0
) -> list[StripToken]:
    """Every token of the target with its candidates; `log_probs` is (tgt_len, vocab), nats."""
    names = run.tgt_tokenizer.tokens
    best = log_probs.topk(min(N_CANDIDATES, log_probs.shape[1]))  # (tgt_len, n)
    cells = []
    for position, token in enumerate(ids):
        candidates = best.indices[position].tolist()
        probabilities = best.values[position].exp().tolist()
        alternatives = list(map(Alternative, candidates, names(candidates), probabilities))
        note = "forced" if position < n_forced else ""
        probability = float(log_probs[position, token].exp())
        cells.append(StripToken(names([token])[0], probability, alternatives, note))
    return cells
