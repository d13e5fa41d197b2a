"""The screens of the page Walkthrough."""
