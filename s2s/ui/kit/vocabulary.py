"""The vocabulary of a run, sentences to try with it, and the nearest known word to an unknown one."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import partial
from itertools import takewhile
from types import MappingProxyType

from s2s.config import UserError, nearest
from s2s.data import GENERATED_TASKS, is_for_tests, load, split_sentences
from s2s.demo import EXAMPLES, random_sentences
from s2s.questions import probe_sentences, source_as_it_is
from s2s.runs import Run, RunKey, source_words
from s2s.tokenizers import Tokenizer
from s2s.ui.kit import cached

LANGUAGES = MappingProxyType(
    {
        "builtin:everyday": ("English", "German"),
        "builtin:en-fr": ("English", "French"),
        "builtin:en-es": ("English", "Spanish"),
        "builtin:tasks": ("English", "French or English"),
    }
)
PREFIXES = MappingProxyType(
    {"builtin:tasks": tuple(task.prefix.strip() for task in GENERATED_TASKS.values())}
)
MAX_SUGGESTIONS = 3
PUNCTUATION = ".,;:!?\"'()«»¿¡"
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


@dataclass(frozen=True)
class RunVocabulary:
    """The words and sentences of a run; `words` is empty if its tokenizer makes subwords or characters."""

    words: tuple[str, ...]
    examples: tuple[str, ...]
    sentences: tuple[str, ...]  # to draw a random one from
    languages: tuple[str, str] | None
    prefixes: tuple[str, ...] = ()  # one per task; none where there is only one task
    reads_sentences: bool = False  # whether each training source was one sentence
    longest: int = 0  # words of the longest training sources; 0 where the run does not say it
    seen: frozenset[str] = (
        frozenset()
    )  # the words of the training sources, where the run lists them
    by_people: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # translations of test sources

    def sentences_of(self, text: str) -> tuple[str, ...]:
        """The texts to translate one by one: sentences, or the whole text where the run does not say it reads those."""
        return split_sentences(text) if self.reads_sentences else (text,)

    def random_sentence(self, current: str) -> str:
        others = [sentence for sentence in self.sentences if sentence != current]
        return random.choice(others or [current])

    def suggestions(self, word: str) -> tuple[str, ...]:
        """The nearest known words, best first: in another case, without punctuation, or with a similar spelling."""
        bare = word.strip(PUNCTUATION)
        cases = {bare, bare.lower(), bare.capitalize(), bare.upper()} & set(self.words)
        similar = nearest(bare.lower(), self.words, 5)
        by_similarity = partial(_similarity, bare.lower())
        ranked = (*sorted(cases), *sorted(similar, key=by_similarity, reverse=True))
        return tuple(dict.fromkeys(ranked))[:MAX_SUGGESTIONS]


def examples(run_id: str) -> tuple[str, ...]:
    """Sentences to try with a run; none for one that cannot be opened."""
    try:
        return of(cached.open_run(run_id)).examples
    except UserError:
        return ()


def can_read(run_id: str, text: str) -> bool:
    """Whether a run knows every word of a sentence; True for a run that cannot be opened."""
    try:
        return not cached.open_run(run_id).unknown(text)
    except UserError:
        return True


def _similarity(word: str, other: str) -> tuple[float, int]:
    prefix = takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False))
    return round(SequenceMatcher(None, word, other).ratio(), 2), sum(1 for _ in prefix)


def of(run: Run) -> RunVocabulary:
    """The vocabulary of a run, with sentences of its dataset."""
    return _vocabulary(run.key, run)


@cached.shared(max_entries=8, show_spinner=False)
def _vocabulary(key: RunKey, _run: Run) -> RunVocabulary:
    source = source_as_it_is(_run)
    probes = probe_sentences(_run)
    examples = EXAMPLES.get(source) or probes[:5] or for_published(_run.src_tokenizer)
    data = _run.folder.about().get("data") or {}
    return RunVocabulary(
        _run.src_tokenizer.words,
        examples,
        random_sentences(source) or probes,
        LANGUAGES.get(source),
        PREFIXES.get(source, ()),
        reads_sentences=data.get("reads") == "sentences",
        longest=int(data.get("longest") or 0),
        seen=source_words.read(_run.folder.path),
        by_people=_by_people(source),
    )


def _by_people(source: str) -> dict[str, tuple[str, ...]]:
    if not source or not is_for_tests(source):
        return {}
    return {pair.src: (pair.tgt, *pair.more) for pair in load(source).pairs}


def for_published(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Example sentences for a published model; none if its tasks and languages are unknown."""
    if tokenizer.prefixes:
        return tuple(
            prefix + (ARTICLE if LONG_TASK in task else SENTENCE)
            for task, prefix in tokenizer.prefixes.items()
        )
    code = (tokenizer.language or "").partition("_")[0]
    known = SENTENCES.get(THREE_LETTERS.get(code, code))
    return (known,) if known else ()
