"""`python -m s2s`, and the command `s2s`."""

import sys

from s2s.versions import unsupported


def main() -> int:
    """Runs one command; returns the exit status: 2 where this Python or torch is not supported."""
    sentence = unsupported()
    if sentence:
        print(sentence, file=sys.stderr)
        return 2
    from s2s.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
