"""From a recipe and pairs to trained weights, as a stream of events. Knows nothing of folders, queues or screens."""

from s2s.train import checkpoint, loss
from s2s.train.budget import Budget
from s2s.train.device import (
    chosen_device,
    cores,
    fast_error,
    free_memory,
    is_fast_accurate,
    matrix_products,
    settle,
)
from s2s.train.distributed import Group, Several
from s2s.train.ending import ended_early
from s2s.train.events import (
    Changed,
    Event,
    Planned,
    Sample,
    Saved,
    Step,
    Validation,
    Warned,
)
from s2s.train.loop import Trainer, train
from s2s.train.optimizers import OPTIMIZERS
from s2s.train.prepare import TrainingData, prepare
from s2s.train.ranks import processes
from s2s.train.schedules import SCHEDULES, learning_rate
from s2s.train.teacher_forcing import Teach, shifted
