"""A strategy and its settings as Python code: `generate` of transformers where it does the same, else our own call."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import flat
from s2s.decode.processors import GenerationConfig, split_commas

# Where `generate` finds the same hypotheses, and where it draws at random, so that only the distribution is the same.
SAME = "`generate` of transformers finds the same with the same weights."
RANDOM = "`generate` of transformers has these settings too. It draws with other random numbers, so its output differs."
TRANSFORMERS: Mapping[str, str] = MappingProxyType(
    {"greedy": SAME, "beam": SAME, "sample": RANDOM, "beam_sample": RANDOM}
)
# Written even at their defaults: they say what kind of search it is, or `generate` has another default (its top_k is
# 50).
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
ONLY_OURS: Mapping[str, Any] = MappingProxyType(
    {"length_formula": "power", "prefix": "", "precision": "exact"}
)
SEED = "seed"  # `generate` takes torch's


class Call(NamedTuple):
    """Code to copy, and a sentence about it."""

    code: str
    about: str


def generate_call(
    strategy: str,
    config: GenerationConfig,
    changes: Mapping[str, Any],
    *,
    source: str,
    run: str,
    step: int,
    languages: Sequence[str] = (),
    starting: Collection[str] = (),
    why_not_exported: str = "",
) -> Call:
    """Python code that decodes `source` with a strategy: `generate` of transformers where it can, else our own call.
    `config` is complete, with the run's own limit; `changes` are the settings that somebody changed; `languages` are
    those of source and target, where they are not the run's own; `starting` names the settings that the model came
    with, which `generate` would take by itself; `why_not_exported` says why transformers cannot load the run, to follow
    a colon.
    """
    missing = _missing(strategy, config)
    code = our_call(strategy, changes, source=source, run=run, step=step, languages=languages)
    if languages:
        return Call(
            code,
            "Each family of transformers is told a language in a way of its own; this is our own call.",
        )
    if why_not_exported:
        return Call(
            code,
            f"transformers cannot load this run: {why_not_exported} This is our own call.",
        )
    if missing:
        return Call(code, f"`generate` of transformers 5 has no `{missing}`; this is our own call.")
    passed = settings(config, starting)
    return Call(_transformers_call(strategy, passed, source), TRANSFORMERS[strategy])


def our_call(
    strategy: str,
    changes: Mapping[str, Any],
    *,
    source: str,
    run: str,
    step: int,
    languages: Sequence[str] = (),
) -> str:
    """Python code that decodes `source` with our own `translate`."""
    settings = "".join(f", {name}={value!r}" for name, value in changes.items())
    translate = f"run.translate([{_quoted(source)}], {_quoted(strategy)}{settings})"
    codes = ", ".join(map(_quoted, languages))
    load = f"s2s.load({_quoted(run)}, {step})"
    opened = f"{load}.in_languages({codes})" if languages else load
    return f"import s2s\n\nrun = {opened}\n{translate}"


def settings(config: GenerationConfig, starting: Collection[str] = ()) -> dict[str, Any]:
    """The settings that `generate` takes by the same names; words are not tokenized."""
    defaults = flat(type(config)())
    written = ALWAYS.union(starting)
    return {
        name: value
        for name, value in flat(config).items()
        if (name in written or value != defaults[name]) and name not in (*ONLY_OURS, SEED)
    }


def _missing(strategy: str, config: GenerationConfig) -> str:
    """What `generate` lacks: the strategy, or one of these settings; empty where it has all."""
    if strategy not in TRANSFORMERS:
        return strategy
    values = flat(config)
    # Theirs is then greedy search, or sampling.
    if strategy.startswith("beam") and values["num_beams"] == 1:
        return f"{strategy}` with `num_beams=1"
    changed = (name for name, default in ONLY_OURS.items() if values.get(name, default) != default)
    return next(changed, "")


def _transformers_call(strategy: str, passed: dict[str, Any], source: str) -> str:
    bad_words = split_commas(passed.pop("bad_words", ""))
    arguments = [f"do_sample={TRANSFORMERS[strategy] == RANDOM}"]
    if strategy in ("greedy", "sample"):
        arguments.append("num_beams=1")
    arguments += [f"{name}={value!r}" for name, value in passed.items()]
    if bad_words:
        forms = ", ".join(_quoted(form) for word in bad_words for form in (word, f" {word}"))
        ids = "tokenizer(text_target=form, add_special_tokens=False).input_ids"
        arguments.append(f"bad_words_ids=[{ids} for form in [{forms}]]")
    lines = "".join(f"    {argument},\n" for argument in ("**inputs", *arguments))
    return f'inputs = tokenizer({_quoted(source)}, return_tensors="pt")\nmodel.generate(\n{lines})'


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
