"""The systems of an evaluation: their strategy settings, a sweep over one setting, and their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from s2s.config import UserError, flat, override, parse_assignments
from s2s.decode import STRATEGIES
from s2s.runs import System
from s2s.ui.evaluate.view_state import NO_SWEEP, STATE, settings_key
from s2s.ui.kit import cached, forms, unique_names

SWEEP_VALUES = {
    "num_beams": "1 2 4 8 16 32",
    "length_penalty": "0 0.5 1 1.5 2",
    "temperature": "0.2 0.5 0.8 1 1.2",
    "num_samples": "2 4 8 16 32",
}
MOST_VALUES = 12
BEST = "best"
LAST = "last"
MBR = "mbr"
STATED = ("num_samples", "temperature", "epsilon_cutoff")  # in the name of every MBR system


class Model(NamedTuple):
    """A run's checkpoint; `checkpoint` is `best` or `last` where that was asked for, whatever its step."""

    run: str
    step: int
    checkpoint: str = ""


def model_at(run_id: str, checkpoint: str) -> Model:
    """The best or the last checkpoint that there is now."""
    run = cached.open_run(run_id)
    step = max(run.folder.steps_by_choice()) if checkpoint == LAST else run.step
    if checkpoint == BEST and run.notes:  # the best could not be read, and an older one was opened
        checkpoint = ""
    return Model(run_id, step, checkpoint)


def resolved(systems: Iterable[System]) -> tuple[System, ...]:
    """The systems, those of a best or last checkpoint with that of now: a page may be older than a checkpoint."""
    return tuple(
        replace(system, step=model_at(system.run, system.checkpoint).step)
        if system.checkpoint in (BEST, LAST)
        else system
        for system in systems
    )


def strategy_settings(
    runs: list[str], strategies: list[str], wrongs: list[UserError]
) -> dict[str, dict[str, Any]]:
    """The settings that differ from their defaults, by strategy."""
    by_strategy: dict[str, dict[str, Any]] = {}
    has_some = any(st.session_state.get(settings_key(name)) for name in strategies)
    with st.expander(
        "Strategy settings", icon=":material/tune:", expanded=has_some, key="strategy settings"
    ):
        st.caption(
            "List settings to override, such as num_beams=10, length_penalty=1.2. Compare explains each setting."
        )
        for name in strategies:
            defaults = ", ".join(
                f"{key}={value}" for key, value in list(flat(STRATEGIES[name].config()).items())[:3]
            )
            text = st.text_input(
                name,
                key=settings_key(name),
                placeholder=f"default: {defaults}",
                persist_state="session",
            )
            by_strategy[name] = _checked(runs, name, text or "", wrongs)
    return by_strategy


def _checked(runs: list[str], strategy: str, text: str, wrongs: list[UserError]) -> dict[str, Any]:
    """The typed settings; an error in them for any of the runs is shown here."""
    settings: dict[str, Any] = {}
    try:
        for run in runs:
            settings = checked(run, strategy, text)
    except UserError as wrong:
        forms.show_error(wrong)
        wrongs.append(wrong)
        return {}
    return settings


def checked(run_id: str, strategy: str, text: str) -> dict[str, Any]:
    """The typed settings. Raises UserError for what the strategy or the run's model does not allow."""
    settings = parse(text)
    cached.open_run(run_id).configured(strategy, settings)
    return settings


def parse(text: str) -> dict[str, Any]:
    """`"num_beams=5, prefix=la"` -> `{"num_beams": 5, "prefix": "la"}`; a comma that is not followed by a setting
    belongs to the value.

    Raises UserError for a part without a setting and a value.
    """
    given = [part.strip() for part in re.split(r",\s*(?=\w+\s*=)", text.strip()) if part.strip()]
    for part in given:
        if "=" not in part.strip("="):
            raise UserError(
                f"`{part[:40]}` is not a setting with a value; write num_beams=5, separated by commas."
            )
    return parse_assignments(given)


