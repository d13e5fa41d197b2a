"""Compare, drawn: a card a column, with its settings, its text beside the others, its numbers, its tokens."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from s2s import share
from s2s.config import UserError
from s2s.decode import generate_call
from s2s.share import Column
from s2s.ui.compare import column, columns, hypotheses, numbers, reference
from s2s.ui.compare.column import Chosen
from s2s.ui.compare.numbers import Figure
from s2s.ui.compare.reference import Basis
from s2s.ui.kit import cached, differences, forms
from s2s.ui.kit.cached import TimedDecoding
from s2s.ui.kit.text import plain
from s2s.ui.shell.pages import PAGES, page_link

ROOM = 300  # pixels that a column needs
ABREAST = {1: 1, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3}  # columns in one row, where there is room
AGAIN = "begin anew"


@dataclass(frozen=True)
class Card:
    """A column's places on the screen, and what its widgets say; nothing where its run cannot be opened."""

    key: str
    chosen: Chosen | None
    body: DeltaGenerator

    @property
    def number(self) -> str:
        """As people count: `1`."""
        return str(columns.KEYS.index(self.key) + 1)


def toolbar(run_id: str) -> None:
    """One more column, and comparisons to begin with."""
    n_columns = len(columns.shown())
    ready = columns.starts(run_id)
    is_full = n_columns == len(columns.KEYS)
    st.button(
        "Add a column",
        icon=":material/add_column_right:",
        key="add column",
        type="primary",
        on_click=columns.add,
        args=(run_id,),
        disabled=is_full,
        help=columns.FULL if is_full else "The same sentence, decoded another way",
    )
    if n_columns == 1:
        for name in ready:
            st.button(name, key=f"start {name}", on_click=columns.start, args=(name, run_id))
    else:
        st.menu_button(
            "Begin anew",
            [columns.ALONE, *ready],
            key=AGAIN,
            icon=":material/restart_alt:",
            on_click=_again,
            args=(run_id,),
        )


def _again(run_id: str) -> None:
    columns.start(st.session_state[AGAIN], run_id)


def cards(run_id: str) -> list[Card]:
    """The columns with their settings; what they say goes into the address."""
    keys = columns.shown()
    with st.grid(
        ABREAST[len(keys)], min_column_width=ROOM, key="columns" if len(keys) > 1 else "column"
    ) as grid:
        drawn = []
        for key in keys:
            with grid.cell(), st.container(border=True):
                drawn.append(_card(run_id, key, is_alone=len(keys) == 1))
    first = drawn[0].chosen
    columns.hold([_written(card, run_id) for card in drawn], first.usual if first else "")
    return drawn


def _card(run_id: str, key: str, *, is_alone: bool) -> Card:
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="top", gap="xsmall"
    ):
        head = st.container(width="stretch")
        _deeds(run_id, key, is_alone=is_alone)
    chosen = None
    first = st.container()
    with st.expander("Settings", icon=":material/tune:"):
        with first if is_alone else st.container():
            strategy = column.strategy_picker(key)
        try:
            chosen = column.controls(run_id, key, strategy)
        except UserError as wrong:
            forms.show_error(wrong)
    card = Card(key, chosen, st.container())
    with head:
        _head(card)
    return card


def _deeds(run_id: str, key: str, *, is_alone: bool) -> None:
    """What may be done with a column."""
    is_full = len(columns.shown()) == len(columns.KEYS)
    with st.container(horizontal=True, width="content", gap="small"):
        clone = "A copy of this column, to change one thing in"
        remove = "Remove this column"
        st.button(
            "Clone",
            icon=":material/content_copy:",
            key=f"clone {key}",
            type="tertiary",
            help=columns.FULL if is_full else clone,
            disabled=is_full,
            on_click=columns.clone,
            args=(key, run_id),
        )
        if not is_alone:
            st.button(
                "Remove",
                icon=":material/close:",
                key=f"remove {key}",
                type="tertiary",
                help=remove,
                on_click=columns.remove,
                args=(key, run_id),
            )


def _head(card: Card) -> None:
    """One line: which column, which strategy, what was changed; below it, whose."""
    if card.chosen is None:
        st.html(f'<p class="column-head"><b>{card.number}</b></p>')
        return
    run, _, strategy, changed = _told(card.chosen)
    settings = f" <span>{html.escape(changed)}</span>" if changed else ""
    place = f"{html.escape(run)} · step {card.chosen.run.step:,}"
    st.html(
        f'<p class="column-head"><b>{card.number} · {html.escape(strategy)}</b>{settings}<br><small>{place}</small></p>'
    )


def _told(chosen: Chosen) -> tuple[str, str, str, str]:
    """Run, checkpoint, strategy and changed settings, as words."""
    changed = ", ".join(
        f"{name} {value}" for name, value in forms.to_address(chosen.settings).items()
    )
    return cached.title(chosen.run.folder.id), str(chosen.run.step), chosen.strategy, changed


