"""Sentences to try with a published model: after each of its task prefixes, or in the language of its source."""

from __future__ import annotations

from types import MappingProxyType

from s2s.tokenizers import Tokenizer

SENTENCE = "The house is wonderful."
ARTICLE = (
    "The tower is as tall as a building with 81 floors. It was the tallest structure in the"
    " world for 41 years, until a building in New York was finished in 1930."
)
LONG_TASK = "summar"  # in the name of a task that needs more than a sentence
# by the first letters of a language's code: mBART and M2M100 have two, NLLB three
SENTENCES = MappingProxyType(
    {
        "en": SENTENCE,
        "de": "Das Haus ist wunderbar.",
        "fr": "La maison est merveilleuse.",
        "es": "La casa es maravillosa.",
        "it": "La casa è meravigliosa.",
        "ru": "Этот дом чудесный.",
        "ar": "البيت رائع.",
        "he": "הבית נפלא.",
    }
)
THREE_LETTERS = MappingProxyType(
    {
        "eng": "en",
        "deu": "de",
        "fra": "fr",
        "spa": "es",
        "ita": "it",
        "rus": "ru",
        "arb": "ar",
        "heb": "he",
    }
)


def for_published(tokenizer: Tokenizer) -> tuple[str, ...]:
    """None where nothing is known of the model's tasks and languages."""
    if tokenizer.prefixes:
        return tuple(
            prefix + (ARTICLE if LONG_TASK in task else SENTENCE)
            for task, prefix in tokenizer.prefixes.items()
        )
    code = (tokenizer.language or "").partition("_")[0]
    known = SENTENCES.get(THREE_LETTERS.get(code, code))
    return (known,) if known else ()
