"""The screens of the page Steps."""
