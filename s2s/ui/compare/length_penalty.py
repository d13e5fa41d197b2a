"""What the length penalty does to the finished hypotheses of a search, with a button that changes the output."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from s2s.config import settings_of
from s2s.decode import BeamConfig, EndedHypothesis, NewFirst, new_firsts
from s2s.runs import Decoded, ended_hypotheses
from s2s.ui.kit import plain

SETTING = "length_penalty"
ABOUT = "`length_penalty`: 0 favors short outputs, larger values longer ones."


def show(config: BeamConfig, decoded: Decoded, key: str, decode: Callable[[float], None]) -> None:
    """Draw the length penalty, the values where another hypothesis becomes the first, and a button for each.

    `decode` uses a value when the page is next drawn; `key` is the row's.
    """
    ended = ended_hypotheses(config, decoded)
    changes = new_firsts(config, ended)
    with st.container(key=f"{key} {SETTING} outlook"):
        if not changes:
            st.caption(f"{ABOUT} {_no_change(ended)}")
            return
        said = " ".join(_sentence(config, decoded, change) for change in changes)
        st.markdown(f"{ABOUT} {said}")
        with st.container(horizontal=True, gap="small"):
            for change in changes:
                st.button(
                    f"Decode with {_written(change.penalty)}",
                    key=f"{key} {'raise' if _is_higher(config, change) else 'lower'} {SETTING}",
                    icon=":material/replay:",
                    on_click=decode,
                    args=(change.penalty,),
                )


def _sentence(config: BeamConfig, decoded: Decoded, change: NewFirst) -> str:
    to = ("on" if _is_higher(config, change) else "down") if change.stays else ""
    at = f"From {_written(change.penalty)} {to}" if to else f"At {_written(change.penalty)}"
    text = plain(decoded.hypotheses[change.hypothesis].text) or "(nothing)"
    ended = ended_hypotheses(config, decoded)
    length = ended[change.hypothesis].length
    return f"{at}, *{text}* ({length} tokens) wins among these {len(ended)} hypotheses."


def _no_change(ended: Sequence[EndedHypothesis]) -> str:
    row = settings_of(BeamConfig)[SETTING]
    n = len(ended)
    lengths = {one.length for one in ended}
    of = f"these {n} hypotheses" if n > 1 else "this one hypothesis"
    same = f": all have {lengths.pop()} tokens" if n > 1 and len(lengths) == 1 else ""
    return (
        f"For {of} no value from {_written(row.low or 0)} to {_written(row.high or 0)} changes which is first{same}."
        " *Find one*, *Length penalty decides*, finds a sentence where it does."
    )


def _is_higher(config: BeamConfig, change: NewFirst) -> bool:
    return change.penalty > config.length_penalty


def _written(value: float) -> str:
    """`-0.5` -> `−0.5`."""
    return f"{value:g}".replace("-", "−")
