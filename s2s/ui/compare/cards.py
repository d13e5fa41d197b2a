"""The columns of Compare as cards: settings, output text, metrics, tokens."""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import streamlit as st

from s2s.config import UserError
from s2s.decode import BeamConfig, generate_call
from s2s.faults import why_not_exported
from s2s.links import share
from s2s.links.share import Column
from s2s.runs import Decoded, Run, ended_hypotheses
from s2s.ui.compare import (
    across_models,
    column,
    columns,
    hypotheses,
    metrics,
    reference,
    reproduce,
)
from s2s.ui.compare.column import ColumnChoice
from s2s.ui.compare.metrics import MetricValue
from s2s.ui.compare.reference import Comparison
from s2s.ui.kit import (
    cached,
    differences,
    forms,
    length_penalty,
    plain,
    sentence,
    vocabulary,
)
from s2s.ui.kit import reproduce as kit_reproduce
from s2s.ui.kit.cached import TimedDecoding
from s2s.ui.kit.length_penalty import Finished
from s2s.ui.shell import PAGES, is_framed, page_link
from s2s.ui.streamlit_parts import DeltaGenerator

MIN_WIDTH = 300  # pixels of a column
PER_ROW = MappingProxyType(
    {1: 1, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3}
)  # columns in one row, on a wide screen
START_OVER = "start over"


@dataclass(frozen=True)
class Card:
    """A column's card; `choice` is None if its run cannot be opened."""

    key: str
    choice: ColumnChoice | None
    body: DeltaGenerator

    @property
    def number(self) -> str:
        """Counted from 1, as text."""
        return str(columns.KEYS.index(self.key) + 1)


def toolbar(run_id: str) -> None:
    """Buttons that add a column or start a ready-made comparison."""
    n_columns = len(columns.shown())
    ready = columns.starts(run_id)
    is_full = n_columns == len(columns.KEYS)
    st.button(
        "Add a column",
        icon=":material/add_column_right:",
        key="add column",
        type="primary",
        on_click=_once,
        args=(columns.add, n_columns, run_id),
        disabled=is_full,
        help=columns.FULL if is_full else "Decode the same sentence in another way",
    )
    if n_columns == 1:
        for name in ready:
            st.button(name, key=f"start {name}", on_click=columns.start, args=(name, run_id))
    else:
        st.menu_button(
            "Start over",
            [columns.ALONE, *ready],
            key=START_OVER,
            icon=":material/restart_alt:",
            on_click=_start_over,
            args=(run_id,),
        )


def _start_over(run_id: str) -> None:
    columns.start(st.session_state[START_OVER], run_id)


def cards(run_id: str) -> list[Card]:
    """Draw the columns with their settings, and write them to the address."""
    keys = columns.shown()
    with st.grid(
        PER_ROW[len(keys)], min_column_width=MIN_WIDTH, key="columns" if len(keys) > 1 else "column"
    ) as grid:
        drawn = []
        for key in keys:
            with grid.cell(), st.container(border=True):
                drawn.append(_card(run_id, key, is_alone=len(keys) == 1))
    first = drawn[0].choice
    columns.write_to_url([_written(card, run_id) for card in drawn], first.default if first else "")
    return drawn


def _card(run_id: str, key: str, *, is_alone: bool) -> Card:
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="top", gap="xsmall"
    ):
        head = st.container(width="stretch")
        _buttons(run_id, key, is_alone=is_alone)
    choice = None
    with st.container(key=f"controls-{key}"):
        first = st.container()
        with st.expander("Settings", icon=":material/tune:"):
            with first if is_alone else st.container():
                strategy = column.strategy_picker(key)
                near = st.container(width=220)
            try:
                choice = column.controls(run_id, key, strategy, near=near)
            except UserError as error:
                forms.show_error(error)
    card = Card(key, choice, st.container())
    with head:
        _head(card)
    return card


def _buttons(run_id: str, key: str, *, is_alone: bool) -> None:
    """Clone and remove."""
    n_columns = len(columns.shown())
    is_full = n_columns == len(columns.KEYS)
    with st.container(horizontal=True, width="content", gap="small"):
        clone = "Copy this column, to change one setting"
        remove = "Remove this column"
        st.button(
            "Clone",
            icon=":material/content_copy:",
            key=f"clone {key}",
            type="tertiary",
            help=columns.FULL if is_full else clone,
            disabled=is_full,
            on_click=_once,
            args=(columns.clone, n_columns, key, run_id),
        )
        if not is_alone:
            st.button(
                "Remove",
                icon=":material/close:",
                key=f"remove {key}",
                type="tertiary",
                help=remove,
                on_click=_once,
                args=(columns.remove, n_columns, key, run_id),
            )


