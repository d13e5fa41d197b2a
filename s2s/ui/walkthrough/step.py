"""What a step of the Walkthrough says: its words, its formula, its source code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from s2s.config import ModelConfig
from s2s.runs import Run
from s2s.ui.kit import plain
from s2s.ui.walkthrough.code import Code


class WalkthroughStep(NamedTuple):
    """One step of the Walkthrough. Formula, explanation and source code follow the run's config: they say what this
    model does.
    """

    title: str
    section: str
    formula: Callable[[Run], str]  # LaTeX
    explanation: Callable[[Run], tuple[str, str]]  # markdown
    code: Callable[[Run], tuple[Code, ...]]
    controls: tuple[str, ...] = ()  # of `layer`, `head`, and `src` or `tgt` to choose a token of
    stack: str = "encoder"  # whose layers and heads the controls list
    exists: Callable[[ModelConfig], bool] = lambda config: True
    is_wide: bool = False  # the pictures stand below the explanation, not beside it


Steps = Mapping[str, WalkthroughStep]


def quoted(token: str) -> str:
    """A token as it stands in a markdown sentence."""
    return f"*{plain(token)}*"


def aligned(*formulas: str) -> str:
    """One formula of several short ones, below each other: a long one would not fit beside the pictures."""
    rows = r" \\ ".join(f"& {formula}" for formula in formulas)
    return rf"\begin{{aligned}} {rows} \end{{aligned}}"


def verbatim(token: str) -> str:
    r"""A token as it stands in a formula: `en_XX` -> `\texttt{en\_XX}`."""
    escaped = re.sub(r"([_{}%#&$])", r"\\\1", token)
    return rf"\texttt{{{escaped}}}"


def is_pre_norm(config: ModelConfig) -> bool:
    """Whether sublayers read a normalized stream."""
    return config.norm.place == "pre" and config.norm.kind != "none"
