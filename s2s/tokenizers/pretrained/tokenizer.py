"""The tokenizer of a published checkpoint, by the protocol of all tokenizers."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, get_args

from s2s.config import UserError, unknown
from s2s.tokenizers.pretrained.checkpoint import CONFIG, Checkpoint, Side
from s2s.tokenizers.pretrained.checkpoint_files import CheckpointFiles
from s2s.tokenizers.pretrained.engines import LibraryEngine
from s2s.tokenizers.pretrained.families import FAMILIES, class_of, family_of
from s2s.tokenizers.tokenizer import Tokenizer

MAX_SIZE = 1_000_000  # rows of an embedding; the largest published ones have 256,000


# What `clean_up_tokenization_spaces` does to a text, in transformers' order.
CLEANED_UP = (
    *((f" {mark}", mark) for mark in ".?!,"),
    (" ' ", "'"),
    *((f" {ending}", ending) for ending in ("n't", "'m", "'s", "'ve", "'re")),
)


class PretrainedTokenizer(Tokenizer):
    """Ids as transformers gives them; its own files are all it needs, and they are saved with it."""

    kind = "pretrained"

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self.family = family_of(checkpoint)
        self._engine = FAMILIES[self.family].open(checkpoint)
        self._ids = {token: id for id, token in self._engine.tokens.items()}
        self.vocabulary = self._fitted_vocabulary()
        self.pad_id = self._special_id("pad_token")
        self.eos_id = self._special_id("eos_token")
        self.unk_id = self._special_id("unk_token")
        self._language_ids = self._find_languages()
        self.languages = tuple(self._language_ids)
        self.prefixes = self._task_prefixes()
        asks = checkpoint.settings.get("clean_up_tokenization_spaces") is True
        self._cleans_up = asks and self._engine.can_clean_up
        self._lay_out(self._default_language())

    @property
    def files(self) -> dict[str, bytes]:
        """The checkpoint's own files by name, its config.json among them: whatever was read."""
        return self._checkpoint.files.contents()

    @property
    def class_name(self) -> str:
        """transformers' class that reads these files."""
        return class_of(self._checkpoint, has_languages=bool(self.languages))

    @property
    def hidden_ids(self) -> frozenset[int]:
        """The special tokens that a text leaves out."""
        return self._engine.specials - {self.unk_id}

    @property
    def replacements(self) -> tuple[tuple[str, str], ...]:
        """What is replaced in every decoded text, in this order."""
        return CLEANED_UP if self._cleans_up else ()

    def library_json(self) -> str | None:
        """The tokenizer as the library `tokenizers` reads it; None where SentencePiece splits."""
        engine = self._engine
        return engine.library.to_str() if isinstance(engine, LibraryEngine) else None

    def in_language(self, language: str) -> Self:
        if language not in self.languages:
            raise unknown("language", language, self.languages)
        other = copy.copy(self)
        other._lay_out(language)
        return other

    def encode(self, text: str) -> list[int]:
        return self.encode_many([text])[0]

    def encode_many(self, texts: Iterable[str]) -> list[list[int]]:
        size = self.vocab_size
        return [
            [id if id < size else self.unk_id for id in ids]
            for ids in self._engine.encode(list(texts))
        ]

    def decode(self, ids: Sequence[int]) -> str:
        hidden = self.hidden_ids
        tokens = self._engine.tokens
        text = self._engine.join([tokens[id] for id in ids if id in tokens and id not in hidden])
        for spaced, joined in self.replacements:
            text = text.replace(spaced, joined)
        return text

    def to_json(self) -> dict[str, Any]:
        checkpoint = self._checkpoint
        files = checkpoint.files.to_json()
        return {"side": checkpoint.side, "language": self.language, "files": files}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        if content["side"] not in get_args(Side):
            raise ValueError("the side is neither `src` nor `tgt`")
        opened = cls(Checkpoint(CheckpointFiles.from_json(content["files"]), content["side"]))
        language = content["language"]
        return opened if language is None else opened.in_language(language)

    def _readable(self, token: str) -> str:
        return self._engine.readable(token)

    def _fitted_vocabulary(self) -> tuple[str, ...]:
        """The token of each row of the model's embedding, which may have more rows than there are tokens.

        Special tokens past the last row can be spelled out in a text, where they are unknown; other tokens raise
        UserError.
        """
        engine, config = self._engine, self._checkpoint.config
        size = config.get("vocab_size")
        if self._checkpoint.side == "tgt":
            size = config.get("decoder_vocab_size") or size
        if size is None:
            size = max(engine.tokens) + 1
        if type(size) is not int or not 0 < size <= MAX_SIZE:
            raise self._checkpoint.files.damaged(
                CONFIG, f"has a `vocab_size` that is no number up to {MAX_SIZE:,}"
            )
        outside = [id for id in engine.tokens if id >= size and id not in engine.specials]
        if outside:
            raise UserError(
                f"The tokenizer of `{self._checkpoint.files.name}` has the id {max(outside)}, and its `{CONFIG}` allows"
                f" ids below {size} (`vocab_size`); use the tokenizer that belongs to this model."
            )
        return tuple(engine.tokens.get(id, f"<unused_{id}>") for id in range(size))

    def _special_id(self, name: str) -> int:
        token = self._checkpoint.special(name)
        id = self._ids.get(token)
        if id is None or id >= self.vocab_size:
            raise UserError(
                f"The tokenizer of `{self._checkpoint.files.name}` has no token `{token}` ({name}) that its model"
                " could read; download the checkpoint again."
            )
        return id

    @property
    def _layout(self) -> str:
        """What surrounds a text on this side."""
        family = FAMILIES[self.family]
        if self._checkpoint.side == "tgt":
            return family.target
        is_older = self._checkpoint.settings.get("legacy_behaviour") is True
        return family.older_source if is_older and family.older_source else family.source

    @property
    def _starts_with_language(self) -> bool:
        return FAMILIES[self.family].starts_with_language and self._checkpoint.side == "tgt"

    def _find_languages(self) -> dict[str, int]:
        """The id of each language's token by its code, where this side of the family has one."""
        if "language" not in self._layout and not self._starts_with_language:
            return {}
        pattern = FAMILIES[self.family].language_token
        matches = [(re.fullmatch(pattern, token), id) for id, token in enumerate(self.vocabulary)]
        return {match[1]: id for match, id in matches if match}

    def _default_language(self) -> str | None:
        """The one that the files name; for a target also the one whose token they force or start with."""
        settings, config = self._checkpoint.settings, self._checkpoint.config
        if self._checkpoint.side == "src":
            choices = [settings.get("src_lang"), FAMILIES[self.family].language]
        else:
            by_id = {id: language for language, id in self._language_ids.items()}
            ids = [config.get("forced_bos_token_id"), config.get("decoder_start_token_id")]
            choices = [settings.get("tgt_lang"), *(by_id.get(id) for id in ids if type(id) is int)]
        return next(
            (each for each in choices if isinstance(each, str) and each in self.languages), None
        )

    def _lay_out(self, language: str | None) -> None:
        """Sets the ids around a text in this language."""
        before, _, after = self._layout.partition("text")
        self.language = language
        self.first_ids = self._ids_of(before)
        self.last_ids = self._ids_of(after)
        self.start_id = self._start()

    def _ids_of(self, names: str) -> tuple[int, ...]:
        """`"language eos"` -> their ids; without the language where none is chosen."""
        ids = []
        for name in names.split():
            if name != "language":
                ids.append(self._special_id(f"{name}_token"))
            elif self.language is not None:
                ids.append(self._language_ids[self.language])
        return tuple(ids)

    def _start(self) -> int:
        """The decoder's first input: as the files say, else as the family was trained."""
        if self._starts_with_language and self.language is not None:
            return self._language_ids[self.language]
        given = self._checkpoint.config.get("decoder_start_token_id")
        named = self._special_id(f"{FAMILIES[self.family].start}_token")
        return given if type(given) is int else named

    def _task_prefixes(self) -> dict[str, str]:
        """What the model's config puts before a source, by the name of the task."""
        tasks = self._checkpoint.config.get("task_specific_params")
        if not isinstance(tasks, dict):
            return {}
        prefixes = {
            name: task.get("prefix") for name, task in tasks.items() if isinstance(task, dict)
        }
        return {name: prefix for name, prefix in prefixes.items() if isinstance(prefix, str)}


def open_pretrained(folder: Path, side: Side) -> PretrainedTokenizer:
    """The tokenizer of a checkpoint's folder for one side of the pairs.

    Raises UserError if the folder has none, has another family's, or has damaged files.
    """
    return PretrainedTokenizer(Checkpoint(CheckpointFiles.of_folder(folder), side))
