"""Walkthrough: one sentence through the machine, step by step, with the model's own numbers."""

from s2s.ui.walkthrough import request
from s2s.ui.walkthrough.steps import STEPS

asked = request.ask(STEPS)
if asked:
    request.show(*asked)
