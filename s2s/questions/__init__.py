"""Questions about models and data, each one typed value that a page, a program and a command line ask alike."""

from s2s.questions import (
    costs,
    evaluation_request,
    fault_results,
    forced_target,
    masks,
    next_token,
    ranking,
    samples,
    score_buckets,
    views,
    walked,
)
from s2s.questions.ablation import (
    Ablated,
    AblatedSentence,
    Ablation,
    MeanOutputs,
    SentenceAblation,
)
from s2s.questions.alignment import Aligned, Alignment
from s2s.questions.alignment_error import AlignmentError, HeadAlignment
from s2s.questions.answers import Answers
from s2s.questions.attention_of import (
    KIND_NAMES,
    AttentionOf,
    ForcedAttention,
    ForcedWeights,
    Simplified,
    weights_table,
)
from s2s.questions.attention_over_training import AttentionByStep, AttentionOverTraining
from s2s.questions.attribution import (
    ALL_HEADS,
    MAPS,
    Attributed,
    Attribution,
    ChangedWeights,
    Shifted,
    completeness,
)
from s2s.questions.changed import Candidates, Changed
from s2s.questions.claim import PaperClaim
from s2s.questions.compare import MOST_ROWS, NOTHING, REFERENCE, Compare, ForcedOutput
from s2s.questions.compared import ONE_SETTING, Compared, ComparedRow
from s2s.questions.costs import CostGrowth, Costs, Growth, ModelCosts
from s2s.questions.dataset_profile import (
    DatasetProfile,
    ProfiledDataset,
    TaskExamples,
    tokenizer_table,
)
from s2s.questions.evaluate import Evaluate
from s2s.questions.evaluated import Evaluated
from s2s.questions.extrapolation import SCORES, Extrapolated, Extrapolation, LongerLines
from s2s.questions.fault_results import FaultResults, MeasuredFaults
from s2s.questions.finding import Finding, first
from s2s.questions.forced_target import Forced, ForcedTarget
from s2s.questions.gold import GoldOf, ReferencesOf, Targets, validation_pairs
from s2s.questions.have import (
    ANSWERS,
    UNREAD,
    UPLOAD,
    Have,
    Outcome,
    TooLongError,
    are_held_out,
    name_of,
)
from s2s.questions.head_importance import (
    HOW_LABELS,
    HeadImportance,
    Importance,
    by_gradient,
    of_head,
    pruning,
)
from s2s.questions.head_roles import (
    INDUCTION,
    PARTS,
    RELATIONS,
    ROLES,
    HeadRoles,
    Roles,
)
from s2s.questions.heads_of import SHARE_STEP, AttentionLines, HeadsInSentence, HeadsOf, head_at
from s2s.questions.intervene import CHOSEN, Intervene, candidates, positions
from s2s.questions.logit_lens import Lens, LensCell, LogitLens
from s2s.questions.masks import Masks, PaddedPair
from s2s.questions.neighbors import (
    WHOLE,
    NearState,
    NearStates,
    Neighbors,
    PoolStates,
    default_word,
)
from s2s.questions.next_token import NextCandidates, NextToken, NextTokens
from s2s.questions.of_sample import OfSample, PlacedHead, in_order
from s2s.questions.patching import OfTwoSources, Patched, Patching
from s2s.questions.pool import Pool, PoolOf, differing, probe_sentences, source_as_it_is
from s2s.questions.position_findings import rounded
from s2s.questions.position_kinds import (
    MEASURES,
    RANGES,
    SHOWN,
    VECTORS,
    Encoding,
    PositionKinds,
)
from s2s.questions.probed import FORCED_BY, ForcedIds, Probed, TargetIds
from s2s.questions.question import (
    RUN,
    SETTING,
    SUBJECT,
    VIEW,
    Question,
    options,
)
from s2s.questions.role_and_importance import ImportanceWithRoles, RoleAndImportance
from s2s.questions.roles_over_training import RolesByStep, RolesOverTraining
from s2s.questions.row_finding import clearest_row, later_finding, row_finding
from s2s.questions.runs_compared import ComparedRun, ComparedRuns, RunsCompared, changed, origin
from s2s.questions.same_word import (
    BANK_PREFIXES,
    TWO_BANKS,
    Occurrence,
    SameWord,
    TwoOccurrences,
    partner,
    shared_word,
    words_in,
)
from s2s.questions.samples import ComparedSamples, Samples
from s2s.questions.samples_over_training import ProbeTranslations, SamplesOverTraining
from s2s.questions.score_buckets import Buckets, ScoreBuckets
from s2s.questions.searched import TreeOf
from s2s.questions.seed_spread import SeedGroup, SeedGroups, SeedSpread
from s2s.questions.state_map import COLORINGS, MappedStates, StateLayer, StateMap, StatePoint
from s2s.questions.states_of import LAYER_HELP, StatesOf, layer_index, layer_name, layer_names
from s2s.questions.sweep import Sweep, decides, has_seeds, varied
from s2s.questions.t5_sizes import FiveSizes, T5Sizes
from s2s.questions.table import Table, printable
from s2s.questions.training_curves import OVER, LoggedRuns, TrainingCurves, signature_note
from s2s.questions.training_forecast import ForecastedTraining, TrainingForecast
from s2s.questions.translate import DEFAULT_STRATEGY, Translate, packed
from s2s.questions.walked import TracedSentence, TraceOf, Walked
from s2s.questions.walkthrough import Walkthrough
from s2s.questions.why_each_word import FORMULAS, PRUNED_SHOWN, Searched, WhyEachWord
from s2s.questions.word_order import SwappedWords, WordOrder, added_table
from s2s.runs.decoder import Timed
