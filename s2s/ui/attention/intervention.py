"""Intervene in attention (override cross-attention, switch heads off or make them uniform) and translate again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from s2s.analysis import WEIGHT_INTERVENTIONS, Attention, Head, all_heads
from s2s.config import UserError
from s2s.questions import CHOSEN, KIND_NAMES, Intervene, positions
from s2s.ui.attention.asked import Asked
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import (
    as_link,
    cached,
    forms,
    pickers,
    plain,
    shortened,
    show_all,
    switched_heads,
)


def show(asked: Asked) -> None:
    """Draw the controls, and what the interventions change."""
    attention = asked.answer.attention
    with asked.beside, st.container(horizontal=True, vertical_alignment="bottom"):
        at = _position(attention.tgt_tokens)
        to = _keys(attention.src_tokens)
        overridden, switched = _heads(asked)
        if at or to or switched:
            st.button("Reset", key="reset change", icon=":material/undo:", on_click=_reset)
    _answer(asked, {"at": at, "to": to, "overridden": overridden}, switched)


def _answer(asked: Asked, override: dict[str, str], switched: str) -> None:
    at, to = override["at"], override["to"]
    if not (switched or (at and to)):
        with st.container(key="answer"):
            st.info(_invitation(at, to), icon=":material/touch_app:")
            _example(asked.answer.attention)
        return
    override = override if at and to else {}
    question = Intervene(**asked.question.shared_with(Intervene), **override, switched=switched)
    try:
        answer = cached.SCREEN.answer(question)
    except UserError as error:
        forms.show_error(error)
        return
    except cached.PendingError as pending:  # the page's own picture stays
        pending.draw("change")
        return
    show_all(question, answer, asked.model, folded="Attention under the interventions")


def remind(view: str) -> None:
    """Draw in the other views a reminder that the link has interventions which this picture does not show."""
    at, to, switched = (STATE.value(name) for name in ("at", "to", "switched"))
    if view == "change" or not (switched or (at and to)):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            ":material/build: This picture shows the model without the interventions of *Intervene*.",
            width="content",
        )
        st.button("Reset them", key="reset elsewhere", icon=":material/undo:", on_click=_reset)


def _reset() -> None:
    STATE.show(at="", to="", overridden="", switched="")


def _invitation(at: str, to: str) -> str:
    if at:
        return "Now choose the source words that the model must attend to."
    if to:
        return "Now choose the target token for which the model must attend to them."
    return (
        "Choose a token and the source words to attend to, or switch heads off: the new"
        " translation appears here next to the old one, and the model continues on its own."
    )


def _example(attention: Attention) -> None:
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


def _position(tokens: Sequence[str]) -> str:
    given = str(STATE.value("at"))
    found = positions(given, len(tokens))
    if given and (found is None or len(found) != 1):
        pickers.notify(
            f"There is no token {shortened(given)} in this translation; it has {len(tokens)}."
        )
        STATE.remember(at="")
        found = None
    key = STATE.key("at")
    st.session_state[key] = found[0] if found else None

    def chosen() -> None:
        index = st.session_state[key]
        STATE.remember(at="" if index is None else str(index + 1))

    index = st.selectbox(
        STATE.label("at"),
        range(len(tokens)),
        index=None,
        format_func=lambda index: f"{index + 1} · {tokens[index]}",
        key=key,
        placeholder="Choose a token",
        on_change=chosen,
        width=150,
    )
    return "" if index is None else str(index + 1)


def _keys(tokens: Sequence[str]) -> str:
    given = str(STATE.value("to"))
    keys = positions(given, len(tokens)) if given else ()
    if keys is None:
        pickers.notify(
            f"The link overrides attention with {shortened(given)}; this source has the tokens 1 to {len(tokens)}."
        )
        STATE.remember(to="")
    widget = STATE.key("to")
    st.session_state[widget] = [*(keys or ())]

    def chosen() -> None:
        STATE.remember(to=_numbers(st.session_state[widget]))

    selected = st.pills(
        STATE.label("to"),
        range(len(tokens)),
        format_func=lambda key: plain(f"{key + 1} · {tokens[key]}"),
        selection_mode="multi",
        key=widget,
        on_change=chosen,
        wrap=True,
    )
    return _numbers(selected)


def _numbers(keys: Sequence[int]) -> str:
    return ".".join(str(key + 1) for key in sorted(keys))


def _overridden(asked: Asked) -> str:
    given = str(STATE.value("overridden"))
    if given not in ("", CHOSEN):
        pickers.notify(
            f"Attention is overridden in all heads or the selected ones, not in {shortened(given)}; all are used."
        )
        STATE.remember(overridden="")
        given = ""
    if not (selected := _selected(asked)):
        return ""
    names = {"": "All layers and heads", CHOSEN: selected.capitalize()}
    key = STATE.key("overridden")
    st.session_state[key] = given
    chosen = st.segmented_control(
        STATE.label("overridden"),
        list(names),
        format_func=names.__getitem__,
        key=key,
        required=True,
        on_change=lambda: STATE.remember(overridden=st.session_state[key] or ""),
        help="The layer and head selected above.",
    )
    return str(chosen or "")


def _selected(asked: Asked) -> str:
    kind, *indices = asked.question.which(asked.answer)
    pairs = zip(("layer", "head"), indices, strict=True)
    names = [f"{name} {index + 1}" for name, index in pairs if index is not None]
    return f"only {' '.join(names)}" if names and kind == "cross" else ""


def _heads(asked: Asked) -> tuple[str, str]:
    every = all_heads(asked.run.model)
    chosen = switched_heads(str(STATE.value("switched")), every, WEIGHT_INTERVENTIONS)
    text = as_link(chosen, every) or ""
    STATE.remember(switched=text)
    is_chosen = STATE.shown("overridden") == CHOSEN
    changed = [f"{len(chosen)} switched" if chosen else "", is_chosen and _selected(asked)]
    title = ": ".join(filter(None, ("Heads", ", ".join(filter(None, changed)))))
    with st.popover(title, icon=":material/toggle_off:", key="switch heads", width="content"):
        overridden = _overridden(asked)
        _switches(asked.question.kind, every, chosen)
    return overridden, text


def _switches(kind: str, every: Sequence[Head], chosen: dict[Head, str]) -> None:
    heads = [head for head in every if head.kind == kind]
    own = {head: chosen[head] for head in heads if head in chosen}
    about = " ".join(f"**{row.label}**: {row.about}" for row in WEIGHT_INTERVENTIONS.values())
    st.caption(f"Heads of {KIND_NAMES[kind]}. {about}")
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
            args=(every, kind, chosen),
        )


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
