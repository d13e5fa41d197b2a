"""The page Compare."""

from s2s.ui.compare.page import show
