"""A model trained here as a folder that other tools load. Takes a config, weights and tokenizers; knows no runs.

`verdicts` says beforehand, from settings alone, what is possible and why the rest is not.
"""

from s2s.pretrained.export.card import as_text, card
from s2s.pretrained.export.ctranslate2_folder import missing_package
from s2s.pretrained.export.folder import check, verdicts_of, write
from s2s.pretrained.export.opened import TrainedModel
from s2s.pretrained.export.targets import OPENED, TARGETS, Verdict, verdicts
