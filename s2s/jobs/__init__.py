"""Long work, done to the end: what the command line and the worker both run."""
