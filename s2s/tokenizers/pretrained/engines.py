"""What turns text into ids and tokens into text: the `tokenizers` library, or SentencePiece with a vocabulary file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING, Protocol

import tokenizers
from tokenizers import decoders, models

from s2s.tokenizers.bpe import readable_bytes
from s2s.tokenizers.tokenizer import SPACE, visible

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

LANGUAGE_CODE = re.compile(
    ">>.*?<<", re.DOTALL
)  # Marian's, at the start of a text: the target language
MOST_PROBES = 100  # tokens of a vocabulary that are encoded to see what surrounds a text
NOTHING = "(?!)"  # a pattern that no text matches
BYTE = re.compile("<0x[0-9A-F]{2}>")  # of a character that no token has


class Engine(Protocol):
    """Text to ids and back, without the special tokens around a text."""

    @property
    def tokens(self) -> Mapping[int, str]: ...

    @property
    def specials(self) -> frozenset[int]: ...

    @property
    def can_clean_up(self) -> bool:
        """Whether transformers follows `clean_up_tokenization_spaces`: not where it would remove spaces of the text."""

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text; a special token spelled out in it becomes that token."""

    def join(self, tokens: Sequence[str]) -> str:
        """The text of tokens that are not special, `<unk>` aside."""

    def readable(self, token: str) -> str:
        """A token as it is displayed; `▁` is a space."""

    @property
    def around(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """The ids that the tokenizer's file puts before and after every text; None if it cannot say them as such."""


class LibraryEngine:
    """A tokenizer of the `tokenizers` library."""

    def __init__(self, library: tokenizers.Tokenizer) -> None:
        library.no_truncation()
        library.no_padding()
        added = library.get_added_tokens_decoder()
        self.library = library
        self.tokens = {id: token for token, id in library.get_vocab(with_added_tokens=True).items()}
        self.specials = frozenset(id for id, token in added.items() if token.special)
        self.can_clean_up = not isinstance(library.model, models.BPE)
        self._is_byte_level = isinstance(library.decoder, decoders.ByteLevel)
        self.around = _around(library)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        batch = self.library.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in batch]

    def join(self, tokens: Sequence[str]) -> str:
        decoder = self.library.decoder
        return str(decoder.decode(list(tokens))) if decoder else " ".join(tokens)

    def readable(self, token: str) -> str:
        return readable_bytes(token) if self._is_byte_level else visible(token)


def _around(library: tokenizers.Tokenizer) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    texts = islice(library.get_vocab(with_added_tokens=False), MOST_PROBES)
    probes = ((text, library.encode(text, add_special_tokens=False).ids) for text in texts)
    text, inner = next((probe for probe in probes if probe[1]), ("", []))
    whole = library.encode(text)
    n_before = next((at for at, added in enumerate(whole.special_tokens_mask) if not added), 0)
    end = n_before + len(inner)
    is_text_once = whole.ids[n_before:end] == inner and all(whole.special_tokens_mask[end:])
    return (tuple(whole.ids[:n_before]), tuple(whole.ids[end:])) if inner and is_text_once else None


class SpmEngine:
    """A SentencePiece model that splits text, and a vocabulary with ids of its own."""

    can_clean_up = True
    around = None

    def __init__(
        self,
        processor: SentencePieceProcessor,
        vocabulary: Mapping[str, int],
        specials: Mapping[str, int],
        *,
        unk_id: int,
        has_language_codes: bool = False,
        splits_specials: bool = False,
    ) -> None:
        """`specials` are found in a text before it is split, unless `splits_specials`; with `has_language_codes` so is
        a `>>xx<<` at a start.
        """
        self.tokens = {id: token for token, id in {**vocabulary, **specials}.items()}
        self.specials = frozenset(specials.values())
        self._processor = processor
        self._vocabulary = vocabulary
        self._spelled = {} if splits_specials else specials
        self._unk_id = unk_id
        self._has_language_codes = has_language_codes
        longest_first = sorted(self._spelled, key=len, reverse=True)
        self._special = re.compile(f"({'|'.join(map(re.escape, longest_first)) or NOTHING})")

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._encode(text) for text in texts]

    def join(self, tokens: Sequence[str]) -> str:
        written = [token for token in tokens if not self._is_control(token)]
        runs = groupby(written, key=lambda token: bool(BYTE.fullmatch(token)))
        decode = self._processor.decode_pieces  # of bytes alone: it removes spaces around `<unk>`
        texts = (decode(list(run)) if is_bytes else "".join(run) for is_bytes, run in runs)
        return "".join(texts).replace(SPACE, " ").strip()

    def readable(self, token: str) -> str:
        return visible(token)

    def _is_control(self, token: str) -> bool:
        return bool(self._processor.is_control(self._processor.piece_to_id(token)))

    def _encode(self, text: str) -> list[int]:
        ids = []
        for section in filter(None, self._special.split(text)):
            if section in self._spelled:
                ids.append(self._spelled[section])
            else:
                ids += [self._vocabulary.get(token, self._unk_id) for token in self._split(section)]
        return ids

    def _split(self, text: str) -> list[str]:
        code = LANGUAGE_CODE.match(text) if self._has_language_codes else None
        if code is None:
            return list(self._processor.encode(text, out_type=str))
        return [code[0], *self._processor.encode(text[code.end() :], out_type=str)]
