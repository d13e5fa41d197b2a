"""A run is a folder: what was asked, what came of it, and the trained model. Knows nothing of queues or screens."""

from s2s.runs import (
    ablation,
    archive,
    attention_history,
    decoder,
    differences,
    evaluations,
    external_scores,
    listing,
    measurements,
    model_card,
    opening,
    parallel,
    portable,
    probes,
    properties,
    seeds,
    source_words,
    states,
    teacher_forcing,
)
from s2s.runs.attention_history import AttentionHistory, SavedAttention
from s2s.runs.decoded import Decoded, DecodedHypothesis, ended_hypotheses
from s2s.runs.divergence import diverged_at, has_diverged
from s2s.runs.encoded_pairs import EncodedPair, encoded_pairs
from s2s.runs.evaluations import Evaluation, EvaluationFolder, Sentences, System, SystemModel
from s2s.runs.external_scores import ExternalScores
from s2s.runs.intervention import Interventions, Next, active, kept_prefix, next_token
from s2s.runs.listing import (
    LONGEST_COMMENT,
    LONGEST_NAME,
    LONGEST_TAG,
    MOST_TAGS,
    RUN_STATES,
    RunSummary,
    checked_name,
    clean_name,
    fault_in,
    free_name,
    is_training,
)
from s2s.runs.measurements import Measurement, MeasurementFolder
from s2s.runs.metrics import Curves, Metrics
from s2s.runs.opening import with_fault
from s2s.runs.run import Run, RunKey, Target
from s2s.runs.store import RunFolder, runs_folder
from s2s.runs.teacher_forcing import WIDE_BEAM, Reference, first_difference
from s2s.runs.texts import Texts
