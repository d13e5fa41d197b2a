"""What a step of the Walkthrough is, and the sentence it shows, with every tensor of one layer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from s2s.config import ModelConfig
from s2s.runs import Reference, Run
from s2s.ui.kit import plain
from s2s.ui.walkthrough.code import Code

STRATEGY = "greedy"  # as the step `chosen` explains: the most probable token, again and again
# Faults that pictures show.
NO_RESIDUAL = "no-residual"


@dataclass(frozen=True)
class TracedSentence:
    """A source and a target inside the model."""

    run: Run
    text: str
    target: Reference
    is_model_output: bool  # whether the target is the model's own translation

    @property
    def config(self) -> ModelConfig:
        """Of the model."""
        return self.run.recipe.model

    @property
    def src_ids(self) -> tuple[int, ...]:
        """The source, `</s>` included."""
        return tuple(self.config.ids.source(self.run.src_tokenizer.encode(self.text)))

    @property
    def tgt_ids(self) -> tuple[int, ...]:
        """The decoder's input: the start id, then the target without its end."""
        return (self.config.ids.start, *self.target.ids[:-1])

    @property
    def src_tokens(self) -> list[str]:
        """The source's tokens."""
        return self.run.src_tokenizer.tokens(self.src_ids)

    @property
    def tgt_tokens(self) -> list[str]:
        """The decoder's input tokens."""
        return self.run.tgt_tokenizer.tokens(self.tgt_ids)


class WalkthroughStep(NamedTuple):
    """One step. Formula, explanation and source code follow the run's config: they say what this model does."""

    title: str
    section: str
    formula: Callable[[Run], str]  # LaTeX
    explanation: Callable[[Run], tuple[str, str]]  # markdown
    code: Callable[[Run], tuple[Code, ...]]
    draw: Callable[[TracedSentence], None] | None = None  # None: `Walkthrough` has its pictures
    controls: tuple[str, ...] = ()  # of `layer`, `head`, and `src` or `tgt` to choose a token of
    stack: str = "encoder"  # whose layers and heads the controls list
    exists: Callable[[ModelConfig], bool] = lambda config: True
    is_wide: bool = False  # the pictures stand below the explanation, not beside it


Steps = Mapping[str, WalkthroughStep]


def quoted(token: str) -> str:
    """A token in a markdown sentence."""
    return f"*{plain(token)}*"


def counted(n: int, noun: str) -> str:
    """`1 token`, `7 tokens`, `7 queries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else plural}"


def signed(value: float) -> str:
    """`-1.234` -> `−1.23`."""
    return f"{value:.2f}".replace("-", "−")


def aligned(*formulas: str) -> str:
    """Short formulas below each other: a long one would not fit beside the pictures."""
    rows = r" \\ ".join(f"& {formula}" for formula in formulas)
    return rf"\begin{{aligned}} {rows} \end{{aligned}}"


def verbatim(token: str) -> str:
    r"""A token in a formula: `en_XX` -> `\texttt{en\_XX}`."""
    escaped = re.sub(r"([_{}%#&$])", r"\\\1", token)
    return rf"\texttt{{{escaped}}}"


def is_pre_norm(config: ModelConfig) -> bool:
    """Whether sublayers read a normalized stream."""
    return config.norm.place == "pre" and config.norm.kind != "none"
