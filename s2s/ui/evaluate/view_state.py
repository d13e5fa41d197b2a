"""The state of Evaluate: the evaluation that is shown, or the form of a new one; links carry it in `set`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import streamlit as st

from s2s.config import DeniedError, UserError, asker
from s2s.decode import STRATEGIES
from s2s.jobs import test_sets
from s2s.library import Library
from s2s.library.own import list_evaluations
from s2s.questions import Evaluate, ScoreBuckets
from s2s.runs import evaluations
from s2s.scores import AUTO, ROUGE_SCORE, SPACES
from s2s.ui.kit import ViewState, address, between, field, pickers

FILES = "files"  # stands in links as the test set
MOST_SEED = 999_999
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
RUN = "evaluation for"  # in the session: the page's run when an evaluation was last shown


@dataclass(frozen=True)
class EvaluateView:
    """The fields of Evaluate's link that no question declares: `runs` is empty for the page's own run, and uploaded
    files are not part of a link. The settings of a strategy travel as `with.STRATEGY`.
    """

    runs: str = field("", scope="run")  # empty: the page's
    # of uploaded files, drawn with the seed; 0: all, or as many as a minute allows
    n_files: int = field(0, between(0, test_sets.MAX_SENTENCES))
    seed: int = field(1, between(1, MOST_SEED))
    apart: bool = field(False)  # rows of an uploaded table that repeat a source are not grouped


STATE = ViewState("evaluate", EvaluateView, Evaluate, ScoreBuckets)


def read_from_url(run_id: str) -> str:
    """Take over what a new link says. Returns the id of the evaluation to show, or empty for the form alone."""
    given = STATE.from_url()
    if given is not None:
        st.session_state[RUN] = run_id
        for name in STRATEGIES:
            st.session_state[settings_key(name)] = given.get(f"with.{name}", "")
        n = STATE.value("n")
        if STATE.value("test") == FILES and n != Evaluate().n and not STATE.now.n_files:
            STATE.remember(n_files=n)
        write_to_url()
    shown: str = STATE.value("evaluation")
    if not shown and address.is_bare() and st.session_state.get(RUN) != run_id:
        shown = _first(run_id)
    if shown and not _is_there(shown):
        pickers.notify(pickers.missing("evaluation", shown))
        shown = ""
    if shown and st.session_state.get(RUN) != run_id and not _is_of(shown, run_id):
        shown = ""
    st.session_state[RUN] = run_id
    STATE.remember(evaluation=shown)
    return shown


def _first(run_id: str) -> str:
    if shipped := evaluations.shipped(run_id):
        return shipped.id
    own = list_evaluations(asker.current(), run_id)
    return next((one.id for one in own if one.test.has_references), "")


def numbered(names: Sequence[str]) -> dict[str, str]:
    """The names of systems, keyed by their numbers in links."""
    return {str(number): name for number, name in enumerate(names, 1)}


def settings_key(strategy: str) -> str:
    """The key of the widget for a strategy's settings."""
    return f"evaluate settings {strategy}"


def write_to_url() -> None:
    """Write the link, with the settings of the strategies."""
    chosen = STATE.value("strategies").split()
    texts = {name: st.session_state.get(settings_key(name)) for name in chosen}
    STATE.write_to_url({f"with.{name}": text for name, text in texts.items() if text})


def _is_there(evaluation: str) -> bool:
    try:
        Library().evaluation(evaluation)
    except DeniedError:
        return False
    except UserError:  # damaged: its panel shows the error
        return True
    return True


def _is_of(evaluation: str, run_id: str) -> bool:
    try:
        found = Library().evaluation(evaluation).evaluation()
    except UserError:  # its panel shows the error
        return True
    return run_id == found.run or any(run_id == system.run for system in found.systems)
