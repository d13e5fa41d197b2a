"""The kinds of tokenizers, and how one is trained or loaded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from s2s.config import Choice, TokenizerConfig, UserError, choose
from s2s.tokenizers.bpe import BpeTokenizer
from s2s.tokenizers.byte import ByteTokenizer, CharTokenizer
from s2s.tokenizers.pretrained import PretrainedTokenizer
from s2s.tokenizers.tokenizer import FORMAT, Tokenizer
from s2s.tokenizers.unigram import UnigramTokenizer
from s2s.tokenizers.word import WordTokenizer

Fit = Callable[[Iterable[str], int | None], Tokenizer]


@dataclass(frozen=True, kw_only=True)
class TokenizerKind(Choice[Fit]):
    """A kind of tokenizer: `make` fits one to texts, `read` builds it from its saved content."""

    read: Callable[[Mapping[str, Any]], Tokenizer]
    is_subword: bool = False  # splits words into learned subwords; their number can be set


TOKENIZERS: Mapping[str, TokenizerKind] = MappingProxyType(
    {
        "char": TokenizerKind(
            make=CharTokenizer.fit,
            read=CharTokenizer.from_json,
            config=TokenizerConfig,
            summary="One token per character: nothing to learn, long sequences.",
        ),
        "word": TokenizerKind(
            make=WordTokenizer.fit,
            read=WordTokenizer.from_json,
            config=TokenizerConfig,
            summary="One token per word, split on spaces: easy to read, but new words are unknown.",
        ),
        "byte": TokenizerKind(
            make=ByteTokenizer.fit,
            read=ByteTokenizer.from_json,
            config=TokenizerConfig,
            summary="One token per UTF-8 byte: 256 tokens for every language, nothing is unknown.",
            source="Xue et al. (2022), ByT5, TACL 10",
        ),
        "bpe": TokenizerKind(
            make=BpeTokenizer.fit,
            read=BpeTokenizer.from_json,
            is_subword=True,
            config=TokenizerConfig,
            summary="Frequent words stay whole, rare ones are split into subwords.",
            source="Sennrich, Haddow & Birch (2016), Neural Machine Translation of Rare Words with Subword Units, ACL",
        ),
        "unigram": TokenizerKind(
            make=UnigramTokenizer.fit,
            read=UnigramTokenizer.from_json,
            is_subword=True,
            config=TokenizerConfig,
            summary="Every token has a probability, and each word gets its most probable segmentation.",
            source="Kudo (2018), Subword Regularization: Improving Neural Network Translation Models with Multiple"
            " Subword Candidates, ACL",
        ),
    }
)

# A checkpoint's tokenizer is loaded like the others, but no recipe can ask for it.
READERS: Mapping[str, Callable[[Mapping[str, Any]], Tokenizer]] = MappingProxyType(
    {name: kind.read for name, kind in TOKENIZERS.items()}
    | {PretrainedTokenizer.kind: PretrainedTokenizer.from_json}
)


def fit(
    config: TokenizerConfig, src_texts: Iterable[str], tgt_texts: Iterable[str]
) -> tuple[Tokenizer, Tokenizer]:
    """A tokenizer for each side, the same object twice if shared; the same texts always give the same tokenizer.

    Raises UserError if a side has no text, or if `vocab_size` is too small for the kind.
    """
    make = choose("tokenizer", config.kind, TOKENIZERS).make
    src = list(src_texts)
    tgt = list(tgt_texts)
    for name, texts in (("source", src), ("target", tgt)):
        if not any(text.strip() for text in texts):
            raise UserError(
                f"The {name} side has no text to fit a tokenizer to; give at least one pair with text on both sides."
            )
    if config.shared:
        both = make([*src, *tgt], config.vocab_size)
        return both, both
    return make(src, config.vocab_size), make(tgt, config.vocab_size)


def load(path: str | Path) -> Tokenizer:
    """The tokenizer that `save` wrote.

    Raises UserError for a file that is missing, damaged, newer or of an unknown kind.
    """
    path = Path(path)
    content = _content(path)
    read = choose("tokenizer", str(content.get("kind")), READERS)
    try:
        return read(content)
    except UserError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"`{path.name}` is not a complete `{content['kind']}` tokenizer; copy the file again."
        ) from error


def _content(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(
            f"The tokenizer file `{path.name}` cannot be read ({error.strerror}); check the run's folder."
        ) from error
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"`{path.name}` is not JSON; give a tokenizer file that s2s saved."
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get("format"), int):
        raise UserError(f"`{path.name}` is not a tokenizer file; it has no `format`.")
    if content["format"] > FORMAT:
        raise UserError(
            f"`{path.name}` has format {content['format']}, newer than the supported format {FORMAT}; update s2s."
        )
    return content
