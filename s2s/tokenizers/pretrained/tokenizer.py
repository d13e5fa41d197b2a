"""The tokenizer of a published checkpoint, by the protocol of all tokenizers."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Self, get_args

from s2s.config import UserError, shortened, unknown
from s2s.tokenizers.pretrained.checkpoint import (
    CONFIG,
    END,
    FIRST,
    PADDING,
    START,
    Checkpoint,
    Side,
    first_input,
    spelling,
)
from s2s.tokenizers.pretrained.checkpoint_files import CheckpointFiles
from s2s.tokenizers.pretrained.class_steps import replaced_steps
from s2s.tokenizers.pretrained.engines import LibraryEngine
from s2s.tokenizers.pretrained.families import (
    FAMILIES,
    class_of,
    family_of,
    is_plain,
    open_engine,
)
from s2s.tokenizers.pretrained.library import FILE as LIBRARY_FILE
from s2s.tokenizers.tokenizer import Tokenizer

MAX_SIZE = 1_000_000  # rows of an embedding; the largest published ones have 256,000


# What `clean_up_tokenization_spaces` does to a text, in transformers' order.
CLEANED_UP = (
    *((f" {mark}", mark) for mark in ".?!,"),
    (" ' ", "'"),
    *((f" {ending}", ending) for ending in ("n't", "'m", "'s", "'ve", "'re")),
)


class PretrainedTokenizer(Tokenizer):
    """The tokenizer of a published checkpoint: ids as transformers gives them; its own files are all it needs, and they
    are saved with it.
    """

    kind = "pretrained"

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self.family = family_of(checkpoint)
        self._is_plain = is_plain(checkpoint)
        self._engine = open_engine(checkpoint)
        self._ids = {token: id for id, token in self._engine.tokens.items()}
        self.vocabulary = self._fitted_vocabulary()
        self.pad_id = self._special_id("pad_token", PADDING)
        self.eos_id = self._special_id("eos_token", END)
        self.unk_id = self._unknown_id()
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
        is_other = self.language is not None and self.language != self._default_language()
        sets_language = is_other if self._is_plain else bool(self.languages)
        return class_of(self._checkpoint, sets_language=sets_language)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the files: on a source, if `tokenizer.json` says something else than the tokenizer's class
        does; on a target, if only the tokenizer names the language.
        """
        if self._checkpoint.side == "tgt":
            return self._notes_on_language
        if self._is_plain:
            return ()
        return (*self._notes_on_around, *self._notes_on_steps, *self._notes_on_source)

    @property
    def _notes_on_language(self) -> tuple[str, ...]:
        by_id = {id: language for language, id in self._language_ids.items()}
        is_decided = self.language in map(by_id.get, self._decided_ids)
        if self.language is None or is_decided:
            return ()
        return (
            f"Targets are in `{self.language}`, the `tgt_lang` of tokenizer_config.json; `generate` of transformers"
            " has to be told so.",
        )

    @property
    def _notes_on_around(self) -> tuple[str, ...]:
        own = (self.first_ids, self.last_ids)
        said = self._engine.around
        if self.languages or not self._checkpoint.files.has(LIBRARY_FILE):
            return ()
        if said is None or said == own:
            return ()
        shown, shown_own = (
            _printable([*self.tokens(first), "…", *self.tokens(last)])
            for first, last in (said, own)
        )
        return (
            f"`{LIBRARY_FILE}` makes `{shown}` of a text; its class {self.class_name} of transformers makes"
            f" `{shown_own}` of it, and so does s2s.",
        )

    @property
    def _notes_on_steps(self) -> tuple[str, ...]:
        steps = replaced_steps(self.family, json.loads(self.library_json() or "{}"))
        if not steps:
            return ()
        named = " and ".join(f"`{name}`" for name in steps)
        has_file = self._checkpoint.files.has(LIBRARY_FILE)
        file = f"`{LIBRARY_FILE}`" if has_file else "the SentencePiece model"
        return (
            f"s2s follows the {named} of {file}; the class {self.class_name} of transformers 5 does not, and may"
            " tokenize otherwise.",
        )

    @property
    def _notes_on_source(self) -> tuple[str, ...]:
        named = spelling(self._checkpoint.settings.get("src_lang"))
        if not named or not self.languages or named in self.languages:
            return ()
        return (
            f"tokenizer_config.json names the source language `{_printable([named])}`, which the model lacks; sources"
            f" are in `{self.language}`.",
        )

    @property
    def needs_language(self) -> bool:
        """Whether no target can be written before its language is chosen; a plain tokenizer's file may name none."""
        is_free = self._is_plain or FIRST in self._checkpoint.generation
        return self._checkpoint.side == "tgt" and bool(self.languages) and not is_free

    @property
    def hidden_ids(self) -> frozenset[int]:
        return self._engine.specials - ({self.unk_id} - {self.pad_id})

    @property
    def replacements(self) -> tuple[tuple[str, str], ...]:
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

    def _special_id(self, name: str, setting: str = "") -> int:
        token = self._checkpoint.special(name)
        id = self._ids.get(token)
        if self._is_plain and setting and name not in self._checkpoint.named_specials:
            said = self._checkpoint.generation.get(setting)
            said = said[0] if isinstance(said, list) and said else said
            id = said if type(said) is int and said >= 0 else id
        if id is None or id >= self.vocab_size:
            raise UserError(
                f"The tokenizer of `{self._checkpoint.files.name}` has no token `{token}` ({name}) that its model"
                " could read; download the checkpoint again."
            )
        return id

    def _unknown_id(self) -> int:
        if self._is_plain and self._checkpoint.special("unk_token") not in self._ids:
            return self.pad_id
        return self._special_id("unk_token")

    @property
    def _layout(self) -> str:
        family = FAMILIES[self.family]
        if self._checkpoint.side == "tgt":
            return family.target
        is_older = self._checkpoint.settings.get("legacy_behaviour") is True
        return family.older_source if is_older and family.older_source else family.source

    @property
    def _file_ids(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        around = self._engine.around
        if around is None:
            raise UserError(
                f"`{LIBRARY_FILE}` of `{self._checkpoint.files.name}` does something else to a text than to put tokens"
                " before and after it (`post_processor`); give one that does only that."
            )
        return around

    @property
    def _tgt_lang(self) -> Any:
        is_forced = FIRST in self._checkpoint.generation
        return None if is_forced else self._checkpoint.settings.get("tgt_lang")

    @property
    def _decided_ids(self) -> list[int]:
        settings = self._checkpoint.generation
        ids = [settings.get(FIRST), settings.get(START)]
        return [id for id in ids if type(id) is int]

    @property
    def _starts_with_language(self) -> bool:
        settings = self._checkpoint.generation
        decided = [id for id in self._decided_ids if id in self._language_ids.values()]
        if decided:
            return decided[0] != settings.get(FIRST)
        return FAMILIES[self.family].starts_with_language and START not in settings

    def _find_languages(self) -> dict[str, int]:
        family, is_target = FAMILIES[self.family], self._checkpoint.side == "tgt"
        if "language" not in self._layout and not (is_target and family.starts_with_language):
            return {}
        matches = (
            (re.fullmatch(family.language_token, token), id)
            for id, token in enumerate(self.vocabulary)
        )
        found = {match[1]: id for match, id in matches if match}
        if self._is_plain:
            named = {*chain(*self._file_ids), *(self._decided_ids if is_target else ())}
            return found if named & {*found.values()} else {}
        return found

    def _default_language(self) -> str | None:
        settings = self._checkpoint.settings
        by_id = {id: language for language, id in self._language_ids.items()}
        if self._checkpoint.side == "tgt":
            choices = [*map(by_id.get, self._decided_ids), self._tgt_lang]
        elif self._is_plain:
            choices = [*map(by_id.get, chain(*self._file_ids))]
        else:
            choices = [settings.get("src_lang"), FAMILIES[self.family].language]
        return next(
            (each for each in choices if isinstance(each, str) and each in self.languages), None
        )

    def _lay_out(self, language: str | None) -> None:
        self.language = language
        if self._is_plain:
            self.first_ids, self.last_ids = map(self._translated, self._file_ids)
        else:
            before, _, after = self._layout.partition("text")
            self.first_ids, self.last_ids = self._ids_of(before), self._ids_of(after)
        start = first_input(self._checkpoint.generation)
        if type(start) is int:
            self.start_id = start
        if self._checkpoint.side == "tgt" and language is not None:
            id = self._language_ids[language]
            self.first_ids = () if self._starts_with_language else (id,)
            self.start_id = id if self._starts_with_language else self.start_id

    def _translated(self, ids: tuple[int, ...]) -> tuple[int, ...]:
        known = self._language_ids
        return tuple(
            known[self.language] if self.language is not None and id in known.values() else id
            for id in ids
        )

    def _ids_of(self, names: str) -> tuple[int, ...]:
        """`"language eos"` -> their ids; without the language where none is chosen."""
        ids = []
        for name in names.split():
            if name != "language":
                ids.append(self._special_id(f"{name}_token"))
            elif self.language is not None:
                ids.append(self._language_ids[self.language])
        return tuple(ids)

    def _task_prefixes(self) -> dict[str, str]:
        tasks = self._checkpoint.config.get("task_specific_params")
        if not isinstance(tasks, dict):
            return {}
        prefixes = {
            name: task.get("prefix") for name, task in tasks.items() if isinstance(task, dict)
        }
        return {name: prefix for name, prefix in prefixes.items() if isinstance(prefix, str)}


def _printable(tokens: Sequence[str]) -> str:
    return shortened("".join(filter(str.isprintable, " ".join(tokens))))


def open_pretrained(folder: Path, side: Side) -> PretrainedTokenizer:
    """The tokenizer of a checkpoint's folder for one side of the pairs.

    Raises UserError if the folder has none, has another family's, or has damaged files.
    """
    return PretrainedTokenizer(Checkpoint(CheckpointFiles.of_folder(folder), side))
