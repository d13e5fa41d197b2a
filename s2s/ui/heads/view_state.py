"""The state of Heads that no bound widget holds; links carry it in `set`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.jobs import head_service
from s2s.ui.kit import ViewState, between, field


@dataclass(frozen=True)
class HeadsView:
    """Sentences belong to a run, whose dataset they come from; heads are the model's."""

    view: str = field("roles")  # a row of VIEWS
    test: str = field("", scope="run")  # empty: the run's first test set
    n: int = field(500, between(2, head_service.MOST_SENTENCES))


STATE = ViewState("heads", HeadsView)
