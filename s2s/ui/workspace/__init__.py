"""The screens of the page My workspace."""
