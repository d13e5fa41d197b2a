"""Long work from its request to its last number: the queue, its workers, training, evaluation, and what a run will
cost.

Modules and names are imported when they are first used: asking the queue costs no torch.
"""

from __future__ import annotations

import importlib
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from s2s.jobs import (
        engine,
        extrapolation,
        fault_experiment,
        model_import,
        run_archives,
        run_copies,
        run_export,
        run_records,
        run_service,
        stop_reasons,
        sweep,
        training,
    )
    from s2s.jobs.evaluation import brought_sets, external, provenance, test_sets, validation
    from s2s.jobs.evaluation import service as evaluation_service
    from s2s.jobs.evaluation.external import GivenScores
    from s2s.jobs.evaluation.provenance import Checkpoint
    from s2s.jobs.evaluation.scoring import SystemScores, forced_scores, forced_signature
    from s2s.jobs.evaluation.service import EvaluationProgress, EvaluationRequest
    from s2s.jobs.evaluation.test_sets import AllReferences, SentencePairs
    from s2s.jobs.evaluation.validation import ValidationScores
    from s2s.jobs.extrapolation import ExtrapolationResult, ExtrapolationSettings
    from s2s.jobs.heads import importance as head_importance
    from s2s.jobs.heads import roles as head_roles
    from s2s.jobs.heads import roles_history as head_roles_history
    from s2s.jobs.heads import samples as head_samples
    from s2s.jobs.heads import service as head_service
    from s2s.jobs.heads.experiments import EXPERIMENTS
    from s2s.jobs.heads.service import MeasurementProgress
    from s2s.jobs.imports import fetching
    from s2s.jobs.imports import forecast as import_forecasts
    from s2s.jobs.imports import service as import_service
    from s2s.jobs.imports.forecast import ImportForecast
    from s2s.jobs.imports.service import ImportProgress, ImportRequest
    from s2s.jobs.plan.advice import Advice, PlannedRun, advise
    from s2s.jobs.plan.calibration import Calibration, calibrate
    from s2s.jobs.plan.cost import (
        STARTUP_SECONDS,
        Forecast,
        check_forecast,
        forecast,
        share_too_long,
    )
    from s2s.jobs.plan.dataset_similarity import ALIKE, richness, traits_of
    from s2s.jobs.plan.expected import (
        MARGIN,
        PredictionInterval,
        predict_quality,
        why_no_prediction,
    )
    from s2s.jobs.plan.measured_runs import MEASURED_FILE, MeasuredRun, read_measured
    from s2s.jobs.plan.own_settings import (
        change_preset,
        own_settings,
        short_count,
        suitable_lr,
        written,
    )
    from s2s.jobs.plan.recommendation import HANDFUL, Recommendation, recommend
    from s2s.jobs.plan.time_budget import (
        changed_settings,
        fit_to_minutes,
        following,
        within_minutes,
    )
    from s2s.jobs.training import initialization
    from s2s.jobs.training.live_controls import LONGEST_PAUSE
    from s2s.jobs.training.nonzero_rank import follow_first_rank
    from s2s.jobs.training.preparation import PreparedRun
    from s2s.jobs.training.processor import is_waiting
    from s2s.jobs.training.request import RunRequest

# Each module with the names of it that are handed on.
_NAMES = MappingProxyType(
    {
        "s2s.jobs.evaluation.external": ("GivenScores",),
        "s2s.jobs.evaluation.provenance": ("Checkpoint",),
        "s2s.jobs.evaluation.scoring": ("SystemScores", "forced_scores", "forced_signature"),
        "s2s.jobs.evaluation.service": ("EvaluationProgress", "EvaluationRequest"),
        "s2s.jobs.evaluation.test_sets": ("AllReferences", "SentencePairs"),
        "s2s.jobs.evaluation.validation": ("ValidationScores",),
        "s2s.jobs.extrapolation": ("ExtrapolationResult", "ExtrapolationSettings"),
        "s2s.jobs.heads.service": ("MeasurementProgress",),
        "s2s.jobs.heads.experiments": ("EXPERIMENTS",),
        "s2s.jobs.imports.forecast": ("ImportForecast",),
        "s2s.jobs.imports.service": ("ImportProgress", "ImportRequest"),
        "s2s.jobs.plan.advice": ("Advice", "PlannedRun", "advise"),
        "s2s.jobs.plan.calibration": ("Calibration", "calibrate"),
        "s2s.jobs.plan.cost": (
            "STARTUP_SECONDS",
            "Forecast",
            "check_forecast",
            "forecast",
            "share_too_long",
        ),
        "s2s.jobs.plan.expected": (
            "MARGIN",
            "PredictionInterval",
            "predict_quality",
            "why_no_prediction",
        ),
        "s2s.jobs.plan.dataset_similarity": ("ALIKE", "richness", "traits_of"),
        "s2s.jobs.plan.measured_runs": ("MEASURED_FILE", "MeasuredRun", "read_measured"),
        "s2s.jobs.plan.own_settings": (
            "change_preset",
            "own_settings",
            "short_count",
            "suitable_lr",
            "written",
        ),
        "s2s.jobs.plan.recommendation": ("HANDFUL", "Recommendation", "recommend"),
        "s2s.jobs.plan.time_budget": (
            "changed_settings",
            "fit_to_minutes",
            "following",
            "within_minutes",
        ),
        "s2s.jobs.training.live_controls": ("LONGEST_PAUSE",),
        "s2s.jobs.training.nonzero_rank": ("follow_first_rank",),
        "s2s.jobs.training.request": ("RunRequest",),
        "s2s.jobs.training.preparation": ("PreparedRun",),
        "s2s.jobs.training.processor": ("is_waiting",),
    }
)
_MODULES = MappingProxyType(
    {
        "evaluation_service": "s2s.jobs.evaluation.service",
        "engine": "s2s.jobs.engine",
        "external": "s2s.jobs.evaluation.external",
        "extrapolation": "s2s.jobs.extrapolation",
        "fault_experiment": "s2s.jobs.fault_experiment",
        "fetching": "s2s.jobs.imports.fetching",
        "head_importance": "s2s.jobs.heads.importance",
        "head_roles": "s2s.jobs.heads.roles",
        "head_roles_history": "s2s.jobs.heads.roles_history",
        "head_samples": "s2s.jobs.heads.samples",
        "head_service": "s2s.jobs.heads.service",
        "import_forecasts": "s2s.jobs.imports.forecast",
        "import_service": "s2s.jobs.imports.service",
        "initialization": "s2s.jobs.training.initialization",
        "provenance": "s2s.jobs.evaluation.provenance",
        "model_import": "s2s.jobs.model_import",
        "run_export": "s2s.jobs.run_export",
        "run_copies": "s2s.jobs.run_copies",
        "run_records": "s2s.jobs.run_records",
        "run_archives": "s2s.jobs.run_archives",
        "run_service": "s2s.jobs.run_service",
        "stop_reasons": "s2s.jobs.stop_reasons",
        "sweep": "s2s.jobs.sweep",
        "brought_sets": "s2s.jobs.evaluation.brought_sets",
        "test_sets": "s2s.jobs.evaluation.test_sets",
        "training": "s2s.jobs.training",
        "validation": "s2s.jobs.evaluation.validation",
    }
)
_HOMES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A module, or a name of one, imported now."""
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module `s2s.jobs` has no attribute `{name}`")
