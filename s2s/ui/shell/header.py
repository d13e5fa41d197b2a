"""The top of every page: title, run picker, and what the run is."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

import streamlit as st

from s2s.config import Stack, UserError
from s2s.faults import fault_of
from s2s.jobs import run_service
from s2s.runs import Run, model_card
from s2s.ui.kit import (
    as_markdown,
    cached,
    in_view,
    lessons_run,
    pickers,
    plain,
    shortened,
    vocabulary,
)
from s2s.ui.shell import languages
from s2s.ui.shell.pages import PURPOSE, Page, browser_title, page_link, rows, run_meant
from s2s.ui.shell.search import search_button
from s2s.ui.streamlit_parts import DeltaGenerator

MOST_PREFIXES = 5  # that a line has room for
MAX_PREFIX = 40  # characters


def header(page: Page) -> tuple[DeltaGenerator, bool]:
    """Draw the header. Returns the Share button's container, and whether the page can be drawn."""
    with st.container(
        key="header",
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
    ):
        with st.container(width="content", gap=None, key="heading"):
            with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
                st.title(page.entry if page.url_path else PURPOSE, anchor=False, width="content")
                _tabs(page)
            subtitle = st.empty()
        with st.container(
            horizontal=True, width="content", vertical_alignment="bottom", key="tools"
        ):
            run_id = pickers.run_picker(run_meant(page, st.query_params)) if page.run else ""
            if run_id and page.run == "trained":
                with contextlib.suppress(UserError):  # it cannot be opened, as is said below
                    languages.picker(run_id)
            share_container = st.container(width="content")
            search_button(page.url_path)
    if page.url_path:
        subtitle.caption(page.summary)
    if page.run == "trained":
        is_ready = _open(run_id, subtitle if page.describes_run else None)
        if run_id and page.lessons_run:
            lessons_run.show(page.lessons_run)
        return share_container, is_ready
    if page.run and (why := run_service.queue_error()):
        st.warning(as_markdown(why), icon=":material/warning:")
    return share_container, True


def _tabs(page: Page) -> None:
    every = [row for row in rows() if row.entry == page.entry]
    if len(every) == 1:
        return
    with st.container(horizontal=True, width="content", gap=None, key="tabs"):
        for row in every:
            st.page_link(row.screen(), label=row.tab or row.title)


def title_of(page: Page) -> str:
    """The title in the browser's tab: the page, and its sentence or else its run."""
    if "src" in page.keys:
        return browser_title(page, str(st.session_state.get("src") or ""))
    run_id = str(st.session_state.get("run") or "") if page.run else ""
    return browser_title(page, cached.title(run_id) if run_id else "")


def show_attribution() -> None:
    """Draw below the page whose sentences the models were trained on, where their license asks for it."""
    cards = (model_card.read(cached.metadata(run_id)) for run_id in in_view.runs())
    for attribution in dict.fromkeys(card.attribution for card in cards):
        if attribution:
            st.caption(plain(attribution))


def _open(run_id: str | None, subtitle: DeltaGenerator | None) -> bool:
    if run_id is None:
        st.info(
            "There is no trained run yet; train one on the page Train.",
            icon=":material/model_training:",
        )
        return False
    try:
        run = cached.open_run(run_id)
    except UserError as error:
        _explain(run_id, error)
        return False
    if subtitle:
        subtitle.caption(describe(run))
    if run.notes:
        st.warning(as_markdown(" ".join(run.notes)), icon=":material/warning:")
    return True


def _explain(run_id: str, error: UserError) -> None:
    if not cached.is_untrained(run_id):
        st.error(as_markdown(str(error)), icon=":material/error:")
        return
    st.info(
        f"{plain(cached.title(run_id))} has no checkpoint yet.", icon=":material/hourglass_top:"
    )
    page_link("train", "Watch its training")


def describe(run: Run) -> str:
    """A line that says what the run was trained on, and its size; first its fault, where it has one."""
    fault = fault_of(run.recipe.train.fault)
    warning = f":material/bug_report: **Trained with a fault: {fault.title}** · " if fault else ""
    return warning + _description(run)


def _description(run: Run) -> str:
    known = vocabulary.of(run)
    if not known.languages:
        about = cached.metadata(run.folder.id)
        if isinstance(imported := about.get("imported"), Mapping):
            family = plain(str(imported.get("family")))
            return f"Imported {family} checkpoint{_tasks(_own_prefixes(run))} · {shape(run)}"
        dataset = cached.dataset_name(str(about.get("source", "its data")))
        return f"Trained on {plain(dataset)} · {shape(run)}"
    source, target = known.languages
    words = f"{len(known.words):,} {source} words" if known.words else source
    return f"Knows {words}, writes {target}{_tasks(known.prefixes)} · {shape(run)}"


def _own_prefixes(run: Run) -> list[str]:
    named = map(str.strip, run.src_tokenizer.prefixes.values())
    return [shortened(prefix, MAX_PREFIX) for prefix in filter(None, named)][:MOST_PREFIXES]


def _tasks(prefixes: Sequence[str]) -> str:
    return f" · start with {_one_of(prefixes)}" if prefixes else ""


def _one_of(prefixes: Sequence[str]) -> str:
    quoted = [f"*{plain(prefix)}*" for prefix in prefixes]
    return " or ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def shape(run: Run) -> str:
    """A model's shape in words: `2 layers, 4 heads each`, or that of each stack where they differ."""
    model = run.recipe.model
    encoder = _stack(model.encoder)
    decoder = _stack(model.decoder)
    return decoder if encoder == decoder else f"encoder: {encoder}; decoder: {decoder}"


def _stack(stack: Stack) -> str:
    return f"{_count(stack.n_layers, 'layer')}, {_count(stack.n_heads, 'head')} each"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n > 1)}"
