"""Texts that ship with the program: two to take in at a glance, the others generated, with gold annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from s2s.config import Choice, choose
from s2s.data.corpus import Corpus, Options, Splits
from s2s.data.pair import Pair

FIRST_STEPS = (
    Pair("let's go", "ir vamos"),
    Pair("love you", "te amo"),
)
MINI_EN_FR = (
    Pair("hello", "bonjour"),
    Pair("thank you", "merci"),
    Pair("good morning", "bonjour"),
    Pair("how are you", "comment allez-vous"),
    Pair("i love you", "je t'aime"),
)

PairsOfSplits = Mapping[str, Callable[[], tuple[Pair, ...]]]


def _written(pairs: tuple[Pair, ...]) -> PairsOfSplits:
    return {"train": lambda: pairs}


def _generated(language: str) -> PairsOfSplits:
    from s2s.data import grammar

    return {split: partial(grammar.generate, language, split) for split in grammar.SPLITS}


def _told(kind: str) -> PairsOfSplits:
    from s2s.data import generated

    return {split: partial(generated.generate, kind, split) for split in generated.SPLITS}


BUILTINS: Mapping[str, Choice[Callable[[], PairsOfSplits]]] = MappingProxyType(
    {
        "first-steps": Choice(
            make=partial(_written, FIRST_STEPS),
            config=Options,
            summary="Two English-Spanish phrases, few enough to follow every number by hand.",
            source="Written for this program",
        ),
        "mini-en-fr": Choice(
            make=partial(_written, MINI_EN_FR),
            config=Options,
            summary="Five English-French phrases whose two sides differ in length.",
            source="Written for this program",
        ),
        "en-fr": Choice(
            make=partial(_generated, "fr"),
            config=Options,
            summary="English-French sentences from a grammar, with gold alignment and agreement.",
            source="The grammar in s2s/data/grammar",
        ),
        "en-es": Choice(
            make=partial(_generated, "es"),
            config=Options,
            summary="English-Spanish sentences from a grammar, with gold alignment and agreement.",
            source="The grammar in s2s/data/grammar",
        ),
        "summaries": Choice(
            make=partial(_told, "summaries"),
            config=Options,
            summary="Four to seven English sentences, and the one among them in which something happened.",
            source="The stories in s2s/data/stories",
        ),
        "dialogue": Choice(
            make=partial(_told, "dialogue"),
            config=Options,
            summary="Three to six facts and a question, and its answer: who has what, and who or what is where.",
            source="The stories in s2s/data/stories",
        ),
        "tasks": Choice(
            make=partial(_told, "tasks"),
            config=Options,
            summary="Four tasks in one, each under its prefix: translate to French, summarize, respond, reverse.",
            source="The grammar in s2s/data/grammar and the stories in s2s/data/stories",
        ),
    }
)


def opened(name: str, options: Options) -> Splits:
    """The splits of a built-in text. Raises UserError for an unknown name."""
    parts = choose("built-in text", name, BUILTINS).make()
    return {split: partial(_corpus, f"builtin:{name}", split, parts) for split in parts}


def _corpus(spec: str, split: str, parts: PairsOfSplits) -> Corpus:
    return Corpus(spec, split, parts[split]())
