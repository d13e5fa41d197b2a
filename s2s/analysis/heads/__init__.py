"""What every head does over a corpus, whether it matters, and what one output depends on. Models in, arrays out."""

from s2s.analysis.heads.attribution import (
    ATTRIBUTIONS,
    BASELINES,
    MOST_STEPS,
    STEPS,
    Attribution,
    AttributionInput,
    AttributionMethod,
)
from s2s.analysis.heads.batches import Batch, Pair, batched, finish, n_tokens
from s2s.analysis.heads.explanation import (
    WEIGHT_CHANGES,
    OutputShift,
    WeightChange,
    cross_weights,
    permuted_weights,
    shift_output,
    uniform_weights,
    weights_of_other_heads,
    weights_of_other_sentences,
)
from s2s.analysis.heads.gradient_importance import agreement, measure_gradient_importance
from s2s.analysis.heads.importance import Importance, PerHead, intervals, measure_importance
from s2s.analysis.heads.mean_outputs import measure_means
from s2s.analysis.heads.patching import (
    MIN_DIFFERENCE,
    Contrast,
    PatchingResult,
    logit_difference,
    next_logits,
    patch_heads,
    patch_states,
)
from s2s.analysis.heads.pruning import PruneCurve, least_first, prune_curve, random_orders
from s2s.analysis.heads.rank_agreement import RankAgreement, rank_agreement
