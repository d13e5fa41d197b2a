"""One token per character, or per byte of the text's UTF-8: 256 tokens, nothing to learn, nothing unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from s2s.config import UserError, nfc
from s2s.tokenizers.tokenizer import SPACE, SPECIALS, UNK, LookupTokenizer, Tokenizer

OFFSET = len(SPECIALS)


def _name(byte: int) -> str:
    if byte == ord(" "):
        return SPACE
    return chr(byte) if ord(" ") < byte < 0x7F else f"<0x{byte:02X}>"


class ByteTokenizer(Tokenizer):
    """One token per byte: `"é"` becomes the ids of its two bytes, 0xC3 and 0xA9."""

    kind = "byte"

    def __init__(self) -> None:
        super().__init__(map(_name, range(256)))

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Learns nothing. Raises UserError when `vocab_size` has no room for all 256 bytes."""
        needed = OFFSET + 256
        if vocab_size is not None and vocab_size < needed:
            raise UserError(
                f"`tokenizer.vocab_size` {vocab_size} is too small for bytes: 256 bytes and 4 specials need {needed}."
            )
        return cls()

    def encode(self, text: str) -> list[int]:
        return [OFFSET + byte for byte in nfc(text).encode()]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of these ids; bytes that are not UTF-8, which a model may generate, become U+FFFD."""
        content = b"".join(
            b"<unk>" if index == UNK else bytes([index - OFFSET]) for index in ids if index >= UNK
        )
        return content.decode(errors="replace")

    def to_json(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        return cls()


class CharTokenizer(LookupTokenizer):
    """One token per character: `"été"` becomes three ids; a character that the training text lacked becomes `<unk>`."""

    kind = "char"

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Learns every character, or the most frequent ones; ties by first appearance."""
        counts = Counter(character for text in texts for character in nfc(text))
        n_kept = None if vocab_size is None else vocab_size - len(SPECIALS)
        return cls(character for character, _ in counts.most_common(n_kept))

    def encode(self, text: str) -> list[int]:
        return self._lookup(nfc(text))

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(self.vocabulary[index] for index in ids if index >= UNK)
