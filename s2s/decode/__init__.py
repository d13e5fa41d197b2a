"""Search for a good target, one token at a time. Ids in, ids out; knows nothing of models, tokenizers or text.

A strategy is one module: its settings, which inherit `Rules`, and a function of a Stepper, them, and Words; and one row of STRATEGIES.
"""

from s2s.decode.beam import Beam, beam
from s2s.decode.greedy import Greedy, greedy
from s2s.decode.rules import Rules
from s2s.decode.stepper import IDS, Begun, Found, Hypothesis, Kept, Stepper, Words
from s2s.decode.strategies import STRATEGIES, Strategy, configure

__all__ = [
    "IDS",
    "STRATEGIES",
    "Beam",
    "Begun",
    "Found",
    "Greedy",
    "Hypothesis",
    "Kept",
    "Rules",
    "Stepper",
    "Strategy",
    "Words",
    "beam",
    "configure",
    "greedy",
]
