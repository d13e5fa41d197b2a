"""What every head does over a corpus, whether it matters, and what one output depends on. Models in, arrays out."""

from s2s.analysis.heads.alignment_grid import measure_agreement, measure_alignment
from s2s.analysis.heads.attribution import (
    ATTRIBUTION_ROWS,
    ATTRIBUTIONS,
    BASELINES,
    MOST_STEPS,
    STEPS,
    Attribution,
    AttributionInput,
)
from s2s.analysis.heads.batches import (
    Batch,
    Floats,
    batched,
    finish,
    forced_log_probs,
    is_predicted,
    n_tokens,
)
from s2s.analysis.heads.corpus_roles import (
    CORPUS_ROLES,
    CorpusRoles,
    KindRoles,
    corpus_roles,
    role_rows,
    vocabulary,
)
from s2s.analysis.heads.direct_copying import direct_copying
from s2s.analysis.heads.explanation import (
    SEEDS,
    SHIFT_ROWS,
    WEIGHT_CHANGES,
    OutputShift,
    cross_weights,
    permuted_weights,
    shift_output,
    uniform_weights,
    weights_of_other_heads,
    weights_of_other_sentences,
)
from s2s.analysis.heads.importance import (
    PerHead,
    agreement,
    intervals,
    least_first,
    measure_gradient_importance,
    measure_importance,
    measure_means,
    numbers_pruned,
    prune_curve,
    random_orders,
)
from s2s.analysis.heads.induction import MatchScore, induction, shared_numbers
from s2s.analysis.heads.patching import (
    PATCH_ROWS,
    PATCHES,
    Contrast,
    PatchingResult,
    logit_difference,
    next_logits,
    patch_heads,
    patch_states,
)
from s2s.analysis.heads.rank_agreement import rank_agreement
from s2s.analysis.heads.relations import (
    DIRECTIONS,
    Range,
    RelationAccuracy,
    relation_accuracy,
)
from s2s.analysis.heads.word_maps import HEAD_REDUCTIONS
