"""Published checkpoints of T5, Marian, BART, mBART, Pegasus and M2M100 as our own model, and our models as theirs.

Knows nothing of runs.
"""

from s2s.pretrained import export, generation
from s2s.pretrained.checkpoint import open_checkpoint, open_tokenizers
from s2s.pretrained.families import FAMILIES, MODELS, KnownModel
from s2s.pretrained.model import PublishedModel, read_config, read_model
from s2s.pretrained.shape import MULTILINGUAL, read_shape
