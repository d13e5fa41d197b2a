"""The page Attention."""

from s2s.ui.attention.all_heads import show_grid
from s2s.ui.attention.page import ask
from s2s.ui.attention.views import show
