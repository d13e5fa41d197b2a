"""Search for a good target, one token at a time. Ids in, ids out; knows nothing of models, tokenizers or text.

A strategy is one module, with its settings (a GenerationConfig) and a function of a Stepper, these settings and a
TextCodec; and one row of STRATEGIES.
"""

from s2s.decode.beam import Beam, BeamConfig, beam
from s2s.decode.exact import ExactResult, exact_search
from s2s.decode.feasible import forbidding_setting
from s2s.decode.filters import FILTERS, Truncation
from s2s.decode.generate_call import generate_call
from s2s.decode.greedy import Greedy, greedy
from s2s.decode.length_penalty import EndedHypothesis, NewFirst, first_at, new_firsts
from s2s.decode.mbr import MBR, Utilities, utilities
from s2s.decode.numerics import NEG_INF
from s2s.decode.processors import GenerationConfig, check_limit, token_ids
from s2s.decode.results import Hypothesis, SearchResult, StepRecord, path_records
from s2s.decode.score_arithmetic import (
    explain_score,
    format_number,
    maximized_score,
    score_unit,
)
from s2s.decode.stepper import ID_CODEC, ForcedPrefix, Stepper, TextCodec
from s2s.decode.strategies import STRATEGIES, Strategy, configure, starting_settings
from s2s.decode.tree import (
    FINISHED,
    KEPT,
    PRUNED,
    TRUNCATED,
    NextToken,
    SearchNode,
    SearchTree,
    rerank,
)
from s2s.decode.tree_builder import build_tree
from s2s.decode.truncation import (
    FilterEffect,
    TruncationReport,
    distribution_entropy,
    inspect_truncation,
    is_filter_set,
)
