"""Home: the translations, and what stands beside the picture."""

from s2s.ui.home import reproduce
from s2s.ui.home.alternatives import alternatives
from s2s.ui.home.overview import overview
from s2s.ui.home.translations import chosen_sentence
from s2s.ui.home.view_state import STATE
from s2s.ui.home.views import doors, shipped_views
from s2s.ui.home.way_in import way_in
