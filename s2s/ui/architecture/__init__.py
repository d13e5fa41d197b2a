"""The page Architecture."""
