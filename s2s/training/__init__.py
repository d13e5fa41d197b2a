"""From a recipe and pairs to trained weights, as a stream of events. Knows nothing of folders, queues or screens."""

from s2s.training import checkpoint, loss
from s2s.training.budget import Budget
from s2s.training.device import (
    chosen_device,
    cores,
    free_memory,
    is_fast_accurate,
    matrix_products,
    settle,
)
from s2s.training.distributed import Group, Several
from s2s.training.ending import ended_early
from s2s.training.events import Changed, Event, Planned, Sample, Saved, Step, Validation, Warned
from s2s.training.loop import Trainer, train
from s2s.training.prepare import TrainingData, prepare
from s2s.training.ranks import processes
from s2s.training.schedules import SCHEDULES, learning_rate
from s2s.training.teacher_forcing import Teach, shifted
