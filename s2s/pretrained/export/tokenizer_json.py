"""Our tokenizers as the library `tokenizers` reads them: the same ids for every text, the same text for all ids."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors

from s2s.config import SpecialIds
from s2s.pretrained.export.targets import kind_reason
from s2s.tokenizers import (
    BOS,
    EOS,
    INNER,
    PAD,
    SPACE,
    SPECIALS,
    UNK,
    SubwordTokenizer,
    Tokenizer,
    WordTokenizer,
    byte_characters,
)

# What Python's `str.split` splits on.
WHITESPACE = "\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
FILE = "tokenizer.json"
OURS = SpecialIds()


def why_not(tokenizer: Tokenizer) -> str:
    """Why the library cannot repeat a tokenizer; empty where it can."""
    if isinstance(tokenizer, WordTokenizer) and tokenizer.normalizes:
        return "its source tokenizer looks unknown words up in other spellings, which no other library does."
    return kind_reason(tokenizer.kind)


def library_tokenizer(tokenizer: Tokenizer, ids: SpecialIds = OURS) -> tokenizers.Tokenizer:
    """Our tokenizer as the library's: encodes as ours does, with what surrounds a source by the model's `ids`. Set its
    `encode_special_tokens`: ours takes no special from a text.

    A text in capitals is encoded as it is, also where ours lowers capitals. The specials end in a space, as no token of
    a text does. Raises ValueError for a tokenizer that the library cannot repeat; `why_not` says beforehand which.
    """
    if reason := why_not(tokenizer):
        raise ValueError(reason)
    built = _pipeline(tokenizer)
    decoder = [decoders.Replace(INNER[UNK], SPECIALS[UNK]), *_decoder(tokenizer.kind)]
    built.decoder = decoders.Sequence(decoder)
    built.add_special_tokens([INNER[index] for index in (PAD, BOS, EOS)])  # left out of a text
    names = (*INNER, *tokenizer.vocabulary[len(INNER) :])
    before, after = ([names[id] for id in side] for side in ids.around_source)
    built.post_processor = processors.TemplateProcessing(
        single=[*before, "$A", *after],
        pair=[*before, "$A", "$B", *after],
        special_tokens=[(names[id], id) for id in {*chain(*ids.around_source)}],
    )
    return built


def _pipeline(tokenizer: Tokenizer) -> tokenizers.Tokenizer:
    if isinstance(tokenizer, SubwordTokenizer):
        return tokenizers.Tokenizer.from_str(tokenizer.library_json())
    built = tokenizers.Tokenizer(_lookup(tokenizer))
    built.normalizer = normalizers.NFC()
    built.pre_tokenizer = _SPLITS[tokenizer.kind]
    return built


def _lookup(tokenizer: Tokenizer) -> models.Model:
    tokens = tokenizer.vocabulary[len(SPECIALS) :]
    if tokenizer.kind == "byte":  # merges nothing, so that every character of a byte is a token
        names = byte_characters()
        return models.BPE(vocab=_ids([names[byte] for byte in range(256)]), merges=[])
    return models.WordLevel(vocab=_ids(tokens), unk_token=INNER[UNK])


def _ids(tokens: tuple[str, ...] | list[str]) -> dict[str, int]:
    return {token: index for index, token in enumerate((*INNER, *tokens))}


def _decoder(kind: str) -> list[decoders.Decoder]:
    if (
        kind == "word"
    ):  # joins with spaces; no word begins with the prefix that it would join without one
        return [decoders.WordPiece(prefix=" ", cleanup=False)]
    if kind == "byte":
        return [decoders.ByteLevel()]
    if kind == "char":
        return [decoders.Fuse()]
    return [decoders.Fuse(), decoders.Strip(SPACE, left=1), decoders.Replace(SPACE, " ")]


_SPLITS: Mapping[str, pre_tokenizers.PreTokenizer] = MappingProxyType(
    {
        "word": pre_tokenizers.Split(Regex(f"[{WHITESPACE}]+"), "removed"),
        "char": pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated"),
        "byte": pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    }
)
