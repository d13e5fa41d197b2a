"""`python -m s2s.jobs.forked`: the process that a worker forks its jobs from."""

from __future__ import annotations

import importlib
import os
import sys

from s2s import settings
from s2s.processes import fork_server

# What a job imports before its first results.
MODULES = (
    "s2s.jobs.training",
    "s2s.jobs.evaluation.service",
    "s2s.scores",
    "sacrebleu",
    "rouge_score.rouge_scorer",
    "sqlalchemy.dialects.sqlite",
    "encodings.utf_32_le",
)


def _warm() -> None:
    for name in MODULES:
        importlib.import_module(name)


def _prepare() -> None:
    """Lower the priority only after the imports: until then somebody may be waiting for the first job to start."""
    _warm()
    settings.lower_priority()  # of all children together


def main() -> None:
    """Serve fork requests; in a child, do the job like a process that was started for it."""
    if (request := fork_server.serve(_prepare)) is None:
        return
    import torch

    from s2s.jobs import job_process

    if (
        torch.cuda._is_in_bad_fork()
    ):  # an import has initialized CUDA, which does not survive a fork: start a fresh process
        os.execv(
            sys.executable,
            [sys.executable, "-m", "s2s.jobs.job_process", request.job, request.worker],
        )
    if request.threads:
        torch.set_num_threads(request.threads)
    job_process.main(request.job, request.worker)


if __name__ == "__main__":
    main()
