"""One column of Compare: run, checkpoint, strategy and settings, kept in the address as `c1`, `c2` ..."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from s2s.config import Config, UserError, choose, flat, keys, override
from s2s.decode import STRATEGIES, GenerationConfig, configure
from s2s.links.share import Column
from s2s.runs import Run
from s2s.ui.kit import cached, forms, in_view, length_penalty, pickers
from s2s.ui.streamlit_parts import DeltaGenerator

DEFAULT = "beam"
FIRST_KEY = "c1"  # the run of this column is the page's
OWN_SETTINGS = (
    "max_new_tokens",
)  # shared by all strategies, but shown among a strategy's own settings


@dataclass(frozen=True)
class ColumnChoice:
    """What is selected in a column. `error` says which settings are invalid together; then `config` is None."""

    run: Run
    strategy: str
    summary: str
    settings: dict[str, Any]
    config: GenerationConfig | None
    error: UserError | None
    written: str  # as in the address
    default: str  # a column with nothing changed, as in the address


def strategy_picker(key: str) -> str:
    """Select a strategy; its summary is shown below."""
    strategy = str(
        st.segmented_control(
            "Strategy",
            list(STRATEGIES),
            default=DEFAULT,
            required=True,
            key=f"{key} strategy",
            persist_state="session",
            wrap=True,
        )
        or DEFAULT
    )
    st.caption(STRATEGIES[strategy].summary)
    return strategy


def controls(run_id: str, key: str, strategy: str, *, near: DeltaGenerator) -> ColumnChoice:
    """The other widgets of a column; `run_id` is the page's run. The length penalty is drawn in `near`.

    Raises UserError if a run cannot be opened.
    """
    with st.container(horizontal=True):
        if key != FIRST_KEY:
            run_id = _run_picker(run_id, key)
            in_view.add_run(run_id)
        best = cached.open_run(run_id)
        step = pickers.checkpoint_picker(best, f"{key} step")
    prefix = f"{key} {strategy} "
    config = best.starting(strategy)
    forms.restart(config, prefix)
    settings = forms.changes(config, list(flat(config)), prefix)
    run = best if step == best.step else cached.open_run(run_id, step)
    complete, error = _configured(run, strategy, settings)
    _inputs(config, settings, prefix, error, near=near)
    written = _written(run_id, step, strategy, _linked_settings(config) | settings)
    return ColumnChoice(
        run,
        strategy,
        STRATEGIES[strategy].summary,
        settings,
        config=complete,
        error=error,
        written=written,
        default=_default(best),
    )


def _run_picker(page_run: str, key: str) -> str:
    """The run that translates in this column; by default the page's."""
    widget = f"{key} run"
    selected = str(st.session_state.get(widget) or page_run)
    if selected not in cached.runs():
        _notify_gone(selected, page_run)
        selected = page_run
    st.session_state[widget] = selected
    names = cached.trained_runs() | {
        selected: cached.label(selected)
    }  # a run that cannot be opened stays selected; the error is shown below
    return str(
        st.selectbox(
            "Run",
            list(names),
            format_func=names.__getitem__,
            key=widget,
            persist_state="session",
            width=230,
        )
    )


def _inputs(
    config: Config,
    settings: dict[str, Any],
    prefix: str,
    error: UserError | None,
    *,
    near: DeltaGenerator,
) -> None:
    """A strategy's own settings, and in an expander those of every strategy; an error is shown at its control."""
    shared = [name for name in keys(GenerationConfig) if name not in OWN_SETTINGS]
    own = list(_linked_settings(config))
    if length_penalty.SETTING in own:
        own.remove(length_penalty.SETTING)
        with near:
            forms.inputs(config, [length_penalty.SETTING], prefix, wrong=error)
    with st.grid(4, min_column_width=120, vertical_alignment="bottom"):
        forms.inputs(config, own, prefix, wrong=error)
    is_open = any(name in settings for name in shared)
    rules = st.expander(
        "Settings of every strategy",
        expanded=is_open,
        icon=":material/rule:",
        key=f"{prefix}rules",
        on_change="rerun",
    )
    if rules.open:  # nine widgets, a sixth of what the page costs the server
        with rules, st.grid(4, min_column_width=120, vertical_alignment="bottom"):
            forms.inputs(config, shared, prefix, wrong=error)


