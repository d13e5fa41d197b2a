"""The screens of the page Positions."""
