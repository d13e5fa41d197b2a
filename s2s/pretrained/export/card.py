"""The README of an exported model."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from s2s.pretrained.export.opened import TrainedModel
from s2s.pretrained.export.targets import TARGETS, Verdict
from s2s.pretrained.export.usage import usage_of

# What Markdown gives a meaning to.
MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$])")
# The front matter is what model hubs read; only the owner knows the license.
CARD = """---
license: unknown
library_name: {target}
---

# {name}

A sequence-to-sequence transformer, {origin}, for {label}.

| | |
|---|---|
{facts}
{limits}
**License**: not chosen yet. Replace `unknown` at the top by the license under which you pass the model on; the licenses
of the dataset, and of the checkpoint that it was initialized from, may restrict it.

## Use

In this folder, after `pip install {packages}`:

    echo "a sentence to translate" | python translate.py

{loading}
{outputs}
## Recipe

```json
{recipe}
```
"""


def card(
    verdict: Verdict,
    model: TrainedModel,
    name: str,
    *,
    origin: str,
    facts: Mapping[str, str],
    recipe: Mapping[str, Any],
    limits: Sequence[str] = (),
    outputs: Mapping[str, Sequence[Sequence[str]]] = MappingProxyType({}),
) -> str:
    """The README, in Markdown; names and facts may be anybody's text. `recipe` is shown as JSON.

    `origin` says in a few words where the weights come from, `limits` what the model can't do; `outputs` are tables by
    their title, the first row of each being its head.
    """
    usage = usage_of(verdict, model)
    rows = (f"| {name} | {as_text(value)} |" for name, value in facts.items() if value)
    written = json.dumps(recipe, indent=1, ensure_ascii=False).replace("`", "\\u0060")
    return CARD.format(
        target=verdict.target,
        origin=origin,
        name=as_text(name),
        label=TARGETS[verdict.target],
        facts="\n".join(rows),
        packages=usage.packages,
        loading=usage.loading,
        recipe=written,
        limits="".join(f"\n{as_text(limit)}\n" for limit in limits),
        outputs="".join(_table(title, rows) for title, rows in outputs.items()),
    )


def _table(title: str, rows: Sequence[Sequence[str]]) -> str:
    head, *others = (f"| {' | '.join(map(as_text, row))} |\n" for row in rows)
    return f"\n## {as_text(title)}\n\n{head}|{' --- |' * len(rows[0])}\n{''.join(others)}"


def as_text(text: str) -> str:
    """Anybody's text on one line of Markdown, read as it is written."""
    return MARKUP.sub(r"\\\1", " ".join(text.split()))
