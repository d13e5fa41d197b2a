"""Controls that several tabs of States have: the layer, a second sentence, and what the model writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from s2s.links.share import printable
from s2s.questions import DEFAULT_STRATEGY, LAYER_HELP, Translate, partner
from s2s.runs import Run
from s2s.ui.kit import SentenceRow, cached, pickers, sentence, settings_box, shortened
from s2s.ui.kit import target as kit_target
from s2s.ui.states.view_state import STATE
from s2s.ui.streamlit_parts import DeltaGenerator


class Forced(NamedTuple):
    """What Settings say: the run at its checkpoint, a typed target, empty for the model's own translation, and their
    container.
    """

    run: Run
    target: str
    settings: DeltaGenerator


def forced(row: SentenceRow, is_changed: Mapping[str, bool], *fields: str) -> Forced:
    """Draw Settings: checkpoint, strategy, target, and these fields; `is_changed` says of each field whether it differs
    from its default.
    """
    strategy = STATE.shown("strategy")
    usual = {
        strategy: strategy != DEFAULT_STRATEGY,
        "another target": kit_target.is_forced(row.best, row.text, strategy),
    }
    with row.beside:
        settings = settings_box(row.best, {**usual, **is_changed})
    with settings:
        run = kit_target.checkpoint(row.best)
        strategy = STATE.draw("strategy")
        own = cached.SCREEN.answer(Translate(cached.named(run), row.text, strategy)).text
        target = kit_target.target_box(run, row.text, own)
        for name in fields:
            STATE.draw(name)
    return Forced(run, target, settings)


def second_sentence(run: Run, text: str, label_visibility: str = "collapsed") -> str:
    """Draw the second sentence's box; returns what is typed, else a sentence that shares a word with the first; empty
    where there is none.
    """
    usual = partner(run, text)
    typed = STATE.draw(
        "second",
        placeholder=usual,
        icon=":material/compare_arrows:",
        label_visibility=label_visibility,
        width="stretch",
    )
    given = " ".join(printable(typed).split())[: sentence.MAX_CHARACTERS]
    STATE.remember(second=given)
    return given or usual


def layer_picker(run: Run, side: str) -> str:
    """Draw the choice of a stack's layer whose states are shown; returns it, empty for the last. The address holds
    it.
    """
    n_layers, options = _layers(run, side, "the last is shown instead")
    look: dict[str, Any] = {"key": "layer", "bind": "query-params", "help": LAYER_HELP}
    if len(options) <= pickers.MAX_SEGMENTS:
        look |= {"default": options[-1], "required": True}
        chosen = st.segmented_control("Layer", options, **look)
    else:
        chosen = st.selectbox("Layer", options, index=n_layers, width=110, **look)
    return "" if chosen == options[-1] else str(chosen or "")


def marked_layer(run: Run) -> str:
    """Draw the choice of the encoder's layer that a picture of all layers marks; returns it, empty for none. The
    address holds it.
    """
    _, options = _layers(run, "encoder", "none is marked")
    chosen = st.selectbox(
        "Marked layer",
        options,
        index=None,
        key="layer",
        bind="query-params",
        placeholder="none",
        width=240,
    )
    return chosen or ""


def _layers(run: Run, side: str, instead: str) -> tuple[int, list[str]]:
    stacks = {"encoder": run.recipe.model.encoder, "decoder": run.recipe.model.decoder}
    n_layers = stacks[side].n_layers
    options = [str(layer) for layer in range(n_layers + 1)]
    given = st.query_params.get("layer")
    if given is not None and given not in options:
        pickers.notify(
            f"The link asked for layer {shortened(given)}; the {side} has {n_layers}, with 0 for the embeddings, and"
            f" {instead}.",
            pickers.LAYERS_AND_HEADS,
        )
    if st.session_state.get("layer") not in options:  # of another page, or of a deeper stack
        st.session_state.pop("layer", None)
    return n_layers, options
