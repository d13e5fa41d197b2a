"""What a checkpoint says about decoding: the starting values of our strategies' settings."""

from __future__ import annotations

from typing import Any

from s2s.pretrained.family import Json

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


def settings(given: Json) -> dict[str, Any]:
    """`{"num_beams": 4, "max_length": 512}` -> `{"num_beams": 4, "max_new_tokens": 511}`; settings of sampling only
    where it is on.
    """
    names = [name for name in NAMES if name not in SAMPLING or given.get("do_sample")]
    found = {name: given[name] for name in names if given.get(name) is not None}
    for theirs, ours in LENGTHS:
        if given.get(theirs):
            found[ours] = max(1, given[theirs] - 1)
        if given.get(ours):
            found[ours] = given[ours]
    beams = found.get("num_beams")
    if type(beams) is int and 0 < beams <= MOST_BEAMS:
        found["num_beam_groups"] = _fewest_groups(beams)
    return found


def _fewest_groups(beams: int) -> int:
    """Of diverse beam search, whose own default may not divide the beams: `4` -> `2`, `5` -> `5`."""
    divisors = (groups for groups in range(2, beams + 1) if beams % groups == 0)
    return next(divisors, 1)
