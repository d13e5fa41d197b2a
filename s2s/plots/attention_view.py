"""The pictures of `AttentionOf`: one map as a heatmap, or the part of a large one."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from s2s.analysis import REDUCTIONS, AttentionMap, Weights
from s2s.faults import FAULTS
from s2s.plots import svg
from s2s.plots.attention import heatmap_data, numbered, static_heatmap
from s2s.plots.picture import Picture
from s2s.questions import (
    KIND_NAMES,
    AttentionOf,
    ForcedAttention,
    Simplified,
    later_finding,
    row_finding,
)
from s2s.words import percent

MAX_SIDE = 40  # rows or keys that are drawn at a time; larger maps are shown in parts
TITLE_WIDTH = 62  # characters of a line; a reduction with a long name takes two
ROUNDING = 1e-3  # of a sum of weights
FAINT_SCALE = 0.2  # a largest weight below which the common scale shows little
FAINT_ROW = 0.5  # what is left of a row that kept less looks more certain than it is
MERGED = (
    "Tokens are merged into words, a space with the word after it: weights on the tokens of a word are summed, their"
    " rows averaged; <s> and </s> stay."
)
NOTHING_TO_MERGE = "Every token is already a word."
# by kind and verb: what a row is, and what its weights are on
ROWS = MappingProxyType(
    {
        ("cross", "predicts"): ("predicted token", "each source token"),
        ("cross", "reads"): ("decoder input token, the previous output", "each source token"),
        ("encoder", "reads"): ("source token", "each token of the source"),
        ("decoder", "predicts"): ("predicted token", "each earlier token; later ones are masked"),
        ("decoder", "reads"): ("decoder input token", "itself and each earlier token"),
    }
)
EARLIER = MappingProxyType({verb: ROWS["decoder", verb][1] for verb in ("predicts", "reads")})
UNMASKED = "each token, also those after it: this is how the run was trained, with its fault"
SPECIAL = MappingProxyType({"<s>": "starts", "</s>": "ends"})


class Part(NamedTuple):
    """A part of a large map: its rows and columns, and where they begin in the whole map, from 1."""

    whole: AttentionMap
    picture: AttentionMap
    first_row: int = 1
    first_key: int = 1

    @property
    def is_all(self) -> bool:
        return self.picture.weights.shape == self.whole.weights.shape

    @property
    def sums(self) -> Weights:
        start = self.first_row - 1
        rows: Weights = self.whole.weights[start : start + len(self.picture.rows)]
        return np.asarray(rows.sum(1))


def pictures(question: AttentionOf, answer: ForcedAttention, model: str) -> list[Picture]:
    found = question.simplified(answer)
    part = part_of(found.picture, question.part)
    drawn = replace(
        part.picture,
        rows=tuple(numbered(part.picture.rows, part.first_row)),
        keys=tuple(numbered(part.picture.keys, part.first_key)),
    )
    title = map_title(model, question.kind, drawn.name)
    about = "\n".join(paper_lines(question, answer, model, found))
    name, caption = "map", caption_of(question, answer, found, part)
    if not np.isfinite(drawn.weights).all():
        said = f"There is no picture of {title.splitlines()[-1]}: its numbers are not finite."
        return [Picture(name, title, None, said, question.table(answer), said, caption)]
    per_row = question.scale == "row"
    labels = (drawn.weights, drawn.keys, drawn.rows)
    sums = None if part.is_all and _is_whole(part.sums) else part.sums
    return [
        Picture(
            name,
            title,
            heatmap_data(*labels, title=title, verb=drawn.verb, sums=sums, per_row=per_row),
            f"Heatmap of {title.replace(chr(10), ', ')}",
            question.table(answer),
            question.finding(answer) if part.is_all else row_finding(part.picture, is_part=True),
            caption,
            about,
            partial(svg.heatmap, *labels, verb=drawn.verb, per_row=per_row),
            early=None if per_row else partial(static_heatmap, *labels, title=title),
        )
    ]


def map_title(model: str, kind: str, name: str) -> str:
    """A title in two lines or more: `demo-en-fr · step 1,500`, `cross-attention · layer 2 of 2 · mean of 4 heads`."""
    lines = f"{model}\n{KIND_NAMES[kind]} · {name}".split("\n")
    return "\n".join(part for line in lines for part in textwrap.wrap(line, TITLE_WIDTH))


def paper_lines(
    question: AttentionOf, answer: ForcedAttention, model: str, found: Simplified
) -> list[str]:
    """Lines below the picture in a saved file: run, reduction of heads, sentence pair, and what was simplified."""
    lines = [
        f"{model} · {REDUCTIONS[question.reduce].label.lower()}",
        f"{answer.source} → {answer.target}",
        simplified_note(question, answer, found),
    ]
    return [line for line in lines if line]


def caption_of(
    question: AttentionOf, answer: ForcedAttention, found: Simplified, part: Part
) -> str:
    """How to read the map: what a row is, how heads were reduced, and what was left out."""
    sums = part.whole.weights.sum(1)
    row = REDUCTIONS[question.reduce]
    which = question.which(answer)
    n_layers, n_heads = answer.attention.view(question.kind).weights.shape[:2]
    said = rule(question.kind, part.picture.verb, is_normalized=part.is_all and _is_whole(sums))
    sentences = [
        said.replace(EARLIER[part.picture.verb], UNMASKED)
        if later_finding(part.whole) and question.kind == "decoder"
        else said,
        "" if question.training else _fault(answer.fault, question.kind),
        _special(part.picture),
        f"{row.description(which, n_layers, n_heads)} ({row.source}).",
        simplified_note(question, answer, found),
        _sums_note(sums),
        _scale_note(part.picture, per_row=question.scale == "row"),
    ]
    return " ".join(filter(None, sentences))


def rule(kind: str, verb: str, *, is_normalized: bool) -> str:
    """A sentence on what a row of the map is, and where its weights go."""
    row, keys = ROWS[kind, verb]
    sums = ", which sum to 1," if is_normalized else ""
    return f"Each row is one {row}; its weights{sums} show how much attention goes to {keys}."


def simplified_note(question: AttentionOf, answer: ForcedAttention, found: Simplified) -> str:
    """A sentence on what was merged and hidden; empty if nothing was."""
    notes = []
    if question.words:
        notes.append(NOTHING_TO_MERGE if all(answer.whole(question.kind)) else MERGED)
    if found.remaining:
        notes.append(_hidden_note(found))
    return " ".join(notes)


def parts(n: int) -> list[slice]:
    """Split `n` tokens into as few parts of at most MAX_SIDE as possible, about equally long.

    >>> parts(90)
    [slice(0, 30, None), slice(30, 60, None), slice(60, 90, None)]
    """
    length = ceil(n / max(1, ceil(n / MAX_SIDE)))
    starts = range(0, n, max(1, length))
    return [slice(start, min(n, start + length)) for start in starts] or [slice(0, 0)]


def part_names(shown: AttentionMap) -> dict[str, str]:
    """The parts of a map, by slug: `33.1` -> `rows 33 to 64 · columns 1 to 32`; one for a small map."""
    pairs = itertools.product(parts(len(shown.rows)), parts(len(shown.keys)))
    return {
        f"{rows.start + 1}.{keys.start + 1}": f"rows {_span(rows)} · columns {_span(keys)}"
        for rows, keys in pairs
    }


def part_of(shown: AttentionMap, chosen: str) -> Part:
    """The part with this slug, else the first one; the whole map where it is small."""
    names = part_names(shown)
    if len(names) == 1:
        return Part(shown, shown)
    slug = chosen if chosen in names else next(iter(names))
    first_row, first_key = map(int, slug.split("."))
    rows = next(each for each in parts(len(shown.rows)) if each.start == first_row - 1)
    keys = next(each for each in parts(len(shown.keys)) if each.start == first_key - 1)
    name = f"{shown.name}\n{names[slug]} of {len(shown.rows)} × {len(shown.keys)}"
    part = AttentionMap(
        shown.weights[rows, keys], shown.rows[rows], shown.keys[keys], shown.verb, name
    )
    return Part(shown, part, first_row, first_key)


def _span(part: slice) -> str:
    return f"{part.start + 1} to {part.stop}"


def _is_whole(sums: Weights) -> bool:
    return bool(np.allclose(sums, 1, atol=ROUNDING))


def _fault(fault: str, kind: str) -> str:
    row = FAULTS.get(fault)
    return row.beside_picture if row and row.attention == kind else ""


def _special(part: AttentionMap) -> str:
    present = [token for token in SPECIAL if token in (*part.rows, *part.keys)]
    said = [
        f"{token} {SPECIAL[token]} {'it' if number else 'a sentence'}"
        for number, token in enumerate(present)
    ]
    return f"{' and '.join(said)}." if said else ""


def _hidden_note(found: Simplified) -> str:
    remaining = found.remaining
    if remaining is None or not found.hidden:
        return "No column is <s>, </s> or punctuation."
    note = (
        f"{percent(remaining.share)} of the weight was on {' '.join(found.hidden)} and is hidden; rows are scaled to"
        " sum to 1 again."
    )
    if remaining.least < FAINT_ROW:
        note += f" The row that lost most kept {percent(remaining.least)} of its weight."
    if remaining.n_empty == 1:
        note += " One row had no other weight and is empty."
    elif remaining.n_empty:
        note += f" {remaining.n_empty} rows had no other weight and are empty."
    return note


def _sums_note(sums: Weights) -> str:
    if _is_whole(sums) or not sums.size:
        return ""
    return f"Rows here sum to between {sums.min():.2f} and {sums.max():.2f}, not to 1; hover or tap to see each sum."


def _scale_note(part: AttentionMap, *, per_row: bool) -> str:
    if per_row:
        return "Each row has its own color scale: its brightest cell is its largest weight, however small."
    largest = part.weights.max(initial=0)
    if not 0 < largest < FAINT_SCALE:
        return ""
    return f"No weight here is above {largest:.2f}: choose one scale per row to see differences."


def names_of(heads: Sequence[str], one: str) -> str:
    """The heads of a picture in words: the name of the only map, or `heads 1.2, 2.3 (layer.head)`."""
    return one if len(heads) == 1 else f"heads {', '.join(heads)} (layer.head)"
