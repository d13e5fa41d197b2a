from tests.jobs.conftest import _closed_database, _own_worker  # noqa: F401
