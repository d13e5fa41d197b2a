"""What a checkpoint says about decoding: forced and suppressed tokens, and the starting values of our settings."""

from __future__ import annotations

from typing import Any

from s2s.config import shortened
from s2s.pretrained.family import Json, listed, single
from s2s.tokenizers import first_input

NAMES = (
    "num_beams",
    "length_penalty",
    "early_stopping",
    "no_repeat_ngram_size",
    "encoder_no_repeat_ngram_size",
    "repetition_penalty",
    "temperature",
    "top_h",
    "top_k",
    "top_p",
    "min_p",
    "typical_p",
    "epsilon_cutoff",
    "eta_cutoff",
)
# They count the start id, ours do not.
LENGTHS = (("max_length", "max_new_tokens"), ("min_length", "min_new_tokens"))
NO_TOKEN = "names no token that can be written there"
MOST_BEAMS = 1000  # beyond, no strategy takes them anyway
SAMPLING = NAMES[NAMES.index("temperature") :]
TOP_K = 50  # where nothing is said
END = "eos_token_id"
FIRST = "forced_bos_token_id"
LAST = "forced_eos_token_id"
LISTS = ("bad_words_ids", "suppress_tokens", "begin_suppress_tokens")
# What changes a translation and is not imitated, with what leaves it as it is.
FOREIGN: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("sequence_bias", ()),
    ("encoder_repetition_penalty", (1.0,)),
    ("exponential_decay_length_penalty", ()),
    ("guidance_scale", (1.0,)),
    ("num_beam_groups", (1,)),
    ("diversity_penalty", (0.0,)),
    ("penalty_alpha", (0.0,)),
    ("dola_layers", ()),
    ("constraints", ()),
    ("force_words_ids", ()),
    ("stop_strings", ()),
    ("max_time", ()),
    ("token_healing", (False,)),
    ("watermarking_config", ()),
)


def checked(given: Json, size: int | None) -> tuple[Json, tuple[str, ...]]:
    """The settings without impossible forced or suppressed tokens, and a sentence about each that was removed.

    `size`: the rows of the target's embedding, where they are known.
    """
    found = dict(given)
    notes = []
    ends = listed(found[END])
    if len(ends) > 1:
        notes.append(
            f"`{END}` of its generation settings names {len(ends)} tokens; only the first, {shortened(ends[0])}, ends a"
            " text here."
        )
    first, last = found.get(FIRST), found.get(LAST)
    if first is not None and (not _is_id(first, size) or first in ends):
        why = "ends every text before it begins" if first in ends else NO_TOKEN
        notes.append(_left_out(FIRST, first, why))
        found[FIRST] = None
    if last is not None and not (_are_ids(listed(last), size) and min(listed(last)) == ends[0]):
        why = (
            f"is not {shortened(ends[0])}, which ends a text"
            if _are_ids(listed(last), size)
            else NO_TOKEN
        )
        notes.append(_left_out(LAST, last, why))
        found[LAST] = None
    elif len(listed(last)) > 1:
        notes.append(
            f"`{LAST}` of its generation settings names {len(listed(last))} tokens; only {shortened(ends[0])} ends a"
            " text at the limit here."
        )
    for name in LISTS:
        entries = listed(found.get(name) or [])
        are_ids = [_are_ids(listed(entry), size) for entry in entries]
        notes += [
            _left_out(name, entry, NO_TOKEN)
            for entry, is_known in zip(entries, are_ids, strict=True)
            if not is_known
        ]
        found[name] = [entry for entry, is_known in zip(entries, are_ids, strict=True) if is_known]
    notes += [
        f"`{name}` of its generation settings is not imitated; transformers may write something else."
        for name, usual in FOREIGN
        if found.get(name) not in (None, *usual)
    ]
    if found.get("do_sample"):
        notes.append(
            "`do_sample` of its generation settings means that transformers draws tokens at random; here that is a"
            " strategy to choose, `sample` or `beam_sample`."
        )
    return found, tuple(notes)


def lacking(own: Json, given: Json) -> tuple[str, ...]:
    """A sentence if settings were read from config.json because generation_config.json lacks them."""
    if own.get(END) is None:
        return (
            f"generation_config.json names no `{END}`, so that transformers always writes to the limit; here"
            f" {shortened(single(given[END]))}, which config.json names, ends a text.",
        )
    if first_input(own) is None:
        return (
            "generation_config.json does not say with which token a target starts, and transformers writes nothing;"
            f" here it is {shortened(first_input(given))}, which config.json names.",
        )
    return ()


def _are_ids(values: list[Any], size: int | None) -> bool:
    return bool(values) and all(_is_id(value, size) for value in values)


def _is_id(value: Any, size: int | None) -> bool:
    return type(value) is int and 0 <= value < (size or value + 1)


def _left_out(name: str, value: Any, why: str) -> str:
    return f"`{name}` {shortened(repr(value))} of its generation settings {why}; it is left out."


def settings(given: Json) -> dict[str, Any]:
    """Our settings of decoding: `{"num_beams": 4, "max_length": 512}` -> `{"num_beams": 4, "max_new_tokens": 511}`;
    those of sampling only where it is on.
    """
    names = [name for name in NAMES if name not in SAMPLING or given.get("do_sample")]
    found = {name: given[name] for name in names if given.get(name) is not None}
    if given.get("do_sample"):
        found.setdefault("top_k", TOP_K)
    for theirs, ours in LENGTHS:
        if given.get(theirs):
            length = given[theirs]
            fewest = 1 if ours == "max_new_tokens" else 0
            found[ours] = max(fewest, length - 1) if type(length) is int else length
        if given.get(ours):
            found[ours] = given[ours]
    return found


def with_groups(settings: Json) -> dict[str, Any]:
    """Starting settings with a number of groups that divides the beams, for diverse beam search."""
    beams = settings.get("num_beams")
    if type(beams) is int and 0 < beams <= MOST_BEAMS:
        return {**settings, "num_beam_groups": _fewest_groups(beams)}
    return dict(settings)


def _fewest_groups(beams: int) -> int:
    """The smallest number above 1 that divides the beams: `4` -> `2`, `5` -> `5`; 1 for a single beam."""
    divisors = (groups for groups in range(2, beams + 1) if beams % groups == 0)
    return next(divisors, 1)