def _once(change: Callable[..., None], n_columns: int, *given: str) -> None:
    """A change of so many columns: the second click of a double click finds others, and does nothing."""
    if len(columns.shown()) == n_columns:
        change(*given)


def _head(card: Card) -> None:
    """The column's number, strategy and changed settings; below them its run and step."""
    if card.choice is None:
        st.html(f'<p class="column-head"><b>{card.number}</b></p>')
        return
    _, _, strategy, changed = _description(card.choice)
    settings = f" <span>{html.escape(changed)}</span>" if changed else ""
    source = html.escape(cached.model_name(card.choice.run))
    st.html(
        f'<p class="column-head"><b>{card.number} · {html.escape(strategy)}</b>{settings}'
        f"<br><small>{source}</small></p>"
    )


def _description(choice: ColumnChoice) -> tuple[str, str, str, str]:
    """Run, checkpoint, strategy and changed settings, as text."""
    changed = ", ".join(
        f"{name} {value}" for name, value in forms.to_address(choice.settings).items()
    )
    return cached.title(choice.run.folder.id), str(choice.run.step), choice.strategy, changed


def _written(card: Card, run_id: str) -> str:
    """The column as in the address; one that cannot be opened keeps what it said before."""
    if card.choice:
        return card.choice.written
    return str(
        st.session_state.get(card.key)
        or Column(str(st.session_state.get(f"{card.key} run", run_id)))
    )


def results(drawn: Sequence[Card], text: str, comparison: Comparison) -> None:
    """The output of every column; an error is shown in the card of its column."""
    found = _found(drawn, text)
    texts = {number: timed.decoded.text for number, timed in found.items()} | {
        reference.REFERENCE: comparison.reference
    }
    described: dict[str, tuple[Sequence[str], Sequence[MetricValue]]] = {}
    for card in drawn:
        if card.choice and (timed := found.get(card.number)):
            rows = metrics.of_column(card.choice, timed, comparison.reference)
            described[card.number] = (*_description(card.choice), timed.decoded.text), rows
            with card.body:
                _text(card, texts, comparison)
                _unfamiliar(card.choice.run, text)
                metrics.draw(rows)
                _length_penalty(card, card.choice, timed.decoded)
                _more(card, card.choice, timed, comparison.reference, is_alone=len(drawn) == 1)
    runs = {
        card.number: card.choice.run for card in drawn if card.choice and card.number in described
    }
    across_models.show(text, runs, {number: texts[number] for number in described})
    if len(described) > 1:
        make = partial(metrics.table, described)
        st.download_button(
            "All columns (CSV)",
            make,
            "compare.csv",
            "text/csv",
            key="all columns",
            on_click="ignore",
            icon=":material/download:",
        )
    shown = {card.number: card.choice for card in drawn if card.choice and card.number in described}
    if shown:
        reproduce.show(shown, text, comparison.reference)


def _found(drawn: Sequence[Card], text: str) -> dict[str, TimedDecoding]:
    """By column what is known by now; the others show how far they are, or what is wrong."""
    found: dict[str, TimedDecoding] = {}
    pending = [card for card in drawn if not _decode(card, text, found, patience=0.0)]
    until = time.monotonic() + cached.PATIENCE
    for card in pending:  # all were asked for before one is awaited
        _decode(card, text, found, patience=until - time.monotonic(), is_last=True)
    return found


def _decode(
    card: Card,
    text: str,
    found: dict[str, TimedDecoding],
    *,
    patience: float,
    is_last: bool = False,
) -> bool:
    """Whether no more is to be expected of the column now. Its progress is drawn with the last try."""
    if card.choice is None:
        return True
    with card.body:
        if card.choice.error:
            st.warning(
                "These settings are invalid together, so nothing is decoded; see *Settings*.",
                icon=":material/rule_settings:",
            )
            return True
        choice = card.choice
        try:
            found[card.number] = cached.timed_decoding(
                choice.run, text, choice.strategy, choice.settings, patience=patience
            )
        except UserError as error:
            forms.show_error(error)
        except cached.PendingError as pending:
            if is_last:
                pending.draw(card.key)
            return False
    return True


