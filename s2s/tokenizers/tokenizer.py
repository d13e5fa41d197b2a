"""What every tokenizer is: text to ids and back. Knows nothing of models or files of pairs."""

from __future__ import annotations

import json
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from s2s.files import write_text

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
PAD, BOS, EOS, UNK = range(4)
FORMAT = 1
SPACE = "▁"  # U+2581, SentencePiece's visible blank


def nfc(text: str) -> str:
    """Composed form: `e` + combining acute becomes `é`, so that one word has one spelling."""
    return unicodedata.normalize("NFC", text)


def visible(piece: str) -> str:
    """A piece as people read it: a blank is `▁`, and a piece with nothing to see is named by its code points.

    Only whole pieces are named: a zero-width joiner inside a Persian word or an emoji must stay what it is.
    """
    piece = piece.replace(" ", SPACE)
    if all(
        unicodedata.category(character)[0] == "Z" or unicodedata.category(character) in ("Cc", "Cf")
        for character in piece
    ):
        return "".join(f"<U+{ord(character):04X}>" for character in piece)
    return piece


def listed(pieces: Any) -> list[str]:
    """What a file says are pieces. Raises ValueError when they are not texts."""
    if not isinstance(pieces, list) or not all(
        isinstance(piece, str) and piece for piece in pieces
    ):
        raise ValueError("the pieces are not texts")
    return pieces


class Tokenizer(ABC):
    """Text to ids and back; ids 0 to 3 are `SPECIALS`, then one id a piece."""

    kind: ClassVar[str]

    def __init__(self, pieces: Iterable[str]) -> None:
        self.pieces = (*SPECIALS, *pieces)
        self._shown = (*SPECIALS, *map(visible, self.pieces[len(SPECIALS) :]))

    @property
    def vocab_size(self) -> int:
        """How many ids there are, specials included."""
        return len(self.pieces)

    @property
    def words(self) -> tuple[str, ...]:
        """The known words, most frequent first; empty for a tokenizer that cuts words into smaller pieces."""
        return ()

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """The ids of a text after NFC, without `<s>` and `</s>`; a special spelled out in the text is plain text."""

    def encode_many(self, texts: Iterable[str]) -> list[list[int]]:
        """`encode` of each text."""
        return [self.encode(text) for text in texts]

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids: `<pad> <s> </s>` are left out, `<unk>` is shown."""

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """One readable piece an id, specials included; `▁` is a blank."""
        return [self._shown[index] for index in ids]

    def unknown(self, text: str) -> list[str]:
        """The distinct words that do not survive, because some `<unk>` is in them; `" "` where even the blank is unknown."""
        found = dict.fromkeys(re.findall(r" |[^ ]+", nfc(text)))
        return [word for word in found if UNK in self.encode(word)]

    def to_json(self) -> dict[str, Any]:
        """What `from_json` needs to build the same tokenizer."""
        return {"pieces": list(self.pieces[len(SPECIALS) :])}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """The opposite of `to_json`. Raises KeyError, TypeError or ValueError when the content does not fit."""
        return cls(listed(given["pieces"]))

    def save(self, path: str | Path) -> None:
        """One JSON file, written whole; `s2s.tokenizers.load` reads it. Raises UserError where it cannot be written."""
        write_text(
            Path(path),
            json.dumps({"format": FORMAT, "kind": self.kind, **self.to_json()}, ensure_ascii=False),
        )
