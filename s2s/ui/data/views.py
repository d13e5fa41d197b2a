"""The views of a dataset: pairs, cleaning, task, statistics, tokens. What is chosen in them goes into the recipe."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from s2s.config import PRESETS, Recipe, UserError, flat, override
from s2s.data import (
    LONGEST_CELL,
    PROFILE_SECTIONS,
    TASKS,
    Corpus,
    LintReport,
    Pair,
    Statistics,
    apply_task,
    clean,
    task_of,
)
from s2s.files import from_json
from s2s.jobs import share_too_long
from s2s.tokenizers import ComparisonRow
from s2s.ui.data import (
    cleaning,
    overview,
    profiles,
    reproduce,
    sources,
    statistics,
    tokenizers,
    uploads,
)
from s2s.ui.data.sources import ChosenDataset
from s2s.ui.kit import ViewState, as_markdown, field, file_name, forms, one_of, pickers
from s2s.ui.kit.datasets import DEFAULT_DATASET
from s2s.ui.kit.recipe_state import DEFAULT_PRESET, PREFIX, RECIPE_KEYS, data_choices

DATA_KEYS = tuple(key for key in RECIPE_KEYS if key.startswith(("data.", "tokenizer.")))
NO_LINK = "Only a saved dataset can be linked: press Train on these pairs, which saves it."
TASK_PAIRS = 50  # pairs whose input and output are shown


class DatasetView(NamedTuple):
    """One view: its label, what draws it, its icon and its summary."""

    label: str
    draw: Callable[[ChosenDataset, Recipe], None]
    icon: str
    summary: str


@dataclass(frozen=True)
class DataView:
    """The page's own part of a link; the dataset and the recipe's settings travel with it."""

    view: str = field("Pairs", one_of("Pairs", "Cleaning", "Task", "Statistics", "Pieces"))


STATE = ViewState("data", DataView)


def read_from_url() -> None:
    """Take what a link says: dataset, view, and settings of the recipe."""
    given = STATE.from_url()
    if given is None:
        return
    source = given.pop("source", "")
    # An address without a dataset is no reason to leave an upload.
    if source or st.session_state.get("origin") not in sources.NOT_SAVED:
        sources.choose_spec(source or DEFAULT_DATASET)
    _take_recipe(given)
    _hold(sources.linked(st.session_state["origin"]))


def _take_recipe(given: Mapping[str, str]) -> None:
    """The preset that a link names, and the settings that differ from it. A link with neither leaves the preset."""
    said = {key: value for key, value in given.items() if key in DATA_KEYS}
    preset = given.get("preset") or (DEFAULT_PRESET if said else _preset())
    if preset not in PRESETS:
        pickers.notify(f"There is no preset {preset[:40]}; {DEFAULT_PRESET} is used instead.")
        preset = DEFAULT_PRESET
    if preset != _preset():
        st.session_state["preset"] = preset
        forms.fill(base(), RECIPE_KEYS, PREFIX)
    changes, errors = forms.from_address(base(), said)
    _take({key: value for key, value in (flat(base()) | changes).items() if key in DATA_KEYS})
    for error in errors:
        pickers.notify(error)


def write_to_url(origin: str) -> None:
    """Keep in the address what reopens the same dataset and settings; a link for others names only what is saved."""
    source = sources.linked(origin)
    is_upload = source.startswith(uploads.PREFIX) and source != uploads.PREFIX
    st.session_state["no link"] = NO_LINK if is_upload else ""
    _hold(source)


def _hold(source: str) -> None:
    STATE.write_to_url(
        {"source": source, "preset": _preset()} | forms.to_address(changes()),
        {"source": DEFAULT_DATASET, "preset": DEFAULT_PRESET},
    )


def show(chosen: ChosenDataset) -> None:
    """The chosen view; choices made in the others stay."""
    labels = {name: f"{view.icon} {view.label}" for name, view in VIEWS.items()}
    view = VIEWS[STATE.segments("view", "View", labels, label_visibility="collapsed")]
    if any(key.startswith("data.") for key in changes()):
        with st.container(horizontal=True, vertical_alignment="center"):
            data_choices(changes())
            st.button(
                "Reset",
                key="start anew",
                icon=":material/restart_alt:",
                on_click=_reset,
                type="tertiary",
            )
    with st.container(border=True):
        st.caption(view.summary)
        try:
            view.draw(chosen, recipe())
        except UserError as wrong:
            forms.show_error(wrong)


def export(chosen: ChosenDataset) -> None:
    """The pairs that would be trained on, as a file."""
    with st.popover("Export", icon=":material/download:", on_change="rerun") as box:
        if not box.open:
            return
        st.caption(
            "The pairs that would be trained on, cleaned and as the task makes them, as a parquet file"
            " for datasets, pandas and others."
        )
        try:
            data = recipe().data
            exported = profiles.section(chosen.profile, "export", data)
        except UserError as wrong:
            forms.show_error(wrong)
            return
        if exported:
            section = PROFILE_SECTIONS["export"].name("export", data)
            st.download_button(
                f"{exported['n_pairs']:,} pairs",
                (chosen.profile.folder / f"{section}.parquet").read_bytes,
                f"{file_name(chosen.name)}.parquet",
                on_click="ignore",
                icon=":material/download:",
            )


def show_code(chosen: ChosenDataset) -> None:
    """How to recompute the open view; not while the settings do not fit together, which the view says."""
    with contextlib.suppress(UserError):
        reproduce.show(chosen, VIEWS[STATE.now.view].label, _preset(), recipe())


def _reset() -> None:
    """Task and cleaning as the preset has them."""
    _take({key: value for key, value in flat(base()).items() if key.startswith("data.")})


def base() -> Recipe:
    """The recipe of the preset that is chosen on Train."""
    return PRESETS[_preset()].recipe


def _preset() -> str:
    return str(st.session_state.get("preset") or DEFAULT_PRESET)


def changes() -> dict[str, Any]:
    """What was chosen here and differs from the preset."""
    return forms.changes(base(), DATA_KEYS, PREFIX)


def recipe() -> Recipe:
    """The preset's recipe with what was chosen here. Raises UserError where that does not fit together."""
    return override(base(), changes())


