"""The views of a dataset: pairs, cleaning, task, statistics, tokens. What is chosen in them goes into the recipe."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import streamlit as st

from s2s.config import PRESETS, Recipe, UserError, flat, override
from s2s.data import TASKS, LintReport
from s2s.plots import Picture
from s2s.questions import DatasetProfile, ProfiledDataset, Table, TaskExamples, packed
from s2s.questions.views import view_of
from s2s.reports import TableColumn, html_table
from s2s.tokenizers import TokenizerComparison
from s2s.ui.data import cleaning, profiles, sources, tokenizers, uploads
from s2s.ui.data.sources import ChosenDataset
from s2s.ui.kit import (
    ViewState,
    cached,
    field,
    forms,
    one_of,
    pickers,
    settings_box,
    show,
    show_all,
)
from s2s.ui.kit.recipe_state import DEFAULT_DATASET, DEFAULT_PRESET, PREFIX, RECIPE_KEYS

DATA_KEYS = tuple(key for key in RECIPE_KEYS if key.startswith(("data.", "tokenizer.")))
HEIGHT, FEW = 380, 8  # pixels of a table of texts, with more rows than so many
MOST_LETTERS = 90  # of a text that isn't folded
NO_LINK = "Only a saved dataset can be linked: press Train on these pairs, which saves it."


class DatasetView(NamedTuple):
    """One view: its label, the part of the profile that it shows, the section that it needs, and what draws it."""

    label: str
    part: str
    section: str  # of the profile; empty for what the preview has
    draw: Callable[[DatasetProfile, ProfiledDataset, ChosenDataset], None]
    controls: Callable[[ProfiledDataset | None], None]  # above the answer, once there is one


@dataclass(frozen=True)
class DataView:
    """The fields of Data's link that belong to the page; the dataset and the recipe's settings travel with them."""

    view: str = field("Pairs", one_of("Pairs", "Cleaning", "Task", "Statistics", "Pieces"))


STATE = ViewState("data", DataView, DatasetProfile)


def read_from_url() -> None:
    """Take over what a new link says: dataset, view, and settings of the recipe."""
    given = STATE.from_url()
    if given is None:
        return
    is_view = bool(st.query_params.get("set"))
    source = given.pop("source", "")
    # An address without a dataset is no reason to leave an upload.
    if source or st.session_state.get("origin") not in sources.NOT_SAVED:
        sources.choose_spec(source or (DEFAULT_DATASET if is_view else sources.START))
    _take_recipe(given)
    _hold(sources.linked(st.session_state["origin"]))


def _take_recipe(given: Mapping[str, str]) -> None:
    said = {key: value for key, value in given.items() if key in DATA_KEYS}
    preset = given.get("preset") or (DEFAULT_PRESET if said else _preset())
    if preset not in PRESETS:
        pickers.notify(f"There is no preset {preset[:40]}; {DEFAULT_PRESET} is used instead.")
        preset = DEFAULT_PRESET
    if preset != _preset():
        st.session_state["preset"] = preset
        forms.fill(base(), RECIPE_KEYS, PREFIX)
    changes, errors = forms.from_address(base(), said)
    take({key: value for key, value in (flat(base()) | changes).items() if key in DATA_KEYS})
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
        {"source": sources.START, "preset": DEFAULT_PRESET},
    )


def _settings(keys: Iterable[str]) -> None:
    changed = {
        f"{key.rpartition('.')[2]} = {value}": True
        for key, value in changes().items()
        if key.startswith("data.")
    }
    with settings_box(None, changed):
        forms.inputs(base(), [*keys], PREFIX)
        if changed:
            icon = ":material/restart_alt:"
            st.button("Reset task and cleaning", key="start anew", icon=icon, on_click=_reset)


def show_view(chosen: ChosenDataset) -> None:
    """Draw the chosen view; choices made in the others stay."""
    above = st.container(horizontal=True, vertical_alignment="center")
    labels = {name: view.label for name, view in VIEWS.items()}
    with above:
        view = VIEWS[STATE.segments("view", "View", labels, label_visibility="collapsed")]
    question = STATE.question(DatasetProfile, dataset=chosen.address, part=view.part)
    if view.part != DatasetProfile().part:  # the pairs as they are depend on no recipe
        settings = packed(changes())
        question = replace(question, preset=_preset(), settings=settings)
    answer = _answer(question, chosen, view.section)
    with above:
        view.controls(answer)
    if answer:
        view.draw(question, answer, chosen)


def _answer(
    question: DatasetProfile, chosen: ChosenDataset, section: str
) -> ProfiledDataset | None:
    try:
        if section and not profiles.section(chosen.profile, section, question.recipe.data):
            return None
        return cached.SCREEN.answer(question)
    except UserError as wrong:
        forms.show_error(wrong)
        return None


def _reset() -> None:
    take({key: value for key, value in flat(base()).items() if key.startswith("data.")})


def base() -> Recipe:
    """The recipe of the preset that is chosen on Train."""
    return PRESETS[_preset()].recipe


def _preset() -> str:
    return str(st.session_state.get("preset") or DEFAULT_PRESET)


def changes() -> dict[str, Any]:
    """The recipe's settings that were chosen on Data and differ from the preset."""
    return forms.changes(base(), DATA_KEYS, PREFIX)


