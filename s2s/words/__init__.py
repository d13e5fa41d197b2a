"""The glossary, and the names of the numbers on the screens. Data only: knows nothing of the rest of s2s."""

from __future__ import annotations

from s2s.words.forms import Form, forms
from s2s.words.glossary_analysis import ANALYSIS
from s2s.words.glossary_attention import ATTENTION
from s2s.words.glossary_data import DATA
from s2s.words.glossary_decoding import DECODING
from s2s.words.glossary_evaluation import EVALUATION
from s2s.words.glossary_experiments import EXPERIMENTS
from s2s.words.glossary_mathematics import MATHEMATICS
from s2s.words.glossary_model import MODEL
from s2s.words.glossary_published import PUBLISHED
from s2s.words.glossary_sampling import SAMPLING
from s2s.words.glossary_training import TRAINING
from s2s.words.metrics import NUMBER_NAMES, MetricName
from s2s.words.term import Term

__all__ = ["GLOSSARY", "NUMBER_NAMES", "Form", "MetricName", "Term", "forms"]

GLOSSARY: tuple[Term, ...] = tuple(
    sorted(
        (
            *ANALYSIS,
            *ATTENTION,
            *DATA,
            *DECODING,
            *EVALUATION,
            *EXPERIMENTS,
            *MATHEMATICS,
            *MODEL,
            *PUBLISHED,
            *SAMPLING,
            *TRAINING,
        ),
        key=lambda row: row.term.casefold(),
    )
)
