"""The recipe of a run: settings of data and tokenizer, with those of `model_config` and `train_config`; presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from s2s.config.errors import UserError
from s2s.config.fields import Config, flat, override, section, setting
from s2s.config.model_config import ModelConfig
from s2s.config.shipped import shipped_rows
from s2s.config.train_config import NO_FAULT, TrainConfig


@dataclass(frozen=True)
class Cleaning(Config):
    """What is mended, and which pairs are dropped before training; a rule that is off (false, or empty) drops none."""

    repair: bool = setting(
        False,
        label="Repair text",
        help="Before the rules: unescape HTML entities (&amp;) and mend text decoded in a wrong encoding (cafÃ©);"
        " remove soft hyphens, zero-width spaces and runs of spaces.",
    )
    empty: bool = setting(True, label="Empty", help="Drop pairs with nothing visible on one side.")
    duplicates: bool = setting(
        False, label="Duplicates", help="Drop pairs that are equal to an earlier one on both sides."
    )
    copies: bool = setting(False, label="Copies", help="Drop pairs whose target equals the source.")
    max_words: int | None = setting(
        None, 1, 100_000, label="Maximum words", help="Drop pairs with more words on one side."
    )
    max_ratio: float | None = setting(
        None,
        1.0,
        1000.0,
        label="Maximum length ratio",
        help="Drop pairs of which one side is this many times longer than expected from the other.",
    )
    script: bool = setting(
        False,
        label="Unexpected script",
        help="Drop pairs with a side mostly in another script than the rest of that side.",
    )
    control: bool = setting(
        False,
        label="Control characters",
        help="Drop pairs with control or replacement characters.",
    )
    markup: bool = setting(False, label="Markup", help="Drop pairs with HTML tags or entities.")
    brackets: bool = setting(
        False,
        label="Unbalanced brackets",
        help="Drop pairs with brackets or quotation marks that open and do not close.",
    )
    numbers: bool = setting(
        False,
        label="Mismatched numbers",
        help="Drop pairs with a number in digits that the other side does not have.",
    )
    overlap: bool = setting(
        True,
        label="Overlap with validation",
        help="Drop training pairs whose source is in the dataset's own validation split, too.",
    )


TASK_KINDS = (
    "translate",
    "reverse_direction",
    "prefix",
    "denoise",
    "summarize",
    "respond",
    "halves",
    "copy",
    "reverse",
    "sort",
)


@dataclass(frozen=True)
class DataConfig(Config):
    """Settings of what is done to the pairs before they are packed into batches."""

    max_length: int = setting(
        128,
        2,
        4096,
        label="Maximum length (tokens)",
        help="Longest source or target, `</s>` included. Longer pairs are dropped and counted.",
    )
    task: str = setting(
        "auto",
        label="Task",
        help="What the model learns. auto: translate pairs, continue plain text.",
        choices=("auto", *TASK_KINDS),
    )
    prefix: str = setting(
        "",
        label="Source prefix",
        help="Written before every source, for example `translate English to French: `. Some tasks have their own.",
    )
    noise_rate: float = setting(
        0.15,
        0.01,
        0.9,
        label="Noise rate",
        help="Task denoise: fraction of the words that are masked (T5: 0.15).",
    )
    noise_span: float = setting(
        3.0,
        1.0,
        100.0,
        label="Mean span length (words)",
        help="Task denoise: words per masked span, on average (T5: 3).",
    )
    turns: int = setting(
        3,
        1,
        100,
        label="Dialogue turns",
        help="Task respond: number of previous turns that the model reads.",
    )
    valid_share: float | None = setting(
        None,
        0.001,
        0.5,
        label="Validation fraction",
        help="Fraction of the distinct sources held out for validation; empty takes 5 %, at most 1,000.",
    )
    held_out: str = setting(
        "random",
        label="Held-out pairs",
        help="Where validation pairs come from. random: from everywhere. last: the end of the dataset, by default its"
        " last tenth, as passages that overlap need.",
        choices=("random", "last"),
    )
    clean: Cleaning = section(Cleaning, help="Which pairs are dropped.")


@dataclass(frozen=True)
class TokenizerConfig(Config):
    """How text is split into tokens."""

    kind: str = setting(
        "bpe",
        label="Tokenizer",
        help="How text is split into tokens.",
        choices=("char", "word", "byte", "bpe", "unigram"),
    )
    vocab_size: int | None = setting(
        None,
        5,
        1_000_000,
        label="Vocabulary size",
        help="Maximum number of tokens, special tokens included; empty chooses it by the size of the dataset.",
    )
    shared: bool = setting(
        True, label="Shared vocabulary", help="Use one vocabulary for source and target."
    )


# The fault that removes what a model may lack already, by the setting and its value there.
NOTHING_TO_REMOVE: Mapping[str, tuple[str, str | bool]] = MappingProxyType(
    {
        "no-positions": ("model.positions.kind", "none"),
        "no-scale": ("model.attention.scaled", False),
    }
)


@dataclass(frozen=True)
class Recipe(Config):
    """Everything that decides a run except its dataset."""

    data: DataConfig = section(DataConfig, help="Data.")
    tokenizer: TokenizerConfig = section(TokenizerConfig, help="Tokenizer.")
    model: ModelConfig = section(ModelConfig, help="Transformer.")
    train: TrainConfig = section(TrainConfig, help="Training.")

    @classmethod
    def shorthands(cls) -> Mapping[str, tuple[str, ...]]:
        """Keys for encoder and decoder together: `model.n_layers`, `n_heads`, `d_head` and `d_ff`."""
        return {
            f"model.{name}": (f"model.encoder.{name}", f"model.decoder.{name}")
            for name in ("n_layers", "n_heads", "d_head", "d_ff")
        }

    def to_json(self) -> dict[str, Any]:
        """The recipe as plain dicts, numbers, strings, booleans and None; no fault and one process are left out."""
        content = super().to_json()
        if self.train.processes == 1:
            del content["train"]["processes"]
        if self.train.fault == NO_FAULT:
            del content["train"]["fault"]
        return content

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_fault()
        if self.model.embeddings.shared and not self.tokenizer.shared:
            raise UserError(
                "`model.embeddings.shared` is true but `tokenizer.shared` is false; set both or neither."
            )
        longest = self.model.positions.longest
        needed = self.data.max_length
        if longest and needed > longest:
            table = f"{self.model.positions.kind} position table of {longest}"
            given = f"`data.max_length` {needed} is longer than the {table}"
            raise UserError(f"{given}; set `model.positions.max_length` to at least {needed}.")

    def _check_fault(self) -> None:
        key, missing = NOTHING_TO_REMOVE.get(self.train.fault, ("", None))
        if key and flat(self)[key] == missing:
            raise UserError(
                f"`train.fault` {self.train.fault} has nothing to remove: `{key}` is {str(missing).lower()} already;"
                " choose another fault, or none."
            )


@dataclass(frozen=True)
class Preset:
    """A recipe, the vocabulary sizes for which its parameters are counted, a summary, its source, and what it suits.

    `differs` says where a preset that rebuilds a tutorial's model does something else.
    """

    recipe: Recipe
    src_vocab_size: int
    tgt_vocab_size: int
    summary: str
    source: str
    good_for: str
    differs: str = ""


def _preset(_: str, settings: Mapping[str, Any], like: str = "", **row: Any) -> Preset:
    """The preset of a row of presets.toml: `settings` change the defaults, or the preset that it is `like`."""
    return Preset(override(PRESETS[like].recipe if like else Recipe(), settings), **row)


PRESETS: Mapping[str, Preset] = shipped_rows(__file__, "presets.toml", _preset)
