"""The queue and the processes that work on it: the table of jobs, the worker, the fork server, one process per job."""

from s2s.jobs.queue.database import UnreachableError, begin
from s2s.jobs.queue.table import (
    AT_ONCE,
    ControlRequests,
    Job,
    LeaseLost,
    abandon,
    ask_to_stop,
    claim,
    delete_jobs,
    find,
    finish,
    hand_back,
    is_anything_left,
    jobs,
    latest,
    minutes_of_a_day,
    poll_requests,
    position,
    progressed,
    rename,
    renew,
    request_control,
    set_note,
    submit,
)
