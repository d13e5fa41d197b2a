"""The page Walkthrough."""
