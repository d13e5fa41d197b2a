"""The README of an exported model, and a script that uses it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.pretrained.export.targets import TARGETS, Verdict

# What Markdown gives a meaning to.
MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$])")
# The front matter is what model hubs read; only the owner knows the license.
CARD = """---
license: unknown
library_name: {target}
---

# {name}

A sequence-to-sequence transformer, trained from scratch with s2s, for {label}.

| | |
|---|---|
{facts}

**License**: not chosen yet. Replace `unknown` at the top by the license under which you pass the model on; the license
of the dataset may restrict it.

## Use

In this folder, after `pip install {packages}`:

    echo "a sentence to translate" | python translate.py

{loading}

## Recipe

```json
{recipe}
```
"""


class Usage(NamedTuple):
    """How a target's folder is used: what to install, what loads it, and a program that does."""

    packages: str
    loading: str
    script: str


USAGES: Mapping[str, Usage] = MappingProxyType(
    {
        "transformers": Usage(
            "torch transformers",
            "`AutoModelForSeq2SeqLM` loads it as `{architecture}`, `AutoTokenizer` its tokenizer."
            " The names of special tokens end in a space, so that no text can spell one.",
            '''"""Translates standard input line by line, with greedy search; num_beams=5 is beam search."""

import sys

from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(".")
model = AutoModelForSeq2SeqLM.from_pretrained(".")
batch = tokenizer(sys.stdin.read().splitlines(), padding=True, return_tensors="pt")
found = model.generate(**batch, num_beams=1)
print(*tokenizer.batch_decode(found, skip_special_tokens=True), sep="\\n")
''',
        ),
        "ctranslate2": Usage(
            "ctranslate2 tokenizers",
            '`ctranslate2.Translator` loads it, with float32 weights; `compute_type="int8"` rounds them.',
            '''"""Translates standard input line by line, with greedy search; beam_size=5 is beam search."""

import sys

import ctranslate2
from tokenizers import Tokenizer

src = Tokenizer.from_file("src.tokenizer.json")
tgt = Tokenizer.from_file("tgt.tokenizer.json")
src.encode_special_tokens = True  # `</s>` in a text is text
batch = [src.encode(line).tokens for line in sys.stdin.read().splitlines()]
translator = ctranslate2.Translator(".")
lengths = dict(min_decoding_length=0, max_decoding_length={length})
for one in translator.translate_batch(batch, beam_size=1, **lengths):
    print(tgt.decode([tgt.token_to_id(token) for token in one.hypotheses[0]]))
''',
        ),
    }
)


def card(verdict: Verdict, name: str, facts: Mapping[str, str], recipe: Mapping[str, Any]) -> str:
    """The README, in Markdown; names and facts may be anybody's text. `recipe` is shown as JSON."""
    usage = USAGES[verdict.target]
    rows = (f"| {name} | {as_text(value)} |" for name, value in facts.items() if value)
    architecture = verdict.form.architecture if verdict.form else ""
    written = json.dumps(recipe, indent=1, ensure_ascii=False).replace("`", "\\u0060")
    return CARD.format(
        target=verdict.target,
        name=as_text(name),
        label=TARGETS[verdict.target],
        facts="\n".join(rows),
        packages=usage.packages,
        loading=usage.loading.format(architecture=architecture),
        recipe=written,
    )


def script(target: str, *, length: int) -> str:
    """A Python program that uses the folder in which it lies; `length`: of a translation at most, in tokens."""
    return USAGES[target].script.format(length=length)


def as_text(text: str) -> str:
    """Anybody's text on one line of Markdown, read as it is written."""
    return MARKUP.sub(r"\\\1", " ".join(text.split()))
