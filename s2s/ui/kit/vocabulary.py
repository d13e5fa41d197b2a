"""What a run has seen: its words, sentences to try, and the nearest known word to a new one."""

from __future__ import annotations

import random
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType

import streamlit as st

from s2s.config import UserError, nearest
from s2s.data import GENERATED_TASKS
from s2s.runs import Run
from s2s.ui.kit import cached

EXAMPLES = MappingProxyType(
    {
        "builtin:en-fr": (
            "the cat sits on the mat",
            "the bank is by the river",
            "I need to bank the money",
            "the cat who chased the mouse was black",
            "the red house",
        ),
        "builtin:en-es": (
            "the red house",
            "the cat sits on the mat",
            "the bank is by the river",
            "I need to bank the money",
            "the cat who chased the mouse was black",
        ),
        "builtin:tasks": (
            "translate English to French: the cat sits on the mat",
            "summarize: snow fell . the queen heard the neighbor . the big castle burned down . the bridge almost burned down .",
            "respond: Ben found the watch . Ida is in the hotel . Ben gave the watch to Ida . who has the watch ?",
            "reverse: lamp green old hat",
            "respond: Max is in the church . Clara has the book . Max took the book . where is Max ?",
        ),
    }
)
LANGUAGES = MappingProxyType(
    {
        "builtin:en-fr": ("English", "French"),
        "builtin:en-es": ("English", "Spanish"),
        "builtin:tasks": ("English", "French or English"),
    }
)
PREFIXES = MappingProxyType(
    {"builtin:tasks": tuple(task.prefix.strip() for task in GENERATED_TASKS.values())}
)
RANDOM_SENTENCES = Path(__file__).parent / "random_sentences"
PUNCTUATION = ".,;:!?\"'()«»¿¡"


@dataclass(frozen=True)
class RunVocabulary:
    """Of one run. `words` is empty where the tokenizer cuts words into pieces, so that none is unknown as a whole."""

    words: tuple[str, ...]
    examples: tuple[str, ...]
    sentences: tuple[str, ...]  # to draw a surprise from
    languages: tuple[str, str] | None
    prefixes: tuple[
        str, ...
    ] = ()  # each of which begins the sources of one task; none where there is only one task

    def surprise(self, now: str) -> str:
        """A sentence other than the one that stands there."""
        return random.choice([sentence for sentence in self.sentences if sentence != now] or [now])

    def offer(self, word: str) -> str | None:
        """The nearest known word: another case, without punctuation, or alike."""
        bare = word.strip(PUNCTUATION)
        cases = {bare, bare.lower(), bare.capitalize(), bare.upper()} & set(self.words)
        alike = nearest(bare.lower(), self.words, 5)
        return min(cases, default=None) or max(
            alike, key=partial(_likeness, bare.lower()), default=None
        )


def examples(run_id: str) -> tuple[str, ...]:
    """Sentences to try with a run; none for one that cannot be opened."""
    try:
        return of(cached.open_run(run_id)).examples
    except UserError:
        return ()


def can_read(run_id: str, text: str) -> bool:
    """Whether a run knows every word of a sentence; True for a run that cannot be opened, which says so itself."""
    try:
        return not cached.open_run(run_id).unknown(text)
    except UserError:
        return True


def _likeness(word: str, other: str) -> tuple[float, int]:
    """Equally alike words: the one that begins alike, as people finish what they have begun to type."""
    alike_from_the_start = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False))
    )
    return round(SequenceMatcher(None, word, other).ratio(), 2), alike_from_the_start


def of(run: Run) -> RunVocabulary:
    """What is known of a run's data."""
    return _known(str(run.folder.path), run.step, run)


@st.cache_resource(max_entries=8, show_spinner=False)
def _known(folder: str, step: int, _run: Run) -> RunVocabulary:
    source = str(_run.folder.about().get("source", ""))
    probes = tuple(
        dict.fromkeys(
            str(line["source"]) for line in _run.folder.lines("samples") if "source" in line
        )
    )
    examples = EXAMPLES.get(source) or probes[:5]
    return RunVocabulary(
        _run.src_tokenizer.words,
        examples,
        _surprises(source) or probes,
        LANGUAGES.get(source),
        PREFIXES.get(source, ()),
    )


def _surprises(source: str) -> tuple[str, ...]:
    """The sources of a built-in corpus' split `random`, kept as a file: to write the corpus again takes seconds."""
    file = RANDOM_SENTENCES / f"{source.removeprefix('builtin:')}.txt"
    return tuple(file.read_text().splitlines()) if source in EXAMPLES else ()
