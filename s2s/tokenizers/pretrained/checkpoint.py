"""A checkpoint's tokenizer files, and what the small ones among them say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from s2s.tokenizers.pretrained.checkpoint_files import CheckpointFiles

Side = Literal["src", "tgt"]

CONFIG = "config.json"
GENERATION = "generation_config.json"
START = "decoder_start_token_id"
FIRST = "forced_bos_token_id"
END = "eos_token_id"
PADDING = "pad_token_id"
SETTINGS = "tokenizer_config.json"
SPECIAL_TOKENS = "special_tokens_map.json"
ADDED_TOKENS = "added_tokens.json"
LISTS = ("additional_special_tokens", "extra_special_tokens")
MAX_COUNT = 10_000  # of tokens that a setting adds
DEFAULT_SPECIALS = MappingProxyType(
    {
        "pad_token": "<pad>",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "cls_token": "<s>",
        "sep_token": "</s>",
    }
)


@dataclass(frozen=True)
class Checkpoint:
    """The files of one checkpoint, opened for one side of its pairs."""

    files: CheckpointFiles
    side: Side

    @cached_property
    def config(self) -> dict[str, Any]:
        return self.files.json(CONFIG)

    @cached_property
    def generation(self) -> dict[str, Any]:
        """The settings of decoding, as `generation_settings` reads them."""
        own = self.files.json(GENERATION) if self.files.has(GENERATION) else None
        return generation_settings(self.config, own)

    @cached_property
    def settings(self) -> dict[str, Any]:
        return self.files.optional_json(SETTINGS)

    def count(self, name: str, default: int) -> int:
        """A small number in the tokenizer's config, or `default`. Raises UserError for anything else."""
        value = self.settings.get(name, default)
        if type(value) is not int or not 0 <= value <= MAX_COUNT:
            raise self.files.damaged(
                SETTINGS, f"has `{name}` that is no number from 0 to {MAX_COUNT:,}"
            )
        return value

    @cached_property
    def named_specials(self) -> dict[str, str]:
        """The special tokens that the files name, such as `eos_token`."""
        spelled = {name: spelling(value) for name, value in self._naming.items() if _is_token(name)}
        return {name: token for name, token in spelled.items() if token}

    @cached_property
    def _naming(self) -> dict[str, Any]:
        """The settings that name special tokens: an older file is only read beside a tokenizer_config.json that does
        not yet replace it, and then comes first.
        """
        if "added_tokens_decoder" in self.settings:
            return self.settings
        return self.settings | self.files.optional_json(SPECIAL_TOKENS)

    def special(self, name: str, default: str = "") -> str:
        """The special token of a name; without a `default`, transformers' own."""
        return self.named_specials.get(name) or default or DEFAULT_SPECIALS[name]

    @cached_property
    def all_specials(self) -> list[str]:
        """Every special token, named or listed; `<pad>`, `</s>` and `<unk>` are among them."""
        always = (self.special(name) for name in ("pad_token", "eos_token", "unk_token"))
        return list(dict.fromkeys([*always, *self.written_specials]))

    @property
    def written_specials(self) -> list[str]:
        return [*self.named_specials.values(), *self._listed()]

    @cached_property
    def added_tokens(self) -> dict[str, int]:
        """The id of each token that was added to the vocabulary, or that a text may spell out."""
        rows = self.settings.get("added_tokens_decoder")
        if isinstance(rows, dict):
            if not all(id.isdecimal() for id in rows):
                raise self.files.damaged(
                    SETTINGS, "has ids in `added_tokens_decoder` that are no numbers"
                )
            return {spelling(token): int(id) for id, token in rows.items()}
        return self.files.vocabulary(ADDED_TOKENS) if self.files.has(ADDED_TOKENS) else {}

    def _listed(self) -> Iterator[str]:
        for name in LISTS:
            values = self._naming.get(name)
            if isinstance(values, list):
                yield from filter(None, map(spelling, values))


def generation_settings(config: Mapping[str, Any], own: Mapping[str, Any] | None) -> dict[str, Any]:
    """The settings of decoding as `generate` of transformers reads them: those of generation_config.json (`own`), and
    only if there is no such file those of config.json.

    Padding is the model's where its config.json says it; a start or an end that `own` lacks is config.json's, where
    `generate` would fail or never stop.
    """
    given = {
        key: value for key, value in (config if own is None else own).items() if value is not None
    }
    if own is None and given.get("force_bos_token_to_be_generated"):
        given[FIRST] = given.get("bos_token_id")
    if first_input(given) is None:
        given[START] = config.get(START)
    given.setdefault(END, config.get(END))
    if config.get(PADDING) is not None:
        given[PADDING] = config[PADDING]
    return {key: value for key, value in given.items() if value is not None}


def first_input(settings: Mapping[str, Any]) -> Any:
    """The decoder's first input by the settings of decoding; None if they do not say it."""
    start = settings.get(START)
    return settings.get("bos_token_id") if start is None else start


def spelling(token: Any) -> str:
    """The text of a special token, which stands as text or in an object; empty for anything else."""
    if isinstance(token, dict):
        token = token.get("content")
    return token if isinstance(token, str) else ""


def _is_token(name: str) -> bool:
    return name.endswith("_token") or name == "mask_token_sent"
