"""Compare: one sentence, decoded with any run, checkpoint and strategy, one row each."""

from s2s.ui.compare import show

show()
