"""Two or more runs side by side: scores, curves, and the settings in which they differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from s2s.config import Recipe, flat, settings_of
from s2s.faults import marked
from s2s.links.share import printable
from s2s.plots import format_value, training_view
from s2s.questions import LoggedRuns, TrainingCurves
from s2s.runs import differences
from s2s.ui.kit import cached, duration, file_name, in_view, pickers, unique_names
from s2s.ui.kit.pictures import show
from s2s.ui.kit.tables import frame_csv
from s2s.ui.kit.training_curves import (
    MAX_RUNS,
    loss_note,
    quantity_and_axis,
    signature_note,
)
from s2s.ui.runs import details, seed_spread, table
from s2s.ui.runs.view_state import STATE

OWNER = "compared for"  # in the session: the page's run when the runs were selected
BEST = "★"
NO_STAR = " Loss and accuracy have no star here: they are comparable only with the same tokenizer and dataset."
DIFFERS = "≠"
MAX_NAME = 32  # characters of a run's name above a column
BREAKS = (
    ": ",
    ", ",
    " · ",
)  # where a name may be split: sweeps name runs `preset on dataset: setting value, setting value`
SEED_FORMS = {"validation loss": ".3f", "accuracy": ".1%", "BLEU": ".1f"}
RESERVED = ("score", " ", "setting", "meaning")  # names of columns that are not runs


def tab(run_id: str) -> None:
    """The runs to compare, their scores, curves and settings; scores refresh while one of them is live."""
    chosen = _chosen(run_id)
    for run in chosen:
        in_view.add_run(run)
    if len(chosen) < 2:
        st.info(
            "Select two or more runs to compare their scores, curves and settings.",
            icon=":material/compare_arrows:",
        )
        return
    rows = cached.runs()
    is_live = any(row.is_live for run in chosen if (row := rows.get(run)))
    st.fragment(_measured, run_every=table.REFRESH_SECONDS if is_live else None)(chosen)
    _settings(chosen)


def _chosen(run_id: str) -> list[str]:
    for run in STATE.now.compared.split()[:MAX_RUNS]:
        cached.follow_link(run)
    names = unique_names(
        {run: middle(name, 2 * MAX_NAME) for run, name in _names([*cached.runs()]).items()}
    )
    given = st.session_state.get(STATE.key("compared"), STATE.now.compared.split())
    selected = [run for run in given if run in names][:MAX_RUNS]
    if lost := [run for run in given if run not in names]:
        pickers.notify(f"There is no run {lost[0][:40]} here (any more); it is left out.")
    if st.session_state.get(OWNER) != run_id and run_id not in selected:
        selected = [run_id, *_newest_other(run_id)]
    st.session_state[OWNER] = run_id
    if selected != given:
        STATE.show(compared=" ".join(selected))
    return STATE.choices("compared", "Runs to compare", names, max_selections=MAX_RUNS)


def keep_for(run_id: str) -> None:
    """Keep the runs that a link or button selected, even if the page's run is not among them."""
    if STATE.now.compared:
        st.session_state[OWNER] = run_id


def _newest_other(run_id: str) -> list[str]:
    own = [row.id for row in cached.own_runs() if row.id != run_id]
    return [*own, *(run for run in cached.runs() if run != run_id)][:1]


def _columns(runs: Sequence[str]) -> dict[str, str]:
    titles = distinguishable(_names(runs))
    taken = Counter([*titles.values(), *RESERVED])
    return {
        run: title if taken[title] == 1 else f"{title} · {run}" for run, title in titles.items()
    }


def _names(runs: Sequence[str]) -> dict[str, str]:
    rows = cached.runs()
    return {
        run: marked(printable(row.name), row.fault) if (row := rows.get(run)) and row.name else run
        for run in runs
    }


def distinguishable(names: Mapping[str, str]) -> dict[str, str]:
    """Names short enough for a column: of long ones, the prefix that all share is left out."""
    common = _common_prefix([*names.values()])
    start = max(common.rfind(mark) + len(mark) if mark in common else 0 for mark in BREAKS)
    is_shortened = (
        start > 0 and len(names) > 1 and any(len(name) > MAX_NAME for name in names.values())
    )
    return {
        run: middle(f"…{name[start:]}" if is_shortened else name, MAX_NAME)
        for run, name in names.items()
    }


