"""The page States."""

from s2s.ui.states import reproduce
from s2s.ui.states.request import read_request
from s2s.ui.states.views import VIEWS
