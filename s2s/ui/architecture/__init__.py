"""The page Architecture."""

from s2s.ui.architecture.page import select_component, show
