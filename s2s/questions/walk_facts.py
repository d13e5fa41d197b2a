"""What can be said of a step of the walkthrough: of the chosen token, its row of weights or scores, the sentence."""

from __future__ import annotations

import numpy as np

from s2s.analysis import Array, AttentionTrace, experiments
from s2s.questions.walked import (
    SOURCE,
    STEPS,
    Walked,
    counted,
    signed,
    tokens_of,
)
from s2s.runs import first_difference

TINY = 1e-30  # below any gradient that is not 0


class StepFacts:
    """Facts for the sentence about a step of the walkthrough: of the chosen token, its row, and the whole sentence."""

    def __init__(self, answer: Walked, step: str, head: int, row: int) -> None:
        """`head` and `row` count from 0."""
        self.answer = answer
        self.step = step
        self.head = head
        self.at = answer.at
        self.config = answer.at.config
        self.row = row
        self.tokens = tokens_of(answer.at, step)
        self.token = self.tokens[self.row]

    @property
    def attended(self) -> AttentionTrace:
        trace = self.at.trace
        if self.step == "bridge" and trace.decoder.cross_attention is not None:
            return trace.decoder.cross_attention
        is_source = STEPS[self.step] == SOURCE
        return (trace.encoder if is_source else trace.decoder).self_attention

    @property
    def weights(self) -> Array:
        row: Array = self.attended.weights[self.head, self.row]
        return row

    @property
    def keys(self) -> tuple[str, ...]:
        return self.at.src_tokens if self.step == "bridge" else self.tokens

    @property
    def best(self) -> int:
        if self.step == "scores":
            return int(self.attended.dot_products[self.head, self.row].argmax())
        return int(self.weights.argmax())

    @property
    def best_key(self) -> str:
        return self.keys[self.best]

    @property
    def share(self) -> float:
        return float(self.weights[self.best])

    @property
    def score(self) -> str:
        return signed(self.attended.dot_products[self.head, self.row, self.best])

    @property
    def largest(self) -> list[float]:
        head = self.head
        rows = self.attended.dot_products[head, self.row], self.attended.scaled[head, self.row]
        return [float(experiments.softmax(each).max()) for each in rows]

    @property
    def predicted(self) -> str:
        return self.at.predicts[self.row]

    @property
    def n_allowed(self) -> int:
        return int(self.attended.mask[self.row].sum())

    @property
    def lengths(self) -> tuple[float, float]:
        joined = self.at.trace.encoder.self_residual
        found = (joined.before[self.row], joined.sublayer_output[self.row])
        before, added = (float(np.linalg.norm(each)) for each in found)
        return before, added

    @property
    def zeros(self) -> float:
        is_source = STEPS[self.step] == SOURCE
        trace = self.at.trace.encoder if is_source else self.at.trace.decoder
        return float((trace.feed_forward.hidden == 0).mean()) if trace.feed_forward else -1.0

    @property
    def below(self) -> float:
        fed = self.at.trace.encoder.feed_forward
        return float((fed.activation_inputs < 0).mean()) if fed else -1.0

    @property
    def changed(self) -> str:
        erased = self.answer.erased
        changes = {
            "feed-forward": erased.feed_forward if erased else None,
            "self-attention": erased.attention if erased else None,
        }
        return " and ".join(
            f"{counted(int((np.abs(change).max(1) > 0).sum()), 'row')} of {len(change)} in the {name}"
            for name, change in changes.items()
            if change is not None
        )

    @property
    def repeated(self) -> str:
        return "”, “".join(sorted({each for each in self.tokens if self.tokens.count(each) > 1}))

    @property
    def n(self) -> int:
        return len(self.tokens)

    @property
    def unknown(self) -> str:
        return "”, “".join(self.answer.words)

    @property
    def rotated_lengths(self) -> list[float]:
        """Lengths of the chosen token's query in head 1 before and after its rotation."""
        found = self.attended.unrotated_queries[0], self.attended.queries[0]
        return [float(np.linalg.norm(each[self.row])) for each in found]

    @property
    def first_predicted(self) -> str:
        return self.at.predicts[0]

    @property
    def top(self) -> str:
        return self.answer.words[int(self.at.trace.logits[self.row].argmax())]

    @property
    def probability(self) -> float:
        return float(experiments.softmax(self.at.trace.logits[self.row]).max())

    @property
    def written(self) -> str:
        own = self.answer.own
        return f"“{own.text}”" if own and own.text else "no text"

    @property
    def n_written(self) -> str:
        own = self.answer.own
        return counted(len(own.tokens), "step") if own else ""

    @property
    def losses(self) -> list[float]:
        """The loss of each token of the target, in nats."""
        loss = self.answer.loss
        return [-value for value in loss.forced.log_probs] if loss else []

    @property
    def total(self) -> str:
        return signed(sum(self.losses))

    @property
    def per_token(self) -> str:
        return signed(-self.answer.loss.forced.per_token) if self.answer.loss else ""

    @property
    def hardest(self) -> str:
        loss = self.answer.loss
        return loss.forced.tokens[int(np.argmax(self.losses))] if loss else ""

    @property
    def hardest_percent(self) -> str:
        return f"{100 * np.exp(-max(self.losses)):.3g}%"

    @property
    def differs_at(self) -> int | None:
        """The first position at which the freely running and the forced model read different tokens."""
        own, loss = self.answer.own, self.answer.loss
        return first_difference(own.ids, loss.forced.ids) if own and loss else None

    @property
    def from_position(self) -> int:
        return (self.differs_at or 0) + 1

    @property
    def forced_reads(self) -> str:
        loss = self.answer.loss
        read = loss.forced.tokens[: self.from_position] if loss else ()
        return " ".join((self.at.tgt_tokens[0], *read))

    @property
    def free_reads(self) -> str:
        own = self.answer.own
        return " ".join((self.at.tgt_tokens[0], *(own.tokens[: self.from_position] if own else ())))

    @property
    def first_gradients(self) -> list[str]:
        return [
            f"{flow.encoder[0] / max(float(flow.decoder[-1]), TINY):.2g}"
            for flow in self.answer.flows or ()
        ]

    @property
    def means(self) -> list[float]:
        found = self.answer.update
        return (
            [float(each.mean()) for each in (found.losses_before, found.losses_after)]
            if found
            else []
        )

    @property
    def is_ended(self) -> bool:
        own = self.answer.own
        return own is not None and own.ids[-1] == self.config.ids.eos
