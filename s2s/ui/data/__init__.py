"""The screens of the page Data."""
