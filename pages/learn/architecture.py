"""Architecture: a diagram of the model, and its parameters, costs and masks."""

from s2s.ui.architecture import show

show()
