"""Positions: order, six ways: what each encoding adds or turns, what it is worth in a model, and how far beyond training it carries."""

from s2s.ui import positions
from s2s.ui.positions_views import VIEWS

positions.arrive()
view = positions.view_picker({slug: row.label for slug, row in VIEWS.items()})
VIEWS[view].show()
