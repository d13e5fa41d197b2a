"""Training as a job: a run from its request to its last checkpoint, in this process or through the queue."""

from s2s.jobs.training.command import to_repeat as command_to_repeat
from s2s.jobs.training.loop import run, work
from s2s.jobs.training.nonzero_rank import shared_files
from s2s.jobs.training.preparation import (
    Continuation,
    PreparedRun,
    RunExistsError,
    RunFinishedError,
    resume,
    start,
)
from s2s.jobs.training.request import RunRequest
from s2s.jobs.training.run_limits import check_processes
from s2s.jobs.training.submission import submit, submit_resume
