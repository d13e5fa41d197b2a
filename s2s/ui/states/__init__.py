"""The screens of the page States."""
