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
    return found
