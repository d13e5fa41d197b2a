"""Tiny tokenizers of published families, made by the libraries that transformers reads them with."""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

import sentencepiece
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from s2s.tokenizers.pretrained.languages import M2M100
from tests.tokenizers.test_tokenizers import NASTY, SCRIPTS, SHAKESPEARE

LINES = [*NASTY, *(line for lines in SCRIPTS.values() for line in lines), *SHAKESPEARE * 3]
SPELLED = (
    "<extra_id_0> and <extra_id_99> <extra_id_7>",
    "a </s> b",
    "</s>",
    "<pad><unk><s></s><mask>",
    "x<unk>y",
    "<mask_1> of <mask_2>, <unk_2>",
    " <mask> ",
    ">>fra<< the house",
    " >>fra<< the house",
    ">>nope<< the house",
    ">>fra<<",
    ">> the << house",
    ">>fra the house",
    "the >>fra<< house",
    "</s>>>fra<< the house",
    "en_XX the house",
    "eng_Latn the house fra_Latn",
    "__en__ the house __fr__",
    "__xx__ the house",
)
HARD = (
    "",
    " ",
    "   ",
    "\t",
    "\n",
    " \t \n ",
    "to be ",
    " to be",
    "to  be   or\tnot\r\nto be",
    "a",
    "\u0000 null \u0007 bell \u001b escape \u007f",
    "\u00a0no-break\u2003em\u3000ideographic\u2028line\u2029",
    "\u200b\u200c\u200d\u2060\ufeff",
    "soft\u00adhyphen \u202eoverride\u202c",
    "▁ to▁be ▁▁",
    "Ġto Ċ",
    "e\u0301 a\u0323\u0302 o\u0308\u0304",
    "é ậ ȫ",
    "Å Å Å",
    "ﬁﬂ ½ ² ㎏ ｆｕｌｌ ｗｉｄｔｈ ﷺ",
    "가각 \u1100\u1161",
    "👍🏿👩‍❤️‍💋‍👨🇺🇳",
    "\U0010ffff\U000e0001",
    "مرحبا hello שלום",
    "to be " * 500,
    "x" * 3000,
    "日" * 500,
    "never seen: ☃ ☂ ♞ Ж Ԅ ᚠ 𒀀",
    "...!?!?---___",
    "1234567890 1,234.5",
    "http://example.org/?q=a&b=c#d",
)
STRINGS = (*NASTY, *(line for lines in SCRIPTS.values() for line in lines), *HARD, *SPELLED)


def model(
    *,
    control: tuple[str, ...],
    kind: str = "unigram",
    rule: str = "nmt_nfkc",
    lines: Iterable[str] = LINES,
    byte_fallback: bool = False,
) -> bytes:
    """A SentencePiece model of a few hundred tokens, the first ones `control`, such as `("pad", "eos", "unk")`."""
    out = io.BytesIO()
    ids = {f"{name}_id": -1 for name in ("pad", "bos", "eos")}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=out,
        model_type=kind,
        normalization_rule_name=rule,
        vocab_size=600,
        hard_vocab_limit=False,
        byte_fallback=byte_fallback,
        minloglevel=2,
        **ids | {f"{name}_id": id for id, name in enumerate(control)},
    )
    return out.getvalue()


T5_MODEL = ("pad", "eos", "unk")
FAIRSEQ_MODEL = ("unk", "bos", "eos")


def tokens_of(content: bytes) -> list[str]:
    """A model's tokens that are no special ones."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=content)
    tokens = [processor.id_to_piece(id) for id in range(processor.get_piece_size())]
    return [token for token in tokens if token not in ("<pad>", "<s>", "</s>", "<unk>")]


def write(folder: Path, **files: object) -> Path:
    """A folder of files: bytes as they are, other values as JSON; `__` in a name is a dot."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / name.replace("__", ".")).write_bytes(data)
    return folder


def numbered(*tokens: str) -> dict[str, int]:
    """Each token once, with its id."""
    return {token: id for id, token in enumerate(dict.fromkeys(tokens))}


def t5(folder: Path) -> Path:
    """`spiece.model` only."""
    config = {
        "model_type": "t5",
        "decoder_start_token_id": 0,
        "task_specific_params": {
            "summarization": {"prefix": "summarize: ", "num_beams": 4},
            "translation_en_to_de": {"prefix": "translate English to German: "},
            "other": {"num_beams": 2},
        },
    }
    return write(folder, spiece__model=model(control=T5_MODEL), config__json=config)


def marian(folder: Path) -> Path:
    """Ids in another order than SentencePiece's; the vocabulary lacks some of the tokens."""
    models_ = {
        "source__spm": model(control=("eos", "unk"), lines=[*SHAKESPEARE, *NASTY]),
        "target__spm": model(control=("eos", "unk")),
    }
    tokens = sorted({token for content in models_.values() for token in tokens_of(content)})
    vocab = numbered("</s>", "<unk>", *tokens[20:], ">>fra<<", ">>deu<<", "<pad>")
    config = {
        "model_type": "marian",
        "vocab_size": len(vocab),
        "decoder_start_token_id": vocab["<pad>"],
    }
    return write(folder, **models_, vocab__json=vocab, config__json=config)


