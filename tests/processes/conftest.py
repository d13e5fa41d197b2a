from tests.jobs.conftest import _own_worker  # noqa: F401
