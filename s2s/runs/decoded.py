"""The result of decoding, as text, and whether the length penalty decides it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from s2s.config import shortened
from s2s.decode import (
    BeamConfig,
    EndedHypothesis,
    Hypothesis,
    SearchResult,
    StepRecord,
    first_at,
    new_firsts,
)
from s2s.files import to_json
from s2s.tokenizers import Tokenizer

LONGEST_SHOWN = 60  # characters of a text in a repr


@dataclass(frozen=True)
class DecodedHypothesis:
    """A hypothesis as text: `log_prob` is the model's own sum in nats, `score` what the strategy ranks by."""

    text: str
    tokens: tuple[str, ...]  # ends in `</s>`, unless truncated by the length limit
    token_log_probs: tuple[float, ...]
    log_prob: float
    score: float
    ids: tuple[int, ...]  # of the tokens; the same text may have other ids too

    def __repr__(self) -> str:
        """The hypothesis in a line, without its tokens."""
        return (
            f"DecodedHypothesis({_shown(self.text)}, {len(self.tokens)} tokens, log_prob {self.log_prob:.3f},"
            f" score {self.score:.3f})"
        )


@dataclass(frozen=True)
class Decoded:
    """A strategy's output for one source. An empty source gives an empty text and no hypotheses."""

    source: str
    hypotheses: tuple[DecodedHypothesis, ...] = ()  # best first
    steps: tuple[tuple[StepRecord, ...], ...] = ()
    unknown: tuple[str, ...] = ()  # words of the source that became `<unk>`

    def __repr__(self) -> str:
        """The output in three lines at most, without the search's steps."""
        n = len(self.hypotheses)
        unknown = f", unknown: {_shown(' '.join(self.unknown))}" if self.unknown else ""
        return (
            f"Decoded({_shown(self.source)} -> {_shown(self.text)}, {len(self.tokens)} tokens,"
            f" log_prob {self.log_prob:.3f}, {n} {'hypothesis' if n == 1 else 'hypotheses'}{unknown})"
        )

    @property
    def text(self) -> str:
        """The text of the best hypothesis."""
        return self.hypotheses[0].text if self.hypotheses else ""

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the best hypothesis."""
        return self.hypotheses[0].tokens if self.hypotheses else ()

    @property
    def log_prob(self) -> float:
        """The best hypothesis' log-probability, nats."""
        return self.hypotheses[0].log_prob if self.hypotheses else 0.0

    @property
    def score(self) -> float:
        """The best hypothesis' score."""
        return self.hypotheses[0].score if self.hypotheses else 0.0

    def to_json(self, n_best: int | None = None) -> dict[str, Any]:
        """The output as JSON for the command line, with the `n_best` hypotheses or all."""
        best, *hypotheses = (
            {name: to_json(getattr(one, name)) for name in ("text", "tokens", "log_prob", "score")}
            for one in (self, *self.hypotheses[:n_best])
        )
        return {"source": self.source, **best, "hypotheses": hypotheses}


@dataclass(frozen=True)
class ForcedTarget:
    """A target under teacher forcing: log-probability in nats, tokens with `</s>`, and how many of them are top-1."""

    log_prob: float
    n_tokens: int
    n_correct: int


def decoded(
    source: str, found: SearchResult, tokenizer: Tokenizer, unknown: tuple[str, ...]
) -> Decoded:
    """A search result as text."""
    return Decoded(
        source, tuple(_hypothesis(one, tokenizer) for one in found.hypotheses), found.steps, unknown
    )


def _hypothesis(found: Hypothesis, tokenizer: Tokenizer) -> DecodedHypothesis:
    tokens = tuple(tokenizer.tokens(found.ids))
    return DecodedHypothesis(
        tokenizer.decode(found.ids),
        tokens,
        found.token_log_probs,
        found.log_prob,
        found.score,
        found.ids,
    )


def _shown(text: str) -> str:
    return shortened(repr(text), LONGEST_SHOWN)


def quoted(text: str) -> str:
    """The text in backticks, which it cannot have itself.

    >>> quoted("a`b"), quoted("")
    ("`a'b`", 'the empty text')
    """
    clean = text.replace("`", "'").strip()
    return f"`{clean}`" if clean else "the empty text"


RANGE = (0.0, 3.0)  # of penalties


def ended_hypotheses(config: BeamConfig, decoded: Decoded) -> list[EndedHypothesis]:
    """A beam search's hypotheses as log-probabilities and lengths, on which their scores depend."""
    return [
        EndedHypothesis(one.score / config.score(1.0, len(one.tokens)), len(one.tokens))
        for one in decoded.hypotheses
    ]


def penalty_decides(config: BeamConfig, decoded: Decoded) -> tuple[bool, str]:
    """Whether a length penalty in RANGE would put another hypothesis first, and a sentence that says which."""
    low, high = RANGE
    own = config.length_penalty
    ended = ended_hypotheses(config, decoded)
    changed = [one.penalty for one in new_firsts(config, ended) if low <= one.penalty <= high]
    for penalty in sorted([*changed, low, high], key=lambda penalty: abs(penalty - own)):
        if ended and (other := first_at(config, penalty, ended)) != first_at(config, own, ended):
            before = f"At a `length_penalty` of {own:g} the best score has {quoted(decoded.text)}"
            text = quoted(decoded.hypotheses[other].text)
            return True, f"{before}; at {penalty:g}, among the same hypotheses, {text}."
    return False, f"No `length_penalty` from {low:g} to {high:g} changes which text is first."
