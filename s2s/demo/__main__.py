"""`python -m s2s.demo`: make again what ships and what this project makes. The recipes are in a checkout only."""

from __future__ import annotations

import sys


def main() -> None:
    """Call the recipes, or say where they are."""
    try:
        from benchmarks.make import command
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("benchmarks"):
            raise
        raise SystemExit(
            "What ships is made in a checkout of s2s, by benchmarks/make; run this command there."
        ) from error
    command.main(sys.argv[1:])


if __name__ == "__main__":
    main()
