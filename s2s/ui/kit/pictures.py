"""Pictures on the page: each with its finding, how to read it, and one menu to save it, its data and its code."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from s2s import access
from s2s.plots import AllHeads, LinkedTokens, Picture
from s2s.questions import Question, Table, as_text
from s2s.reports import pictures as reports
from s2s.ui.canvas import attention_lines, heads_canvas, pack_heads, picture_button
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import plain

SHOWN = "pictures of the page"  # in the session: what a snapshot has
MENU = "Save, data, code"
ICON = ":material/download:"
WHERE = "Run it where s2s is installed and this run is stored; Runs offers it as a zip."
LETTER, ROOM, WIDEST = 7, 26, 420  # of a column, in pixels
NARROW = 180  # a first column of this width stays in view
OnPick = Callable[[int | None, int | None], None]
download = partial(st.download_button, on_click="ignore", icon=ICON)


def forget_shown() -> None:
    """Call this before a page is drawn."""
    st.session_state[SHOWN] = []


def shown() -> list[Picture]:
    """The pictures of the page, in order."""
    return [*st.session_state.get(SHOWN, [])]


def show_all(question: Question[Any], answer: Any, pictures: Sequence[Picture]) -> None:
    """The answer of the page: its pictures, one below the other."""
    with st.container(key="answer", border=True):
        for picture in pictures:
            show(picture, question, answer)


def show(
    picture: Picture,
    question: Question[Any],
    answer: Any,
    *,
    on_pick: OnPick | None = None,
    on_enlarge: OnPick | None = None,
    draw: Callable[[], None] | None = None,
) -> None:
    """One picture. `on_pick` and `on_enlarge` are called with what is pressed in a grid of heads; `draw` draws it as
    only its page can.
    """
    others = [
        one for one in shown() if one.name != picture.name
    ]  # a part of the page is drawn again
    st.session_state[SHOWN] = [*others, picture]
    if picture.finding:
        st.html(f"<p class='finding' data-answer>{html.escape(picture.finding)}</p>")
    key = f"figure {picture.name}"
    with st.container(key=key, gap=None):
        figure = picture.figure
        if draw is not None:
            draw()
        elif isinstance(figure, AllHeads):
            heads_canvas(
                pack_heads(*figure[:4], roles=figure.roles),
                figure.chosen,
                figure.enlarged,
                per_row=figure.per_row,
                key=f"{picture.name} grid",
                on_pick=on_pick or _nothing,
                on_enlarge=on_enlarge or _nothing,
            )
        elif isinstance(figure, LinkedTokens):
            attention_lines(*figure[:3], verb=figure.verb, alt=picture.alt, key=picture.name)
        elif figure is None or isinstance(figure, Table):
            show_table(figure or picture.table, alt=picture.alt, key=f"{picture.name} table")
        else:
            chart(figure, alt=picture.alt, file_name=file_name(picture.title))
    if picture.caption:
        st.caption(plain(picture.caption))
    menu(picture, question, answer)


def show_table(table: Table, *, alt: str, key: str, **look: Any) -> None:
    """A table with whole cells: a column is as wide as its longest, up to a limit; a narrow first one stays in view."""
    frame = pd.DataFrame([*map(list, table.rows)], columns=[*table.columns])
    config = {
        name: _column(frame[name], name, table.about.get(name), is_first=not number)
        for number, name in enumerate(table.columns)
    }
    draw: Callable[..., Any] = partial(st.dataframe, hide_index=True, placeholder="")
    draw(frame, column_config=config, alt=alt, key=key, **look)


def _column(values: pd.Series[Any], name: str, about: str | None, *, is_first: bool) -> Any:
    """Numbers in three digits; texts as wide as they are."""
    if pd.api.types.is_float_dtype(values):
        most = float(values.abs().max()) if len(values) else 0.0
        digits = "%.1f" if most >= 10 else "%.2f" if most >= 1 else "%.3g"
        return st.column_config.NumberColumn(help=about, format=digits, pinned=is_first)
    if pd.api.types.is_numeric_dtype(values):
        return st.column_config.NumberColumn(help=about, format="localized", pinned=is_first)
    longest = max((len(str(each)) for each in (*values, name)), default=0)
    width = min(WIDEST, LETTER * longest + ROOM)
    return st.column_config.TextColumn(help=about, width=width, pinned=is_first and width <= NARROW)


def menu(picture: Picture, question: Question[Any], answer: Any) -> None:
    """Everything that can be taken along, made only once it is opened, and each file when it is clicked."""
    key = f"menu {picture.name}"
    with st.popover(MENU, icon=ICON, key=key, on_change="rerun", width="content") as box:
        if not box.open:
            return
        name = file_name(picture.title)
        with st.container(horizontal=True, width=440, gap="xsmall"):
            if picture.vector:
                drawn = picture.vector(title=picture.one_line, caption=picture.finding)
                download("SVG", drawn, f"{name}.svg", "image/svg+xml", key=f"{key} svg")
                picture_button(drawn, name, label="PNG, PDF", key=f"{key} picture")
            page = access.for_this_visitor(partial(reports.page, picture.one_line, [picture]))
            download("HTML", page, f"{name}.html", "text/html", key=f"{key} html")
            download("CSV", picture.table.csv, f"{name}.csv", "text/csv", key=f"{key} csv")
            written = partial(as_text, {"asked": question, "answer": answer})
            download("JSON", written, f"{name}.json", "application/json", key=f"{key} json")
            for file in picture.files:
                content = access.for_this_visitor(file.content)
                download(file.label, content, file.name, file.mime, key=f"{key} {file.label}")
        st.caption(WHERE)
        st.code(question.python, language="python", wrap_lines=True)
        st.code(question.command, language="bash", wrap_lines=True)


def _nothing(layer: int | None, head: int | None) -> None:
    """A picture that nothing is pressed in."""
