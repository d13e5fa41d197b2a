"""What the Positions page shows: a view, one encoding or two beside each other, and their settings; all kept in the address as `set`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from s2s import share
from s2s.config import POSITION_KINDS, Config, Positions, UserError, flat, keys, override, setting
from s2s.jobs.twins import Twins
from s2s.runs import Run
from s2s.ui.kit import address, cached, forms, pickers, vocabulary

PREFIX = "positions "  # how the keys of the widgets begin
VIEW = PREFIX + "view"
ENCODING = PREFIX + "encoding"
BESIDE = PREFIX + "beside"
FIRST_VIEW = "matrix"
USUAL = "sinusoidal"
NOTHING = "none of them"
OWN = ("swap", "with", "score")  # what single views keep; a link that arrives empties their widgets
NAMES = {kind: row.label for kind, row in POSITION_KINDS.items()}


@dataclass(frozen=True)
class PositionSettings(Config):
    """What may be turned; each encoding uses some of them."""

    length: int = setting(128, 2, 2048, label="Positions", help="How many positions are drawn.")
    d_model: int = setting(
        128, 2, 1024, label="Model dimension", help="Columns of a position's vector."
    )
    d_head: int = setting(
        32,
        2,
        256,
        label="Head dimension",
        help="Columns of one head's queries and keys, which are turned in pairs.",
    )
    base: float = setting(
        10_000.0,
        1.1,
        1e6,
        label="Frequency base",
        help="The longest wave takes nearly 2 pi times so many positions for a turn.",
    )
    layout: str = setting(
        "halves",
        label="Sine and cosine layout",
        help="All sines before all cosines, or a sine and its cosine in turn.",
        choices=("interleaved", "halves"),
    )
    heads: int = setting(
        8, 1, 64, label="Attention heads", help="Heads of one layer: each has its own slope."
    )
    buckets: int = setting(
        32,
        4,
        256,
        label="Distance buckets",
        help="How many scores are learned; distances share them.",
    )
    max_distance: int = setting(
        128,
        2,
        4096,
        label="Maximum distance",
        help="From this distance on, all share the last bucket.",
    )
    pair: int = setting(
        4, 1, 512, label="Pair of columns", help="Which sine and cosine, counted from the fastest."
    )
    offset: int = setting(5, 0, 2047, help="How many places on.")
    measure: str = setting(
        "cosine",
        label="Similarity measure",
        help="Dot products grow with the vectors' lengths, their cosine does not.",
        choices=("cosine", "dot"),
    )
    vectors: str = setting(
        "alike",
        help="Query and key the same random vector, two that have nothing to do with each other, or both all ones.",
        choices=("alike", "unlike", "ones"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d_head % 2:
            raise UserError(
                f"`d_head` {self.d_head} is odd and rotary positions rotate pairs of columns; try {self.d_head + 1}."
            )
        self.positions("relative")

    def positions(self, kind: str) -> Positions:
        """As a model would be given them. Raises UserError for buckets and distance that do not go together."""
        return Positions(
            kind,
            layout=self.layout,
            base=self.base,
            buckets=self.buckets,
            max_distance=self.max_distance,
        )


@dataclass(frozen=True)
class Asked:
    """What is drawn, and of which run where it needs one."""

    settings: PositionSettings
    run: Run


def arrive() -> None:
    """Fill the widgets from the address where it says something new."""
    if (given := address.arrived("set")) is not None:
        _fill(share.unpack(given))


def run() -> Run:
    """The one that the page is about."""
    return cached.open_run(st.session_state["run"])


def keep_sentence() -> None:
    """Where no box holds it: links name it all the same, for the view that has one."""
    st.session_state.setdefault(
        "src", st.query_params.get("src", next(iter(vocabulary.of(run()).examples), ""))
    )


def view_picker(labels: Mapping[str, str]) -> str:
    """Which of the views is shown."""
    _check(VIEW, labels, FIRST_VIEW, "view of positions")
    chosen = st.segmented_control(
        "View",
        list(labels),
        format_func=labels.__getitem__,
        required=True,
        key=VIEW,
        persist_state="session",
        label_visibility="collapsed",
    )
    return chosen or FIRST_VIEW


def encodings() -> tuple[str, ...]:
    """The one that is chosen, and the one beside it if any."""
    _check(ENCODING, NAMES, USUAL, "encoding")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        options = list(NAMES)
        first = str(
            st.selectbox(
                "Encoding",
                options,
                format_func=NAMES.__getitem__,
                key=ENCODING,
                persist_state="session",
                width=220,
            )
        )
        others = [NOTHING, *(kind for kind in options if kind != first)]
        if st.session_state.get(BESIDE) == first:
            st.session_state[BESIDE] = NOTHING
        _check(BESIDE, others, NOTHING, "encoding")
        beside = st.selectbox(
            "Beside it", others, format_func=_name, key=BESIDE, persist_state="session", width=220
        )
    return (first,) if beside == NOTHING else (first, str(beside))


def settings(names: Collection[str]) -> PositionSettings | None:
    """The widgets of those settings, the others as usual; None where one is wrong, which is said under it."""
    usual = PositionSettings()
    shown = [name for name in keys(PositionSettings) if name in names]
    given = forms.changes(usual, shown, PREFIX)
    wrong = forms.why_not(usual, given)
    found = usual if wrong else override(usual, given)
    if "offset" in names and found.offset >= found.length:
        wrong = UserError(
            f"`offset` {found.offset} leads beyond {found.length} positions; give at most {found.length - 1}."
        )
    if shown:
        with st.grid(6, min_column_width=130):
            forms.inputs(usual, shown, PREFIX, wrong=wrong)
    return None if wrong else found


def hold(own: Mapping[str, str], config: Config | None = None, names: Sequence[str] = ()) -> None:
    """Keep in the address what this view shows: view, encodings where it draws them, the config's values under `names`, its own."""
    said = {"view": str(st.session_state[VIEW])}
    if isinstance(config, PositionSettings):
        said["encoding"] = str(st.session_state[ENCODING])
        said |= (
            {} if st.session_state[BESIDE] == NOTHING else {"beside": str(st.session_state[BESIDE])}
        )
    values: dict[str, Any] = (
        {name: value for name, value in flat(config).items() if name in names} if config else {}
    )
    usual = {"view": FIRST_VIEW, "encoding": USUAL} | forms.to_address(
        {name: value for name, value in flat(PositionSettings()).items() if name in names}
    )
    address.hold("set", share.pack(said | forms.to_address(values) | dict(own)), share.pack(usual))


