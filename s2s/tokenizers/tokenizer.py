"""What every tokenizer is: text to ids and back. Knows nothing of models or datasets."""

from __future__ import annotations

import json
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self, get_type_hints

from tokenizers import Regex, pre_tokenizers

from s2s.config import INVISIBLE_MARKS, ZERO_WIDTH_SPACE, nfc, unknown
from s2s.files import from_json, to_json, write_text

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
PAD, BOS, EOS, UNK = range(4)
FORMAT = 1
SPACE = "▁"  # U+2581, SentencePiece's visible space
VOCABULARY_KEY = "pieces"  # in tokenizer files
HIDDEN = re.compile(f"[{INVISIBLE_MARKS}{ZERO_WIDTH_SPACE}]")
CHARACTERS = pre_tokenizers.Split(Regex(r"\X"), "isolated")  # extended grapheme clusters (UAX 29)


def words_of(text: str) -> list[str]:
    """The words and spaces of a text after NFC, in order."""
    return re.findall(r" |[^ ]+", nfc(text))


def characters_of(text: str) -> list[str]:
    """The characters as people count them: an emoji or a letter with its marks may have several code points."""
    return [found for found, _ in CHARACTERS.pre_tokenize_str(text)]


def visible(token: str) -> str:
    """A token as it is displayed: spaces become `▁`, and an invisible token is named by its code points.

    A soft hyphen inside a word is named too; a zero-width joiner inside a Persian word or an emoji stays.
    """
    token = token.replace(" ", SPACE)
    if all(_is_invisible(character) for character in token):
        return "".join(map(_code_point, token))
    return HIDDEN.sub(lambda found: _code_point(found[0]), token)


def _code_point(character: str) -> str:
    return f"<U+{ord(character):04X}>"


def _is_invisible(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "Z" or category in ("Cc", "Cf")


def read_vocabulary(content: Mapping[str, Any]) -> list[str]:
    """The tokens in a tokenizer file, without specials. Raises KeyError, or ValueError if they are not strings."""
    tokens = content[VOCABULARY_KEY]
    is_list = isinstance(tokens, list)
    if not is_list or not all(isinstance(token, str) and token for token in tokens):
        raise ValueError("the vocabulary is not a list of strings")
    return list(tokens)


class Tokenizer(ABC):
    """Text to ids and back; ids 0 to 3 are `SPECIALS`, then one id per token of the vocabulary.

    Tokenizers of published checkpoints have other ids, more special tokens around a text, and some have languages.
    """

    kind: ClassVar[str]
    stored: ClassVar[
        tuple[str, ...]
    ] = ()  # what a file holds beside the tokens; what is False it lacks
    pad_id: int = PAD
    start_id: int = BOS  # the decoder's first input
    eos_id: int = EOS
    unk_id: int = UNK
    first_ids: tuple[int, ...] = ()  # of every text; in a target they come after `start_id`
    last_ids: tuple[int, ...] = (EOS,)  # of every text
    languages: tuple[str, ...] = ()  # whose tokens `first_ids` or `last_ids` may hold, by code
    language: str | None = None  # the chosen one
    prefixes: Mapping[str, str] = MappingProxyType({})  # texts to put before a source, by task

    def __init__(self, tokens: Iterable[str]) -> None:
        self.vocabulary = (*SPECIALS, *tokens)

    def in_language(self, language: str) -> Self:
        """The same tokenizer for texts in another of its `languages`. Raises UserError for any other."""
        raise unknown("language", language, self.languages)

    @property
    def vocab_size(self) -> int:
        return len(self.vocabulary)

    @property
    def words(self) -> tuple[str, ...]:
        """The known words, most frequent first; empty for tokenizers that do not have whole words."""
        return ()

    def as_read(self, text: str) -> str:
        """The text that is encoded in place of `text`, where a tokenizer reads some spellings as others."""
        return text

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """The ids of a text after NFC, without `<s>` and `</s>`; a special spelled out in the text is plain text."""

    def encode_many(self, texts: Iterable[str]) -> list[list[int]]:
        """`encode` of each text."""
        return [self.encode(text) for text in texts]

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """The text of these ids: without `<pad>`, `<s>` and `</s>`, with `<unk>`."""

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The readable token of each id, specials included; `▁` is a space."""
        return [self._visible[index] for index in ids]

    @cached_property
    def _visible(self) -> tuple[str, ...]:
        return tuple(map(self._readable, self.vocabulary))

    def _readable(self, token: str) -> str:
        return visible(token)

    def unknown(self, text: str) -> list[str]:
        """The distinct words that contain `<unk>` after encoding; `" "` if even the space is unknown."""
        return [word for word in dict.fromkeys(words_of(text)) if self.unk_id in self.encode(word)]

    @property
    def unknown_kind(self) -> str:
        return "word" if self.words else "character"

    def unknown_parts(self, text: str) -> list[str]:
        """What becomes `<unk>` of a text: words, in a vocabulary of words, else characters.

        To a vocabulary with all characters but `j`: `unknown_parts("it jumps")` is `["j"]`.
        """
        words = self.unknown(text)
        if self.words:
            return words
        found: dict[str, None] = {}
        for word in words:
            parts = (
                self._unknown_points(character)
                for character in characters_of(nfc(self.as_read(word)))
            )
            found |= dict.fromkeys([*filter(None, parts)] or [word])
        return list(found)

    def _unknown_points(self, character: str) -> str:
        return "".join(point for point in character if self.unk_id in self.encode(point))

    def to_json(self) -> dict[str, Any]:
        """The tokenizer as JSON, from which `from_json` builds the same one."""
        more = {name: to_json(getattr(self, name)) for name in self.stored}
        written = {name: value for name, value in more.items() if value is not False}
        return {VOCABULARY_KEY: list(self.vocabulary[len(SPECIALS) :]), **written}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """The tokenizer that `to_json` wrote. Raises KeyError, TypeError or ValueError for invalid content."""
        hints = get_type_hints(cls)
        stored = [name for name in cls.stored if name in content]
        more = {name: from_json(hints[name], content[name]) for name in stored}
        return cls(read_vocabulary(content), **more)

    def save(self, path: str | Path) -> None:
        """Writes one JSON file atomically; `s2s.tokenizers.load` reads it. Raises UserError if it cannot be written."""
        content = {"format": FORMAT, "kind": self.kind, **self.to_json()}
        write_text(Path(path), json.dumps(content, ensure_ascii=False))


class LookupTokenizer(Tokenizer):
    """A tokenizer whose units are looked up in the vocabulary; all others become `<unk>`."""

    def __init__(self, tokens: Iterable[str]) -> None:
        super().__init__(tokens)
        words = self.vocabulary[len(SPECIALS) :]
        self._ids = {token: index for index, token in enumerate(words, len(SPECIALS))}

    def _lookup(self, units: Iterable[str]) -> list[int]:
        return [self._ids.get(unit, UNK) for unit in units]
