"""A strategy and its settings as a line of Python: `generate` of transformers where it does the same, else our own call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import flat
from s2s.decode.rules import Rules, several

# What `generate` does with the same words for the same weights, and what it does by chance, so that only the odds agree.
SAME = "`generate` of transformers finds the same with the same weights."
ODDS = "`generate` of transformers has these settings too. It draws with other random numbers, so its words differ."
THEIRS: Mapping[str, str] = MappingProxyType(
    {"greedy": SAME, "beam": SAME, "sample": ODDS, "beam_sample": ODDS}
)
# Written even at their defaults: they say what kind of search it is, or `generate` has another default (its top_k is 50).
ALWAYS = frozenset(
    {
        "max_new_tokens",
        "num_beams",
        "length_penalty",
        "early_stopping",
        "temperature",
        "top_k",
        "top_p",
    }
)
OURS_ALONE: Mapping[str, Any] = MappingProxyType(
    {"length_formula": "power", "prefix": "", "precision": "exact"}
)
CHANCE = "seed"  # which `generate` takes from torch


class Call(NamedTuple):
    """Code to copy, and a sentence on what it is worth."""

    code: str
    about: str


def call(
    strategy: str, config: Rules, changes: Mapping[str, Any], *, source: str, run: str, step: int
) -> Call:
    """`config` is complete, with the run's own limit; `changes` are what somebody changed."""
    missing = _missing(strategy, config)
    if missing:
        code = ours(strategy, changes, source=source, run=run, step=step)
        return Call(code, f"`generate` of transformers 5 has no `{missing}`; this is our own call.")
    return Call(_theirs(strategy, config, source), THEIRS[strategy])


def ours(strategy: str, changes: Mapping[str, Any], *, source: str, run: str, step: int) -> str:
    """Our own call."""
    settings = "".join(f", {name}={value!r}" for name, value in changes.items())
    return f"import s2s\n\nrun = s2s.load({_quoted(run)}, {step})\nrun.translate([{_quoted(source)}], {_quoted(strategy)}{settings})"


def settings(config: Rules) -> dict[str, Any]:
    """What `generate` is told, by the names that it shares with us; words stay words."""
    usual = flat(type(config)())
    held = flat(config)
    passed = {name: value for name, value in held.items() if name in ALWAYS or value != usual[name]}
    return {name: value for name, value in passed.items() if name not in (*OURS_ALONE, CHANCE)}


def _missing(strategy: str, config: Rules) -> str:
    """What `generate` has not: the strategy, or one of these settings; empty where it has all."""
    if strategy not in THEIRS:
        return strategy
    values = flat(config)
    return next(
        (name for name, neutral in OURS_ALONE.items() if values.get(name, neutral) != neutral), ""
    )


def _theirs(strategy: str, config: Rules, source: str) -> str:
    told = settings(config)
    words = several(told.pop("bad_words", ""))
    lines = [f"{name}={value!r}" for name, value in told.items()]
    if strategy in ("greedy", "sample"):
        lines.insert(0, "num_beams=1")
    if words:
        ids = ", ".join(
            f"tokenizer({_quoted(word)}, add_special_tokens=False).input_ids" for word in words
        )
        lines.append(f"bad_words_ids=[{ids}]")
    lines.insert(0, f"do_sample={THEIRS[strategy] == ODDS}")
    told_lines = "".join(f"    {line},\n" for line in lines)
    return f'inputs = tokenizer({_quoted(source)}, return_tensors="pt")\nmodel.generate(\n    **inputs,\n{told_lines})'


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
