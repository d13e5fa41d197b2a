"""The state of Train that links carry in `set`, beside dataset, preset and the settings of the recipe."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.ui.kit import ViewState, field


@dataclass(frozen=True)
class TrainView:
    """Which curve of the run is drawn, and over what."""

    curve: str = field("loss")  # a row of QUANTITIES
    over: str = field("step")  # a row of AXES
    log_x: bool = field(False, link="logx")
    log_y: bool = field(False, link="logy")


STATE = ViewState("train", TrainView)
