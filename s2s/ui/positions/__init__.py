"""The page Positions."""

from s2s.ui.positions.page import show_page
