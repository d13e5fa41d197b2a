"""What becomes of a text before training: cleaning, task, statistics, pieces. What is chosen here goes into the recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from s2s import share
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
from s2s.jobs.forecast import share_too_long
from s2s.tokenizers import ComparisonRow
from s2s.ui.data import cleaning, overview, sources, statistics, tokenizers, uploads
from s2s.ui.data.sources import Chosen
from s2s.ui.kit import address, forms, pickers
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.datasets import DEFAULT_DATASET
from s2s.ui.kit.recipe_state import DEFAULT_PRESET, PREFIX, RECIPE_KEYS, data_choices
from s2s.ui.kit.text import as_markdown

OURS = tuple(key for key in RECIPE_KEYS if key.startswith(("data.", "tokenizer.")))
MEASURED = "Lengths as the text stands; the rest of the pairs that would be trained on: cleaned, as the task makes them."
SHOWN = 50  # pairs whose input and output are shown


class View(NamedTuple):
    """One part of the page: what draws it, and its sentence."""

    draw: Callable[[Chosen, Recipe], None]
    icon: str
    summary: str


def arrive() -> None:
    """Take from the address what it newly says: the text, the view, and what was chosen for the recipe."""
    said = address.arrived("set")
    if said is None:
        return
    given = share.unpack(said)
    source = given.pop("source", "")
    if (
        source or st.session_state.get("origin") not in sources.BRINGING
    ):  # an address names no draft, and is no reason to leave it
        sources.fill(source or DEFAULT_DATASET)
    if (view := given.pop("view", "Pairs")) in VIEWS:
        st.session_state["view"] = view
    wanted, lost = forms.from_address(
        base(), {key: value for key, value in given.items() if key in OURS}
    )
    _take({key: value for key, value in {**flat(base()), **wanted}.items() if key in OURS})
    for sentence in lost:
        pickers.notify(sentence)


def hold(chosen: Chosen | None) -> None:
    """Say in the address what is shown, where a link can."""
    is_kept = chosen is None or chosen.spec != ""
    st.session_state["no link"] = (
        ""
        if is_kept
        else "Only a kept text can be linked: press Train on these pairs, which keeps it."
    )
    place = {"source": chosen.spec if chosen else DEFAULT_DATASET} if is_kept else {}
    shown = {"view": str(st.session_state.get("view") or "Pairs"), **forms.to_address(changes())}
    address.hold(
        "set", share.pack(place | shown), share.pack({"source": DEFAULT_DATASET, "view": "Pairs"})
    )


def views(chosen: Chosen) -> None:
    """One of them at a time; what was chosen in any stays."""
    name = st.segmented_control(
        "What to look at",
        list(VIEWS),
        default="Pairs",
        required=True,
        key="view",
        format_func=lambda name: f"{VIEWS[name].icon} {name}",
        persist_state="session",
        label_visibility="collapsed",
    )
    view = VIEWS[str(name)]
    if any(key.startswith("data.") for key in changes()):
        with st.container(horizontal=True, vertical_alignment="center"):
            data_choices(changes())
            st.button(
                "Start anew",
                key="start anew",
                icon=":material/restart_alt:",
                on_click=_start_anew,
                type="tertiary",
            )
    with st.container(border=True):
        st.caption(view.summary)
        try:
            view.draw(chosen, recipe())
        except UserError as wrong:
            forms.show_error(wrong)


def take_away(chosen: Chosen) -> None:
    """The pairs that would be trained on, as a file."""
    with st.popover("Take away", icon=":material/download:", on_change="rerun") as box:
        if not box.open:
            return
        st.caption(
            "The pairs that would be trained on, cleaned and as the task makes them, as parquet: for datasets, pandas and others."
        )
        try:
            data = recipe().data
            made = uploads.made(chosen.study, "export", data)
        except UserError as wrong:
            forms.show_error(wrong)
            return
        if made:
            file = (
                chosen.study.folder / f"{PROFILE_SECTIONS['export'].name('export', data)}.parquet"
            )
            name = f"{file_name(chosen.name)}.parquet"
            st.download_button(
                f"{made['n_pairs']:,} pairs",
                file.read_bytes,
                name,
                on_click="ignore",
                icon=":material/download:",
            )


def _start_anew() -> None:
    """No task, no cleaning but the usual."""
    _take({key: value for key, value in flat(base()).items() if key.startswith("data.")})


def base() -> Recipe:
    """The recipe of the preset that Train shows."""
    return PRESETS[st.session_state.get("preset", DEFAULT_PRESET)].recipe


def changes() -> dict[str, Any]:
    """What was chosen here, beside what the preset has."""
    return forms.changes(base(), OURS, PREFIX)


def recipe() -> Recipe:
    """With what was chosen here. Raises UserError where it does not go together."""
    return override(base(), changes())


def _take(values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        st.session_state[PREFIX + key] = value


def _pairs(chosen: Chosen, now: Recipe) -> None:
    pairs, lengths = st.columns(2, gap="medium")
    with pairs:
        overview.pairs(chosen.preview)
    with lengths:
        statistics.lengths(chosen.preview, chosen.name)


def _cleaning(chosen: Chosen, now: Recipe) -> None:
    if found := uploads.made(chosen.study, "lint", now.data):
        wanted = cleaning.panel(
            LintReport.from_json(found), now.data.clean, key=chosen.study.folder.name
        )
        _take({f"data.clean.{name}": value for name, value in flat(wanted).items()})
        if wanted != now.data.clean:
            st.rerun()


def _task(chosen: Chosen, now: Recipe) -> None:
    text = _first(chosen)
    forms.inputs(base(), ["data.task"], PREFIX)
    row = TASKS[task_of(text, now.data)]
    st.markdown(
        f"**{row.label}.** {as_markdown(row.summary)}"
        + (f" Source: {row.source}." if row.source else "")
    )
    settings = [f"data.{name}" for name in dict.fromkeys((*row.settings, "prefix", "valid_share"))]
    with st.grid(3, min_column_width=220, vertical_alignment="bottom"):
        forms.inputs(base(), settings, PREFIX)
    now = recipe()
    pairs = apply_task(clean(text, now.data.clean), now.data, now.train.seed).pairs[:SHOWN]
    st.dataframe(
        pd.DataFrame([(pair.src, pair.tgt) for pair in pairs], columns=["input", "output"]),
        hide_index=True,
        height=300,
        column_config={
            side: st.column_config.TextColumn(width="large") for side in ("input", "output")
        },
        alt=f"What the model reads and what it must write, for the first {len(pairs)} pairs",
    )
    is_cut = any(side.endswith("…") for row in chosen.preview.rows[:SHOWN] for side in row)
    cut = f" Here only the first {LONGEST_CELL} characters of a text are taken." if is_cut else ""
    st.caption(
        f"What the model reads and must write, of the first pairs, cleaned.{cut} {_too_long(chosen, now)}"
    )


def _first(chosen: Chosen) -> Corpus:
    """The first pairs, as a text."""
    pairs = tuple(Pair(*row) for row in chosen.preview.rows[:SHOWN])
    return Corpus(chosen.name, "train", pairs, is_plain=chosen.preview.is_plain)


def _too_long(chosen: Chosen, now: Recipe) -> str:
    """What the length limit will drop, about, by the lengths of the text as it stands."""
    limit = now.data.max_length
    share = share_too_long(now, chosen.preview)
    if share == 0:
        return f"Probably none is longer than the {limit} tokens of `data.max_length`."
    return f"About {share:.1%} are longer than the {limit} tokens of `data.max_length` and will be dropped, not cut."


def _statistics(chosen: Chosen, now: Recipe) -> None:
    if found := uploads.made(chosen.study, "statistics", now.data):
        statistics.panel(Statistics.from_json(found), chosen.preview, chosen.name)


def _pieces(chosen: Chosen, now: Recipe) -> None:
    if found := uploads.made(chosen.study, "pieces", now.data):
        st.caption(found["scope"])
        rows = [ComparisonRow.from_json(row) for row in found["rows"]]
        wanted = tokenizers.panel(
            rows, chosen.study.folder.name, advice=found["advice"], now=now.tokenizer
        )
        _take(
            {
                key: wanted[key]
                for key in ("tokenizer.kind", "tokenizer.vocab_size")
                if key in wanted
            }
        )


VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "Pairs": View(_pairs, ":material/table_rows:", "The pairs as they stand in the text."),
        "Cleaning": View(
            _cleaning,
            ":material/cleaning_services:",
            "What looks wrong with the text, and what to leave out of training.",
        ),
        "Task": View(
            _task,
            ":material/task_alt:",
            "What is to be learnt from the text: what the model reads, and what it must write.",
        ),
        "Statistics": View(_statistics, ":material/analytics:", MEASURED),
        "Pieces": View(
            _pieces,
            ":material/content_cut:",
            "How each tokenizer cuts these pairs; choose one for the recipe.",
        ),
    }
)
