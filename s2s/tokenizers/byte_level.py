"""How byte-level tokenizers of the `tokenizers` library spell bytes."""

from __future__ import annotations

import re
from functools import cache

from s2s.tokenizers.tokenizer import visible


def byte_characters() -> dict[int, str]:
    """The character by which the library names each byte: its own where visible, else one from U+0100 on.

    As in Radford et al. (2019), Language Models are Unsupervised Multitask Learners, `encoder.py`.
    """
    printing = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printing]
    named = {byte: chr(byte) for byte in printing}
    return named | {byte: chr(0x100 + index) for index, byte in enumerate(others)}


@cache
def _bytes_by_character() -> dict[str, int]:
    return {character: byte for byte, character in byte_characters().items()}


def readable_bytes(token: str) -> str:
    """`ĠcafÃ©` -> `▁café`; bytes that are no whole character are named, as in `<0xC3>`."""
    known = _bytes_by_character()
    if not all(character in known for character in token):
        return visible(token)
    text = bytes(known[character] for character in token).decode(errors="surrogateescape")
    return re.sub("[\udc80-\udcff]", _named, visible(text))


def _named(match: re.Match[str]) -> str:
    return f"<0x{ord(match[0]) - 0xDC00:02X}>"