def _written(card: Card, run_id: str) -> str:
    """As the address holds it; of a column that cannot be opened, what it said before."""
    if card.chosen:
        return card.chosen.written
    return str(
        st.session_state.get(card.key)
        or Column(str(st.session_state.get(f"{card.key} run", run_id)))
    )


def results(drawn: Sequence[Card], text: str, wanted: Basis) -> None:
    """What every column makes of the text; one that cannot says so in its own card."""
    found = {card.number: timed for card in drawn if (timed := _decoded(card, text))}
    texts = {number: timed.decoded.text for number, timed in found.items()} | {
        reference.REFERENCE: wanted.reference
    }
    told: dict[str, tuple[Sequence[str], Sequence[Figure]]] = {}
    for card in drawn:
        if card.chosen and (timed := found.get(card.number)):
            rows = numbers.figures(card.chosen, timed, wanted.reference)
            told[card.number] = (*_told(card.chosen), timed.decoded.text), rows
            with card.body:
                _text(card, texts, wanted)
                numbers.draw(rows)
                _more(card, card.chosen, timed, is_alone=len(drawn) == 1)
    if len(told) > 1:
        make = partial(numbers.table, told)
        st.download_button(
            "All columns (CSV)",
            make,
            "compare.csv",
            "text/csv",
            key="all columns",
            on_click="ignore",
            icon=":material/download:",
        )


def _decoded(card: Card, text: str) -> TimedDecoding | None:
    if card.chosen is None:
        return None
    with card.body:
        if card.chosen.wrong:
            st.warning(
                "Nothing is decoded here until the settings go together: see *Settings* above.",
                icon=":material/rule_settings:",
            )
            return None
        try:
            return cached.timed_decoding(
                card.chosen.run, text, card.chosen.strategy, card.chosen.settings
            )
        except UserError as wrong:
            forms.show_error(wrong)
    return None


def _text(card: Card, texts: Mapping[str, str], wanted: Basis) -> None:
    """Large, with what differs marked; a click selects all of it."""
    other = texts.get(wanted.against) if wanted.against != card.number else None
    shown, differing = differences.highlighted(texts[card.number], other)
    with st.container(key="translation" if card.key == column.PAGES else f"translation {card.key}"):
        st.html(f'<p dir="auto" title="Click to select, then copy">{shown or "(nothing)"}</p>')
    if differing is not None and differing.is_empty:
        st.caption(f":material/equal: same as {wanted.name}")
    elif wanted.against == card.number:
        st.caption("The others are marked against this one.")
    elif other is None and wanted.against != reference.NOTHING:
        st.caption(f"There is no text of {wanted.name} to mark differences against.")


def _more(card: Card, chosen: Chosen, timed: TimedDecoding, *, is_alone: bool) -> None:
    """Tokens, the other hypotheses, the same in Python, and where to look further."""
    decoded = timed.decoded
    with st.expander("Token by token", expanded=is_alone, icon=":material/token:"):
        hypotheses.best(decoded, "tokens" if card.key == column.PAGES else f"tokens {card.key}")
        hypotheses.download(decoded, f"download {card.key}")
    if len(decoded.hypotheses) > 1:
        with st.expander(
            f"The other {len(decoded.hypotheses) - 1} hypotheses, best first",
            icon=":material/format_list_numbered:",
        ):
            hypotheses.others(decoded)
    with st.expander("The same in Python", icon=":material/code:"):
        _call(chosen, decoded.source)
    with st.container(horizontal=True, vertical_alignment="center"):
        _further("attention", "Where it looked", chosen, src=decoded.source, tgt=decoded.text)
        search = {"strategy": chosen.strategy} | forms.to_address(chosen.settings)
        _further("steps", "Why each word", chosen, src=decoded.source, set=share.pack(search))


def _further(url_path: str, label: str, chosen: Chosen, **params: str) -> None:
    """A link to the same translation on another page; of a run that isn't the page's, in a tab of its own, so that this page stays."""
    place = {"step": str(chosen.run.step), **params}
    whose = chosen.run.folder.id
    if whose == st.session_state["run"]:
        page_link(url_path, label, **place)
        return
    address = url_path + share.link("", {"run": whose, **place})[1:]
    icon = next(row.icon for row in PAGES if row.url_path == url_path)
    st.link_button(
        label,
        address,
        icon=icon,
        type="tertiary",
        help=f"Of {plain(cached.title(whose))}, in a new tab",
    )


def _call(chosen: Chosen, source: str) -> None:
    if chosen.config is None:
        return
    made = generate_call(
        chosen.strategy,
        chosen.config,
        chosen.settings,
        source=source,
        run=chosen.run.folder.id,
        step=chosen.run.step,
    )
    st.caption(made.about)
    st.code(made.code, language="python", wrap_lines=True)
