"""Workers on a cluster: what starts them (`S2S_ENGINE`), and how many there are. Knows nothing of jobs' work."""

from s2s.jobs.engine.ray_jobs import EngineError
from s2s.jobs.engine.scaler import (
    Scaler,
    check_settings,
    start_scaler,
    state,
)
