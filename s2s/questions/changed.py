"""What interventions on attention changed: both translations, the next token, and both in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from s2s.analysis import WEIGHT_INTERVENTIONS, Attention, Floats, Head
from s2s.questions.finding import Finding, first
from s2s.runs import Decoded, Interventions
from s2s.words import listed

END = "</s>"
MAX_NAMED_HEADS = 4
NEGLIGIBLE = 0.005  # nats


@dataclass(frozen=True)
class Candidates:
    """The most probable tokens at a position (from 0) after the same prefix, with their probabilities."""

    position: int
    prefix: str  # its last tokens
    tokens: tuple[str, ...]
    before: Floats  # (n,) without the interventions, descending
    after: Floats  # (n,) with them


@dataclass(frozen=True)
class Changed:
    """Translations without and with interventions, which share their first `kept` tokens.

    `after.log_prob` is the changed model's. `attention` is that of the changed model while the target is forced.
    """

    interventions: Interventions
    kept: int
    before: Decoded
    after: Decoded
    attention: Attention
    next: Candidates | None  # at the overridden position, else at the first difference

    @property
    def is_overridden(self) -> bool:
        return bool(self.interventions.keys)

    @property
    def looking(self) -> list[Head]:
        """The heads whose attention is overridden, without those that are off."""
        n_layers, n_heads = self.attention.cross.shape[:2]
        every = [Head("cross", layer, head) for layer in range(n_layers) for head in range(n_heads)]
        moved = self.interventions.overridden
        states = dict(self.interventions.heads)
        return [head for head in (every if moved is None else moved) if states.get(head) != "off"]

    @property
    def heads(self) -> str:
        return _count(len(self.interventions.heads))

    @property
    def moved(self) -> str:
        if self.interventions.overridden is None:
            return ""
        n = len(self.looking)
        return f"{_count(n)} of cross-attention {'was' if n == 1 else 'were'}"

    @property
    def keys(self) -> str:
        tokens = [self.attention.src_tokens[key] for key in self.interventions.keys]
        return listed([_quoted(token) for token in tokens])

    @property
    def position(self) -> int:
        """The position, from 0, of the token that is compared."""
        return self.next.position if self.next else self.interventions.position

    @property
    def number(self) -> int:
        """The position, from 1, of the token that is compared."""
        return self.position + 1

    @property
    def old(self) -> str:
        return _token_at(self.before, self.position)

    @property
    def new(self) -> str:
        return _token_at(self.after, self.position)

    @property
    def then(self) -> str:
        """What the changed model did after that token; nothing where it had no position left."""
        if self.position + 1 >= len(self.after.tokens):
            return ""
        is_end = self.after.tokens[self.position + 1] == END
        return ", then stopped" if is_end else ", then continued on its own"

    @property
    def gain(self) -> float:
        """The change of the translation's log-probability, nats."""
        return self.after.log_prob - self.before.log_prob

    @property
    def described(self) -> str:
        change = self.interventions
        parts = [self._override()] if change.keys else []
        for slug, row in WEIGHT_INTERVENTIONS.items():
            if heads := [head for head, name in change.heads if name == slug]:
                parts.append(f"{row.label.lower()}: {_head_names(heads)}")
        return "; ".join(parts)

    def _override(self) -> str:
        token = _quoted(self.attention.tgt_tokens[self.interventions.position])
        heads = "all heads of cross-attention look"
        if self.interventions.overridden is not None:
            n = len(self.looking)
            heads = f"{_count(n)} of cross-attention {'looks' if n == 1 else 'look'}"
        number = self.interventions.position + 1
        return f"while token {number} ({token}) is written, {heads} only at {self.keys}"

    @property
    def finding(self) -> str:
        return f"{first(STARTS, self)} {first(ENDS, self)}"


# One start and one end, the first that holds of each, make a sentence.
STARTS = (
    Finding(
        lambda found: found.is_overridden and not found.looking,
        "Every head that should attend to {keys} at token {number} is off; the model",
    ),
    Finding(
        lambda found: found.is_overridden and bool(found.interventions.heads) and bool(found.moved),
        "With {heads} changed, {moved} made to attend to {keys} at token {number}, and the model",
    ),
    Finding(
        lambda found: found.is_overridden and bool(found.interventions.heads),
        "With {heads} changed, the model was made to attend to {keys} while it wrote token {number}; it",
    ),
    Finding(
        lambda found: found.is_overridden and bool(found.moved),
        "{moved} made to attend to {keys} at token {number}, and the model",
    ),
    Finding(
        lambda found: found.is_overridden,
        "The model was made to attend to {keys} while it wrote token {number}; it",
    ),
    Finding(
        lambda found: found.next is None,
        "With {heads} changed the model writes the same translation,",
    ),
    Finding(
        lambda found: found.before.text == found.after.text,
        "With {heads} changed the model writes the same text in other tokens, which first differ at token {number}: it",
    ),
    Finding(
        lambda found: True,
        "With {heads} changed the model writes another translation. They first differ at token {number}: it",
    ),
)
ENDS = (
    Finding(
        lambda found: found.next is None and not math.isfinite(found.gain),
        "with a log-probability that is no number.",
    ),
    Finding(
        lambda found: found.next is None and abs(found.gain) < NEGLIGIBLE,
        "as certain of it as before.",
    ),
    Finding(lambda found: found.next is None and found.gain > 0, "more certain of it than before."),
    Finding(lambda found: found.next is None and found.gain < 0, "less certain of it than before."),
    Finding(lambda found: found.old == found.new == END, "stopped there anyway."),
    Finding(lambda found: found.old == found.new, "wrote “{new}” anyway{then}."),
    Finding(lambda found: found.new == END, "stopped instead of writing “{old}”."),
    Finding(lambda found: found.old == END, "wrote “{new}” instead of stopping{then}."),
    Finding(lambda found: True, "wrote “{new}” instead of “{old}”{then}."),
)


def _token_at(found: Decoded, position: int) -> str:
    return found.tokens[position] if position < len(found.tokens) else END


def _head_names(heads: Sequence[Head]) -> str:
    names = [
        f"{head.kind} layer {head.layer + 1} head {head.head + 1}"
        for head in heads[:MAX_NAMED_HEADS]
    ]
    n_more = len(heads) - len(names)
    return ", ".join(names) + (f" and {n_more} more" if n_more else "")


def _quoted(token: str) -> str:
    return f"“{token}”"


def _count(n: int) -> str:
    return f"{n} head" if n == 1 else f"{n} heads"
