"""The screens of the page Architecture."""
