"""The screens of the page Runs."""
