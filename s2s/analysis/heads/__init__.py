"""What every head does over a corpus, and whether it matters. Models and encoded sentences in, arrays out."""

from s2s.analysis.heads.batches import Batch, Pair, batched, finish, n_tokens
from s2s.analysis.heads.gradient_importance import agreement, measure_gradient_importance
from s2s.analysis.heads.importance import Importance, PerHead, intervals, measure_importance
from s2s.analysis.heads.mean_outputs import measure_means
from s2s.analysis.heads.pruning import PruneCurve, least_first, prune_curve, random_orders
