"""The same against a real PostgreSQL server."""

from tests.jobs.queue.test_postgres import _empty, pytestmark, server  # noqa: F401
from tests.workspaces import test_rows

globals().update({name: test for name, test in vars(test_rows).items() if name.startswith("test_")})
