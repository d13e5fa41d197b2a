"""Positions: order, six ways: what each encoding adds or turns, what it is worth in a model, and how far beyond training it carries."""

from s2s.ui.positions import request
from s2s.ui.positions.views import VIEWS

request.arrive()
view = request.view_picker({slug: row.label for slug, row in VIEWS.items()})
VIEWS[view].show()
