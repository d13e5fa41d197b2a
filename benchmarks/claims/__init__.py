"""How the claims of the page Lessons are measured: `python -m benchmarks.claims [NAME ...]`."""
