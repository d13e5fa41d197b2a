"""Search for a good target, one token at a time. Ids in, ids out; knows nothing of models, tokenizers or text."""

from s2s.decode.search import Beam, Greedy, beam, greedy
from s2s.decode.stepper import Found, Hypothesis, Kept, Stepper
from s2s.decode.strategies import STRATEGIES, Strategy, configure

__all__ = ["STRATEGIES", "Beam", "Found", "Greedy", "Hypothesis", "Kept", "Stepper", "Strategy", "beam", "configure", "greedy"]
