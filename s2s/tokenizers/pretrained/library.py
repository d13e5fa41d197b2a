"""Tokenizers of the `tokenizers` library: read from `tokenizer.json`, or built as transformers builds them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers

from s2s.config import UserError
from s2s.tokenizers.pretrained.checkpoint import Checkpoint
from s2s.tokenizers.pretrained.engines import LibraryEngine
from s2s.tokenizers.pretrained.sentencepiece_model import SpmModel
from s2s.tokenizers.tokenizer import SPACE

FILE = "tokenizer.json"
VOCABULARY = "vocab.json"
MERGES = "merges.txt"
PROBE = (
    "a \u2603"  # most vocabularies lack the snowman: a file without an unknown token fails at it
)
SPACES = Regex(" {2,}")


def read_library_file(checkpoint: Checkpoint) -> LibraryEngine:
    """`tokenizer.json`, as it is. Raises UserError if it is damaged."""
    files = checkpoint.files
    text = files.text(FILE)
    with _refusing(files.damaged(FILE, "is not a complete tokenizer")):
        library = tokenizers.Tokenizer.from_str(text)
        library.encode(PROBE)
    files.check_distinct(FILE, library.get_vocab(with_added_tokens=False))
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
    """A SentencePiece model's tokens in the library's steps. Raises UserError if it is no unigram model."""
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
    return LibraryEngine(library)


def byte_level_bpe(checkpoint: Checkpoint) -> LibraryEngine:
    """`vocab.json` and `merges.txt`. Raises UserError if they do not fit each other."""
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
    return LibraryEngine(library)


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
    """Found in a text as they are, before it is normalized."""
    return [AddedToken(token, special=True, normalized=False) for token in tokens]
