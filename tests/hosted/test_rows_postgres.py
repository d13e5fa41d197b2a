"""The same against a real PostgreSQL server."""

from tests.files.test_postgres import _empty, pytestmark, server  # noqa: F401
from tests.hosted import test_rows

# Refused before a database is asked.
ON_ANY = (
    "test_a_guess_is_refused_without_a_query",
    "test_only_its_visitor_may_do_anything_with_a_whole_workspace",
)
globals().update(
    {
        name: test
        for name, test in vars(test_rows).items()
        if name.startswith("test_") and name not in ON_ANY
    }
)
