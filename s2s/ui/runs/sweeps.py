"""A sweep: runs that share a tag, and which settings gave the best of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.faults import marked
from s2s.jobs import sweep
from s2s.plots import ParallelAxis, format_value
from s2s.runs import RunSummary, differences
from s2s.ui.kit import as_markdown, cached, chart, file_name, pickers, plain, unique_names
from s2s.ui.kit.badges import STATES, shown_state
from s2s.ui.kit.tables import frame_csv
from s2s.ui.kit.training_curves import loss_note
from s2s.ui.runs import seed_spread
from s2s.ui.runs import table as runs_table
from s2s.ui.runs.seed_spread import SeedSpread
from s2s.ui.runs.view_state import STATE
from s2s.ui.shell import page_link

SIGNATURE = "BLEU signature"  # in the download alone
LOSS = "validation loss"
BLEU = "BLEU"
ACCURACY = "accuracy (%)"
FORMS = {LOSS: ".3f", ACCURACY: ".2f", BLEU: ".1f"}
BY_BLEU = "The tokenizers differ, so losses per token cannot be compared: the best run has the highest BLEU."
NO_BLEU = "The tokenizers differ, so losses per token cannot be compared, and no run has BLEU yet."


@dataclass(frozen=True)
class Sweep:
    """Runs with their varied settings and scores. Inner mappings are keyed by run id; None means unknown."""

    name: str
    rows: Sequence[RunSummary]
    settings: Mapping[str, Mapping[str, Any]]
    scores: Mapping[str, Mapping[str, float | None]]
    names: Mapping[str, str]

    @property
    def leaders(self) -> list[str]:
        """The runs with the lowest validation loss; where tokenizers differ, those with the highest BLEU."""
        score, best_of = (BLEU, max) if self.varies_tokenizer else (LOSS, min)
        known = {run: value for run, value in self.scores[score].items() if value is not None}
        top = best_of(known.values(), default=None)
        return [run for run, value in known.items() if value == top]

    @property
    def best(self) -> str | None:
        return self.leaders[0] if len(self.leaders) == 1 else None

    @property
    def varies_tokenizer(self) -> bool:
        """Whether the runs have different tokenizers, so that their losses per token cannot be compared."""
        return any(key.startswith("tokenizer.") for key in self.settings)

    @property
    def is_live(self) -> bool:
        return any(row.is_live for row in self.rows)


def tab(run_id: str) -> None:
    found = sweeps(cached.own_runs())
    if not found:
        if STATE.now.sweep:
            missing = f"There is no sweep {STATE.now.sweep[:40]} among your runs (any more)"
            pickers.notify(f"{missing}; only the owner of a sweep's runs can open it by its link.")
        _empty()
        return
    names = {name: name for name in found}
    name = STATE.choice("sweep", "Sweep", names, default=_of(run_id, found), width=300)
    is_live = any(row.is_live for row in found[name])
    st.fragment(_shown, run_every=runs_table.REFRESH_SECONDS if is_live else None)(
        name, run_id, is_live
    )


def _empty() -> None:
    with st.container(border=True, horizontal_alignment="center"):
        st.subheader("No sweeps yet", anchor=False)
        st.caption(
            "A sweep trains one recipe with several values of one or two settings. Queue one on"
            " Train to compare its runs here."
        )
        page_link("train", "Queue a sweep")


def sweeps(rows: Sequence[RunSummary]) -> dict[str, list[RunSummary]]:
    """Runs by the name of their sweep, newest sweep first."""
    found: dict[str, list[RunSummary]] = {}
    for row in rows:
        for tag in row.tags:
            if tag.startswith(sweep.TAG) and len(tag) > len(sweep.TAG):
                found.setdefault(tag.removeprefix(sweep.TAG), []).append(row)
    return found


def _of(run_id: str, found: Mapping[str, Sequence[RunSummary]]) -> str:
    return next(
        (name for name, rows in found.items() if run_id in {row.id for row in rows}),
        next(iter(found)),
    )


def _shown(name: str, chosen: str, was_live: bool) -> None:
    sweep = measured(name, sweeps(cached.own_runs()).get(name, []))
    if was_live != sweep.is_live or st.session_state["run"] != chosen:
        st.rerun()
    _progress(sweep.rows)
    spread = seed_spread.measured([row.id for row in sweep.rows], sweep.scores, FORMS)
    _verdict(sweep, spread)
    _picture(sweep)
    _table(sweep, chosen)
    seed_spread.panel(spread, f"Sweep {name}")


def measured(name: str, rows: Sequence[RunSummary]) -> Sweep:
    """What the runs were asked for and how far they came, by their settings; of one whose recipe cannot be read, the
    scores alone.
    """
    recipes = {row.id: recipe for row in rows if (recipe := cached.recipe(row.id))}
    varied = differences.varied_settings(list(recipes.values()))
    settings = {
        setting.key: dict.fromkeys(row.id for row in rows)
        | dict(zip(recipes, setting.values, strict=True))
        for setting in varied
    }
    rows = sorted(rows, key=lambda row: [_rank(values[row.id]) for values in settings.values()])
    scores = {
        LOSS: {row.id: row.best_loss for row in rows},
        ACCURACY: {
            row.id: None if row.token_accuracy is None else round(100 * row.token_accuracy, 2)
            for row in rows
        },
        BLEU: {row.id: runs_table.bleu(row.id, row.best_step) for row in rows},
    }
    return Sweep(
        name,
        rows,
        settings,
        {
            score: {run: _finite(value) for run, value in values.items()}
            for score, values in scores.items()
        },
        unique_names({row.id: marked(row.name or row.id, row.fault) for row in rows}),
    )


def _rank(value: Any) -> tuple[int, float, str]:
    if isinstance(value, (int, float)):
        return 0, value, ""
    return (2, 0.0, "") if value is None else (1, 0.0, str(value))


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _progress(rows: Sequence[RunSummary]) -> None:
    states = Counter(STATES[shown_state(row)].label for row in rows)
    others = [f"{n} {word}" for word, n in states.items() if word != "done"]
    steps = sum(row.steps for row in rows)
    done = sum(
        row.steps if row.state == "done" else max(row.step, cached.curves(row.id).step)
        for row in rows
    )
    text = ", ".join([f"{states['done']} of {len(rows)} done", *others])
    st.progress(min(1.0, done / steps) if steps else 0.0, text=f"{text}.")


def _verdict(sweep: Sweep, spread: SeedSpread | None) -> None:
    main = BLEU if sweep.varies_tokenizer else LOSS
    said = ""
    if spread and main in spread.forms:
        said = seed_spread.verdict(spread, main, is_low_better=main == LOSS)
    leaders = sweep.leaders
    if said:
        st.markdown(said)
    elif not leaders:
        is_scored = any(loss is not None for loss in sweep.scores[LOSS].values())
        st.caption(NO_BLEU if is_scored else "Scores appear after the first validation.")
        return
    else:
        _say_leaders(sweep, leaders)
    if sweep.varies_tokenizer:
        st.caption(BY_BLEU)
    if note := loss_note(sweep.names):
        st.caption(note)


def _say_leaders(sweep: Sweep, leaders: Sequence[str]) -> None:
    best = leaders[0]
    score = f"validation loss {sweep.scores[LOSS][best]:.3f}"
    if sweep.varies_tokenizer:
        score = f"BLEU {sweep.scores[BLEU][best]:.1f}"
    if len(leaders) > 1:
        st.markdown(
            f"**No single best run**: {len(leaders)} of {len(sweep.rows)} share the best score, {score}."
        )
    else:
        _say_best(sweep, best, score)


def _say_best(sweep: Sweep, best: str, score: str) -> None:
    settings = (
        " and ".join(
            f"`{key}` {format_value(values[best])}" for key, values in sweep.settings.items()
        )
        or "the same settings as all others"
    )
    ahead = "Best so far" if sweep.is_live else "Best"
    st.markdown(
        f"**{ahead}: {plain(sweep.names[best])}**, {score}, with {as_markdown(settings)}.{_by_bleu(sweep, best)}"
    )


def _by_bleu(sweep: Sweep, best: str) -> str:
    found = {run: bleu for run, bleu in sweep.scores[BLEU].items() if bleu is not None}
    top = max(found, key=lambda run: found[run], default=best)
    is_best = top == best or found[top] == found.get(best)
    return "" if is_best else f" By BLEU it is {plain(sweep.names[top])} ({found[top]:.1f})."


def _picture(sweep: Sweep) -> None:
    runs = [row.id for row in sweep.rows]
    scores = {
        name: values
        for name, values in sweep.scores.items()
        if any(value is not None for value in values.values())
    }
    axes = [
        ParallelAxis(name, tuple(values[run] for run in runs), name == LOSS)
        for name, values in {**sweep.settings, **scores}.items()
    ]
    title = f"Sweep {sweep.name} · {len(runs)} runs"
    best = sweep.best
    place = None if best is None else runs.index(best)
    figure = plots.parallel_coordinates(
        axes if sweep.settings else [], list(sweep.names.values()), best=place, title=title
    )
    winner = f"; best: {sweep.names[best]}" if best else ""
    alt = (
        f"Parallel coordinates of the settings and scores of {len(runs)} runs{winner}; the"
        " table below has the numbers"
    )
    with st.container(key="parallel"):
        chart(figure, alt=alt, file_name=file_name(title))
    st.caption(plots.PLOTS["parallel_coordinates"].caption)


def table(sweep: Sweep) -> pd.DataFrame:
    """One row per run, one column per setting and score; columns stay numeric where all their values are."""
    frame = pd.DataFrame(
        {
            "best": ["★" if row.id == sweep.best else "" for row in sweep.rows],
            "state": [runs_table.state(row) for row in sweep.rows],
            "name": [sweep.names[row.id] for row in sweep.rows],
            **{
                name: [values[row.id] for row in sweep.rows]
                for name, values in {**sweep.settings, **sweep.scores}.items()
            },
            "steps": [
                f"{max(row.step, cached.curves(row.id).step):,} of {row.steps:,}"
                for row in sweep.rows
            ],
            "run": [row.id for row in sweep.rows],
            SIGNATURE: [
                "; ".join(dict.fromkeys(filter(None, cached.curves(row.id).valid_signatures)))
                for row in sweep.rows
            ],
        }
    )
    for column, values in sweep.settings.items():
        if any(isinstance(value, (str, bool)) for value in values.values()):  # a column of one type
            frame[column] = [
                "" if values[row.id] is None else format_value(values[row.id]) for row in sweep.rows
            ]
    return frame


def _table(sweep: Sweep, chosen: str) -> None:
    frame = table(sweep)
    runs = [row.id for row in sweep.rows]
    key = f"sweep {sweep.name} {chosen} {len(runs)}"
    st.dataframe(
        frame.drop(columns=["run", SIGNATURE]),
        hide_index=True,
        placeholder="",
        key=key,
        on_select=partial(runs_table.choose, key, runs),
        selection_mode="single-row",
        selection_default={
            "selection": {"rows": [place for place, run in enumerate(runs) if run == chosen]}
        },
        column_config={
            "best": st.column_config.TextColumn("", width=28),
            LOSS: st.column_config.NumberColumn(format="%.3f"),
        },
        alt=f"{len(runs)} runs of the sweep with their settings and scores",
    )
    runs_table.warn_of_signatures(runs)
    st.caption("Click a row to select that run on every page.")
    file = f"{file_name(f'sweep {sweep.name}')}.csv"
    st.download_button(
        "Download data (CSV)",
        frame_csv(frame),
        file,
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )
