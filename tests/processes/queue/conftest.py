from tests.jobs.conftest import _closed_database  # noqa: F401
