"""Initialize from a run: its weights and vocabulary instead of random ones, and a control run from scratch."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from s2s.config import Recipe, SpecialIds, UserError, flat
from s2s.jobs import initialization
from s2s.ui.kit import cached, forms, plain, unique_names
from s2s.ui.kit.recipe_state import INIT_FROM, PREFIX, RECIPE_KEYS
from s2s.ui.train import advice
from s2s.ui.train.recipe_form import RunRequest

SCRATCH = ""
# Settings that the weights of a run depend on.
ORIGIN_KEYS = tuple(
    key
    for key in RECIPE_KEYS
    if key.startswith(("model.", "tokenizer.")) or key == "data.max_length"
)
# Of a published model also those that suit its fine-tuning.
FINE_TUNING_KEYS = ("train.steps", "train.lr", "train.warmup_steps", "train.batch_tokens")
ALSO = " A control run from scratch is trained, too."
HELP = (
    "Two common ways: denoise, then summarize (learn the language from plain text, then the task),"
    " and translate, then reverse the direction. Vocabulary and model must have the same shape as that run's."
)


def panel(request: RunRequest) -> RunRequest:
    """Draw the choice of a run to initialize from; returns the request with it."""
    run_id = st.session_state.get(INIT_FROM) or SCRATCH
    if run_id and run_id not in cached.trained_runs():  # deleted meanwhile
        run_id = st.session_state[INIT_FROM] = SCRATCH
    with st.expander(
        "Initialize from a run", icon=":material/fork_right:", key="from a run", on_change="rerun"
    ) as box:
        if box.open:
            _widgets(request, run_id)
    if not run_id:
        return request
    has_control = bool(st.session_state.get(_control(run_id)))
    has_control = has_control and not has_published_tokenizer(run_id)
    st.caption(
        f":material/fork_right: Initialized from {plain(cached.title(run_id))}: model, tokenizer and `data.max_length`"
        f" are taken from it, since its weights fit no others.{ALSO if has_control else ''}"
    )
    request = replace(
        request,
        init_from=run_id,
        has_control=has_control,
        recipe=_with_its_ids(request.recipe, run_id),
    )
    return request if request.wrong else replace(request, wrong=_mismatch(request))


def _control(run_id: str) -> str:
    return f"with a control run {run_id}"


def has_published_tokenizer(run_id: str) -> bool:
    """Whether a run's tokenizer is a published one, as after an import and its fine-tuning: nothing can be trained
    with it from scratch.
    """
    recipe = cached.recipe(run_id)
    has_other_ids = recipe is not None and recipe.model.ids != SpecialIds()
    return has_other_ids or bool(cached.metadata(run_id).get("imported"))


def _with_its_ids(recipe: Recipe, run_id: str) -> Recipe:
    """The recipe with the special ids of the run's tokenizer, for which the form has no fields."""
    origin = cached.recipe(run_id)
    if origin is None:
        return recipe
    return replace(recipe, model=replace(recipe.model, ids=origin.model.ids))


def _widgets(request: RunRequest, run_id: str) -> None:
    names = {SCRATCH: "none: from scratch"} | unique_names(cached.trained_runs())
    st.session_state.setdefault(INIT_FROM, SCRATCH)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Initialize from",
            list(names),
            format_func=names.__getitem__,
            key=INIT_FROM,
            help=HELP,
            on_change=take_settings,
            args=(request, run_id),
            persist_state="session",
            width=360,
        )
        st.toggle(
            "Train a control run from scratch, too",
            key=_control(run_id),
            disabled=not run_id or has_published_tokenizer(run_id),
            persist_state="session",
            help="A second run with the same settings and random initial weights; Runs shows both side by side.",
        )


def take_settings(request: RunRequest, before: str) -> None:
    """Fill the form with the settings that the chosen run's weights need."""
    run_id = st.session_state.get(INIT_FROM)
    if run_id and (recipe := cached.recipe(run_id)):
        values = flat(recipe)
        keys = (*ORIGIN_KEYS, *FINE_TUNING_KEYS) if has_published_tokenizer(run_id) else ORIGIN_KEYS
        taken = {PREFIX + key: values[key] for key in keys}
        advice.change(request, taken | {INIT_FROM: run_id}, {INIT_FROM: before})


def _mismatch(request: RunRequest) -> UserError | None:
    try:
        initialization.check_compatible(
            initialization.parse_checkpoint(request.init_from), request.recipe
        )
    except UserError as wrong:
        forms.show_error(wrong)
        st.button(
            "Use its model and tokenizer",
            key="take origin",
            icon=":material/healing:",
            on_click=take_settings,
            args=(request, request.init_from),
        )
        return wrong
    return None
