"""The page Heads."""

from s2s.ui.heads import reproduce
from s2s.ui.heads.request import read_request
from s2s.ui.heads.views import VIEWS
