"""The page Attention."""

from s2s.ui.attention import all_heads, intervention, reproduce
from s2s.ui.attention.request import read_request, view_picker
from s2s.ui.attention.views import VIEWS
