"""Reads a SentencePiece model: a protocol buffer with tokens, their scores, and how text is normalized."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from s2s.tokenizers.pretrained.checkpoint_files import CheckpointFiles

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

# Numbers of fields and values in sentencepiece_model.proto.
TRAINER_SPEC = 2
NORMALIZER_SPEC = 3
MODEL_TYPE = 3  # in the trainer spec
UNIGRAM = 1  # the default of the model type
CHARSMAP = 2  # in the normalizer spec
# How many times as long the steps of a tokenizer may make a text: published ones stay below 40, of which 18 are the
# longest replacement of Unicode, and a chain of steps could fill the memory.
MOST_GROWTH = 64
# Wire types of protocol buffers.
VARINT = 0
DELIMITED = 2
FIXED_SIZES = {1: 8, 5: 4}


@dataclass(frozen=True)
class SpmModel:
    """What a SentencePiece model file says."""

    name: str  # of the file
    processor: SentencePieceProcessor
    tokens: list[tuple[str, float]]  # with their scores, in the order of their ids
    is_unigram: bool
    charsmap: bytes  # replacements of characters, compiled; empty for none


def read_model(files: CheckpointFiles, name: str) -> SpmModel:
    """Reads a SentencePiece model. Raises UserError if there is no such file or it is no complete model."""
    from sentencepiece import SentencePieceProcessor

    content = files.binary(name)
    try:
        fields = dict(_fields(content))  # the last of each number; these two are not repeated
        trainer = dict(_fields(_message(fields[TRAINER_SPEC])))
        normalizer = dict(_fields(_message(fields[NORMALIZER_SPEC])))
        charsmap = _message(normalizer.get(CHARSMAP, b""))
        processor = SentencePieceProcessor(model_proto=content)
        all_ids = list(range(processor.get_piece_size()))
        scores = processor.get_score(all_ids)
        tokens = list(zip(processor.id_to_piece(all_ids), scores, strict=True))
    except (KeyError, ValueError, RuntimeError) as error:
        raise files.damaged(name, "is not a complete SentencePiece model") from error
    if longest_replacement(charsmap) > MOST_GROWTH:
        raise files.growing(name, MOST_GROWTH)
    is_unigram = trainer.get(MODEL_TYPE, UNIGRAM) == UNIGRAM
    return SpmModel(name, processor, tokens, is_unigram, charsmap)


def longest_replacement(charsmap: bytes) -> int:
    """Characters of the longest text that a character may become, at least 1.

    A charsmap is the bytes of a trie, their number first, and then the replacements, with a zero byte after each.
    """
    end_of_trie = 4 + int.from_bytes(charsmap[:4], "little") // 4 * 4
    replacements = charsmap[end_of_trie:].split(b"\0")
    return max(1, *(len(text.decode(errors="replace")) for text in replacements))


def _message(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number where a message is due")
    return value


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    position = 0
    while position < len(message):
        tag, position = _varint(message, position)
        number, wire_type = divmod(tag, 8)
        if wire_type == VARINT:
            value, position = _varint(message, position)
            yield number, value
            continue
        if wire_type == DELIMITED:
            size, position = _varint(message, position)
        else:
            size = FIXED_SIZES[wire_type]
        end = position + size
        if end > len(message):
            raise ValueError("a field continues after the end")
        yield number, message[position:end]
        position = end


def _varint(message: bytes, position: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        if position >= len(message):
            break
        byte = message[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
    raise ValueError("a number without an end")
