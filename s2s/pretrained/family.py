"""What a family of published models is: how its files become our model. Knows none of them by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from s2s.config import ModelConfig, SpecialIds, UserError, choose
from s2s.tokenizers import first_input

Json = Mapping[str, Any]
Names = tuple[tuple[str, str], ...]  # patterns in their names of tensors, and what each becomes

ACTIVATIONS: Mapping[str, str] = MappingProxyType(
    {
        "relu": "relu",
        "gelu": "gelu",
        "gelu_new": "gelu_tanh",
        "gelu_fast": "gelu_tanh",
        "gelu_pytorch_tanh": "gelu_tanh",
        "silu": "silu",
        "swish": "silu",
    }
)


@dataclass(frozen=True)
class Family:
    """One family of published models: how its config.json and tensor names become ours.

    `config` may leave out what the tensors themselves say: whether embeddings are shared, and whether the output is
    tied or has a bias. `tokenizer` is what a recipe calls its kind.
    """

    label: str
    config: Callable[[Json], ModelConfig]
    names: Names
    tokenizer: str = "unigram"
    dropped: tuple[str, ...] = ()  # patterns of tensors that files hold and the model does without

    def our_name(self, name: str) -> str:
        """Our name of a tensor: `encoder.block.0.layer.0.SelfAttention.q.weight` ->
        `encoder.layers.0.self_attention.query.weight`.
        """
        for pattern, replacement in self.names:
            name = re.sub(pattern, replacement, name)
        return name

    def drops(self, name: str) -> bool:
        """Whether a tensor of this family is not needed."""
        return any(re.fullmatch(pattern, name) for pattern in self.dropped)


def activation(name: str) -> str:
    """Our name of an activation function. Raises UserError for one that the model lacks."""
    return choose("activation function", str(name), ACTIVATIONS)


def special_ids(given: Json) -> SpecialIds:
    """The special ids in the settings of decoding; those around a text come from the tokenizers.

    Raises UserError if nothing says how a target starts.
    """
    start = single(first_input(given))
    if start is None:
        raise UserError(
            "config.json does not say with which token a target starts; add `decoder_start_token_id` to it."
        )
    return SpecialIds(
        pad=single(given["pad_token_id"]),
        start=start,
        eos=single(given["eos_token_id"]),
        tgt_first=given.get("forced_bos_token_id"),
        suppressed=joined(suppressed_tokens(given)),
        suppressed_first=",".join(map(str, sorted({*given.get("begin_suppress_tokens", ())}))),
        renormalizes=given.get("renormalize_logits") is True,
        forces_end=given.get("forced_eos_token_id") is not None,
    )


def suppressed_tokens(given: Json) -> set[tuple[int, ...]]:
    """Token sequences that the model must never write."""
    ends = {(end,) for end in listed(given["eos_token_id"])}
    words = {tuple(word) for word in given.get("bad_words_ids") or []} - ends  # as transformers
    return words | {(id,) for id in given.get("suppress_tokens") or []}


def joined(sequences: set[tuple[int, ...]]) -> str:
    """Token sequences as the text of a setting: `{(7,), (3,), (5, 9)}` -> `"3,5 9,7"`."""
    return ",".join(" ".join(map(str, sequence)) for sequence in sorted(sequences))


def listed(value: Any) -> list[Any]:
    """A list of ids; a single id becomes a list of one."""
    return value if isinstance(value, list) else [value]


def single(value: Any) -> Any:
    """A single id; the first one of a list."""
    return value[0] if isinstance(value, list) and value else value
