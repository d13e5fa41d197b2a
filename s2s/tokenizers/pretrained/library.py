"""Tokenizers of the `tokenizers` library: read from `tokenizer.json`, or built as transformers builds them."""

from __future__ import annotations

import base64
import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers

from s2s.config import UserError
from s2s.tokenizers.pretrained.checkpoint import Checkpoint, spelling
from s2s.tokenizers.pretrained.engines import LibraryEngine
from s2s.tokenizers.pretrained.sentencepiece_model import (
    MOST_GROWTH,
    SpmModel,
    longest_replacement,
)
from s2s.tokenizers.tokenizer import SPACE

FILE = "tokenizer.json"
VOCABULARY = "vocab.json"
MERGES = "merges.txt"
PROBE = (
    "a \u2603"  # most vocabularies lack the snowman: a file without an unknown token fails at it
)
SPACES = Regex(" {2,}")
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")  # of an added token
STEPS = ("normalizer", "pre_tokenizer", "decoder")  # what rewrites a text, step by step


def read_library_file(checkpoint: Checkpoint) -> LibraryEngine:
    """The tokenizer in `tokenizer.json`, as it is, with the special tokens that other files name.

    Raises UserError if it is damaged, or makes texts far longer.
    """
    files = checkpoint.files
    text = files.text(FILE)
    if _growth(files.json(FILE)) > MOST_GROWTH:  # before the library rewrites the added tokens
        raise files.growing(FILE, MOST_GROWTH)
    with _refusing(files.damaged(FILE, "is not a complete tokenizer")):
        library = tokenizers.Tokenizer.from_str(text)
        library.encode(PROBE)
    files.check_distinct(FILE, library.get_vocab(with_added_tokens=False))
    add_missing(library, checkpoint)
    added = {token.content: token for token in library.get_added_tokens_decoder().values()}
    for token in checkpoint.written_specials:
        flags = added.get(token)
        if flags is None:
            library.add_special_tokens(special_tokens([token]))
        elif not flags.special:
            flags.special = True
            library.add_special_tokens([flags])
    if isinstance(library.model, models.BPE) and library.model.dropout is not None:
        model = library.model
        model.dropout = None  # with which a text would have other tokens each time
        library.model = model
    library.encode_special_tokens = checkpoint.settings.get("split_special_tokens") is True
    return LibraryEngine(library)


def unigram(
    checkpoint: Checkpoint,
    model: SpmModel,
    vocabulary: Sequence[tuple[str, float]],
    specials: Iterable[AddedToken],
    *,
    unk_id: int,
    splits_whitespace: bool,
) -> LibraryEngine:
    """A unigram tokenizer from a SentencePiece model's tokens, in the library's steps. Raises UserError if it is no
    unigram model.
    """
    if not model.is_unigram:
        raise UserError(
            f"The SentencePiece model of `{checkpoint.files.name}` is not a unigram model;"
            f" use a checkpoint that has `{FILE}`."
        )
    library = tokenizers.Tokenizer(models.Unigram())
    steps: list[normalizers.Normalizer] = []
    with _refusing(checkpoint.files.damaged(model.name, "is not a complete SentencePiece model")):
        library.model = models.Unigram(list(vocabulary), unk_id, byte_fallback=False)
        if model.charsmap:
            steps.append(normalizers.Precompiled(model.charsmap))
    metaspace = pre_tokenizers.Metaspace(SPACE, prepend_scheme="always")
    if splits_whitespace:
        words = pre_tokenizers.WhitespaceSplit()
        library.pre_tokenizer = pre_tokenizers.Sequence([words, metaspace])
    else:
        steps.append(normalizers.Replace(SPACES, " "))
        library.pre_tokenizer = metaspace
    library.normalizer = normalizers.Sequence(steps)
    library.decoder = decoders.Metaspace(SPACE, prepend_scheme="always")
    library.add_special_tokens(list(specials))
    add_missing(library, checkpoint)
    return LibraryEngine(library)


def byte_level_bpe(checkpoint: Checkpoint) -> LibraryEngine:
    """The byte-level BPE of `vocab.json` and `merges.txt`. Raises UserError if they do not fit each other."""
    files = checkpoint.files
    vocabulary = files.vocabulary(VOCABULARY)
    lines = files.text(MERGES).splitlines()
    merges = [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")]
    problem = f"has a merge of tokens that are not in `{VOCABULARY}`"
    with _refusing(files.damaged(MERGES, problem)):
        model = models.BPE(vocab=vocabulary, merges=merges, fuse_unk=False)  # type: ignore[arg-type]
    library = tokenizers.Tokenizer(model)
    has_prefix = checkpoint.settings.get("add_prefix_space") is True
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=has_prefix)
    library.decoder = decoders.ByteLevel()
    named = (checkpoint.special("bos_token"), checkpoint.special("mask_token", "<mask>"))
    specials = dict.fromkeys([*checkpoint.all_specials, *named])
    library.add_special_tokens(special_tokens(token for token in specials if token in vocabulary))
    add_missing(library, checkpoint)
    return LibraryEngine(library)


def add_missing(library: tokenizers.Tokenizer, checkpoint: Checkpoint) -> None:
    """Adds tokens that other files add; new ones get the next ids, as in transformers."""
    rows = checkpoint.settings.get("added_tokens_decoder")
    given = {spelling(row): row for row in rows.values()} if isinstance(rows, dict) else {}
    known = {token.content for token in library.get_added_tokens_decoder().values()}
    for token in sorted(checkpoint.added_tokens, key=checkpoint.added_tokens.__getitem__):
        if token in known or not token:
            continue
        row = given.get(token)
        if not isinstance(row, dict):
            row = {"special": token in checkpoint.written_specials}
        is_special = row.get("special") is True
        flags = {name: row.get(name) is True for name in FLAGS}
        flags["normalized"] = row.get("normalized", not is_special) is True
        library.add_tokens([AddedToken(token, **flags)])


def _growth(settings: Mapping[str, Any]) -> int:
    steps = list(_steps(settings))
    prepended = sum(len(step["prepend"]) for step in steps if isinstance(step.get("prepend"), str))
    return math.prod(map(_factor, steps)) + prepended


def _steps(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    waiting: list[Any] = [settings.get(name) for name in STEPS]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _factor(step: Mapping[str, Any]) -> int:
    return max(_charsmap_factor(step), _content_factor(step))


def _charsmap_factor(step: Mapping[str, Any]) -> int:
    charsmap = step.get("precompiled_charsmap")
    try:
        return longest_replacement(base64.b64decode(charsmap)) if isinstance(charsmap, str) else 1
    except ValueError:  # what is no base64, the library refuses
        return 1


def _content_factor(step: Mapping[str, Any]) -> int:
    content = step.get("content")
    if "pattern" not in step or not isinstance(content, str):
        return 2 if step.get("type") == "ByteLevel" else 1
    pattern = step["pattern"]
    is_text = isinstance(pattern, dict) and bool(pattern.get("String"))
    return max(1, len(content)) if is_text else 1 + len(content)  # which may match between letters


@contextlib.contextmanager
def _refusing(refusal: UserError) -> Iterator[None]:
    """Raises the refusal for whatever the library raises at damaged content: it has no narrower class than Exception,
    and panics are none of these.
    """
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise refusal from error
        raise


def special_tokens(tokens: Iterable[str]) -> list[AddedToken]:
    """The tokens as specials of the library: found in a text as they are, before it is normalized."""
    return [AddedToken(token, special=True, normalized=False) for token in tokens]
