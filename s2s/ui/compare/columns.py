"""The columns of Compare: how many there are, their place in the address, and what adds, copies or removes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from s2s.decode import STRATEGIES
from s2s.share import Column
from s2s.ui.compare import column
from s2s.ui.kit import address, cached

KEYS = tuple(f"c{number}" for number in range(1, 7))
COUNT = "columns"
WHOSE = "columns of"  # the page's run when the columns were last drawn
AGAINST = "against"  # what differences are marked against: see `basis`
ALONE = "One column"
FULL = f"{len(KEYS)} columns are the most."


def arrive(run_id: str) -> Sequence[str]:
    """The keys of the columns to show, filled from the address where it says something new."""
    said = {key: address.arrived(key) for key in KEYS}
    if any(text is not None for text in said.values()):
        _take(said, run_id)
    elif (before := st.session_state.get(WHOSE)) != run_id:
        for key in shown()[1:]:  # columns that showed the page's run go with it
            if st.session_state.get(f"{key} run") == before:
                st.session_state[f"{key} run"] = run_id
    st.session_state[WHOSE] = run_id
    return shown()


def shown() -> Sequence[str]:
    """The keys of the columns there are."""
    return KEYS[: st.session_state.get(COUNT, 1)]


def _take(said: Mapping[str, str | None], run_id: str) -> None:
    """An address means all of its columns, and no others; a gap between them closes."""
    held = {
        key: str(st.session_state.get(key, "")) if key in st.query_params else "" for key in KEYS
    }
    texts = {key: held[key] if text is None else text for key, text in said.items()}
    there = [key for key in KEYS if texts[key] or key == column.PAGES]
    for key, origin in zip(KEYS, there, strict=False):
        if key != origin or said[origin] is not None:
            column.fill(key, Column.read(texts[origin]), run_id)
    st.session_state[COUNT] = len(there)


def hold(written: Sequence[str], usual: str) -> None:
    """Keep every column in the session and in the address, in one step of the browser's history; the first unless it is the usual one."""
    values = dict(zip(KEYS, [*written, *[""] * (len(KEYS) - len(written))], strict=True))
    usuals = {key: usual if key == column.PAGES else "" for key in KEYS}
    wanted = {key: "" if value == usuals[key] else value for key, value in values.items()}
    changed: dict[str, str | list[str]] = {
        key: value or [] for key, value in wanted.items() if value != st.query_params.get(key, "")
    }
    if changed:
        st.query_params.update(changed)
    for key, value in values.items():
        address.hold(key, value, usuals[key])


def add(run_id: str) -> None:
    """One more: the last column's run and checkpoint with a strategy that none has yet."""
    used = {st.session_state.get(f"{key} strategy", column.DEFAULT) for key in shown()}
    clone(shown()[-1], run_id)
    st.session_state[f"{shown()[-1]} strategy"] = next(
        (name for name in STRATEGIES if name not in used), column.DEFAULT
    )


def clone(key: str, run_id: str) -> None:
    """One more, with all that this one has; it stands last."""
    count = len(shown())
    if count < len(KEYS):
        column.copy(key, KEYS[count], run_id)
        st.session_state[COUNT] = count + 1


def remove(key: str, run_id: str) -> None:
    """One fewer; those behind it move up."""
    count = len(shown())
    place = KEYS.index(key)
    if count == 1 or place >= count:
        return
    for target, source in zip(KEYS[place:], KEYS[place + 1 : count], strict=False):
        column.copy(source, target, run_id)
    st.session_state[COUNT] = count - 1
    st.session_state[WHOSE] = st.session_state[
        "run"
    ]  # the others keep their runs, whichever the page has now
    against = str(st.session_state.get(AGAINST, ""))
    if against.isdigit() and int(against) > place:
        st.session_state[AGAINST] = str(int(against) - 1) if int(against) - 1 > place else ""


def start(name: str, run_id: str) -> None:
    """Begin a comparison anew."""
    columns = STARTS[name](run_id)
    for key, one in zip(KEYS, columns, strict=False):
        column.fill(key, one, run_id)
    st.session_state[COUNT] = len(columns)
    st.session_state[AGAINST] = ""


def starts(run_id: str) -> list[str]:
    """The comparisons that this run can begin with."""
    return [name for name, make in STARTS.items() if name != ALONE and len(make(run_id)) > 1]


def _strategies(*names: str) -> Callable[[str], list[Column]]:
    return lambda run_id: [Column(run_id, strategy=name) for name in names]


def _checkpoints(run_id: str) -> list[Column]:
    """The best and the first; where a run has kept only one, that one."""
    run = cached.open_run(run_id)
    return [
        Column(run_id, str(step))
        for step in dict.fromkeys((run.step, min(run.folder.steps_by_choice())))
    ]


def _first(run_id: str) -> list[Column]:
    return [Column.read(st.session_state[column.PAGES])]


STARTS: Mapping[str, Callable[[str], list[Column]]] = MappingProxyType(
    {
        ALONE: _first,
        "Greedy beside beam": _strategies("greedy", "beam"),
        "Five strategies": _strategies("greedy", "beam", "diverse_beam", "sample", "mbr"),
        "Best checkpoint beside the first": _checkpoints,
    }
)