def _configured(
    run: Run, strategy: str, settings: dict[str, Any]
) -> tuple[GenerationConfig | None, UserError | None]:
    """The complete settings for this model, or the error in them."""
    try:
        return run.configured(strategy, settings)[1], None
    except UserError as error:
        return None, error


def _written(run_id: str, step: int, strategy: str, values: dict[str, Any]) -> str:
    return str(Column(run_id, str(step), strategy, forms.to_address(values)))


def _default(best: Run) -> str:
    return _written(best.folder.id, best.step, DEFAULT, _linked_settings(best.starting(DEFAULT)))


def _linked_settings(config: Config) -> dict[str, Any]:
    """The settings that a link writes even at their defaults: a strategy's own.

    (The shared ones do nothing at theirs.)
    """
    values = flat(config)
    rules = keys(GenerationConfig)
    return {
        name: values[name]
        for name in [*(name for name in values if name not in rules), *OWN_SETTINGS]
    }


def use(key: str, strategy: str, **settings: Any) -> None:
    """Other settings of a column when the page is next drawn: for buttons."""
    st.session_state.pop(f"{key} {strategy} {forms.START}", None)
    for name, value in settings.items():
        st.session_state[f"{key} {strategy} {name}"] = value


def fill(key: str, column: Column, run_id: str) -> None:
    """Put what a link says into the widgets; invalid values are reported and left out. `run_id` is the page's run."""
    is_here = column.run in ("", run_id) or (key != FIRST_KEY and column.run in cached.runs())
    if not is_here:
        _notify_gone(column.run, run_id)
    owner = column.run if column.run and is_here else run_id
    name = column.strategy
    try:
        choose("strategy", name, STRATEGIES)
    except UserError as error:
        pickers.notify(f"{error} {DEFAULT} is shown instead.")
        name = DEFAULT
    config = _starting(owner, name)
    settings, lost = forms.from_address(config, column.settings)
    for sentence in lost:
        pickers.notify(sentence)
    if key != FIRST_KEY:
        st.session_state[f"{key} run"] = owner
    st.session_state[f"{key} strategy"] = name
    st.session_state[f"{key} step"] = column.step if is_here else ""
    st.session_state[f"{key} step of"] = owner
    forms.fill(override(config, settings), list(flat(config)), f"{key} {name} ")


def _starting(run_id: str, strategy: str) -> GenerationConfig:
    """A strategy's settings as the run's model came with them; the defaults for a run that cannot be opened, which its
    column says.
    """
    try:
        return cached.open_run(run_id).starting(strategy)
    except UserError:
        return configure(strategy, {})[1]


def _notify_gone(run: str, page_run: str) -> None:
    pickers.notify(
        f"{pickers.missing('run', run)} {cached.title(page_run)} is shown instead.",
        pickers.ANOTHER_RUN,
    )


def copy(source: str, target: str, run_id: str) -> None:
    """Copy one column's values to another's widgets. The run of column 1 is always the page's, `run_id`."""
    values = {
        name: st.session_state[f"{source} {name}"]
        for name in _names()
        if f"{source} {name}" in st.session_state
    }
    if source == FIRST_KEY:
        values["run"] = run_id
    for name in _names():
        st.session_state.pop(f"{target} {name}", None)
    new_run = values.pop("run", run_id) if target == FIRST_KEY else ""
    for name, value in values.items():
        st.session_state[f"{target} {name}"] = value
    if new_run:
        st.session_state["run"] = new_run


def _names() -> list[str]:
    """The names of a column's widgets, which follow its key."""
    return [
        "run",
        "step",
        "step of",
        "strategy",
        *(
            f"{name} {setting}"
            for name, row in STRATEGIES.items()
            for setting in (*keys(row.config), forms.START)
        ),
    ]
