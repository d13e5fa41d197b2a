"""The scores of systems on one test set, updated as sentences are translated. Knows nothing of queues and files."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.runs import Run
from s2s.scores import (
    SAMPLES,
    SEED,
    TAIL,
    Interval,
    References,
    Scoring,
    Statistics,
    draws,
    sentence_scores_of,
    statistics,
)

MOST_NATS = 700.0  # exp of more overflows a float
# Scores of the references under teacher forcing: the same for all strategies of a model.
FORCED = ("loss", "perplexity", "token_accuracy")

Counts = npt.NDArray[np.float64]


@dataclass
class SystemScores:
    """The scores of one system so far."""

    scoring: Scoring = field(default_factory=Scoring)
    forced_signature: str = ""  # of the scores under teacher forcing
    counted: Statistics | None = None
    # log-probability in nats, tokens and correct top-1 tokens of each reference
    forced: list[Sequence[float]] = field(default_factory=list)
    n: int = 0
    seconds: float = 0.0  # that decoding took
    n_timed: int = 0

    def add(
        self, lines: Sequence[Mapping[str, Any]], references: References
    ) -> list[dict[str, float]]:
        """Add sentences; return the scores of each, none where there are no references."""
        self.n += len(lines)
        timed = [line["seconds"] for line in lines if line.get("seconds") is not None]
        self.seconds = self.seconds + sum(timed)
        self.n_timed = self.n_timed + len(timed)
        self.forced += [line["forced"] for line in lines if line.get("forced")]
        if not references:
            return []
        texts = [str(line["text"]) for line in lines]
        found = statistics(texts, references, scoring=self.scoring)
        self.counted = found if self.counted is None else self.counted + found
        return sentence_scores_of(found)

    def scores(self) -> dict[str, Any]:
        """The scores so far, with the signatures of their computation."""
        values = (
            {key: {"value": score.value} for key, score in self.counted.scores().items()}
            if self.counted
            else {}
        )
        if self.forced:
            values |= {key: {"value": value} for key, value in forced_scores(self.forced).items()}
        signatures = (
            {key: score.signature for key, score in self.counted.scores().items()}
            if self.counted
            else {}
        )
        if self.forced and self.forced_signature:
            signatures |= dict.fromkeys(FORCED, self.forced_signature)
        rate = self.n_timed / self.seconds if self.seconds > 0 else None
        return {
            "n": self.n,
            "n_forced": len(self.forced),  # references not longer than the model's positions
            "scores": values,
            "signature": signatures,
            "seconds": self.seconds,
            "sentences_per_second": rate,
        }

    def compared(self, baseline: SystemScores | None) -> dict[str, Any]:
        """The scores with 95 % intervals; with a baseline, also the differences and their p-values."""
        found = self.scores()
        if self.counted is None:
            return found
        values = {key: asdict(one) for key, one in self.counted.intervals().items()}
        values |= {key: asdict(one) for key, one in self._forced_intervals().items()}
        has_pair = baseline is not None and baseline is not self and baseline.counted is not None
        pairs = (
            self.counted.paired(baseline.counted)
            if has_pair and baseline and baseline.counted
            else {}
        )
        return found | {
            "scores": values,
            "paired": {key: asdict(one) for key, one in pairs.items()},
        }

    def _forced_intervals(self) -> dict[str, Interval]:
        if not self.forced:
            return {}
        rows = np.array(self.forced, np.float64)  # (sentences, 3)
        drawn = [
            _of_sums(sums) for counts in draws(len(rows), SAMPLES, SEED) for sums in counts @ rows
        ]
        values = forced_scores(rows)
        tail = SAMPLES // TAIL
        ordered = {key: sorted(one[key] for one in drawn) for key in FORCED}
        return {
            key: Interval(values[key], ordered[key][tail], ordered[key][-1 - tail])
            for key in FORCED
        }


def forced_scores(rows: Sequence[Sequence[float]] | Counts) -> dict[str, float]:
    """The scores FORCED, from each reference's log-probability in nats, tokens and correct top-1 tokens."""
    return _of_sums(np.array(rows, np.float64).sum(0))


def _of_sums(sums: Counts) -> dict[str, float]:
    nats, tokens, correct = (float(value) for value in sums)
    loss = -nats / tokens
    return {
        "loss": loss,
        "perplexity": math.exp(min(loss, MOST_NATS)),
        "token_accuracy": correct / tokens,
    }


def forced_signature(run: Run) -> str:
    """The signature of the scores FORCED: two models can be compared where it is equal.

    `ref:first|unit:token|tok:word|vocab:476|hash:8c3f01aa|eos:yes`
    """
    tokenizer = run.tgt_tokenizer
    content = json.dumps(tokenizer.to_json(), sort_keys=True).encode(errors="replace")
    hash = hashlib.sha256(content).hexdigest()[:8]
    named = f"tok:{tokenizer.kind}|vocab:{tokenizer.vocab_size}|hash:{hash}"
    return f"ref:first|unit:token|{named}|eos:yes"
