"""What a checkpoint says about decoding: forced and suppressed tokens, and the starting values of our settings."""

from __future__ import annotations

from typing import Any

from s2s.config import shortened
from s2s.pretrained.family import Json, single

NAMES = (
    "num_beams",
    "length_penalty",
    "early_stopping",
    "no_repeat_ngram_size",
    "encoder_no_repeat_ngram_size",
    "repetition_penalty",
    "temperature",
    "top_k",
    "top_p",
)
# They count the start id, ours do not.
LENGTHS = (("max_length", "max_new_tokens"), ("min_length", "min_new_tokens"))
MOST_BEAMS = 1000  # beyond, no strategy takes them anyway
SAMPLING = ("temperature", "top_k", "top_p")
END = "eos_token_id"
FIRST = "forced_bos_token_id"
LAST = "forced_eos_token_id"
LISTS = ("bad_words_ids", "suppress_tokens")
# What changes a translation and is not imitated, with what leaves it as it is.
FOREIGN: tuple[tuple[str, Any], ...] = (
    ("sequence_bias", None),
    ("begin_suppress_tokens", None),
    ("exponential_decay_length_penalty", None),
    ("renormalize_logits", False),
    ("guidance_scale", None),
    ("diversity_penalty", 0.0),
)


def checked(given: Json, size: int | None) -> tuple[Json, tuple[str, ...]]:
    """The settings without forced and suppressed tokens that cannot be meant, and a sentence on each of those; another
    where several tokens end a text.

    `size`: the rows of the target's embedding, where they are known.
    """
    found = dict(given)
    notes = []
    ends = _listed(found.get(END))
    if len(ends) > 1:
        notes.append(
            f"`{END}` of its generation settings names {len(ends)} tokens; only the first, {shortened(ends[0])}, ends a"
            " text here."
        )
    first, last = found.get(FIRST), found.get(LAST)
    if first is not None and not _is_id(first, size):
        notes.append(_left_out(FIRST, first))
        found[FIRST] = None
    if last is not None and single(found[END]) not in _listed(last):
        notes.append(_left_out(LAST, last))
        found[LAST] = None
    for name in LISTS:
        entries = _listed(found.get(name) or [])
        are_ids = [_are_ids(_listed(entry), size) for entry in entries]
        notes += [
            _left_out(name, entry)
            for entry, is_known in zip(entries, are_ids, strict=True)
            if not is_known
        ]
        found[name] = [entry for entry, is_known in zip(entries, are_ids, strict=True) if is_known]
    notes += [
        f"`{name}` of its generation settings is not imitated; transformers may write something else."
        for name, usual in FOREIGN
        if found.get(name) not in (None, usual)
    ]
    return found, tuple(notes)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _are_ids(values: list[Any], size: int | None) -> bool:
    return bool(values) and all(_is_id(value, size) for value in values)


def _is_id(value: Any, size: int | None) -> bool:
    return type(value) is int and 0 <= value < (size or value + 1)


def _left_out(name: str, value: Any) -> str:
    shown = shortened(repr(value))
    return f"`{name}` {shown} of its generation settings names no token that can be written there; it is left out."


def settings(given: Json) -> dict[str, Any]:
    """`{"num_beams": 4, "max_length": 512}` -> `{"num_beams": 4, "max_new_tokens": 511}`; settings of sampling only
    where it is on.
    """
    names = [name for name in NAMES if name not in SAMPLING or given.get("do_sample")]
    found = {name: given[name] for name in names if given.get(name) is not None}
    for theirs, ours in LENGTHS:
        if given.get(theirs):
            length = given[theirs]
            fewest = 1 if ours == "max_new_tokens" else 0
            found[ours] = max(fewest, length - 1) if type(length) is int else length
        if given.get(ours):
            found[ours] = given[ours]
    return found


def with_groups(settings: Json) -> dict[str, Any]:
    """Starting values with a number of groups for diverse beam search, whose own default may not divide the beams."""
    beams = settings.get("num_beams")
    if type(beams) is int and 0 < beams <= MOST_BEAMS:
        return {**settings, "num_beam_groups": _fewest_groups(beams)}
    return dict(settings)


def _fewest_groups(beams: int) -> int:
    """`4` -> `2`, `5` -> `5`."""
    divisors = (groups for groups in range(2, beams + 1) if beams % groups == 0)
    return next(divisors, 1)
