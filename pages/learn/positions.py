"""Positions: why a model needs them, six encodings, and how far each extrapolates."""

from s2s.ui.positions import show_page

show_page()