def marian_bytes(folder: Path) -> Path:
    """A character that no token has is written in bytes."""
    content = model(control=("eos", "unk"), byte_fallback=True)
    vocab = numbered("</s>", "<unk>", *tokens_of(content), "<pad>")
    config = {
        "model_type": "marian",
        "vocab_size": len(vocab),
        "decoder_start_token_id": vocab["<pad>"],
    }
    models_ = {"source__spm": content, "target__spm": content}
    return write(folder, **models_, vocab__json=vocab, config__json=config)


def marian_separate(folder: Path) -> Path:
    """Each side has a vocabulary of its own."""
    source = model(control=("eos", "unk"), lines=[*SHAKESPEARE, *NASTY])
    target = model(control=("eos", "unk"))
    source_vocab = numbered("</s>", "<unk>", "<pad>", *tokens_of(source))
    target_vocab = numbered("</s>", "<unk>", "<pad>", *sorted(tokens_of(target)))
    config = {
        "model_type": "marian",
        "vocab_size": len(source_vocab),
        "decoder_vocab_size": len(target_vocab),
        "decoder_start_token_id": 2,
    }
    return write(
        folder,
        source__spm=source,
        target__spm=target,
        vocab__json=source_vocab,
        target_vocab__json=target_vocab,
        config__json=config,
        tokenizer_config__json={"separate_vocabs": True, "tokenizer_class": "MarianTokenizer"},
    )


def byte_level() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Vocabulary and merges of a byte-level BPE."""
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    learner.train_from_iterator(LINES, trainer)
    learned = json.loads(learner.to_str())["model"]
    return learned["vocab"], [tuple(merge) for merge in learned["merges"]]


def bart(folder: Path) -> Path:
    """`vocab.json` and `merges.txt`."""
    vocab, merges = byte_level()
    vocab["<mask>"] = len(vocab)
    lines = ["#version: 0.2", *map(" ".join, merges), ""]
    config = {"model_type": "bart", "vocab_size": len(vocab), "decoder_start_token_id": 2}
    return write(
        folder, vocab__json=vocab, merges__txt="\n".join(lines).encode(), config__json=config
    )


def mbart(folder: Path) -> Path:
    """transformers drops the normalization of SentencePiece here, so that this model has none."""
    return write(
        folder,
        sentencepiece__bpe__model=model(control=FAIRSEQ_MODEL, rule="identity"),
        config__json={"model_type": "mbart", "bos_token_id": 0},
        tokenizer_config__json={"src_lang": "fr_XX", "tgt_lang": "de_DE"},
    )


def mbart50(folder: Path) -> Path:
    """The same model type; its config names another tokenizer."""
    config = {
        "model_type": "mbart",
        "tokenizer_class": "MBart50Tokenizer",
        "decoder_start_token_id": 2,
    }
    return write(
        folder,
        sentencepiece__bpe__model=model(control=FAIRSEQ_MODEL),
        config__json=config,
        tokenizer_config__json={"src_lang": "fr_XX", "tgt_lang": "de_DE"},
    )


def m2m100(folder: Path) -> Path:
    """The vocabulary has ids of its own, and 100 languages and 8 unused rows after it."""
    content = model(control=FAIRSEQ_MODEL, kind="bpe")
    vocab = numbered("<s>", "<pad>", "</s>", "<unk>", *sorted(tokens_of(content))[10:])
    config = {
        "model_type": "m2m_100",
        "vocab_size": len(vocab) + len(M2M100) + 8,
        "decoder_start_token_id": 2,
    }
    specials = {
        "bos_token": "<s>",
        "sep_token": {"content": "</s>", "lstrip": False},
        "additional_special_tokens": [f"__{code}__" for code in M2M100],
    }
    return write(
        folder,
        sentencepiece__bpe__model=content,
        vocab__json=vocab,
        config__json=config,
        tokenizer_config__json={"src_lang": "fr", "tgt_lang": "de"},
        special_tokens_map__json=specials,
    )


def pegasus(folder: Path) -> Path:
    """`spiece.model` only."""
    config = {"model_type": "pegasus", "decoder_start_token_id": 0}
    return write(folder, spiece__model=model(control=T5_MODEL), config__json=config)


# How each family's older files are made, and transformers' class of it.
FAMILIES: Mapping[str, tuple[Callable[[Path], Path], str]] = MappingProxyType(
    {
        "t5": (t5, "T5Tokenizer"),
        "marian": (marian, "MarianTokenizer"),
        "marian_bytes": (marian_bytes, "MarianTokenizer"),
        "marian_separate": (marian_separate, "MarianTokenizer"),
        "bart": (bart, "BartTokenizer"),
        "mbart": (mbart, "MBartTokenizer"),
        "mbart50": (mbart50, "MBart50Tokenizer"),
        "m2m100": (m2m100, "M2M100Tokenizer"),
        "pegasus": (pegasus, "PegasusTokenizer"),
    }
)
