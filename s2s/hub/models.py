"""What is known about a model before its weights are fetched: its files, its config.json, what its card says."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s import settings
from s2s.config import UserError
from s2s.hub import access, failures
from s2s.hub.lookup import Lookup, card, within, words
from s2s.hub.names import check_model, check_newest, check_revision

SECONDS = 6.0
CONFIG = "config.json"
MAX_CONFIG = 1_000_000  # bytes
UNKNOWN = -1  # bytes
SETTINGS = (CONFIG, "generation_config.json")
TOKENIZERS = (  # one of these says how a text becomes ids
    "tokenizer.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "sentencepiece.model",
    "source.spm",
    "vocab.json",
)
BESIDE_TOKENIZERS = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "target.spm",
    "target_vocab.json",
    "merges.txt",
)
# The files with weights, in order of preference: patterns of all files that belong together.
WEIGHTS = (
    r"model\.safetensors",
    r"model\.safetensors\.index\.json|model-\d{5}-of-\d{5}\.safetensors",
    r"pytorch_model\.bin",
    r"pytorch_model\.bin\.index\.json|pytorch_model-\d{5}-of-\d{5}\.bin",
)
SMALLEST_WEIGHTS = r".*\.(safetensors|bin)"  # an index alone is no weights


class ModelFile(NamedTuple):
    """A file of a model: its size in bytes, and its SHA-256 where the Hub says it."""

    path: str
    size: int
    sha256: str = ""


@dataclass(frozen=True)
class Model:
    """A model at revision `sha`, with the files that are needed and no others.

    `config` is its config.json; `license` and `languages` are the owner's words, empty if there are none.
    """

    id: str
    sha: str
    files: tuple[ModelFile, ...]
    config: Mapping[str, Any]
    gated: bool = False
    private: bool = False
    license: str = ""
    languages: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def preflight_model(
    name: str, token: str = "", *, revision: str = "", seconds: float = SECONDS
) -> Model:
    """The needed files of a model, their revision, and its config.json, within `seconds` whatever the Hub does.

    Two requests, and one more for a model that was renamed.

    Raises UserError with one sentence for each possible failure, and for a model that is too large, or that lacks a
    config.json, weights or a tokenizer.
    """
    address, name = name, check_model(name)
    check_newest(address, revision)
    token = access.sane(token)
    revision = check_revision(revision)
    access.library()  # imported before the clock starts
    lookup = _ModelLookup(name, token, time.monotonic() + seconds)
    try:
        return within(seconds, lambda: lookup.model(revision))
    except Late as error:
        raise failures.slow(f"the model `{name}`", "model") from error


def needed(name: str, files: Sequence[ModelFile]) -> tuple[ModelFile, ...]:
    """The files at the top of a model's repository that are read. Raises UserError where a kind of them is missing."""
    by_path = {file.path: file for file in files}
    if CONFIG not in by_path:
        raise UserError(
            f"`{name}` has no config.json, so it is no model of transformers; choose another model."
        )
    weights = _weights(files)
    if not weights:
        raise UserError(
            f"`{name}` has no weights that can be read here (model.safetensors or pytorch_model.bin); choose another"
            " model."
        )
    if not any(path in by_path for path in TOKENIZERS):
        raise UserError(
            f"`{name}` has no tokenizer ({', '.join(TOKENIZERS[:2])}, ...), so no text can be given to it; choose"
            " another model."
        )
    named = (*SETTINGS, *TOKENIZERS, *BESIDE_TOKENIZERS)
    return (*(by_path[path] for path in named if path in by_path), *weights)


def _weights(files: Sequence[ModelFile]) -> list[ModelFile]:
    for pattern in WEIGHTS:
        found = [file for file in files if re.fullmatch(pattern, file.path)]
        if any(re.fullmatch(SMALLEST_WEIGHTS, file.path) for file in found):
            return found
    return []


def check_size(name: str, n_bytes: int) -> None:
    """Raises UserError where a model is larger than may be downloaded here."""
    most = settings.limits().model_bytes
    if most is not None and n_bytes > most:
        raise UserError(
            f"`{name}` would download {n_bytes / 1e9:,.1f} GB, and at most {most / 1e9:,.1f} GB may be downloaded for"
            " a model here; choose a smaller one."
        )


def file_url(name: str, sha: str, path: str) -> str:
    hub = access.library()
    url: str = hub.hf_hub_url(
        name, path, repo_type="model", revision=sha, endpoint=access.endpoint()
    )
    return url


class _ModelLookup(Lookup):
    kind = "model"

    def model(self, revision: str) -> Model:
        info = self.request(lambda: self._info(self.name, revision))
        if str(info.id) != self.name:  # it was renamed, and the redirect may lose what was asked
            info = self.request(lambda: self._info(str(info.id), revision))
        files = needed(self.name, [_file(sibling) for sibling in info.siblings or ()])
        self.request(lambda: _check_listed(files))
        check_size(self.name, sum(file.size for file in files))
        content = self.request(lambda: self._config(str(info.id), str(info.sha)))
        about = card(info)
        return Model(
            id=str(info.id),
            sha=str(info.sha),
            files=files,
            config=MappingProxyType(_parsed(self.name, content)),
            gated=bool(info.gated),
            private=bool(info.private),
            license=", ".join(words(about.get("license"))),
            languages=words(about.get("language")),
        )

    def _info(self, name: str, revision: str) -> Any:
        api = access.library().HfApi(endpoint=access.endpoint(), token=self.token or False)
        return api.model_info(
            name, revision=revision or None, timeout=self.left(), files_metadata=True
        )

    def _config(self, name: str, sha: str) -> bytes:
        hub = access.library()
        content = bytearray()
        with hub.utils.get_session().stream(
            "GET",
            file_url(name, sha, CONFIG),
            headers=access.headers(self.token),
            timeout=self.left(),
            follow_redirects=True,
        ) as reply:
            hub.utils.hf_raise_for_status(reply)
            for chunk in reply.iter_raw():
                content += chunk
                if len(content) > MAX_CONFIG:
                    raise UserError(
                        f"The config.json of `{self.name}` is larger than {MAX_CONFIG / 1e6:g} MB; choose another"
                        " model."
                    )
        return bytes(content)


def _file(sibling: Any) -> ModelFile:
    sha256 = str(sibling.lfs.sha256) if sibling.lfs else ""
    return ModelFile(
        str(sibling.rfilename), UNKNOWN if sibling.size is None else int(sibling.size), sha256
    )


def _check_listed(files: Sequence[ModelFile]) -> None:
    if any(file.size == UNKNOWN for file in files):
        raise KeyError("size")


def _parsed(name: str, content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"The config.json of `{name}` is no valid JSON; choose another model."
        ) from error
    if not isinstance(found, dict):
        raise UserError(f"The config.json of `{name}` holds no settings; choose another model.")
    return found
