"""The page Steps."""

from s2s.ui.steps import reproduce
from s2s.ui.steps.request import read_request, view_picker
from s2s.ui.steps.views import VIEWS
