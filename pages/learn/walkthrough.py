"""Walkthrough: one sentence through the model, step by step, with the model's own numbers."""

from s2s.ui.walkthrough import layout, request
from s2s.ui.walkthrough.steps import STEPS

asked = request.ask(STEPS)
if asked:
    layout.show(*asked)
