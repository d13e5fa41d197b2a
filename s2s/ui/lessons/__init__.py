"""The page Lessons: what can be opened, and what has been done."""
