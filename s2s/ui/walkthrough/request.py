"""What the Walkthrough shows: a step, a sentence, and the layer, head and token to look at; and its link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from s2s.config import Stack
from s2s.questions import TracedSentence, TraceOf, Translate, Walkthrough
from s2s.questions.walked import RATES, STRATEGY
from s2s.runs import Run
from s2s.ui.kit import (
    ViewState,
    cached,
    field,
    pickers,
    sentence_row,
    settings_box,
    shortened,
    target,
)
from s2s.ui.streamlit_parts import DeltaGenerator
from s2s.ui.walkthrough.step import Steps, WalkthroughStep


@dataclass(frozen=True)
class WalkthroughView:
    """The fields that the link's `set` holds. Positions count from 1; the first word of a sentence is often an
    article.
    """

    step: str = field("pieces")
    position: int = field(2)


STATE = ViewState("walkthrough", WalkthroughView, Walkthrough)


class AskedStep(NamedTuple):
    """What the page shows: a step, its question of the run, and where more settings, the pictures and the words go."""

    step: WalkthroughStep
    run: Run
    question: Walkthrough
    settings: DeltaGenerator
    pictures: DeltaGenerator
    explanation: DeltaGenerator


def read_request(steps: Steps) -> AskedStep | None:
    """Draw the controls; returns the step and the sentence to show; None without a sentence, and the page says so."""
    STATE.from_url()
    run = cached.open_run(st.session_state["run"])
    _check_step(steps, run)
    return _asked(run, _step(_existing(steps, run)))


def _existing(steps: Steps, run: Run) -> Steps:
    return {slug: row for slug, row in steps.items() if row.exists(run.recipe.model)}


def next_below(steps: Steps) -> None:
    """Draw the buttons for the previous step, and once more for the next one, below the picture."""
    slugs = [*_existing(steps, cached.open_run(st.session_state["run"]))]
    at = slugs.index(STATE.now.step)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="walk below"):
        st.button(
            "Previous",
            key="walkthrough previous",
            icon=":material/arrow_back:",
            disabled=at == 0,
            on_click=go_to,
            args=(slugs[max(0, at - 1)],),
        )
        _next(slugs, at, "next below")


def _asked(run: Run, step: WalkthroughStep) -> AskedStep | None:
    row = sentence_row("its way through the model")
    if not row.text:
        return None
    text, name = row.text, cached.named(run)
    own = cached.SCREEN.answer(Translate(name, text, STRATEGY)).text
    stack: Stack = getattr(run.recipe.model, step.stack)
    with row.beside, st.container(width="content", key="walk settings box"):  # a lesson hides it
        settings = settings_box(run, _is_changed(run, text))
    pictures, explanation = _places(step)
    with settings:
        given = target.target_box(run, text, own)
        with st.container(key="walk settings"):
            layer = _layer_or_head("Layer", stack.n_layers, is_enabled="layer" in step.controls)
            head = _layer_or_head("Head", stack.n_heads, is_enabled="head" in step.controls)
    at = cached.SCREEN.answer(TraceOf(name, text, given, layer))
    with explanation, st.container(key="walkthrough walk settings"):  # a lesson hides it, too
        position = _position(at, step)
        if STATE.now.step == "update":
            STATE.segments("rate", STATE.label("rate"), {rate: rate for rate in RATES})
    question = STATE.question(
        Walkthrough,
        run=name,
        text=text,
        target=given,
        step=STATE.now.step,
        layer=layer,
        head=head,
        position=position,
    )
    return AskedStep(step, run, question, settings, pictures, explanation)


def _places(step: WalkthroughStep) -> Sequence[DeltaGenerator]:
    """Containers for the pictures and for what explains them: beside each other, or those of a wide step first."""
    if step.is_wide:
        return st.container(key="walk pictures"), st.container(key="walk explanation")
    with st.container(key="walk"):
        return st.columns([3, 2], gap="medium")


def _is_changed(run: Run, text: str) -> dict[str, bool]:
    chosen = {name: str(st.session_state.get(name, "1")) for name in ("layer", "head")}
    return {
        "another target": target.is_forced(run, text, STRATEGY),
        **{
            f"{name} {number}": number not in ("1", pickers.MEAN) for name, number in chosen.items()
        },
    }


def _check_step(steps: Steps, run: Run) -> None:
    slug = STATE.now.step
    order = [*steps]
    if slug not in steps or steps[slug].exists(run.recipe.model):
        return
    before = [name for name in order[: order.index(slug)] if steps[name].exists(run.recipe.model)]
    pickers.notify(
        f"This model has no step `{steps[slug].title}`; the one before it is shown instead."
    )
    STATE.show(step=before[-1])


def _step(steps: Steps) -> WalkthroughStep:
    labels = {
        slug: f"{number} of {len(steps)} · {row.title} · {row.section}"
        for number, (slug, row) in enumerate(steps.items(), 1)
    }
    slugs = [*steps]
    with st.container(horizontal=True, vertical_alignment="center", key="walk way"):
        slug = STATE.choice("step", "Step", labels, label_visibility="collapsed")
        _next(slugs, slugs.index(slug), "next")
    return steps[slug]


def _next(slugs: Sequence[str], at: int, name: str) -> None:
    st.button(
        "Next",
        key=f"walkthrough {name}",
        type="primary",
        icon=":material/arrow_forward:",
        disabled=at == len(slugs) - 1,
        on_click=go_to,
        args=(slugs[min(len(slugs) - 1, at + 1)],),
    )


def go_to(slug: str) -> None:
    """Show another step when the page is next drawn: for callbacks."""
    STATE.show(step=slug)


def _layer_or_head(label: str, n: int, *, is_enabled: bool) -> int:
    """Draw the choice of a layer or head, from 1. Disabled rather than hidden, so that nothing moves."""
    key = label.lower()
    options = [str(number) for number in range(1, n + 1)]
    given = st.query_params.get_all(key)
    if given and given[-1] not in (*options, pickers.MEAN):
        pickers.notify(
            f"The link asked for {key} {shortened(given[-1])}, which this model doesn't have here; {key} 1 is shown"
            " instead.",
            pickers.LAYERS_AND_HEADS,
        )
    if st.session_state.get(key, "1") not in options:  # of another page or the other stack
        st.session_state[key] = options[0]
    if n <= pickers.MAX_SEGMENTS:
        chosen = st.segmented_control(
            label,
            options,
            default="1",
            required=True,
            key=key,
            bind="query-params",
            disabled=not is_enabled,
        )
    else:
        chosen = st.selectbox(
            label, options, key=key, bind="query-params", width=110, disabled=not is_enabled
        )
    return int(chosen or 1)


def _position(at: TracedSentence, step: WalkthroughStep) -> int:
    chosen = STATE.now.position
    longest = max(len(at.src_ids), len(at.tgt_ids))
    if not 1 <= chosen <= longest:
        pickers.notify(f"There is no token {chosen} in this sentence; token 1 is shown instead.")
        chosen = 1
        STATE.remember(position=chosen)
    tokens = at.tgt_tokens if "tgt" in step.controls else at.src_tokens
    position = min(chosen, len(tokens)) - 1
    if {"src", "tgt"} & {*step.controls}:
        key = STATE.key("position")
        st.session_state[key] = position
        labels = [f"{number} · {token}" for number, token in enumerate(tokens, 1)]
        st.selectbox(
            "Token",
            range(len(tokens)),
            format_func=labels.__getitem__,
            key=key,
            on_change=_position_changed,
            width=150,
        )
    return position + 1


def _position_changed() -> None:
    STATE.remember(position=int(st.session_state[STATE.key("position")]) + 1)
