"""`python -m benchmarks.make.python_page`: write docs/python.md, the public names of s2s with examples.

tests/test_python_page.py compares the page with what this makes, and runs its examples.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import s2s

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
INTRODUCTION = """\
# Python

Made by `python -m benchmarks.make.python_page`; a test runs the examples. `pip install .` installs the library;
[notebook.ipynb](notebook.ipynb) is a longer example. [settings.md](settings.md) lists what `settings` of `train` and
the settings of a strategy take; [command-line.md](command-line.md#commands) says what a SPEC and a RUN are."""
WIDEST = 110  # characters of a signature on one line
# In the order of the page; run one after another, so each may use what those before it have made.
EXAMPLES = MappingProxyType(
    {
        "train": """\
>>> import s2s
>>> pairs = [("one", "un"), ("two", "deux"), ("three", "trois"), ("four", "quatre")]
>>> few = {"train.steps": 20, "train.warmup_steps": 5, "train.threads": 1}
>>> run = s2s.train(pairs, preset="small", settings=few, progress=False)
With 4 pairs nothing is held out: validation uses the training pairs and cannot show overfitting.
>>> run.step
20""",
        "load": """\
>>> run = s2s.load("demo-en-fr")
>>> run.recipe.model.encoder.n_layers, run.step
(2, 1500)""",
        "Run": """\
>>> found = run.translate(["the cat sits on the mat", "the red house"], "beam", num_beams=5)
>>> found[0].text
'le chat est assis sur le tapis'
>>> found[0].tokens[:3], len(found[0].hypotheses)
(('le', 'chat', 'est'), 5)
>>> round(found[0].log_prob, 1) == round(run.score("the cat sits on the mat", found[0].text)[0], 1)
True
>>> attention = run.attention("the red house", "la maison rouge")
>>> attention.cross.shape  # layers, heads, target tokens, source tokens
(2, 4, 4, 4)
>>> scores = run.evaluate([("the red house", "la maison rouge")], "greedy")
>>> round(scores.loc["exact_match", "value"])
100""",
        "ask": """\
>>> from s2s.questions import SameWord
>>> asked = s2s.ask(SameWord("demo-en-fr", "the bank is by the river", "I need to bank the money"))
>>> asked.finding
'“bank” is translated as “banque” and as “déposer”; ...'
>>> asked.table.columns[:2], len(asked.table.rows)
(('layer', 'these two'), 3)
>>> [picture.name for picture in asked.pictures]
['same word']""",
        "mean_and_spread": """\
>>> table = s2s.mean_and_spread(["demo-en-fr", "demo-en-es"])
>>> table[["n", "seeds"]].values.tolist()
[[1, [1]], [1, [1]]]""",
        "Recipe": """\
>>> recipe = s2s.Recipe()
>>> recipe.train.steps, recipe.model.positions.kind
(2000, 'sinusoidal')
>>> s2s.Recipe.from_json(recipe.to_json()) == recipe
True""",
        "PRESETS": """\
>>> s2s.PRESETS["transformer-tiny"].recipe.model.d_model
128""",
        "Corpus": """\
>>> from datasets import Dataset
>>> table = Dataset.from_dict({"source": ["a b", "c"], "target": ["b a", "c"]})
>>> corpus = s2s.Corpus.from_datasets(table)
>>> len(corpus), corpus.pairs[0].tgt
(2, 'b a')""",
        "UserError": """\
>>> try:
...     s2s.load("demo-en-ft")
... except s2s.UserError as error:
...     print(error)
There is no run `demo-en-ft`: ...""",
    }
)
# What a value that is no class or function is.
VALUES = MappingProxyType(
    {
        "PRESETS": "Every preset by its name: `recipe`, `summary`, `source` and the vocabulary sizes it is meant for.",
    }
)
MADE_BY_OTHERS = frozenset({"Run", "UserError"})  # classes that nobody constructs


class _Bare:
    """An annotation that is shown without quotes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def signature(name: str, made: Any) -> str:
    """`load(run: str | Path, ...) -> Run`, with a parameter per line where one line would be too long."""
    found = inspect.signature(made)
    parameters = [
        one.replace(annotation=_Bare(str(one.annotation)))
        for key, one in found.parameters.items()
        if key != "self"
    ]
    result = "" if inspect.isclass(made) else f" -> {found.return_annotation}"
    short = f"{name}{inspect.Signature(parameters)}{result}"
    if len(short) <= WIDEST:
        return short
    lines = ""
    seen = False
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not seen:
            seen = True
            lines += "    *,\n"
        lines += f"    {one},\n"
    return f"{name}(\n{lines}){result}"


def first_paragraph(made: Any) -> str:
    """Of its docstring, in one line."""
    return " ".join((inspect.getdoc(made) or "").partition("\n\n")[0].split())


def page() -> Iterator[str]:
    """The lines of docs/python.md."""
    yield INTRODUCTION
    for name in [*EXAMPLES, *(one for one in s2s.__all__ if one not in EXAMPLES)]:
        made = getattr(s2s, name)
        yield f"\n## `s2s.{name}`\n"
        if name not in VALUES and name not in MADE_BY_OTHERS:
            yield f"```python\n{signature(name, made)}\n```\n"
        yield VALUES.get(name) or str(inspect.getdoc(made))
        if example := EXAMPLES.get(name):
            yield f"\n```pycon\n{example}\n```"
        if name == "Run":
            yield from _members()


def _members() -> Iterator[str]:
    yield ""
    for name, member in inspect.getmembers(s2s.Run):
        if name.startswith("_") or not inspect.getdoc(member):
            continue
        if inspect.isfunction(member):
            written = " ".join(signature(f"run.{name}", member).split())
            yield f"- `{written.replace('( ', '(').replace(', )', ')')}`: {first_paragraph(member)}"
        elif isinstance(member, property | cached_property):
            yield f"- `run.{name}`: {first_paragraph(member)}"


def main() -> None:
    PAGE.write_text("\n".join(page()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
