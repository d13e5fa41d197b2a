"""The screens of the page Attention."""
