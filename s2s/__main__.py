"""`python -m s2s`."""

import sys

from s2s.cli import main

sys.exit(main())
