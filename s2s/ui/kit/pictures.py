"""Pictures on the page: each with its finding, how to read it, and one menu to save it, its data and its code."""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from s2s.config import asker
from s2s.plots import AllHeads, ComparedRows, ComparedTexts, LinkedTokens, Picture, TokenRows
from s2s.questions import Question, Table
from s2s.questions.views import view_of
from s2s.reports import compared_rows, differences, token_rows
from s2s.reports import pictures as reports
from s2s.ui.canvas import attention_lines, heads_canvas, pack_heads, picture_button, pooling
from s2s.ui.kit.cached import by_sentence
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import file_name, plain

SHOWN = "pictures of the page"  # in the session: what a snapshot has
MENU = "Save, data, code"
ICON = ":material/download:"
WHERE = "Run it where s2s is installed"
OF_DATASET = f"{WHERE} and this dataset is stored, or give the SPEC of yours."
OF_RUN = f"{WHERE} and this run is stored; Runs offers it as a zip."
SHARE = st.column_config.ProgressColumn(format="%.3g%%", min_value=0.0, max_value=100.0)
LETTER, ROOM, WIDEST = 7, 26, 420  # of a column, in pixels
MOST_WHOLE = 24  # rows of a table that is shown without a scroll bar of its own
NARROW = 180  # a first column of this width stays in view
OnPick = Callable[[int | None, int | None], None]
download = partial(st.download_button, on_click="ignore", icon=ICON)


def forget_shown() -> None:
    """Forget which pictures the page showed. Call this before a page is drawn."""
    st.session_state[SHOWN] = {}


def shown() -> list[Picture]:
    """The pictures of the page, in order."""
    return [*st.session_state.get(SHOWN, {}).values()]


def keep(picture: Picture) -> None:
    """Add a picture to the page's snapshot, although the page draws it in a way of its own."""
    st.session_state.setdefault(SHOWN, {})[picture.name] = picture


def show_all(question: Question[Any], answer: Any, model: str, *, folded: str = "") -> None:
    """Draw the answer of the page: its pictures, one below the other; the last one is folded under a title, if
    given.
    """
    pictures = view_of(question).pictures(question, answer, model)
    n_open = len(pictures) - bool(folded)
    with st.container(key="answer", border=True):
        for picture in pictures[:n_open]:
            show(picture, question, answer)
    for picture in pictures[n_open:]:
        with st.expander(folded, icon=":material/grid_on:"):
            show(picture, question, answer)


def show(
    picture: Picture,
    question: Question[Any] | None = None,
    answer: Any = None,
    *,
    on_pick: OnPick | None = None,
    on_enlarge: OnPick | None = None,
    draw: Callable[[], None] | None = None,
) -> None:
    """Draw one picture; one that answers no question has no code. `on_pick` and `on_enlarge` are called with what is
    pressed in a grid of heads; `draw` draws it as only its page can.
    """
    keep(picture)
    show_finding(picture)
    with st.container(key=f"figure {picture.name}", gap=None):
        if draw is not None:
            draw()
        else:
            _figure(picture, question, on_pick or _nothing, on_enlarge or _nothing)
    if picture.caption:
        st.caption(plain(picture.caption))
    if on_pick and is_pickable(picture):
        _table_to_pick(picture, on_pick)
    menu(picture, question, answer)


def show_finding(picture: Picture) -> None:
    if picture.finding:
        with st.container(key=f"finding {picture.name}"):
            st.html(f"<p class='finding' data-answer>{html.escape(picture.finding)}</p>")


def show_table(table: Table, *, alt: str, key: str, **look: Any) -> None:
    """Draw a table with whole cells: a column is as wide as its longest, up to a limit; a narrow first one stays in
    view.
    """
    names = _apart(table.columns)
    frame = pd.DataFrame([*map(list, table.rows)], columns=names)
    for own, name in zip(names, table.columns, strict=True):
        if name in table.shares:
            frame[own] = 100 * pd.to_numeric(frame[own])
    config = {
        own: SHARE
        if name in table.shares
        else _column(frame[own], name, table.about.get(name), is_first=not number)
        for number, (own, name) in enumerate(zip(names, table.columns, strict=True))
    }
    draw: Callable[..., Any] = partial(st.dataframe, hide_index=True, placeholder="")
    draw(frame, column_config=config, alt=alt, key=key, **look)


