"""What the length penalty does to the finished hypotheses of a search, with a button that changes the output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from s2s.config import settings_of
from s2s.decode import BeamConfig, EndedHypothesis, NewFirst, new_firsts
from s2s.ui.kit.text import plain

SETTING = "length_penalty"
ABOUT = "`length_penalty`: 0 favors short outputs, larger values longer ones."


@dataclass(frozen=True)
class Finished:
    """The finished hypotheses of a search, and what their scores depend on."""

    config: BeamConfig
    texts: Sequence[str]
    ended: Sequence[EndedHypothesis]


def show(found: Finished, key: str, decode: Callable[[float], None]) -> None:
    """What the setting is, where another hypothesis becomes the first, and a button per such value.

    `decode` uses a value when the page is next drawn; `key` is the page's own.
    """
    with st.container(key=f"{key} {SETTING} outlook"):
        _show(found, key, decode)


def _show(found: Finished, key: str, decode: Callable[[float], None]) -> None:
    changes = new_firsts(found.config, found.ended)
    if not changes:
        st.caption(f"{ABOUT} {_no_change(found)}")
        return
    said = " ".join(_sentence(found, change) for change in changes)
    st.markdown(f"{ABOUT} {said}")
    with st.container(horizontal=True, gap="small"):
        for change in changes:
            st.button(
                f"Decode with {_written(change.penalty)}",
                key=f"{key} {'raise' if _is_higher(found, change) else 'lower'} {SETTING}",
                icon=":material/replay:",
                on_click=decode,
                args=(change.penalty,),
            )


def _sentence(found: Finished, change: NewFirst) -> str:
    to = ("on" if _is_higher(found, change) else "down") if change.stays else ""
    at = f"From {_written(change.penalty)} {to}" if to else f"At {_written(change.penalty)}"
    text = plain(found.texts[change.hypothesis]) or "(nothing)"
    length = found.ended[change.hypothesis].length
    return f"{at}, *{text}* ({length} tokens) wins among these {len(found.ended)} hypotheses."


def _no_change(found: Finished) -> str:
    row = settings_of(BeamConfig)[SETTING]
    n = len(found.ended)
    lengths = {one.length for one in found.ended}
    of = f"these {n} hypotheses" if n > 1 else "this one hypothesis"
    same = f": all have {lengths.pop()} tokens" if n > 1 and len(lengths) == 1 else ""
    return (
        f"For {of} no value from {_written(row.low or 0)} to {_written(row.high or 0)} changes which is first{same}."
        " *Find one*, *Length penalty decides*, finds a sentence where it does."
    )


def _is_higher(found: Finished, change: NewFirst) -> bool:
    return change.penalty > found.config.length_penalty


def _written(value: float) -> str:
    """`-0.5` -> `−0.5`."""
    return f"{value:g}".replace("-", "−")
