"""Intervene in attention (override cross-attention, switch heads off or make them uniform) and translate again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import streamlit as st

from s2s import plots
from s2s.analysis import WEIGHT_INTERVENTIONS, Attention, Head, all_heads, reduced
from s2s.config import UserError
from s2s.runs import (
    Decoded,
    InterventionResult,
    Interventions,
    Run,
    RunKey,
    Target,
    effect,
    kept_prefix,
)
from s2s.ui.attention import intervention_effect
from s2s.ui.attention.request import AttentionRequest
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import (
    as_link,
    cached,
    captions,
    chart,
    forms,
    pickers,
    plain,
    shortened,
    switched_heads,
)

CHOSEN = "chosen"  # `among` in links: override only the page's layer and head
ACTIVE = "attention interventions"  # in the session: those that the view shows
NUMBERS = re.compile(r"\d{1,6}(\.\d{1,6})*", re.ASCII)


def show(request: AttentionRequest) -> None:
    """The controls, the active interventions, and their effect."""
    st.markdown(
        "**Override attention**: choose the source words for one target token. The model then continues on its own."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        position = _position(request.attention.tgt_tokens)
        overridden = _overridden(request)
    keys = _keys(request.attention.src_tokens)
    heads = _switched_heads(request)
    interventions = Interventions(
        heads, position or 0, keys if position is not None else (), overridden
    )
    if not interventions:
        st.session_state.pop(ACTIVE, None)
        st.info(_invitation(position, keys), icon=":material/touch_app:")
        _example(request.attention)
        return
    st.session_state[ACTIVE] = interventions
    active = intervention_effect.describe(interventions, request.attention)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f":material/build: Active interventions: {active}.", width="content")
        st.button("Reset", key="reset change", icon=":material/undo:", on_click=_reset)
    try:
        result = _translated(request, interventions)
    except UserError as error:
        forms.show_error(error)
        return
    except cached.PendingError as pending:  # the page's own picture stays
        pending.draw("change")
        return
    intervention_effect.show(request, interventions, result)
    with st.expander("Attention under the interventions", icon=":material/grid_on:"):
        _heatmap(request, result)


def remind(view: str) -> None:
    """In the other views: the interventions that the link carries, and that the picture is without them."""
    now = STATE.now
    if view == "change" or not (now.switched or (now.at and now.to)):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            ":material/build: This picture shows the model without the interventions of *Intervene*.",
            width="content",
        )
        st.button("Reset them", key="reset elsewhere", icon=":material/undo:", on_click=_reset)


def _reset() -> None:
    STATE.show(at="", to="", overridden="", switched="")


def _invitation(position: int | None, keys: Sequence[int]) -> str:
    if position is not None:
        return "Now choose the source words that the model must attend to."
    if keys:
        return "Now choose the target token for which the model must attend to them."
    return (
        "Choose a token and the source words to attend to, or switch heads off: the new"
        " translation appears here next to"
        " the old one."
    )


def _example(attention: Attention) -> None:
    """One to begin with: the second token looks where the last word looks."""
    best = attention.cross[-1].mean(0).argmax(1)  # (tgt_len,)
    if len(best) <= 2 or best[1] == best[-2]:
        return
    word, token = (
        f"*{plain(shortened(text))}*"
        for text in (attention.src_tokens[best[-2]], attention.tgt_tokens[1])
    )
    st.button(
        f"For example, look at {word} while writing token 2 ({token})",
        key="example change",
        on_click=partial(STATE.show, at="2", to=str(best[-2] + 1)),
    )


def _position(tokens: Sequence[str]) -> int | None:
    """The target position, from 0, whose attention is overridden; None before one is chosen."""
    given = STATE.now.at
    if given and not (given.isdecimal() and 1 <= int(given) <= len(tokens)):
        pickers.notify(
            f"There is no token {shortened(given)} in this translation; it has {len(tokens)}."
        )
        STATE.remember(at="")
        given = ""
    key = STATE.key("at")
    st.session_state[key] = int(given) - 1 if given else None

    def chosen() -> None:
        index = st.session_state[key]
        STATE.remember(at="" if index is None else str(index + 1))

    return st.selectbox(
        "While it writes",
        range(len(tokens)),
        index=None,
        format_func=lambda index: f"{index + 1} · {tokens[index]}",
        key=key,
        placeholder="Choose a token",
        on_change=chosen,
        width=200,
    )


def _overridden(request: AttentionRequest) -> tuple[Head, ...] | None:
    """The heads whose attention is overridden: those of the page's layer and head, or None for all."""
    given = STATE.now.overridden
    if given not in ("", CHOSEN):
        pickers.notify(
            f"Attention is overridden in all heads or the selected ones, not in {shortened(given)}; all are used."
        )
        STATE.remember(overridden="")
    kind, layer, head = request.which
    if kind != "cross" or layer is None is head:
        return None
    names = {"": "All layers and heads", CHOSEN: f"Only {_selection_name(layer, head)}"}
    key = STATE.key("overridden")
    st.session_state[key] = STATE.now.overridden
    chosen = st.segmented_control(
        "In",
        list(names),
        format_func=names.__getitem__,
        key=key,
        required=True,
        on_change=lambda: STATE.remember(overridden=st.session_state[key] or ""),
        help="The layer and head selected above.",
    )
    return _heads_of(request.attention, layer, head) if chosen else None


