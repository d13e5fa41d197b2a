"""What is logged meanwhile."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class _List(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def logged(
    name: str | None = None, level: int = logging.DEBUG
) -> Iterator[list[logging.LogRecord]]:
    """The records of this logger (without a name: of all that hand theirs on) from this level on, as they come."""
    logger = logging.getLogger(name)
    handler = _List()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        yield handler.records
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)
