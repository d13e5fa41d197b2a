"""Running something elsewhere, one mechanism with four lifetimes.

`program` starts a process with only the environment that it needs, and speaks with it; it reads once, or a `pool` keeps
it warm; `queue` and `worker` are for jobs that outlive this process. `bounds` are their limits, `slots` their turns,
`logs` what a server writes.
"""

__all__ = [
    "bounds",
    "child",
    "environment",
    "fork_server",
    "logs",
    "pool",
    "program",
    "queue",
    "slots",
    "worker",
]
