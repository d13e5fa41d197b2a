"""Workers on a cluster: what starts them (`S2S_ENGINE`), and how many there are. Knows nothing of jobs' work."""

from s2s.jobs.engine.ray_jobs import EngineError, RayJobs
from s2s.jobs.engine.scaler import (
    Engine,
    EngineState,
    Scaler,
    check_settings,
    start_scaler,
    state,
)
