"""The state of Evaluate: the evaluation that is shown, or the form of a new one; links carry it in `set`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import streamlit as st

from s2s.access import DeniedError
from s2s.analysis import BUCKETINGS
from s2s.config import UserError
from s2s.decode import STRATEGIES
from s2s.jobs import test_sets
from s2s.runs import System, evaluations
from s2s.scores import AUTO, ROUGE_SCORE, ROUGE_TOKENIZERS, SPACES, TOKENIZERS
from s2s.ui.kit import ViewState, address, between, field, one_of, pickers

DEFAULT_STRATEGIES = "greedy beam"
SENTENCES = 200  # of a dataset
FILES = "files"  # stands in links as the test set
MOST_SEED = 999_999
BEST = "the best"
LAST = "the last"
EVERY = "every one"  # these stand in links
CHECKPOINTS = MappingProxyType(
    {BEST: "best checkpoint", LAST: "last checkpoint", EVERY: "all checkpoints"}
)
TOKENIZER_LABELS = MappingProxyType(
    {
        AUTO: "by the script of the references",
        "13a": "13a: sacrebleu's default",
        "intl": "intl: international",
        "char": "char: every character",
        "zh": "zh: Chinese",
        "none": "none: split at spaces",
        "ja-mecab": "ja-mecab: Japanese words",
        "ko-mecab": "ko-mecab: Korean morphemes",
        "flores101": "flores101: subwords (spBLEU)",
        "flores200": "flores200: subwords (spBLEU)",
        "spBLEU-1K": "spBLEU-1K: subwords",
        "spm": "spm: flores101",
    }
)
ROUGE_LABELS = MappingProxyType(
    {SPACES: "split at spaces", ROUGE_SCORE: "rouge_score: English only"}
)
NO_SWEEP = "none"  # stands in links
RUN = "evaluation for"  # in the session: the page's run when an evaluation was last shown


@dataclass(frozen=True)
class EvaluateView:
    """A link names an evaluation and how it is shown, or fills the form. The settings of a strategy travel as
    `with.STRATEGY`; uploaded files are not part of a link. Systems are numbered from 1.
    """

    evaluation: str = field("", is_alone=True)
    test: str = field("", scope="run")  # empty: the run's first test set
    n: int = field(SENTENCES, between(1, test_sets.MAX_SENTENCES))
    # of uploaded files, drawn with the seed; 0: all, or as many as a minute allows
    n_files: int = field(0, between(0, test_sets.MAX_SENTENCES))
    seed: int = field(1, between(1, MOST_SEED))
    strategies: str = field(DEFAULT_STRATEGIES)
    runs: str = field("", scope="run")  # empty: the page's
    checkpoints: str = field(BEST, one_of(*CHECKPOINTS))
    sweep: str = field(NO_SWEEP)  # `num_beams of beam`
    values: str = field("", scope="sweep")
    baseline: str = field("")  # the name of a system; empty for the first
    every: bool = field(False)  # all sentences, whatever `n`
    grouped: bool = field(False)
    apart: bool = field(False)  # rows of an uploaded table that repeat a source are not grouped
    tokenizer: str = field(AUTO, one_of(AUTO, *TOKENIZERS))
    chrf_words: bool = field(False)
    lowercase: bool = field(False)
    rouge: str = field(SPACES, one_of(*ROUGE_TOKENIZERS))
    stemmer: bool = field(False)
    metrics: bool = field(False, is_part=True)  # the table has all, and not only the main ones
    quality: str = field("", is_part=True)
    points_of: str = field("", scope="evaluation", is_part=True)
    across: str = field("chrf", is_part=True)
    up: str = field("", is_part=True)
    bucket_of: str = field("", scope="evaluation", is_part=True)
    bucket_other: str = field("", scope="evaluation", is_part=True)
    bucket: str = field("length", one_of(*BUCKETINGS), is_part=True)
    bucket_score: str = field("chrf", is_part=True)
    of: str = field("", scope="evaluation", is_part=True)
    other: str = field("", scope="evaluation", is_part=True)
    sort: str = field("chrf", is_part=True)
    is_reversed: bool = field(False, link="reversed", is_part=True)
    by: str = field("chrf", is_part=True)
    sentence: int = field(0, scope="evaluation", is_part=True)  # its number; 0: the first shown


STATE = ViewState("evaluate", EvaluateView)


def read_from_url(run_id: str) -> str:
    """Take what a link newly says. Returns the id of the evaluation to show, or empty for the form alone."""
    given = STATE.from_url()
    if given is not None:
        st.session_state[RUN] = run_id
        for name in STRATEGIES:
            st.session_state[settings_key(name)] = given.get(f"with.{name}", "")
        if STATE.now.test == FILES and STATE.now.n != SENTENCES and not STATE.now.n_files:
            STATE.remember(n_files=STATE.now.n)
        write_to_url()
    shown = STATE.now.evaluation
    is_first = address.is_bare() and st.session_state.get(RUN) != run_id
    if is_first and not shown and (shipped := evaluations.shipped(run_id)):
        shown = shipped.id
    if shown and not _is_there(shown):
        pickers.notify(pickers.missing("evaluation", shown))
        shown = ""
    if shown and st.session_state.get(RUN) != run_id and not _is_of(shown, run_id):
        shown = ""
    st.session_state[RUN] = run_id
    STATE.remember(evaluation=shown)
    return shown


def numbered(systems: Sequence[System]) -> dict[str, str]:
    """Their names by their numbers, as links have them."""
    return {str(number): system.name for number, system in enumerate(systems, 1)}


def settings_key(strategy: str) -> str:
    """The key of the widget for a strategy's settings."""
    return f"evaluate settings {strategy}"


def write_to_url() -> None:
    """Write the link, with the settings of the strategies."""
    chosen = STATE.now.strategies.split()
    texts = {name: st.session_state.get(settings_key(name)) for name in chosen}
    STATE.write_to_url({f"with.{name}": text for name, text in texts.items() if text})


def _is_there(evaluation: str) -> bool:
    try:
        evaluations.folder(evaluation)
    except DeniedError:
        return False
    except UserError:  # damaged: its panel shows the error
        return True
    return True


def _is_of(evaluation: str, run_id: str) -> bool:
    try:
        found = evaluations.folder(evaluation).evaluation()
    except UserError:  # its panel shows the error
        return True
    return run_id == found.run or any(run_id == system.run for system in found.systems)
