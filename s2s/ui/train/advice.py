"""The advice on a recipe, and its buttons: each changes the settings that it names, says so, and can be undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from s2s.config import PRESETS, Recipe, UserError, flat, settings_of
from s2s.jobs import (
    Advice,
    change_preset,
    changed_settings,
    own_settings,
    written,
)
from s2s.ui.kit import as_markdown, cached, plain
from s2s.ui.kit.recipe_state import FEW_MINUTES, PREFIX, RECIPE_KEYS
from s2s.ui.train.recipe_form import RunRequest

APPLIED = "applied advice"  # in the session: the newest change that a button made
MOST_NAMED = 4  # settings in one sentence


@dataclass(frozen=True)
class AppliedAdvice:
    """A change that a button of advice made to the form, with the values before."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    own: frozenset[str]  # the keys that the visitor had set

    @property
    def changed(self) -> list[str]:
        """The keys whose value the advice changed, the visitor's own first."""
        found = [key for key in self.after if self.after[key] != self.before[key]]
        return sorted(found, key=lambda key: key not in self.own)

    def sentence(self) -> str:
        """What was changed, with the old and new values, and what of the visitor's own was kept."""
        changed = [key for key in self.changed if key == "preset" or key.startswith(PREFIX)]
        own = [key for key in changed if key in self.own]
        others = [key for key in changed if key not in ("preset", *own)]
        named = own + others[: 0 if "preset" in changed else MOST_NAMED]
        parts = [self._change(key) for key in ["preset", *named] if key in changed]
        rest = len(changed) - len(parts)
        also = f", and {rest} more settings" if rest else ""
        kept = [key for key in self.own if key not in self.changed and key != "preset"]
        names = [f"`{_name(key)}` {written(self.after[key])}" for key in sorted(kept)]
        more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
        still = f" Kept: {', '.join(names[:MOST_NAMED] + more)}." if "preset" in changed else ""
        return f"Changed: {', '.join(parts)}{also}.{still * bool(names)}"

    def _change(self, key: str) -> str:
        return f"`{_name(key)}` from {written(self.before[key])} to {written(self.after[key])}"


def _name(key: str) -> str:
    return key.removeprefix(PREFIX)


def panel(request: RunRequest, found: Sequence[Advice]) -> None:
    """Draw warnings about a recipe, each with a button that corrects it."""
    _applied()
    for number, one in enumerate(found):
        _advice(request, one, number)


def _advice(request: RunRequest, one: Advice, number: int) -> None:
    label = one.label(request.recipe)
    columns = st.columns([2, 1] if label else 1, vertical_alignment="center")
    if label:
        columns[1].button(
            plain(label),
            key=f"cure {number}",
            icon=":material/healing:",
            width="stretch",
            on_click=_apply,
            args=(request, one.preset or request.preset, one.fix),
        )
    if one.is_refusal:
        columns[0].error(as_markdown(one.sentence), icon=":material/block:")
    else:
        columns[0].warning(as_markdown(one.sentence), icon=":material/lightbulb:")


def recommendation(request: RunRequest) -> None:
    """Draw the recommended preset for this dataset and time."""
    minutes = request.recipe.train.minutes
    found = cached.recommended_preset(request.source, minutes or FEW_MINUTES)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if found.preset != request.preset:
            st.button(
                "Use it",
                key="use it",
                icon=":material/check:",
                on_click=_apply,
                args=(request, found.preset, {"train.minutes": minutes}),
            )
        chosen = " (chosen)" * (found.preset == request.preset)
        why = as_markdown(found.why[:1].upper() + found.why[1:])
        st.markdown(f"For this dataset: **{found.preset}**{chosen}. {why}.")


def followed(request: RunRequest, planned: Recipe) -> None:
    """Draw a sentence on what the time budget means for the recipe."""
    changed = changed_settings(request.recipe, planned)
    if not changed:
        return
    rows = settings_of(Recipe)
    sizes = ", ".join(f"{rows[key].label} {written(value)}" for key, value in changed.items())
    preview = cached.preview(request.source)
    given = f"{preview.n_pairs:,} pairs and {request.recipe.train.minutes:g} minutes here"
    sentence = as_markdown(f"Chosen for {given}: {sizes}. Training ends on time.")
    st.caption(f":material/hourglass: {sentence}")


def _with_preset(request: RunRequest, preset: str) -> dict[str, Any]:
    if request.preset not in PRESETS or preset not in PRESETS:
        raise UserError(f"There is no preset `{preset}`; choose one of the list.")
    return change_preset(request.recipe, request.preset, preset)


def _apply(request: RunRequest, preset: str, fix: Mapping[str, Any]) -> None:
    values = flat(request.recipe) if preset == request.preset else _with_preset(request, preset)
    values = values | dict(fix)
    change(request, {"preset": preset, **{PREFIX + key: values[key] for key in RECIPE_KEYS}})


def change(
    request: RunRequest, after: Mapping[str, Any], before: Mapping[str, Any] | None = None
) -> None:
    """Put values into widgets, and keep the previous ones for Undo.

    `before` has what the session no longer says.
    """
    now = flat(request.recipe)
    form = {PREFIX + key: st.session_state.get(PREFIX + key, now[key]) for key in RECIPE_KEYS} | {
        "preset": request.preset
    }
    own = {PREFIX + key for key in own_settings(request.recipe, request.preset)} & set(form)
    applied = AppliedAdvice(form | dict(before or {}), form | dict(after), frozenset(own))
    _show(applied.after)
    st.session_state[APPLIED] = applied


def _show(values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        st.session_state[key] = value


def _last() -> AppliedAdvice | None:
    return st.session_state.get(APPLIED)


def _applied() -> None:
    last = _last()
    if last is None or not last.changed:
        return
    if any(st.session_state.get(key, last.after[key]) != last.after[key] for key in last.changed):
        return
    columns = st.columns([2, 1], vertical_alignment="center")
    columns[0].info(as_markdown(last.sentence()), icon=":material/check:")
    columns[1].button(
        "Undo", key="undo advice", icon=":material/undo:", width="stretch", on_click=_undo
    )


def _undo() -> None:
    last: AppliedAdvice = st.session_state.pop(APPLIED)
    _show({key: last.before[key] for key in last.changed})
