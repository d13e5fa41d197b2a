"""What heads do over many sentences, measured by a worker: one row per experiment, one job, one folder per result."""