def _common_prefix(names: Sequence[str]) -> str:
    first = min(names)
    last = max(names)
    return first[
        : next(
            (i for i, (one, other) in enumerate(zip(first, last, strict=False)) if one != other),
            len(first),
        )
    ]


def middle(name: str, length: int) -> str:
    """At most `length` characters, keeping both ends: a sweep's setting is at the end.

    >>> middle("small on builtin:en-fr: lr 0.001", 16)
    'small…: lr 0.001'
    """
    if len(name) <= length:
        return name
    first = length // 3
    return f"{name[:first]}…{name[first + 1 - length :]}"


def _measured(chosen: Sequence[str]) -> None:
    titles = _columns(chosen)
    rows = {name: _marked(score, chosen) for name, score in SCORES.items()}
    frame = (
        pd.DataFrame.from_dict(rows, orient="index", columns=[titles[run] for run in chosen])
        .rename_axis("score")
        .reset_index()
    )
    st.dataframe(
        frame,
        hide_index=True,
        placeholder="",
        alt=f"Scores and sizes of {len(chosen)} runs",
        key="comparison scores",
    )
    st.caption(
        f"{BEST} best. Loss, accuracy and BLEU are from each run's best validation, on its own validation pairs."
        f"{'' if _have_same_tokens(chosen) else NO_STAR} {loss_note(chosen)}"
    )
    table.warn_of_signatures(chosen)
    _curves(titles)
    scores = {name: {run: _known(SCORES[name].of(run)) for run in chosen} for name in SEED_FORMS}
    seed_spread.panel(seed_spread.measured(chosen, scores, SEED_FORMS), "Side by side")


def _known(value: float | str | None) -> float | None:
    return value if isinstance(value, float) and math.isfinite(value) else None


def _have_same_tokens(runs: Sequence[str]) -> bool:
    recipes = [cached.recipe(run) for run in runs]
    tokenizers = {recipe.tokenizer if recipe else None for recipe in recipes}
    sources = {_source(run) for run in runs}
    return len(sources) == len(tokenizers) == 1 and None not in tokenizers


def _source(run: str) -> str:
    row = cached.runs().get(run)
    return row.source if row else str(cached.metadata(run).get("source", ""))


class Score(NamedTuple):
    """One row of the table of scores."""

    of: Callable[[str], float | str | None]
    form: Callable[[Any], str] = str
    # A sort key, larger is better; None if no direction is better.
    better: Callable[[Any], float] | None = None
    is_per_token: bool = False  # so that only runs of one tokenizer can be compared
    is_signed: bool = False  # so that only scores of one signature can be compared


def _parameters(run: str) -> int | None:
    return cached.parameter_count(run)


def _seconds(run: str) -> float | None:
    curves = cached.curves(run)
    times = curves.step_times
    if times is None:
        return None
    return float(60 * curves.minutes[-1]) + len(curves.valid_steps) * times.validation


def _best(run: str, column: str) -> float | None:
    best = table.best_validation(run)
    return None if best is None else float(getattr(cached.curves(run), column)[best])


def _bleu(run: str) -> float | None:
    return _best(run, "valid_bleu")


def _state(run: str) -> str:
    row = cached.runs().get(run)
    return table.state(row) if row else "✓ done"


SCORES: Mapping[str, Score] = {
    "state": Score(_state),
    "validation loss": Score(
        lambda run: _best(run, "valid_loss"),
        lambda value: f"{value:.3f}",
        lambda value: -value,
        is_per_token=True,
    ),
    "accuracy": Score(
        lambda run: _best(run, "valid_token_accuracy"),
        lambda value: f"{value:.1%}",
        float,
        is_per_token=True,
    ),
    "BLEU": Score(_bleu, lambda value: f"{value:.1f}", float, is_signed=True),
    "parameters": Score(_parameters, lambda value: f"{value:,}"),
    "steps": Score(lambda run: cached.curves(run).step, lambda value: f"{value:,}"),
    "training time": Score(_seconds, duration),
    "dataset": Score(lambda run: cached.dataset_name(str(cached.metadata(run).get("source", "")))),
}