def sweep_settings(strategies: list[str], wrongs: list[UserError]) -> tuple[str, str, list[float]]:
    """Strategy, setting and values of the sweep; empty without one."""
    offered = [
        f"{setting} of {name}"
        for name in strategies
        for setting in SWEEP_VALUES
        if setting in flat(STRATEGIES[name].config())
    ]
    options = {NO_SWEEP: NO_SWEEP} | {name: name for name in offered}
    is_open = STATE.now.sweep in offered
    with st.expander(
        "Sweep a setting", icon=":material/show_chart:", expanded=is_open, key="sweep a setting"
    ):
        st.caption(
            "One strategy at several values of one setting, as a curve: more beams find more probable outputs,"
            " not always better ones."
        )
        chosen = STATE.choice("sweep", "Setting", options, width=360)
        STATE.belongs_to("sweep", chosen)
        if chosen == NO_SWEEP:
            return "", "", []
        setting, _, strategy = chosen.partition(" of ")
        label = "Values, separated by spaces"
        text = STATE.text("values", label, default=SWEEP_VALUES[setting], width=360)
        try:
            return strategy, setting, _values(strategy, setting, text)
        except UserError as wrong:
            forms.show_error(wrong)
            wrongs.append(wrong)
            return "", "", []


def _values(strategy: str, setting: str, text: str) -> list[float]:
    """Raises UserError for too few or too many values, and for one that the strategy does not allow."""
    values = list(
        dict.fromkeys(
            parse_assignments([f"{setting}={part}"])[setting]
            for part in text.replace(",", " ").split()
        )
    )
    if not 2 <= len(values) <= MOST_VALUES:
        raise UserError(
            f"A sweep has 2 to {MOST_VALUES} values and this one has {len(values)}; separate them with spaces."
        )
    for value in values:
        override(STRATEGIES[strategy].config(), {setting: value})
    return values


def plain_systems(
    models: list[Model], strategies: list[str], settings: Mapping[str, dict[str, Any]]
) -> list[System]:
    return [system_of(model, name, settings[name]) for model in models for name in strategies]


def system_of(
    model: Model, strategy: str, settings: Mapping[str, Any], *, sweep: str = ""
) -> System:
    """Without a name. The page's run translates in the languages that are chosen for it."""
    src_lang, tgt_lang = cached.open_run(model.run).key.languages
    return System(
        "",
        model.run,
        model.step,
        strategy,
        settings,
        sweep=sweep,
        checkpoint=model.checkpoint,
        src_lang=src_lang,
        tgt_lang=tgt_lang,
    )


def swept_systems(
    models: list[Model], settings: Mapping[str, dict[str, Any]], swept: tuple[str, str, list[float]]
) -> list[System]:
    strategy, setting, values = swept
    return [
        system_of(model, strategy, settings[strategy] | {setting: value}, sweep=setting)
        for model in models
        for value in values
    ]


def named(systems: list[System]) -> list[System]:
    """Systems with unique names: run and checkpoint where there are several, strategy, settings.

    MBR states its samples even at their defaults: its quality depends on them more than on the model.
    """
    titles = unique_names({system.run: cached.title(system.run) for system in systems})
    n_models = len({(system.run, system.step) for system in systems})
    renamed = []
    for system in systems:
        values = flat(STRATEGIES[system.strategy].config())
        stated = {key: values[key] for key in STATED if key in values and system.strategy == MBR}
        settings = " ".join(
            f"{key}={value}" for key, value in (stated | dict(system.settings)).items()
        )
        run = f"{titles[system.run]} · " if len(titles) > 1 else ""
        run += f"{cached.step_name(system.run, system.step)} · " if n_models > len(titles) else ""
        renamed.append(
            replace(system, name=f"{run}{system.strategy}{' ' if settings else ''}{settings}")
        )
    return list({system.name: system for system in renamed}.values())