def _take(values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        st.session_state[PREFIX + key] = value


def _pairs(chosen: ChosenDataset, now: Recipe) -> None:
    pairs, lengths = st.columns(2, gap="medium")
    with pairs:
        overview.pairs(chosen.preview)
    with lengths:
        statistics.lengths(chosen.preview, chosen.name)


def _cleaning(chosen: ChosenDataset, now: Recipe) -> None:
    if found := profiles.section(chosen.profile, "lint", now.data):
        report = from_json(LintReport, found)
        is_reversed = now.data.task == "reverse_direction"
        if said := cleaning.several_targets(report, is_reversed=is_reversed):
            st.markdown(said)
        wanted = cleaning.panel(report, now.data.clean, key=chosen.profile.folder.name)
        _flagged(chosen, now)
        _take({f"data.clean.{name}": value for name, value in flat(wanted).items()})
        if wanted != now.data.clean:
            st.rerun()


def _flagged(chosen: ChosenDataset, now: Recipe) -> None:
    """The flagged pairs as a table, computed when it is asked for."""
    with st.popover("Flagged pairs", icon=":material/download:", on_change="rerun") as box:
        if not box.open:
            return
        st.caption("Every pair that a rule matches, with its line in the file and what is wrong.")
        if found := profiles.section(chosen.profile, "flagged", now.data):
            name = PROFILE_SECTIONS["flagged"].name("flagged", now.data)
            first = "" if found["is_whole"] else "first "
            st.download_button(
                f"The {first}{found['n_rows']:,} rows (CSV)",
                (chosen.profile.folder / f"{name}.csv").read_bytes,
                f"{file_name(chosen.name)} flagged.csv",
                "text/csv",
                on_click="ignore",
                icon=":material/download:",
            )


def _task(chosen: ChosenDataset, now: Recipe) -> None:
    corpus = _first_pairs(chosen)
    forms.inputs(base(), ["data.task"], PREFIX)
    row = TASKS[task_of(corpus, now.data)]
    source = f" Source: {row.source}." if row.source else ""
    st.markdown(f"**{row.label}.** {as_markdown(row.summary)}{source}")
    keys = [
        f"data.{name}"
        for name in dict.fromkeys((*row.settings, "prefix", "valid_share", "held_out"))
    ]
    with st.grid(3, min_column_width=220, vertical_alignment="bottom"):
        forms.inputs(base(), keys, PREFIX)
    _inputs_and_outputs(chosen, corpus, recipe())


def _first_pairs(chosen: ChosenDataset) -> Corpus:
    pairs = tuple(Pair(*row) for row in chosen.preview.rows[:TASK_PAIRS])
    return Corpus(chosen.name, "train", pairs, is_plain=chosen.preview.is_plain)


def _inputs_and_outputs(chosen: ChosenDataset, corpus: Corpus, now: Recipe) -> None:
    made = apply_task(clean(corpus, now.data.clean), now.data, now.train.seed)
    pairs = [(pair.src, pair.tgt) for pair in made.pairs[:TASK_PAIRS]]
    st.dataframe(
        pd.DataFrame(pairs, columns=["input", "output"]),
        hide_index=True,
        height=300,
        column_config={
            side: st.column_config.TextColumn(width="large") for side in ("input", "output")
        },
        alt=f"Input and output of the model for the first {len(pairs)} pairs",
    )
    rows = chosen.preview.rows[:TASK_PAIRS]
    is_truncated = any(side.endswith("…") for row in rows for side in row)
    note = f" Long texts are truncated to {LONGEST_CELL} characters here." if is_truncated else ""
    st.caption(
        f"Input and output of the model for the first pairs, after cleaning.{note} {_too_long(chosen, now)}"
    )


def _too_long(chosen: ChosenDataset, now: Recipe) -> str:
    """About how many pairs the length limit will drop, estimated from the dataset as it is."""
    limit = now.data.max_length
    share = share_too_long(now, chosen.preview)
    if share == 0:
        return f"Probably none is longer than the {limit} tokens of `data.max_length`."
    longer = f"About {share:.1%} are longer than the {limit} tokens of `data.max_length`"
    return f"{longer} and will be dropped, not truncated."


def _statistics(chosen: ChosenDataset, now: Recipe) -> None:
    if found := profiles.section(chosen.profile, "statistics", now.data):
        statistics.panel(from_json(Statistics, found), chosen.preview, chosen.name)


def _tokens(chosen: ChosenDataset, now: Recipe) -> None:
    if found := profiles.section(chosen.profile, "pieces", now.data):
        st.caption(found["scope"])
        rows = from_json(list[ComparisonRow], found["rows"])
        wanted = tokenizers.panel(
            rows,
            chosen.profile.folder.name,
            advice=found["advice"],
            now=now.tokenizer,
            folder=chosen.profile.folder / PROFILE_SECTIONS["pieces"].name("pieces", now.data),
        )
        keys = ("tokenizer.kind", "tokenizer.vocab_size")
        _take({key: wanted[key] for key in keys if key in wanted})


# By the names that links hold.
VIEWS: Mapping[str, DatasetView] = MappingProxyType(
    {
        "Pairs": DatasetView(
            "Pairs", _pairs, ":material/table_rows:", "The pairs as they are in the dataset."
        ),
        "Cleaning": DatasetView(
            "Cleaning",
            _cleaning,
            ":material/cleaning_services:",
            "Pairs that look wrong, and which of them to drop before training.",
        ),
        "Task": DatasetView(
            "Task",
            _task,
            ":material/task_alt:",
            "What the model learns from the dataset: its input and its output.",
        ),
        "Statistics": DatasetView(
            "Statistics",
            _statistics,
            ":material/analytics:",
            "Lengths are those of the whole dataset; everything else is measured on the pairs that would be trained on:"
            " cleaned, and as the task makes them.",
        ),
        "Pieces": DatasetView(
            "Tokens",
            _tokens,
            ":material/content_cut:",
            "How each tokenizer splits these pairs; choose one for the recipe.",
        ),
    }
)
