"""The files of a checkpoint that a tokenizer is made of: in its folder, or embedded in one JSON value."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from s2s.config import UserError
from s2s.files import from_json

TEXT = (".json", ".txt")  # embedded as text; other files in base64
AGAIN = "download the checkpoint again"


class CheckpointFiles:
    """Reads files by name, and remembers those that were read: they are what a copy of the tokenizer needs."""

    def __init__(self, name: str, load: Callable[[str], bytes | None]) -> None:
        """`name` is the checkpoint's in messages; `load` gives a file's content, or None if there is no such file."""
        self.name = name
        self._load = load
        self._contents: dict[str, bytes | None] = {}

    @classmethod
    def of_folder(cls, folder: Path) -> Self:
        def load(name: str) -> bytes | None:
            try:
                return (folder / name).read_bytes()
            except FileNotFoundError:
                return None
            except OSError as error:
                raise UserError(
                    f"`{name}` of `{folder.name}` cannot be read ({error.strerror}); check its permissions."
                ) from error

        return cls(folder.name, load)

    @classmethod
    def from_json(cls, content: Any) -> Self:
        """Files read back from what `to_json` wrote. Raises ValueError for invalid content."""
        contents = {
            name: text.encode() if name.endswith(TEXT) else base64.b64decode(text, validate=True)
            for name, text in from_json(dict[str, str], content).items()
        }
        return cls("the saved tokenizer", contents.get)

    def to_json(self) -> dict[str, str]:
        """The contents of the files that were read, as JSON."""
        return {
            name: content.decode() if name.endswith(TEXT) else base64.b64encode(content).decode()
            for name, content in self.contents().items()
        }

    def contents(self) -> dict[str, bytes]:
        """The files that were read, by name."""
        return {name: content for name, content in self._contents.items() if content is not None}

    def has(self, name: str) -> bool:
        return self._content(name) is not None

    def binary(self, name: str) -> bytes:
        """A file's content. Raises UserError if there is no such file."""
        content = self._content(name)
        if content is None:
            raise UserError(f"`{self.name}` has no `{name}`, which its tokenizer needs; {AGAIN}.")
        return content

    def text(self, name: str) -> str:
        """A file's text. Raises UserError if it is not UTF-8."""
        try:
            return self.binary(name).decode()
        except UnicodeDecodeError as error:
            raise self.damaged(name, "is not UTF-8 text") from error

    def json(self, name: str) -> dict[str, Any]:
        """The JSON object in a file. Raises UserError if the file is missing or holds something else."""
        text = self.text(name)
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.damaged(name, "is not complete JSON") from error
        if not isinstance(content, dict):
            raise self.damaged(name, "holds no JSON object")
        return content

    def optional_json(self, name: str) -> dict[str, Any]:
        """The JSON object in a file; empty if there is no such file."""
        return self.json(name) if self.has(name) else {}

    def vocabulary(self, name: str) -> dict[str, int]:
        """The id of each token in a vocabulary file. Raises UserError unless the ids are distinct numbers from 0 on."""
        ids = self.json(name)
        wrong = [token for token, id in ids.items() if type(id) is not int or id < 0]
        if wrong:
            raise self.damaged(name, f"gives the token `{wrong[0]}` no id from 0 on")
        self.check_distinct(name, ids)
        return ids

    def check_distinct(self, name: str, ids: Mapping[str, int]) -> None:
        """Raises UserError if two tokens have the same id."""
        by_id: dict[int, str] = {}
        for token, id in ids.items():
            other = by_id.setdefault(id, token)
            if other != token:
                raise self.damaged(name, f"gives `{other}` and `{token}` the same id {id}")

    def damaged(self, name: str, problem: str) -> UserError:
        return UserError(f"`{name}` of `{self.name}` {problem}; {AGAIN}.")

    def growing(self, name: str, most: int) -> UserError:
        """The error for a file whose steps make texts more than `most` times longer."""
        return UserError(
            f"`{name}` of `{self.name}` could make a text more than {most} times as long; use another checkpoint."
        )

    def _content(self, name: str) -> bytes | None:
        if name not in self._contents:
            self._contents[name] = self._load(name)
        return self._contents[name]
