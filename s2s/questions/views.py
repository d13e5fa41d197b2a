"""Every question that a page shows: on which page, and which module of `plots` has the pictures of its answer."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from s2s.config import choose
from s2s.questions.ablation import Ablation, SentenceAblation
from s2s.questions.alignment import Alignment
from s2s.questions.alignment_error import AlignmentError
from s2s.questions.attention_of import AttentionOf
from s2s.questions.attention_over_training import AttentionOverTraining
from s2s.questions.attribution import Attribution, ChangedWeights
from s2s.questions.claim import PaperClaim
from s2s.questions.compare import Compare
from s2s.questions.costs import CostGrowth, Costs
from s2s.questions.dataset_profile import DatasetProfile
from s2s.questions.evaluate import Evaluate
from s2s.questions.extrapolation import Extrapolation
from s2s.questions.fault_results import FaultResults
from s2s.questions.forced_target import ForcedTarget
from s2s.questions.head_importance import HeadImportance
from s2s.questions.head_roles import HeadRoles
from s2s.questions.heads_of import AttentionLines, HeadsOf
from s2s.questions.intervene import Intervene
from s2s.questions.logit_lens import LogitLens
from s2s.questions.masks import Masks
from s2s.questions.neighbors import Neighbors
from s2s.questions.next_token import NextToken
from s2s.questions.patching import Patching
from s2s.questions.position_kinds import PositionKinds
from s2s.questions.question import Question
from s2s.questions.role_and_importance import RoleAndImportance
from s2s.questions.roles_over_training import RolesOverTraining
from s2s.questions.runs_compared import RunsCompared
from s2s.questions.same_word import SameWord
from s2s.questions.samples import Samples
from s2s.questions.samples_over_training import SamplesOverTraining
from s2s.questions.score_buckets import ScoreBuckets
from s2s.questions.seed_spread import SeedSpread
from s2s.questions.state_map import StateMap
from s2s.questions.sweep import Sweep
from s2s.questions.t5_sizes import T5Sizes
from s2s.questions.training_curves import TrainingCurves
from s2s.questions.training_forecast import TrainingForecast
from s2s.questions.translate import Translate
from s2s.questions.walkthrough import Walkthrough
from s2s.questions.why_each_word import WhyEachWord
from s2s.questions.word_order import WordOrder

if TYPE_CHECKING:
    from s2s.plots import Picture


class View(NamedTuple):
    """How a question is shown; link: `/states?set=view:same`."""

    page: str
    slug: str
    label: str  # of the tab; empty for what stands beside the tabs
    question: type[Question[Any]]
    drawn_by: (
        str  # a module of `plots` with `pictures(question, answer, model)`, or `module:function`
    )

    def pictures(self, question: Question[Any], answer: Any, model: str) -> list[Picture]:
        """The pictures of an answer; `model` names run and checkpoint. Imports Plotly on first use."""
        name, _, function = self.drawn_by.partition(":")
        draw = getattr(importlib.import_module(f"s2s.plots.{name}"), function or "pictures")
        found: list[Picture] = draw(question, answer, model)
        return found


VIEWS = (
    View("states", "map", "Map", StateMap, "states"),
    View("train", "", "", TrainingCurves, "training_view"),
    View("train", "", "", TrainingForecast, "forecast_view"),
    View("runs", "side-by-side", "", RunsCompared, "runs_view"),
    View("runs", "sweeps", "", Sweep, "runs_view:of_sweep"),
    View("runs", "", "", SeedSpread, "seed_spread_view"),
    View("runs", "attention-while-learning", "", AttentionOverTraining, "attention_history_view"),
    View("train", "", "", SamplesOverTraining, "samples_over_training_view"),
    View("states", "same", "Same word", SameWord, "same_word"),
    View("states", "near", "Nearest neighbors", Neighbors, "same_word:nearest"),
    View("states", "lens", "Logit lens", LogitLens, "logit_lens"),
    View("evaluate", "scores", "Scores", Evaluate, "evaluation_view"),
    View("evaluate", "buckets", "Buckets", ScoreBuckets, "evaluation_view:bucket_pictures"),
    View("attention", "map", "Heatmap", AttentionOf, "attention_view"),
    View("attention", "lines", "Lines", AttentionLines, "links_view:lines"),
    View("attention", "alignment", "Alignment", Alignment, "links_view:alignment"),
    View("attention", "change", "Intervene", Intervene, "intervene_view"),
    View("attention", "", "", HeadsOf, "heads_view"),
    View("architecture", "parameters", "Components", Costs, "costs_view"),
    View("architecture", "costs", "Growth", CostGrowth, "costs_view:growth_pictures"),
    View("architecture", "t5", "T5's sizes", T5Sizes, "costs_view:t5_pictures"),
    View("walkthrough", "", "", Walkthrough, "walk_learning"),
    View("architecture", "masks", "Masks", Masks, "masks_view"),
    View("steps", "tree", "Search tree", WhyEachWord, "search_view"),
    View("steps", "next", "Next token", NextToken, "next_token_view"),
    View("steps", "reference", "Against a reference", ForcedTarget, "forced_target_view"),
    View("steps", "samples", "Samples", Samples, "samples_view"),
    View("heads", "roles", "Roles", HeadRoles, "head_roles_view"),
    View("heads", "importance", "Importance", HeadImportance, "head_importance_view"),
    View("heads", "ablation", "Ablation", Ablation, "intervene_view:ablation"),
    View("heads", "", "", SentenceAblation, "intervene_view:of_sentence"),
    View("heads", "patching", "Patching", Patching, "intervene_view:patching"),
    View("heads", "attribution", "Attribution", Attribution, "attribution_view"),
    View("heads", "", "", ChangedWeights, "attribution_view:changed"),
    View("heads", "alignment", "Alignment", AlignmentError, "alignment_error_view"),
    View("heads", "", "", RoleAndImportance, "head_importance_view:by_role"),
    View("heads", "", "", RolesOverTraining, "head_roles_view:over_training"),
    View("positions", "model", "Why positions", WordOrder, "word_order_view"),
    View("positions", "matrix", "The kinds", PositionKinds, "position_kinds_view"),
    View("positions", "longer", "Longer than trained", Extrapolation, "extrapolation_view"),
    View("data", "", "", DatasetProfile, "dataset_view"),
    View("lessons", "", "", PaperClaim, "claim_view"),
    View("lessons", "", "", FaultResults, "fault_view"),
    View("compare", "", "", Compare, "compare_view"),
    View("compare", "", "", Translate, "compare_view:translation"),
)
BY_NAME: Mapping[str, View] = MappingProxyType({row.question.name: row for row in VIEWS})


def view_of(question: Question[Any]) -> View:
    """The row of VIEWS for this question: its page and its pictures."""
    return BY_NAME[question.name]


def tabs(page: str) -> dict[str, View]:
    """The tabs of a page, by slug."""
    return {row.slug: row for row in VIEWS if row.page == page and row.slug}


def named(name: str) -> View:
    """The view with this name on the command line. Raises UserError for an unknown name."""
    return choose("question", name, BY_NAME)
