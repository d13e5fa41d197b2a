"""Datasets that ship with the program: two tiny ones, and generated ones with gold annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from s2s.config import Choice, choose
from s2s.data.corpus import Corpus, Splits
from s2s.data.options import Options
from s2s.data.pair import Pair
from s2s.data.shipped_pairs import PAIRS_PER_TASK, SHIPPED, shipped_pairs, task_pairs
from s2s.data.text import PassageOptions, passages

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

# Only test sentences ship; the training pairs of demo-en-de do not.
ONLY_TESTS = frozenset({"everyday"})
EVERYDAY = SHIPPED / "everyday.en-de.tsv"  # source, tab, references

ATTRIBUTION = "Sentences: Tatoeba (tatoeba.org), CC BY 2.0 FR, selected by manythings.org/anki."
N_TEXTS = 400
GRAMMAR_SPLITS = ("train", "valid", "random", "unseen", "deep", "agreement", "banks")
TEMPLATE_SPLITS = ("train", "valid", "random", "unseen")

PairsOfSplits = Mapping[str, Callable[[], tuple[Pair, ...]]]


def _written(pairs: tuple[Pair, ...]) -> PairsOfSplits:
    return {"train": lambda: pairs}


def _plain_text() -> PairsOfSplits:
    def text() -> tuple[Pair, ...]:
        texts = [pair.src for pair in shipped_pairs("summaries", "train")[:N_TEXTS]]
        joined = " ".join(texts).replace(" .", ".")
        return (Pair(joined, joined),)

    return {"train": text}


def _everyday() -> tuple[Pair, ...]:
    rows = (line.split("\t") for line in EVERYDAY.read_text(encoding="utf-8").splitlines())
    return tuple(Pair(source, target, more=tuple(more)) for source, target, *more in rows)


def _shipped(corpus: str, splits: tuple[str, ...]) -> PairsOfSplits:
    return {split: partial(shipped_pairs, corpus, split) for split in splits}


def _tasks() -> PairsOfSplits:
    return {split: partial(task_pairs, split) for split in PAIRS_PER_TASK}


BUILTINS: Mapping[str, Choice[Callable[[], PairsOfSplits]]] = MappingProxyType(
    {
        "first-steps": Choice(
            make=partial(_written, FIRST_STEPS),
            config=Options,
            summary="A tutorial's two English-Spanish phrases, few enough to follow every number by hand. It has"
            " `ir vamos` for `let's go`; idiomatic Spanish is `vamos`.",
            source="Written for s2s, with the words of a tutorial",
        ),
        "mini-en-fr": Choice(
            make=partial(_written, MINI_EN_FR),
            config=Options,
            summary="Five English-French phrases whose two sides differ in length.",
            source="Written for s2s",
        ),
        "en-fr": Choice(
            make=partial(_shipped, "en-fr", GRAMMAR_SPLITS),
            config=Options,
            summary="English-French sentences from a grammar, with gold alignment and agreement.",
            source="The grammar in benchmarks/make/grammar",
        ),
        "en-es": Choice(
            make=partial(_shipped, "en-es", GRAMMAR_SPLITS),
            config=Options,
            summary="English-Spanish sentences from a grammar, with gold alignment and agreement.",
            source="The grammar in benchmarks/make/grammar",
        ),
        "summaries": Choice(
            make=partial(_shipped, "summaries", TEMPLATE_SPLITS),
            config=Options,
            summary="Four to seven English sentences, and the only one that reports an event.",
            source="The templates in benchmarks/make/generated",
        ),
        "dialogue": Choice(
            make=partial(_shipped, "dialogue", TEMPLATE_SPLITS),
            config=Options,
            summary="Three to six facts, a question and its answer: who has what, and where somebody or something is.",
            source="The templates in benchmarks/make/generated",
        ),
        "tasks": Choice(
            make=_tasks,
            config=Options,
            summary="Four tasks in one, each with its prefix: translate to French, summarize, respond, reverse.",
            source="The grammar in benchmarks/make/grammar and the templates in benchmarks/make/generated",
        ),
        "plain-text": Choice(
            make=_plain_text,
            config=PassageOptions,
            summary="Plain text: short English texts, one after another, in passages of 120 characters. char-halves"
            " learns to continue them.",
            source="The templates in benchmarks/make/generated",
        ),
        "everyday": Choice(
            make=lambda: {"test": _everyday},
            config=Options,
            summary="1,000 everyday English sentences with German translations by people, to test with: demo-en-de was"
            " not trained on them.",
            source="Tatoeba (tatoeba.org), CC BY 2.0 FR, selected by manythings.org/anki",
        ),
    }
)

# No list offers these: they are read for runs that were trained on what a dataset had before.
FORMER: Mapping[str, PairsOfSplits] = MappingProxyType(
    {
        "first-steps-vamos": _written(
            (Pair("let's go", "vamos"), Pair("love you", "te amo")),
        ),
    }
)


def opened(name: str, options: Options) -> Splits:
    """The splits of a built-in dataset. Raises UserError for an unknown name."""
    parts = FORMER.get(name) or choose("built-in dataset", name, BUILTINS).make()
    read = partial(_texts, options=options) if isinstance(options, PassageOptions) else _corpus
    return {split: partial(read, f"builtin:{name}", split, parts) for split in parts}


def _corpus(spec: str, split: str, parts: PairsOfSplits) -> Corpus:
    notes = (ATTRIBUTION,) if spec == "builtin:everyday" else ()
    return Corpus(spec, split, parts[split](), notes)


def _texts(spec: str, split: str, parts: PairsOfSplits, options: PassageOptions) -> Corpus:
    found = [
        passage
        for pair in parts[split]()
        for passage in passages(pair.src, options.length, options.step)
    ]
    pairs = tuple(Pair(passage, passage) for passage in found)
    return Corpus(spec, split, pairs, is_plain=True, n_overlapping=options.n_overlapping)
