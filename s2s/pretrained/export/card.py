"""The README of an exported model, and a script that uses it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from s2s.pretrained.export.targets import TARGETS, Verdict

# What Markdown gives a meaning to.
MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$])")
# The front matter is what model hubs read; only the owner knows the license.
CARD = """---
license: unknown
library_name: {target}
pipeline_tag: translation
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

{form}

## Recipe

```json
{recipe}
```
"""
FORMS: Mapping[str, str] = MappingProxyType(
    {
        "transformers": "`AutoModelForSeq2SeqLM` loads it as `{architecture}`, `AutoTokenizer` its tokenizer.\n"
        "The names of special tokens end in a space, so that no text can spell one.",
    }
)
PACKAGES: Mapping[str, str] = MappingProxyType({"transformers": "torch transformers"})
SCRIPTS: Mapping[str, str] = MappingProxyType(
    {
        "transformers": '''"""Translates standard input line by line, with greedy search; num_beams=5 is beam search."""

import sys

from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(".")
model = AutoModelForSeq2SeqLM.from_pretrained(".")
batch = tokenizer(sys.stdin.read().splitlines(), padding=True, return_tensors="pt")
found = model.generate(**batch, num_beams=1)
print(*tokenizer.batch_decode(found, skip_special_tokens=True), sep="\\n")
''',
    }
)


def card(verdict: Verdict, name: str, facts: Mapping[str, str], recipe: Mapping[str, Any]) -> str:
    """The README, in Markdown; names and facts may be anybody's text. `recipe` is shown as JSON."""
    target = verdict.target
    rows = (f"| {name} | {as_text(value)} |" for name, value in facts.items() if value)
    architecture = verdict.form.architecture if verdict.form else ""
    written = json.dumps(recipe, indent=1, ensure_ascii=False).replace("`", "\\u0060")
    return CARD.format(
        target=target,
        name=as_text(name),
        label=TARGETS[target],
        facts="\n".join(rows),
        packages=PACKAGES[target],
        form=FORMS[target].format(architecture=architecture),
        recipe=written,
    )


def as_text(text: str) -> str:
    """Anybody's text on one line of Markdown, read as it is written."""
    return MARKUP.sub(r"\\\1", " ".join(text.split()))
