"""Walkthrough: one sentence through the machine, step by step, with the model's own numbers."""

from s2s.ui import walkthrough
from s2s.ui.walkthrough_steps import STEPS

asked = walkthrough.ask(STEPS)
if asked:
    walkthrough.show(*asked)
