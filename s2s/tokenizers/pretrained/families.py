"""The families of tokenizers: how each one's files are read, and where the special tokens of a text stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tokenizers import AddedToken, pre_tokenizers

from s2s.config import UserError
from s2s.tokenizers.pretrained.checkpoint import CONFIG, SETTINGS, Checkpoint, spelling
from s2s.tokenizers.pretrained.engines import Engine, LibraryEngine, SpmEngine
from s2s.tokenizers.pretrained.languages import M2M100, MBART, MBART50, WMT21
from s2s.tokenizers.pretrained.library import FILE as LIBRARY_FILE
from s2s.tokenizers.pretrained.library import (
    byte_level_bpe,
    read_library_file,
    special_tokens,
    unigram,
)
from s2s.tokenizers.pretrained.sentencepiece_model import SpmModel, read_model

NO_TOKENS: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Family:
    """A family of tokenizers: its class in transformers; `source` and `target` say what it puts around a text, whatever
    `tokenizer.json` says.
    """

    open: Callable[[Checkpoint], Engine]
    source: str = "text eos"
    target: str = "text eos"
    older_source: str = ""  # where `legacy_behaviour` is set
    language_token: str = ""  # a pattern; its group is the language's code
    language: str | None = None  # of the source, by default
    starts_with_language: bool = (
        False  # the decoder's first input is the target language, if no file says it
    )


def _library_or(build: Callable[[Checkpoint], LibraryEngine]) -> Callable[[Checkpoint], Engine]:
    def open_(checkpoint: Checkpoint) -> Engine:
        has_file = checkpoint.files.has(LIBRARY_FILE)
        return read_library_file(checkpoint) if has_file else build(checkpoint)

    return open_


def _t5(checkpoint: Checkpoint) -> LibraryEngine:
    model = read_model(checkpoint.files, "spiece.model")
    n_extra = checkpoint.count("extra_ids", 100)
    extra = [f"<extra_id_{number}>" for number in reversed(range(n_extra))]
    return unigram(
        checkpoint,
        model,
        [*model.tokens, *((token, 0.0) for token in extra)],
        special_tokens([*checkpoint.all_specials, *extra]),
        unk_id=model.processor.unk_id(),
        splits_whitespace=True,
    )


def _pegasus(checkpoint: Checkpoint) -> LibraryEngine:
    model = read_model(checkpoint.files, "spiece.model")
    offset = checkpoint.count("offset", 103)
    first = [
        checkpoint.special("pad_token"),
        checkpoint.special("eos_token"),
        checkpoint.special("mask_token_sent", "<mask_1>"),
        checkpoint.special("mask_token", "<mask_2>"),
    ]
    unused = [f"<unk_{number}>" for number in range(2, offset)]
    return unigram(
        checkpoint,
        model,
        [
            *((token, 0.0) for token in first),
            *((token, -100.0) for token in unused),
            *model.tokens[2:],
        ],
        special_tokens([*first, *unused, checkpoint.special("unk_token")]),
        unk_id=model.processor.unk_id() + offset,
        splits_whitespace=False,
    )


def _mbart(checkpoint: Checkpoint) -> LibraryEngine:
    return _fairseq(checkpoint, MBART, splits_whitespace=True)


def _mbart50(checkpoint: Checkpoint) -> LibraryEngine:
    return _fairseq(checkpoint, MBART50, splits_whitespace=False)


def _fairseq(
    checkpoint: Checkpoint, languages: tuple[str, ...], *, splits_whitespace: bool
) -> LibraryEngine:
    """A tokenizer with SentencePiece's ids + 1: four special tokens in place of its first three; after them languages
    and a mask.
    """
    model = read_model(checkpoint.files, "sentencepiece.bpe.model")
    names = ("bos_token", "pad_token", "eos_token", "unk_token")
    first = [checkpoint.special(name) for name in names]
    mask = checkpoint.special("mask_token", "<mask>")
    last = [(token, 0.0) for token in (*languages, mask)]
    specials = special_tokens([*first, *languages])
    return unigram(
        checkpoint,
        model,
        [*((token, 0.0) for token in first), *model.tokens[3:], *last],
        [*specials, AddedToken(mask, lstrip=True, special=True, normalized=False)],
        unk_id=3,
        splits_whitespace=splits_whitespace,
    )


def _bart(checkpoint: Checkpoint) -> LibraryEngine:
    """BART's tokenizer; a space before a text is as tokenizer_config.json says, also where `tokenizer.json` says
    otherwise.
    """
    if not checkpoint.files.has(LIBRARY_FILE):
        return byte_level_bpe(checkpoint)
    engine = read_library_file(checkpoint)
    pre_tokenizer = engine.library.pre_tokenizer
    if isinstance(pre_tokenizer, pre_tokenizers.ByteLevel):
        pre_tokenizer.add_prefix_space = checkpoint.settings.get("add_prefix_space") is True
    return engine


def _nllb(checkpoint: Checkpoint) -> LibraryEngine:
    raise UserError(
        f"`{checkpoint.files.name}` has no `{LIBRARY_FILE}`, from which an NLLB tokenizer is read;"
        " download that file too."
    )


def _marian(checkpoint: Checkpoint) -> SpmEngine:
    is_target = checkpoint.side == "tgt"
    has_own_file = is_target and checkpoint.settings.get("separate_vocabs") is True
    return _with_vocabulary(
        checkpoint,
        read_model(checkpoint.files, "target.spm" if is_target else "source.spm"),
        "target_vocab.json" if has_own_file else "vocab.json",
        has_language_codes=True,
    )


def _m2m100(checkpoint: Checkpoint) -> SpmEngine:
    model = read_model(checkpoint.files, "sentencepiece.bpe.model")
    codes = WMT21 if checkpoint.settings.get("language_codes") == "wmt21" else M2M100
    first = len(checkpoint.files.vocabulary("vocab.json"))
    languages = {f"__{code}__": id for id, code in enumerate(codes, first)}
    return _with_vocabulary(checkpoint, model, "vocab.json", languages)


def _with_vocabulary(
    checkpoint: Checkpoint,
    model: SpmModel,
    file: str,
    languages: Mapping[str, int] = NO_TOKENS,
    *,
    has_language_codes: bool = False,
) -> SpmEngine:
    vocabulary = checkpoint.files.vocabulary(file)
    unk = checkpoint.special("unk_token")
    if unk not in vocabulary:
        raise checkpoint.files.damaged(file, f"has no token `{unk}`")
    known = {token: vocabulary[token] for token in checkpoint.all_specials if token in vocabulary}
    return SpmEngine(
        model.processor,
        vocabulary,
        {**checkpoint.added_tokens, **known, **languages},
        unk_id=vocabulary[unk],
        has_language_codes=has_language_codes,
        splits_specials=checkpoint.settings.get("split_special_tokens") is True,
    )


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "t5": Family(open=_library_or(_t5)),
        "marian": Family(open=_marian, source="language text eos", language_token=r">>(.+)<<"),
        "bart": Family(open=_bart, source="cls text sep", target="cls text sep"),
        "mbart": Family(
            open=_library_or(_mbart),
            source="text eos language",
            language_token="([a-z]{2}_[A-Z]{2})",
            language="en_XX",
            starts_with_language=True,
        ),
        "mbart50": Family(
            open=_library_or(_mbart50),
            source="language text eos",
            target="language text eos",
            language_token="([a-z]{2}_[A-Z]{2})",
            language="en_XX",
        ),
        "nllb": Family(
            open=_library_or(_nllb),
            source="language text eos",
            older_source="text eos language",
            target="language text eos",
            language_token="([a-z]{3}_[A-Z][a-z]{3})",
            language="eng_Latn",
        ),
        "m2m_100": Family(
            open=_m2m100,
            source="language text eos",
            target="language text eos",
            language_token="__([a-z]+)__",
            language="en",
        ),
        "pegasus": Family(open=_library_or(_pegasus)),
    }
)

# The family by the tokenizer's class, which decides where a model type has several.
CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "T5Tokenizer": "t5",
        "MarianTokenizer": "marian",
        "BartTokenizer": "bart",
        "RobertaTokenizer": "bart",
        "MBartTokenizer": "mbart",
        "MBart50Tokenizer": "mbart50",
        "NllbTokenizer": "nllb",
        "M2M100Tokenizer": "m2m_100",
        "PegasusTokenizer": "pegasus",
    }
)
# Classes that read `tokenizer.json` as it is, what it puts around a text included; the others know that themselves.
PLAIN_CLASSES = frozenset({"PreTrainedTokenizer", "TokenizersBackend", "PythonBackend"})
MODEL_TYPES: Mapping[str, str] = MappingProxyType(
    {**{name: name for name in FAMILIES}, "mt5": "t5", "umt5": "t5"}
)


def family_of(checkpoint: Checkpoint) -> str:
    """The name of the family. Raises UserError if it is none of FAMILIES."""
    named = _named_class(checkpoint)
    class_ = named.removesuffix("Fast")
    model_type = spelling(checkpoint.config.get("model_type"))
    if class_ and class_ not in PLAIN_CLASSES:
        if class_ not in CLASSES:
            raise UserError(
                f"`{SETTINGS}` of `{checkpoint.files.name}` names the tokenizer `{named}`; s2s opens"
                f" {', '.join(CLASSES)}: choose a checkpoint that has one of these."
            )
        return CLASSES[class_]
    if model_type not in MODEL_TYPES:
        raise UserError(
            f"`{CONFIG}` of `{checkpoint.files.name}` names the model type `{model_type}`; s2s opens the tokenizers of"
            f" {', '.join(MODEL_TYPES)}: choose a checkpoint of one of these."
        )
    return MODEL_TYPES[model_type]


def is_plain(checkpoint: Checkpoint) -> bool:
    """Whether the tokenizer is what `tokenizer.json` says, and no class of a family knows better."""
    is_named = _named_class(checkpoint).removesuffix("Fast") in PLAIN_CLASSES
    return is_named and checkpoint.files.has(LIBRARY_FILE)


def open_engine(checkpoint: Checkpoint) -> Engine:
    """What splits texts and joins tokens. Raises UserError for damaged files."""
    if is_plain(checkpoint):
        return read_library_file(checkpoint)
    return FAMILIES[family_of(checkpoint)].open(checkpoint)


def class_of(checkpoint: Checkpoint, *, sets_language: bool) -> str:
    """The name of the tokenizer's class in transformers: what the files name; a plain one has only the language of its
    file.
    """
    named = _named_class(checkpoint)
    if named and not (named.removesuffix("Fast") in PLAIN_CLASSES and sets_language):
        return named
    family = family_of(checkpoint)
    return next(name for name, known in CLASSES.items() if known == family)


def _named_class(checkpoint: Checkpoint) -> str:
    given = (checkpoint.settings, checkpoint.config)
    return next(filter(None, (spelling(one.get("tokenizer_class")) for one in given)), "")
