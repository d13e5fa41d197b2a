"""The code that recomputes the weights of Attention."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from s2s.runs import Interventions
from s2s.ui.attention import alignment, simplify
from s2s.ui.attention.intervention import ACTIVE
from s2s.ui.attention.request import AttentionRequest
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import reproduce

ABOUT = (
    "The command translates the sentence as the page does; the Python recomputes every weight of the heatmap and of all"
    " heads."
)


def show(request: AttentionRequest) -> None:
    """The folded section."""
    strategy = STATE.now.strategy
    shell = reproduce.translate_command(request.run, strategy, {}, request.text)
    reproduce.section(ABOUT, lambda: (shell, python(request)))


def python(request: AttentionRequest) -> str:
    """Its `picture` is the heatmap as drawn, its `heads` are all of that kind."""
    which = request.which
    imports = {"HeadSelection", "reduced"}
    selection = f"HeadSelection({reproduce.quoted(which.kind)}, {which.layer}, {which.head})"
    steps = [f"picture = reduced(attention, {selection}, {reproduce.quoted(request.reduction)})"]
    rows, keys = map(simplify.has_word_tokens, simplify.tokenizers(request.run, request.which.kind))
    more = _Code()
    if STATE.now.view == "alignment" and which.kind == "cross":
        more = _alignment(request, f"rows_whole={rows}, keys_whole={keys}")
    elif STATE.now.view == "change" and (change := st.session_state.get(ACTIVE)):
        more = _intervention(change, selection)
    imports |= more.analysis
    steps += more.lines
    if STATE.now.words:
        steps.append(f"picture = merge_words(picture, rows_whole={rows}, keys_whole={keys})")
        imports.add("merge_words")
    if STATE.now.drop:
        steps.append("picture = without_sinks(picture).picture")
        imports.add("without_sinks")
    lines = [
        *(["import numpy as np", ""] if any("np." in step for step in steps) else []),
        "import s2s",
        reproduce.imported("s2s.analysis", imports),
        *more.imports,
        "",
        f"run = {reproduce.load_call(request.run)}",
        f"text = {reproduce.quoted(request.text)}",
        reproduce.target_line(request.forced, STATE.now.strategy),
        "attention = run.attention(text, target)",
        *steps,
        f"heads = attention.{which.kind}  # (layers, heads, rows, keys)",
        "print(picture.rows, picture.keys, picture.weights, sep='\\n')  # rows sum to 1",
    ]
    return "\n".join(lines)


class _Code(NamedTuple):
    """What a view adds: names of s2s.analysis, other imports, and lines after the `picture` of all tokens."""

    analysis: frozenset[str] = frozenset()
    imports: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


def _alignment(request: AttentionRequest, tokens: str) -> _Code:
    """Its `links` are those that the view frames, its `errors` those of all heads, where gold links are known."""
    names = {"HeadSelection", "alignable_words", "reduced"}
    links = reproduce.quoted(STATE.now.links)
    extract = f"LINK_METHODS[{links}].extract(words.weights)"
    if STATE.now.links == "share":
        names.add("by_share")
        extract = f"by_share(words.weights, share={float(STATE.now.share)})"
    else:
        names.add("LINK_METHODS")
    lines = [
        f"words = alignable_words(picture, {tokens})",
        "aligned = words.weights",
        f"found = {extract}",
        "links = sorted(found, key=lambda link: link[::-1])  # source and target word, from 0",
        "weights = [float(aligned[tgt, src]) for src, tgt in links]",
    ]
    if (gold := alignment.gold_links(request)) is not None:
        names |= {"GoldLinks", "score_links"}
        which = f'HeadSelection("cross", *at), {reproduce.quoted(request.reduction)}'
        lines += [
            f"gold = GoldLinks(frozenset({sorted(gold)}))",
            "scores = score_links(found, gold)",
            "errors = np.empty(attention.cross.shape[:2])  # of each head",
            "for at in np.ndindex(*errors.shape):",
            f"    words = alignable_words(reduced(attention, {which}), {tokens})",
            f"    errors[at] = score_links({extract}, gold).error",
            "best = errors.min()",
        ]
    return _Code(frozenset(names), (), tuple(lines))


def _intervention(change: Interventions, selection: str) -> _Code:
    """Its `result` has both translations, `candidates` the next token without and with the interventions."""
    imports = ["from s2s.runs import Interventions, translate_with"]
    names = {"Head"} if "Head(" in repr(change) else set()
    strategy = reproduce.quoted(STATE.now.strategy)
    return _Code(
        frozenset(names),
        tuple(imports),
        (
            f"change = {change!r}",
            f"result = translate_with(run, text, target, change, {strategy})",
            "if result.next:  # None where both write the same",
            "    both = np.stack([result.next.before.exp(), result.next.after.exp()])",
            "    best = np.argsort(-both.max(0), kind='stable')[:8]",
            "    candidates = both[:, best[np.argsort(-both[0, best], kind='stable')]]",
            f"changed = reduced(result.attention, {selection})",
        ),
    )
