"""Known mistakes, made on purpose from outside the model, the training loop and the decoder."""

from s2s.faults.active import active, as_trained, fault_of, install, marked, why_not_exported
from s2s.faults.registry import FAULTS, MISTAKES
