"""The state of Heads that no bound widget holds; links carry it in `set`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.analysis import heads
from s2s.questions.views import VIEWS
from s2s.ui.kit import ViewState, between, field, one_of


@dataclass(frozen=True)
class HeadsView:
    """Sentences belong to a run, whose dataset they come from; heads are the model's."""

    view: str = field("roles")  # a row of VIEWS
    part: str = field("roles")  # of the view Roles
    method: str = field("integrated", one_of(*heads.ATTRIBUTIONS))
    baseline: str = field("zero", one_of(*heads.BASELINES))
    n_steps: int = field(heads.STEPS, between(1, heads.MOST_STEPS))  # of an integral
    map: str = field("mean")  # a row of REDUCTIONS, for cross-attention
    one_head: str = field("all", scope="run")  # `all`, or layer and head from 1: `2.3`
    switched: str = field("", scope="run")  # heads that are ablated: `cross=off encoder.1.3=mean`


ASKED = [row.question for row in VIEWS if row.page == "heads"]
STATE = ViewState("heads", HeadsView, *ASKED)
