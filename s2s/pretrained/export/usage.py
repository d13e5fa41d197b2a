"""How an exported folder is used: what to install, what loads it, and a script that translates with it."""

from __future__ import annotations

from typing import NamedTuple

from s2s.pretrained.export.opened import TOKENS, TrainedModel
from s2s.pretrained.export.targets import Verdict
from s2s.tokenizers import PretrainedTokenizer

TRANSFORMERS = '''"""Translates standard input line by line, with greedy search; num_beams=5 is beam search."""

import sys

from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(".")
model = AutoModelForSeq2SeqLM.from_pretrained(".")
{reading}
batch = tokenizer(lines, padding=True, return_tensors="pt")
found = model.generate(**batch, num_beams=1, do_sample=False)
print(*tokenizer.batch_decode(found, skip_special_tokens=True), sep="\\n")
'''
# U+2028 and the like are part of a line, and text is UTF-8, whatever the computer's encoding is.
READING = """for stream in (sys.stdin, sys.stdout):
    stream.reconfigure(encoding="utf-8", newline="\\n")
lines = [line.removesuffix("\\n").removesuffix("\\r") for line in sys.stdin]"""
CTRANSLATE2 = '''"""Translates standard input line by line, with greedy search; beam_size=5 is beam search."""

import sys

import ctranslate2
from tokenizers import Tokenizer

src = Tokenizer.from_file("src.tokenizer.json")
tgt = Tokenizer.from_file("tgt.tokenizer.json")
src.encode_special_tokens = True  # `</s>` in a text is text
{reading}
batch = [src.encode(line).tokens for line in lines]
translator = ctranslate2.Translator(".")
lengths = dict(max_input_length=0, min_decoding_length=0, max_decoding_length={length})
for one in translator.translate_batch(batch, beam_size=1, **lengths):
    print(tgt.decode([tgt.token_to_id(token) for token in one.hypotheses[0]]))
'''
# The same for a published checkpoint: `split` and `join` are its tokenizer's, and the special tokens are given by name.
OPENED = '''"""Translates standard input line by line, with greedy search; beam_size=5 is beam search."""

import json
import sys

{engine}


with open("{tokens}", encoding="utf-8") as file:
    special = json.load(file)
{reading}
batch = [[*special["first"], *split(line), *special["last"]] for line in lines]
translator = ctranslate2.Translator(".")
found = translator.translate_batch(
    batch,
    target_prefix=[special["target"]] * len(batch),
    suppress_sequences=special["suppressed"],
    beam_size=1,
    max_input_length=0,
    min_decoding_length=0,
    max_decoding_length={length},
)
for one in found:
    text = join([token for token in one.hypotheses[0] if token not in special["specials"]])
    for old, new in special["replacements"]:
        text = text.replace(old, new)
    print(text)
'''
LIBRARY = """import ctranslate2
from tokenizers import Tokenizer

src = Tokenizer.from_file("src.tokenizer.json")
tgt = Tokenizer.from_file("tgt.tokenizer.json")


def split(line):
    ids = src.encode(line, add_special_tokens=False).ids
    return [src.id_to_token(id) for id in ids]


def join(tokens):
    return tgt.decoder.decode(tokens) if tgt.decoder else " ".join(tokens)"""
SENTENCEPIECE = """from itertools import groupby

import ctranslate2
import sentencepiece

src = sentencepiece.SentencePieceProcessor(model_file="src.spm")
tgt = sentencepiece.SentencePieceProcessor(model_file="tgt.spm")


def split(line):  # special tokens in a line are text, a code such as >>fra<< at its start aside
    code, mark, text = line.partition("<<")
    if mark and code.startswith(">>"):
        return [code + mark, *src.encode(text, out_type=str)]
    return src.encode(line, out_type=str)


def join(tokens):  # a character that no token has is written in bytes, such as <0xE2>
    runs = groupby(tokens, key=lambda token: token.startswith("<0x"))
    texts = [tgt.decode_pieces(list(run)) if is_bytes else "".join(run) for is_bytes, run in runs]
    return "".join(texts).replace("▁", " ").strip()"""


class Usage(NamedTuple):
    """How an exported folder is used: what to install, what loads it, in Markdown, and a Python program that does."""

    packages: str
    loading: str
    script: str


def usage_of(verdict: Verdict, model: TrainedModel) -> Usage:
    """How the folder of a model is used, in the form that it takes in a target."""
    src, tgt = model.src_tokenizer, model.tgt_tokenizer
    if verdict.form is not None:
        loaded = f"`AutoModelForSeq2SeqLM` loads it as `{verdict.form.architecture}`, `AutoTokenizer` its tokenizer."
        if isinstance(src, PretrainedTokenizer) and isinstance(tgt, PretrainedTokenizer):
            return _opened_in_transformers(src, tgt, loaded)
        notes = "The names of special tokens end in a space, so that no text can spell one."
        return Usage(
            "torch transformers", f"{loaded} {notes}", TRANSFORMERS.format(reading=READING)
        )
    loaded = '`ctranslate2.Translator` loads it, with float32 weights; `compute_type="int8"` rounds them.'
    if isinstance(src, PretrainedTokenizer) and isinstance(tgt, PretrainedTokenizer):
        return _opened_in_ctranslate2(src, tgt, loaded, model.max_new_tokens)
    script = CTRANSLATE2.format(reading=READING, length=model.max_new_tokens)
    return Usage("ctranslate2 tokenizers", loaded, script)


def _opened_in_transformers(
    src: PretrainedTokenizer, tgt: PretrainedTokenizer, loaded: str
) -> Usage:
    reading = READING
    notes = ["The tokenizer's files are the checkpoint's own."]
    if src.language and not tgt.languages:  # which the text itself says
        code = src.vocabulary[src.first_ids[0]]
        reading += f"\nlines = [{code!r} + line for line in lines]"
        shown = code.replace("`", "'")  # the vocabulary is anybody's text
        notes.append(
            f"Every source begins with `{shown}`, its target language; the script puts it there."
        )
    elif tgt.language:
        notes.append(
            f"It translates from `{src.language}` to `{tgt.language}`: tokenizer_config.json and"
            " generation_config.json say so."
        )
    packages = "torch transformers sentencepiece"
    return Usage(packages, " ".join([loaded, *notes]), TRANSFORMERS.format(reading=reading))


def _opened_in_ctranslate2(
    src: PretrainedTokenizer, tgt: PretrainedTokenizer, loaded: str, length: int
) -> Usage:
    notes = [
        f"{TOKENS} has the special tokens: `first` and `last` surround every source, a target begins with `target`,"
        " and `suppressed` are never written. CTranslate2 adds none of them itself."
    ]
    if languages := [f"`{one.language}`" for one in (src, tgt) if one.language]:
        notes.append(f"The languages among them are {' and '.join(languages)}.")
    has_library = src.library_json() is not None
    engine = LIBRARY if has_library else SENTENCEPIECE
    script = OPENED.format(engine=engine, reading=READING, tokens=TOKENS, length=length)
    splits = "tokenizers" if has_library else "sentencepiece"
    return Usage(f"ctranslate2 {splits}", " ".join([loaded, *notes]), script)
