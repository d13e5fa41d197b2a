"""Running something elsewhere: launch, environment, limits, log, and the queue of detached jobs."""

__all__ = ["bounds", "environment", "fork_server", "logs", "queue", "worker"]
