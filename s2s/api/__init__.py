"""What a Python program or a notebook does, in this process, without the dashboard."""

from s2s.api.asked import Asked, ask
from s2s.api.runs import DEFAULT_PRESET, Run, load, mean_and_spread, train
