"""The folded settings above an answer: all that few people change, and in the title what differs from the default."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from s2s.runs import Run
from s2s.ui.kit.text import plain, shortened
from s2s.ui.streamlit_parts import DeltaGenerator

MOST = 2  # named in the title


def settings_box(best: Run | None, is_changed: Mapping[str, bool]) -> DeltaGenerator:
    """A popover, which moves nothing on the page. Of each setting, whether it differs: `{"rollout": True}`."""
    changed = [
        *(_checkpoint(best) if best else []),
        *(name for name, differs in is_changed.items() if differs),
    ]
    named = [shortened(each, 24) for each in changed[:MOST]]
    more = [f"{len(changed) - MOST} more"] if len(changed) > MOST else []
    said = ", ".join([*map(plain, named), *more])
    title = f"*Settings:* {said}" if said else "*Settings*"  # on a phone without the word
    return st.popover(title, icon=":material/tune:", key="settings", width="content")


def _checkpoint(best: Run) -> list[str]:
    """`checkpoint step 900`, where the address names another than the best; none of what the run does not have."""
    step = st.query_params.get("step", "")
    if step in ("", str(best.step)) or step not in map(str, best.folder.steps_by_choice()):
        return []
    return [f"checkpoint step {step}"]
