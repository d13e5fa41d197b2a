"""The steps that a transformers class uses in place of those of `tokenizer.json`, of which it keeps only the
vocabulary.

transformers 4 followed the file, with which most of these models were trained, and so does s2s.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from s2s.tokenizers.tokenizer import SPACE

Json = Mapping[str, Any]

SPACES_IN_ONE = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
LINES_IN_ONE = {"type": "Replace", "pattern": {"Regex": r"\n"}, "content": " "}
METASPACE = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True}
BYTES = {"type": "ByteLevel", "add_prefix_space": None, "trim_offsets": None, "use_regex": True}
WORDS = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, METASPACE]}
PLAIN_BPE = {"fuse_unk": False, "byte_fallback": False, "ignore_merges": False}
PLAIN_UNIGRAM = {"byte_fallback": False}

# How each family's class splits, joins, and looks tokens up.
CLASS_STEPS: Mapping[str, Json] = MappingProxyType(
    {
        "t5": {"pre_tokenizer": WORDS, "decoder": METASPACE, "model": PLAIN_UNIGRAM},
        "bart": {"pre_tokenizer": BYTES, "decoder": BYTES, "model": PLAIN_BPE},
        "mbart": {"pre_tokenizer": WORDS, "decoder": METASPACE, "model": PLAIN_UNIGRAM},
        "mbart50": {"pre_tokenizer": METASPACE, "decoder": METASPACE, "model": PLAIN_UNIGRAM},
        "nllb": {
            "pre_tokenizer": METASPACE,
            "decoder": METASPACE,
            "model": {**PLAIN_BPE, "fuse_unk": True},
        },
        "pegasus": {"pre_tokenizer": METASPACE, "decoder": METASPACE, "model": PLAIN_UNIGRAM},
    }
)


def replaced_steps(family: str, file: Json) -> tuple[str, ...]:
    """The parts of a `tokenizer.json` that the family's class does not follow.

    `file` is as the library writes it. What a tokenizer_config.json decides, or no text depends on, is not compared.
    """
    if family not in CLASS_STEPS:
        return ()
    steps = _flat(file.get("normalizer"))
    found = ["normalizer"] if steps != _own_normalizer(family, steps) else []
    for name, own in CLASS_STEPS[family].items():
        said = file.get(name) or {}
        if any(value is not None and said.get(key) != value for key, value in own.items()):
            found.append(name)
    return tuple(found)


def _flat(normalizer: Json | None) -> list[Json]:
    if normalizer is None:
        return []
    if normalizer.get("type") != "Sequence":
        return [normalizer]
    return [step for each in normalizer["normalizers"] for step in _flat(each)]


def _own_normalizer(family: str, given: list[Json]) -> list[Json]:
    charsmaps = [step for step in given if step.get("type") == "Precompiled"][:1]
    if family == "t5":
        return charsmaps
    if family == "mbart50" or (family in ("nllb", "pegasus") and charsmaps):
        return [*charsmaps, SPACES_IN_ONE]
    return [LINES_IN_ONE, SPACES_IN_ONE] if family == "pegasus" else []
