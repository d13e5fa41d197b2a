"""The page Architecture."""

from s2s.ui.architecture.page import show
