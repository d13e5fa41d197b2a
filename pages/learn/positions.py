"""Positions: six position encodings, what each does in a trained model, and how far each extrapolates."""

from s2s.ui.positions import views

views.show()