def _text(card: Card, texts: Mapping[str, str], comparison: Comparison) -> None:
    """The output in large type, differences marked; a click selects all of it."""
    other = texts.get(comparison.against) if comparison.against != card.number else None
    shown, differing = differences.highlighted(texts[card.number], other)
    with st.container(
        key="translation" if card.key == column.FIRST_KEY else f"translation {card.key}"
    ):
        st.html(f'<p dir="auto" title="Click to select, then copy">{shown or "(nothing)"}</p>')
    if differing is not None and differing.is_empty:
        with st.container(key=f"{card.key} same"):
            st.caption(f":material/equal: same as {comparison.name}")
    elif comparison.against == card.number:
        st.caption("The other columns are compared with this one.")
    elif other is None and comparison.against != reference.NOTHING:
        st.caption(f"There is no output of {comparison.name} to mark differences against.")


def _unfamiliar(run: Run, text: str) -> None:
    """What another run than the page's, which the sentence box is about, does not know of the sentence."""
    if run.folder.id == st.session_state["run"]:
        return
    if said := sentence.unfamiliar(run, vocabulary.of(run), text):
        st.caption(said)


def _length_penalty(card: Card, choice: ColumnChoice, decoded: Decoded) -> None:
    """Where the length penalty changes which hypothesis is the first."""
    if not isinstance(choice.config, BeamConfig):
        return
    ended = ended_hypotheses(choice.config, decoded)
    texts = [one.text for one in decoded.hypotheses]

    def decode(penalty: float) -> None:
        column.use(card.key, choice.strategy, length_penalty=penalty)

    length_penalty.show(Finished(choice.config, texts, ended), card.key, decode)


def _more(
    card: Card, choice: ColumnChoice, timed: TimedDecoding, wanted: str, *, is_alone: bool
) -> None:
    """Tokens, the other hypotheses, the call in Python, links to other pages; `wanted`: the reference."""
    decoded = timed.decoded
    with st.expander("Token by token", expanded=is_alone, icon=":material/token:"):
        hypotheses.best(decoded, "tokens" if card.key == column.FIRST_KEY else f"tokens {card.key}")
        hypotheses.download(decoded, f"download {card.key}")
    if len(decoded.hypotheses) > 1:
        with st.expander(
            f"The other {len(decoded.hypotheses) - 1} hypotheses, best first",
            icon=":material/format_list_numbered:",
        ):
            hypotheses.others(decoded)
    with st.expander("Python code", icon=":material/code:"):
        _call(choice, decoded.source)
    with st.container(horizontal=True, vertical_alignment="center"):
        _link("attention", "What it attends to", choice, src=decoded.source, tgt=decoded.text)
        search = {"strategy": choice.strategy} | forms.to_address(choice.settings)
        known = {"tgt": wanted} if wanted else {}
        view = {"src": decoded.source, "set": share.pack(search), **known}
        _link("steps", "Why each word", choice, **view)


def _link(url_path: str, label: str, choice: ColumnChoice, **params: str) -> None:
    """A link to the same translation on another page; for a run other than the page's, in a new tab, so that this page
    keeps its run.
    """
    view = {"step": str(choice.run.step), **params}
    run = choice.run.folder.id
    if run == st.session_state["run"]:
        page_link(url_path, label, **view)
        return
    address = url_path + share.link("", {"run": run, **view})[1:]
    icon = next(row.icon for row in PAGES if row.url_path == url_path)
    st.link_button(
        label,
        address,
        icon=icon,
        type="tertiary",
        help=plain(cached.title(run)) + ("" if is_framed() else ", in a new tab"),
    )


def _call(choice: ColumnChoice, source: str) -> None:
    if choice.config is None:
        return
    snippet = generate_call(
        choice.strategy,
        choice.config,
        choice.settings,
        source=source,
        run=choice.run.folder.id,
        step=choice.run.step,
        languages=kit_reproduce.other_languages(choice.run),
        starting=choice.run.starting_settings,
        why_not_exported=why_not_exported(choice.run.recipe.train.fault),
    )
    st.caption(snippet.about)
    st.code(snippet.code, language="python", wrap_lines=True)
