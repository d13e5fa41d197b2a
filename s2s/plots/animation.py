"""The controls of an animation over training steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SECONDS = 0.4  # per frame
CONTROLS = 120  # pixels, of slider and buttons


def slider(steps: Sequence[int]) -> dict[str, Any]:
    now = {
        "mode": "immediate",
        "frame": {"duration": 0, "redraw": True},
        "transition": {"duration": 0},
    }
    stops = [
        {"method": "animate", "label": f"{step:,}", "args": [[str(step)], now]} for step in steps
    ]
    return {
        "steps": stops,
        "x": 0,
        "len": 1,
        "y": 0,
        "pad": {"t": 56, "b": 8},
        "currentvalue": {"prefix": "step ", "font": {"size": 13}},
    }


def buttons() -> dict[str, Any]:
    """The buttons that play and pause an animation, for Plotly's layout."""
    play = {
        "frame": {"duration": 1000 * SECONDS, "redraw": True},
        "transition": {"duration": 0},
        "fromcurrent": True,
        "mode": "immediate",
    }
    pause = {"frame": {"duration": 0, "redraw": False}, "mode": "immediate"}
    buttons = [
        {"label": "▶ Play", "method": "animate", "args": [None, play]},
        {"label": "❚❚ Pause", "method": "animate", "args": [[None], pause]},
    ]
    place = {
        "direction": "right",
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "top",
        "pad": {"t": 8},
    }
    return {"type": "buttons", "showactive": False, "buttons": buttons, **place}
