"""The columns of Compare: how many there are, their keys in the address, and how to add, clone and remove one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from s2s.decode import STRATEGIES
from s2s.links.share import Column
from s2s.ui.compare import column
from s2s.ui.compare.view_state import STATE
from s2s.ui.kit import address, cached

KEYS = tuple(f"c{number}" for number in range(1, 7))
COUNT = "columns"
LAST_RUN = "columns of"  # the page's run when the columns were last drawn
ALONE = "One column"
TWO = "Greedy and beam"
FULL = f"At most {len(KEYS)} columns."


def read_from_url(run_id: str) -> Sequence[str]:
    """The keys of the columns to show, after taking over what a new address says; two where it says nothing yet."""
    linked = {key: address.read(key) for key in KEYS}
    if any(text is not None for text in linked.values()):
        _take_over(linked, run_id)
    elif LAST_RUN not in st.session_state and address.is_bare():
        start(TWO, run_id)
    elif (before := st.session_state.get(LAST_RUN)) != run_id:
        for key in shown()[1:]:  # columns that showed the page's run follow it
            if st.session_state.get(f"{key} run") == before:
                st.session_state[f"{key} run"] = run_id
    st.session_state[LAST_RUN] = run_id
    return shown()


def shown() -> Sequence[str]:
    """The keys of the current columns."""
    return KEYS[: st.session_state.get(COUNT, 1)]


def _take_over(linked: Mapping[str, str | None], run_id: str) -> None:
    """Show exactly the columns of the address; missing numbers between them are closed up."""
    texts = {}
    for key, text in linked.items():
        current = str(st.session_state.get(key, "")) if key in st.query_params else ""
        texts[key] = current if text is None else text
    given = [key for key in KEYS if texts[key] or key == column.FIRST_KEY]
    for key, origin in zip(KEYS, given, strict=False):
        if key != origin or linked[origin] is not None:
            column.fill(key, Column.read(texts[origin]), run_id)
    st.session_state[COUNT] = len(given)


def write_to_url(written: Sequence[str], default: str) -> None:
    """Write every column to the session and the address, as one entry of the browser's history; a default first column
    is left out, unless the address would have neither a column nor a sentence.
    """
    if len(written) == 1 and "src" not in st.query_params:
        default = ""
    values = dict.fromkeys(KEYS, "") | dict(zip(KEYS, written, strict=False))
    defaults = dict.fromkeys(KEYS, "") | {column.FIRST_KEY: default}
    changed: dict[str, str | list[str]] = {}
    for key, value in values.items():
        in_url = "" if value == defaults[key] else value
        if in_url != st.query_params.get(key, ""):
            changed[key] = in_url or []
    if changed:
        st.query_params.update(changed)
    for key, value in values.items():
        address.write(key, value, defaults[key])


def add(run_id: str) -> None:
    """Add a column: the last column's run and checkpoint, with a strategy that no column has yet."""
    used = {st.session_state.get(f"{key} strategy", column.DEFAULT) for key in shown()}
    unused = (name for name in STRATEGIES if name not in used)
    clone(shown()[-1], run_id)
    st.session_state[f"{shown()[-1]} strategy"] = next(unused, column.DEFAULT)


def clone(key: str, run_id: str) -> None:
    """Add a copy of this column at the end."""
    count = len(shown())
    if count < len(KEYS):
        column.copy(key, KEYS[count], run_id)
        st.session_state[COUNT] = count + 1


def remove(key: str, run_id: str) -> None:
    """Remove this column; the columns after it move up."""
    count = len(shown())
    position = KEYS.index(key)
    if count == 1 or position >= count:
        return
    for target, source in zip(KEYS[position:], KEYS[position + 1 : count], strict=False):
        column.copy(source, target, run_id)
    st.session_state[COUNT] = count - 1
    # The others keep their runs, whichever run the page has now.
    st.session_state[LAST_RUN] = st.session_state["run"]
    against = STATE.now.against
    if against.isdecimal() and int(against) > position:
        moved = int(against) - 1
        STATE.remember(against=str(moved) if moved > position else "")


def start(name: str, run_id: str) -> None:
    """Start a new comparison."""
    columns = STARTS[name](run_id)
    for key, one in zip(KEYS, columns, strict=False):
        column.fill(key, one, run_id)
    st.session_state[COUNT] = len(columns)
    STATE.remember(against="")


def starts(run_id: str) -> list[str]:
    """The ready-made comparisons that this run has enough checkpoints for."""
    return [name for name, make in STARTS.items() if name != ALONE and len(make(run_id)) > 1]


def _strategies(*names: str) -> Callable[[str], list[Column]]:
    return lambda run_id: [Column(run_id, strategy=name) for name in names]


def _checkpoints(run_id: str) -> list[Column]:
    """The best checkpoint and the first, or the only one."""
    run = cached.open_run(run_id)
    first = min(run.folder.steps_by_choice())
    return [Column(run_id, str(step)) for step in dict.fromkeys((run.step, first))]


def _first(run_id: str) -> list[Column]:
    return [Column.read(st.session_state[column.FIRST_KEY])]


STARTS: Mapping[str, Callable[[str], list[Column]]] = MappingProxyType(
    {
        ALONE: _first,
        TWO: _strategies("greedy", "beam"),
        "Five strategies": _strategies("greedy", "beam", "diverse_beam", "sample", "mbr"),
        "Best and first checkpoint": _checkpoints,
    }
)
