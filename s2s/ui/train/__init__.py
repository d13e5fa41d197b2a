"""The screens of the page Train."""
