"""Well-known published models of the families that open. Sends no requests."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

UNCHECKED = "see its card"


class KnownModel(NamedTuple):
    """A row of the gallery; `parameters` in millions. A multilingual one has the codes of two of its languages."""

    name: str
    parameters: float
    family: str  # a key of FAMILIES
    languages: str
    license: str
    summary: str
    example: str  # a source
    src_language: str = ""
    tgt_language: str = ""


ENGLISH = "The house is small and red."
GERMAN = "Das Haus ist klein und rot."
FRENCH = "La maison est petite et rouge."
NEWS = (
    "The city council decided on Monday to close the old bridge for two years. Its steel has rusted, and engineers"
    " found cracks in three of its pillars. Until a new bridge is built, drivers have to use the tunnel."
)
APACHE = "apache-2.0"
_OPUS = "Trained on the parallel corpora of OPUS; 6 + 6 layers, 8 heads each."

_ROWS = (
    KnownModel(
        "Helsinki-NLP/opus-mt-en-de", 74, "marian", "English → German", UNCHECKED, _OPUS, ENGLISH
    ),
    KnownModel(
        "Helsinki-NLP/opus-mt-en-fr", 75, "marian", "English → French", APACHE, _OPUS, ENGLISH
    ),
    KnownModel(
        "Helsinki-NLP/opus-mt-en-es", 78, "marian", "English → Spanish", APACHE, _OPUS, ENGLISH
    ),
    KnownModel(
        "Helsinki-NLP/opus-mt-de-en",
        74,
        "marian",
        "German → English",
        APACHE,
        _OPUS,
        GERMAN,
    ),
    KnownModel(
        "Helsinki-NLP/opus-mt-fr-en",
        75,
        "marian",
        "French → English",
        APACHE,
        _OPUS,
        FRENCH,
    ),
    KnownModel(
        "google-t5/t5-small",
        60.5,
        "t5",
        "English, to German, French and Romanian",
        APACHE,
        "Many tasks, named at the start of the source: `translate English to German: ...`, `summarize: ...`.",
        f"translate English to German: {ENGLISH}",
    ),
    KnownModel(
        "google/flan-t5-small",
        77,
        "t5",
        "mainly English",
        APACHE,
        "T5 v1.1 (gated feed-forward), fine-tuned on instructions.",
        f"Translate to German: {ENGLISH}",
    ),
    KnownModel(
        "google/t5-efficient-tiny",
        15.6,
        "t5",
        "English",
        APACHE,
        "The smallest; trained to fill gaps only, so fine-tune it before you expect answers.",
        "The house is <extra_id_0> and red.",
    ),
    KnownModel(
        "facebook/bart-base",
        139,
        "bart",
        "English",
        APACHE,
        "Trained to restore damaged text only, so fine-tune it before you expect answers.",
        "The house is <mask> and red.",
    ),
    KnownModel(
        "sshleifer/distilbart-cnn-6-6",
        230,
        "bart",
        "English",
        APACHE,
        "Summaries of news articles; distilled from BART.",
        NEWS,
    ),
    KnownModel(
        "google/pegasus-xsum",
        570,
        "pegasus",
        "English",
        UNCHECKED,
        "One-sentence summaries of news articles.",
        NEWS,
    ),
    KnownModel(
        "facebook/m2m100_418M",
        484,
        "m2m_100",
        "100 languages",
        "mit",
        "Translates between any two of 100 languages.",
        ENGLISH,
        "en",
        "fr",
    ),
    KnownModel(
        "facebook/nllb-200-distilled-600M",
        615,
        "m2m_100",
        "200 languages",
        "cc-by-nc-4.0",
        "Translates between any two of 200 languages; not for commercial use.",
        ENGLISH,
        "eng_Latn",
        "fra_Latn",
    ),
)
MODELS: Mapping[str, KnownModel] = MappingProxyType({row.name: row for row in _ROWS})
