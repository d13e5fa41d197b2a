"""Home: the translations, and what stands beside the picture."""

from s2s.ui.home.candidates import candidates
from s2s.ui.home.translations import translations
from s2s.ui.home.view_state import STATE
from s2s.ui.home.views import curated_views, doors
from s2s.ui.home.way_in import way_in
