"""From a recipe and pairs to trained weights, as a stream of events. Knows nothing of folders, queues or screens."""

from s2s.train.events import Changed, Event, Sample, Saved, Step, Validation, Warned
from s2s.train.loop import Trainer, TrainingData, prepare, train
from s2s.train.schedules import SCHEDULES

__all__ = [
    "SCHEDULES",
    "Changed",
    "Event",
    "Sample",
    "Saved",
    "Step",
    "Trainer",
    "TrainingData",
    "Validation",
    "Warned",
    "prepare",
    "train",
]