def recipe() -> Recipe:
    """The preset's recipe with what was chosen on Data. Raises UserError where that does not fit together."""
    return override(base(), changes())


def take(values: Mapping[str, Any]) -> None:
    """Set settings of the recipe, on Train as well."""
    for key, value in values.items():
        st.session_state[PREFIX + key] = value


def _no_controls(answer: ProfiledDataset | None) -> None:
    if any(key.startswith("data.") for key in changes()):
        _settings(())


def _texts(picture: Picture) -> None:
    with st.container(height=HEIGHT if len(picture.table.rows) > FEW else "content", border=False):
        st.html(texts_table(picture.table))


def texts_table(table: Table) -> str:
    """HTML of a table of texts that wrap; a long one ends in an ellipsis, and opens. Numbers have narrow columns."""
    cells = [*zip(*table.rows, strict=True)]
    are_numbers = [all(isinstance(cell, int) for cell in column) for column in cells]
    columns = [
        TableColumn(name, "4.5rem" if is_number else "")
        for name, is_number in zip(table.columns, are_numbers, strict=False)
    ]
    return html_table(columns, [[_openable(str(cell)) for cell in row] for row in table.rows])


def _openable(text: str) -> str:
    if len(text) <= MOST_LETTERS:
        return html.escape(text)
    end = text.rfind(" ", 1, MOST_LETTERS)
    end = end if end > 0 else MOST_LETTERS
    first, rest = html.escape(text[:end]), html.escape(text[end:].lstrip())
    return f"<details><summary>{first} …</summary>… {rest}</details>"


def _task_pairs(question: DatasetProfile, answer: ProfiledDataset, chosen: ChosenDataset) -> None:
    (picture,) = view_of(question).pictures(question, answer, "")
    with st.container(key="answer", border=True):
        show(picture, question, answer, draw=partial(_texts, picture))


def _in_columns(question: DatasetProfile, answer: ProfiledDataset, chosen: ChosenDataset) -> None:
    first, *others = view_of(question).pictures(question, answer, "")
    with st.container(key="answer", border=True):
        draw = partial(_texts, first) if first.figure is None else None
        show(first, question, answer, draw=draw)
        with st.grid(2, min_column_width=340, border=True) as grid:
            for picture in others:
                with grid.cell():
                    show(picture, question, answer)


def _cleaning(answer: ProfiledDataset | None) -> None:
    _settings(cleaning.SETTINGS)
    if answer and isinstance(answer.found, LintReport):
        cleaning.rules(answer.found, recipe().data.clean)


def _faults(question: DatasetProfile, answer: ProfiledDataset, chosen: ChosenDataset) -> None:
    pictures = view_of(question).pictures(question, answer, "")
    with st.container(key="answer", border=True):
        show(pictures[0], question, answer)
        if isinstance(answer.found, LintReport) and len(pictures) > 1:
            cleaning.choose_examples(STATE, question, answer.found)
            show(pictures[1], question, answer, draw=partial(_texts, pictures[1]))
    cleaning.flagged(chosen, recipe().data)


def _task(answer: ProfiledDataset | None) -> None:
    forms.inputs(base(), ["data.task"], PREFIX)
    row = TASKS[answer.found.task] if answer and isinstance(answer.found, TaskExamples) else None
    names = dict.fromkeys((*(row.settings if row else ()), "prefix", "valid_share", "held_out"))
    _settings(f"data.{name}" for name in names)


def _tokens(question: DatasetProfile, answer: ProfiledDataset, chosen: ChosenDataset) -> None:
    show_all(question, answer, "")
    found = answer.found
    if isinstance(found, TokenizerComparison) and found.rows:
        wanted = tokenizers.choose(found, chosen.profile, recipe())
        take({key: wanted[key] for key in tokenizers.CHOSEN if key in wanted})


# By the names that links hold.
VIEWS: Mapping[str, DatasetView] = MappingProxyType(
    {
        "Pairs": DatasetView("Pairs", "pairs", "", _in_columns, _no_controls),
        "Cleaning": DatasetView("Cleaning", "faults", "lint", _faults, _cleaning),
        "Task": DatasetView("Task", "task", "", _task_pairs, _task),
        "Statistics": DatasetView("Statistics", "words", "statistics", _in_columns, _no_controls),
        "Pieces": DatasetView("Tokens", "tokens", "pieces", _tokens, _no_controls),
    }
)