def _apart(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in map(str, names):
        others = (f"{name} ({number})" for number in itertools.count(2))
        found.append(name if name not in found else next(one for one in others if one not in found))
    return found


def _column(values: pd.Series[Any], name: str, about: str | None, *, is_first: bool) -> Any:
    if pd.api.types.is_float_dtype(values):
        most = float(values.abs().max()) if len(values) else 0.0
        digits = "%.1f" if most >= 10 else "%.2f" if most >= 1 else "%.3g"
        return st.column_config.NumberColumn(help=about, format=digits, pinned=is_first)
    if pd.api.types.is_numeric_dtype(values):
        return st.column_config.NumberColumn(help=about, format="localized", pinned=is_first)
    longest = max((len(str(each)) for each in (*values, name)), default=0)
    width = min(WIDEST, LETTER * longest + ROOM)
    return st.column_config.TextColumn(help=about, width=width, pinned=is_first and width <= NARROW)


def _figure(
    picture: Picture, question: Question[Any] | None, on_pick: OnPick, on_enlarge: OnPick
) -> None:
    figure = picture.figure
    if isinstance(figure, AllHeads):
        heads_canvas(
            _packed(repr(question and question.asked), figure),
            figure.chosen,
            figure.enlarged,
            per_row=figure.per_row,
            key=f"{picture.name} grid",
            on_pick=on_pick,
            on_enlarge=on_enlarge,
        )
        if (side := pooling(figure.weights.shape)) > 1:
            st.caption(f"Each dot is the largest of {side} × {side} weights.")
    elif isinstance(figure, LinkedTokens):
        attention_lines(*figure[:3], verb=figure.verb, alt=picture.alt, key=picture.name)
    elif isinstance(figure, ComparedTexts):
        _compared_texts(*figure)
    elif isinstance(figure, ComparedRows):
        st.html(compared_rows(figure))
    elif isinstance(figure, TokenRows):
        st.html(token_rows(figure))
    elif figure is None or isinstance(figure, Table):
        if figure is None:
            title = picture.title.splitlines()[-1]
            st.markdown(f"**{plain(title[:1].upper() + title[1:])}**")
        table = figure or picture.table
        height = "content" if len(table.rows) <= MOST_WHOLE else "auto"
        show_table(table, key=f"table {picture.name}", alt=picture.alt, height=height)
    else:
        chart(figure, alt=picture.alt, file_name=file_name(picture.title))
        is_first = st.session_state.setdefault("first picture", picture.title) == picture.title
        if is_first and picture.early and (early := picture.early()):
            st.html(early)  # until the browser has Plotly


def _compared_texts(texts: Mapping[str, str], nouns: tuple[str, str]) -> None:
    first = next(iter(texts.values()))
    is_marked = False
    with st.container(gap="xsmall"):
        for number, (caption, text) in enumerate(texts.items()):
            shown, diff = (
                differences.highlighted(text, first) if number else (html.escape(text), None)
            )
            is_marked |= bool(diff and not diff.is_empty)
            st.caption(plain(caption))
            with st.container(key=f"translation changed {number}"):
                st.html(
                    f'<p dir="auto" title="Click to select, then copy">{shown or "(nothing)"}</p>'
                )
        if is_marked:
            st.html(differences.legend(*nouns))


@by_sentence(16)  # at most 8 MB each
def _packed(asked: str, _figure: AllHeads) -> bytes:
    return pack_heads(*_figure[:4], roles=_figure.roles)


def is_pickable(picture: Picture) -> bool:
    """Whether each row of the picture's table can be pressed."""
    return bool(picture.picks) and {*picture.picks} <= {*map(str.lower, picture.table.columns)}


def _table_to_pick(picture: Picture, on_pick: OnPick) -> None:
    key = f"{picture.name} rows"
    rows = st.expander("As a table", icon=":material/table:", key=key, on_change="rerun")
    if not rows.open:
        return
    table = picture.table
    frame = pd.DataFrame([*table.rows], columns=[*table.columns])

    def picked() -> None:
        for row in st.session_state[f"{key} table"].selection.rows:
            if 0 <= row < len(frame):
                on_pick(*(int(frame[name.capitalize()][row]) - 1 for name in picture.picks))

    with rows:
        st.dataframe(
            frame,
            hide_index=True,
            column_config={
                name: st.column_config.Column(help=said) for name, said in table.about.items()
            },
            key=f"{key} table",
            on_select=picked,
            selection_mode="single-row",
            height=min(38 + 35 * len(frame), 318),
            alt=f"{picture.one_line}, as a table",
        )
        st.caption("Tick a row to open it.")


def menu(picture: Picture, question: Question[Any] | None, answer: Any) -> None:
    """Draw the menu of everything that can be downloaded, made only once it is opened, and each file when it is
    clicked.
    """
    key = f"menu {picture.name}"
    label = MENU if question else "Save, data"
    with st.popover(label, icon=ICON, key=key, on_change="rerun", width="content") as box:
        if not box.open:
            return
        name = file_name(picture.title)
        with st.container(horizontal=True, width=440, gap="xsmall"):
            if picture.vector:
                drawn = picture.svg()
                download("SVG", drawn, f"{name}.svg", "image/svg+xml", key=f"{key} svg")
                picture_button(drawn, name, label="PNG, PDF", key=f"{key} picture")
            page = asker.for_this_visitor(partial(reports.page, picture.one_line, [picture]))
            download("HTML", page, f"{name}.html", "text/html", key=f"{key} html")
            download("CSV", picture.table.csv, f"{name}.csv", "text/csv", key=f"{key} csv")
            if question:
                written = partial(question.json, answer)
                download("JSON", written, f"{name}.json", "application/json", key=f"{key} json")
            for file in picture.files:
                content = asker.for_this_visitor(file.content)
                download(
                    file.label,
                    content,
                    name + file.name if file.name.startswith(".") else file.name,
                    file.mime,
                    key=f"{key} {file.label}",
                    help=file.about or None,
                )
        if question is None:
            return
        about = (
            OF_DATASET if question.of("dataset") else OF_RUN if question.of("run") else f"{WHERE}."
        )
        st.caption(about)
        st.code(question.python, language="python", wrap_lines=True)
        st.code(question.command, language="bash", wrap_lines=True)


def _nothing(layer: int | None, head: int | None) -> None: ...
