"""The glossary, and the names of the numbers on the screens. Data only: knows nothing of the rest of s2s."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.words.forms import Form, forms
from s2s.words.glossary_analysis import ANALYSIS
from s2s.words.glossary_attention import ATTENTION
from s2s.words.glossary_data import DATA
from s2s.words.glossary_decoding import DECODING
from s2s.words.glossary_evaluation import EVALUATION
from s2s.words.glossary_experiments import EXPERIMENTS
from s2s.words.glossary_mathematics import MATHEMATICS
from s2s.words.glossary_model import MODEL
from s2s.words.glossary_program import PROGRAM
from s2s.words.glossary_published import PUBLISHED
from s2s.words.glossary_sampling import SAMPLING
from s2s.words.glossary_training import TRAINING
from s2s.words.listing import listed
from s2s.words.metrics import FRACTIONS, NUMBER_NAMES, MetricName, smoothing_note
from s2s.words.numbers import four_digits, nats, percent
from s2s.words.term import Term
from s2s.words.views import SEEN_IN

__all__ = [
    "FRACTIONS",
    "GLOSSARY",
    "NUMBER_NAMES",
    "SEEN_IN",
    "TOPICS",
    "Form",
    "MetricName",
    "Term",
    "forms",
    "four_digits",
    "listed",
    "nats",
    "percent",
    "smoothing_note",
]


def _sorted(*rows: Term) -> tuple[Term, ...]:
    return tuple(sorted(rows, key=lambda row: row.term.casefold()))


TOPICS: Mapping[str, tuple[Term, ...]] = MappingProxyType(
    {
        "Data and tokens": _sorted(*DATA),
        "The model": _sorted(*MODEL),
        "Attention and positions": _sorted(*ATTENTION),
        "Training": _sorted(*TRAINING),
        "Decoding": _sorted(*DECODING),
        "Sampling": _sorted(*SAMPLING),
        "Evaluation": _sorted(*EVALUATION),
        "Looking inside a model": _sorted(*ANALYSIS, *EXPERIMENTS),
        "Published models": _sorted(*PUBLISHED),
        "Mathematics": _sorted(*MATHEMATICS),
        "Files and computers": _sorted(*PROGRAM),
    }
)
GLOSSARY: tuple[Term, ...] = _sorted(*(row for rows in TOPICS.values() for row in rows))