def _marked(score: Score, chosen: Sequence[str]) -> list[str]:
    values = [score.of(run) for run in chosen]
    known = [value for value in values if not _is_missing(value)]
    is_unlike = score.is_per_token and not _have_same_tokens(chosen)
    if score.is_signed:
        is_unlike = bool(signature_note(map(cached.curves, chosen)))
    better = None if is_unlike else score.better
    best = max(map(better, known)) if better and len(set(known)) > 1 else None
    stars = [
        f"{BEST} " if better and value in known and better(value) == best else ""
        for value in values
    ]
    return [
        "-" if _is_missing(value) else star + score.form(value)
        for star, value in zip(stars, values, strict=True)
    ]


def _is_missing(value: float | str | None) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _curves(titles: Mapping[str, str]) -> None:
    before = STATE.now
    curve, over = quantity_and_axis(STATE)
    if STATE.now != before:
        st.rerun()  # the whole page: the link of Share says it, too
    question = TrainingCurves(runs=tuple(titles), curve=curve, over=over)
    answer = LoggedRuns(tuple(titles.values()), tuple(map(cached.curves, titles)))
    reading = training_view.QUANTITIES[curve].reading
    caption = f"Training is solid, validation dashed. {reading} {loss_note(titles, curve)}"
    drawn = training_view.picture(question, answer, title=f"{len(titles)} runs", caption=caption)
    show(drawn, question, answer)


def _settings(chosen: Sequence[str]) -> None:
    recipes = {run: recipe for run in chosen if (recipe := cached.recipe(run))}
    if len(recipes) < 2:
        st.caption("Fewer than two of these recipes can be read.")
        return
    rows = differences.setting_rows([_run_settings(run, recipe) for run, recipe in recipes.items()])
    n_differing = sum(row.differs for row in rows)
    st.subheader("Settings", anchor=False)
    summary = f"{n_differing} of {len(rows)} settings differ; they come first, marked {DIFFERS}."
    st.caption(summary if n_differing else "All settings are equal.")
    everything = STATE.toggle("settings", "Show all settings")
    names = list(_columns(list(recipes)).values())
    cells = pd.DataFrame([_cells(row, names) for row in rows])
    shown = cells if everything else cells[:n_differing]
    if len(shown):
        height: Any = "auto" if everything else "content"
        alt = f"{len(shown)} settings of each run"
        st.dataframe(
            shown,
            hide_index=True,
            placeholder="",
            alt=alt,
            height=height,
            key="comparison settings",
            column_config=LOOK,
        )
    file = f"{file_name(' and '.join(names))}.csv"
    st.download_button(
        "Settings (CSV)",
        frame_csv(cells),
        file,
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


LOOK = {
    " ": st.column_config.TextColumn(width=28),
    "setting": st.column_config.TextColumn(pinned=True),
}


def _run_settings(run: str, recipe: Recipe) -> dict[str, Any]:
    about = cached.metadata(run)
    dataset = cached.dataset_name(str(about.get("source", "")))
    origin = {
        "dataset": dataset,
        "preset": about.get("preset") or "",
        "initialized from": _origin(run, about),
    }
    return origin | {"changed while training": details.changed(about) or "nothing"} | flat(recipe)


def _origin(run: str, about: Mapping[str, Any]) -> str:
    if about.get("imported"):
        return "published weights"
    summary = cached.runs().get(run)
    waiting = table.run_name(summary.init_from) if summary and not about else ""
    return details.origin(about) or waiting or "random weights"


def _cells(row: differences.SettingRow, names: Sequence[str]) -> dict[str, str]:
    known = settings_of(Recipe)
    meaning = known[row.key].help if row.key in known else ""
    values = (format_value(value) for value in row.values)
    return {
        " ": DIFFERS if row.differs else "",
        "setting": row.key,
        **dict(zip(names, values, strict=True)),
        "meaning": meaning,
    }
