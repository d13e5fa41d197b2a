"""The screens of the page Evaluate."""