def summary(kind: str) -> str:
    """One line: what it does, and who thought of it."""
    row = POSITION_KINDS[kind]
    return f"{row.summary} {row.source}." if row.source else row.summary


def _name(kind: str) -> str:
    return NAMES.get(kind, "nothing")


def _check(key: str, options: Collection[str], usual: str, what: str) -> None:
    """What a link says and there is not gives way to the usual."""
    held = str(st.session_state.setdefault(key, usual))
    if held not in options:
        pickers.notify(
            f"There is no {what} {held[:40]}; {_name(usual) if usual == NOTHING else usual} is shown instead."
        )
        st.session_state[key] = usual


def _fill(said: dict[str, str]) -> None:
    """Take what a link says; the widgets are filled from it when they are next drawn."""
    st.session_state[VIEW] = said.pop("view", FIRST_VIEW)
    st.session_state[ENCODING] = said.pop("encoding", USUAL)
    st.session_state[BESIDE] = said.pop("beside", NOTHING)
    for name in OWN:
        st.session_state.pop(PREFIX + name, None)
        if name in said:
            st.session_state[PREFIX + name] = said.pop(name)
    for usual in (Twins(), PositionSettings()):
        every = keys(type(usual))
        of_it = {name: said.pop(name) for name in every if name in said}
        found, lost = forms.from_address(usual, of_it)
        for why in lost:
            pickers.notify(why)
        forms.fill(override(usual, found), every, PREFIX)
    for name in said:
        pickers.notify(f"The link's {name[:40]} means nothing on this page.")