def _heads_of(attention: Attention, layer: int | None, head: int | None) -> tuple[Head, ...]:
    """Of a layer, or with that number in every layer, or one."""
    n_layers, n_heads = attention.cross.shape[:2]
    layers = range(n_layers) if layer is None else [layer]
    heads = range(n_heads) if head is None else [head]
    return tuple(Head("cross", one, other) for one in layers for other in heads)


def _selection_name(layer: int | None, head: int | None) -> str:
    """`layer 1 head 2`, `head 2`."""
    names = {"layer": layer, "head": head}
    return " ".join(f"{name} {index + 1}" for name, index in names.items() if index is not None)


def _keys(tokens: Sequence[str]) -> tuple[int, ...]:
    """The source positions to look at, from 0."""
    given = STATE.now.to
    keys = [int(number) - 1 for number in given.split(".")] if NUMBERS.fullmatch(given) else []
    if given and not (keys and all(0 <= key < len(tokens) for key in keys)):
        pickers.notify(
            f"The link overrides attention with {shortened(given)}; this source has the tokens 1 to {len(tokens)}."
        )
        STATE.remember(to="")
        keys = []
    widget = STATE.key("to")
    st.session_state[widget] = sorted(set(keys))

    def chosen() -> None:
        numbers = [str(key + 1) for key in sorted(st.session_state[widget])]
        STATE.remember(to=".".join(numbers))

    selected = st.pills(
        "it looks only at",
        range(len(tokens)),
        format_func=lambda key: plain(f"{key + 1} · {tokens[key]}"),
        selection_mode="multi",
        key=widget,
        on_change=chosen,
    )
    return tuple(sorted(selected))


def _switched_heads(request: AttentionRequest) -> tuple[tuple[Head, str], ...]:
    """Heads of all kinds with their intervention; those of the page's kind can be chosen."""
    chosen = _read_switched(request)
    kind = request.which.kind
    own = {head: name for head, name in chosen.items() if head.kind == kind}
    n_layers, n_heads = request.view.weights.shape[:2]
    heads = [Head(kind, layer, head) for layer in range(n_layers) for head in range(n_heads)]
    with st.expander("Switch heads off", expanded=bool(chosen), icon=":material/toggle_off:"):
        about = " ".join(f"**{row.label}**: {row.about}" for row in WEIGHT_INTERVENTIONS.values())
        st.caption(f"Heads of {captions.KIND_NAMES[kind]}. {about}")
        for name, row in WEIGHT_INTERVENTIONS.items():
            key = _heads_key(name)
            st.session_state[key] = [head for head in heads if own.get(head) == name]
            st.multiselect(
                row.label,
                [head for head in heads if own.get(head, name) == name],
                format_func=lambda head: f"layer {head.layer + 1} head {head.head + 1}",
                key=key,
                placeholder="Choose heads",
                select_all=False,
                on_change=_switch,
                args=(all_heads(request.run.model), kind, chosen),
            )
    return tuple(sorted(chosen.items()))


def _heads_key(intervention: str) -> str:
    return f"attention heads {intervention}"


def _switch(heads: Sequence[Head], kind: str, before: dict[Head, str]) -> None:
    others = {head: name for head, name in before.items() if head.kind != kind}
    chosen = {
        head: name for name in WEIGHT_INTERVENTIONS for head in st.session_state[_heads_key(name)]
    }
    text = as_link(others | chosen, heads)
    if text is not None:
        STATE.remember(switched=text)


def _read_switched(request: AttentionRequest) -> dict[Head, str]:
    """What the link or the widgets say. What this model doesn't have is reported and left out."""
    heads = all_heads(request.run.model)
    found = switched_heads(STATE.now.switched, heads, WEIGHT_INTERVENTIONS)
    STATE.remember(switched=as_link(found, heads) or "")
    return found


def _translated(request: AttentionRequest, interventions: Interventions) -> InterventionResult:
    """Shared between visitors. Raises UserError where an intervention or the strategy is impossible, PendingError while
    a search works in the background.
    """
    run, text, strategy = request.run, request.text, STATE.now.strategy
    ids = kept_prefix(run, text, request.forced, interventions)
    before = cached.continuation(run, text, ids, strategy, {})
    after = cached.continuation(run, text, ids, strategy, {}, interventions=interventions)
    wanted = (text, request.forced, strategy, repr(interventions))
    found = (run, interventions, before, after)
    return _effect(run.key, wanted, found)


@cached.by_sentence(64)
def _effect(
    key: RunKey,
    wanted: tuple[str, Target, str, str],
    _found: tuple[Run, Interventions, Decoded, Decoded],
) -> InterventionResult:
    run, interventions, before, after = _found
    return effect(run, wanted[1], interventions, before, after)


def _heatmap(request: AttentionRequest, result: InterventionResult) -> None:
    """The page's map for the same target, under the interventions."""
    picture = reduced(result.attention, request.which)
    title = captions.heatmap_title(request.run, request.which.kind, f"{picture.name} · changed")
    figure = plots.heatmap(
        picture.weights, picture.keys, picture.rows, title=title, verb=picture.verb
    )
    chart(
        figure,
        alt=f"Heatmap of {title.replace(chr(10), ', ')}",
        file_name=captions.file_name(title),
    )
    st.caption(
        "The target is forced to be the same as in this page's heatmap, so that rows can be compared. A head that is"
        " off has empty rows."
    )
    captions.download_button(picture, title)
