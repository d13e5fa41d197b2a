"""The page Many sentences."""

from s2s.ui.heads.page import read_page
from s2s.ui.heads.views import VIEWS
