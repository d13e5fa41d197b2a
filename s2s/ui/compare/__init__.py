"""The screens of the page Compare."""
