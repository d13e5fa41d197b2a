"""Look inside a model while it works. Arrays out; knows nothing of screens."""

from s2s.analysis import experiments, heads, positions, switched
from s2s.analysis.alignment import (
    Ints,
    alignment_error_rate,
    best_sources,
    mean_entropy,
    merge_to_words,
    word_indices,
    word_texts,
)
from s2s.analysis.alignment_links import (
    LINK_METHODS,
    LinkMethod,
    Links,
    by_share,
    to_pharaoh,
)
from s2s.analysis.alignment_scores import GoldLinks, LinkScores, score_links
from s2s.analysis.attention import KINDS, Attention, LabeledWeights, Weights
from s2s.analysis.buckets import (
    BUCKETINGS,
    NUMBERS,
    BucketScore,
    bucket_scores,
    count_errors,
)
from s2s.analysis.correlation import correlation
from s2s.analysis.encoding_order import encode_one_by_one, encoding_times
from s2s.analysis.experiments import WeightUpdate, weight_update
from s2s.analysis.forward_trace import (
    Array,
    AttentionTrace,
    FeedForwardTrace,
    ForwardTrace,
    Mask,
    trace_forward,
)
from s2s.analysis.intervene import (
    INTERVENTIONS,
    NO_MEANS,
    WEIGHT_INTERVENTIONS,
    Head,
    Means,
    ablate,
    all_heads,
    override_attention,
)
from s2s.analysis.logit_lens import LogitLens, apply_logit_lens
from s2s.analysis.positions import ByOffset, Matrix
from s2s.analysis.quality_flags import RULES
from s2s.analysis.reduce import REDUCTIONS, AttentionMap, HeadSelection, reduced
from s2s.analysis.roles import ROLES, SELF, HeadSummary, summarize_heads
from s2s.analysis.search_error import ROUNDING, SearchDiagnosis, probability_ratio
from s2s.analysis.sentence_table import (
    SORTS,
    SentenceRow,
    Sort,
    score_gains,
    sentence_rows,
    sort_rows,
    worst_first,
)
from s2s.analysis.simplify import (
    Cell,
    Remaining,
    alignable_words,
    is_sink,
    merge_words,
    strongest_cells,
    without_sinks,
)
from s2s.analysis.states import (
    SIDES,
    Floats,
    Index,
    States,
    Vectors,
    WordStates,
    baseline_cosines,
    cosines,
    principal_components,
    recorded_states,
    unit,
    word_states,
)
from s2s.analysis.trace import Trace, attentions, capture, capture_grams
from s2s.analysis.word_diff import ADDED, MISSING, WordDiff, diff_words
from s2s.analysis.word_order import (
    PositionEffect,
    ReorderingEffect,
    position_effect,
    reordering_effect,
    swapped_order,
    without_positions,
)
