"""Runs that differ only in their seed, together: mean and spread of their scores per setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.plots import SeedScores, format_value
from s2s.runs import seeds
from s2s.runs.seeds import Described, Spread
from s2s.ui.kit import cached, chart, file_name, plain, unique_names
from s2s.ui.kit.tables import frame_csv, frame_latex
from s2s.ui.runs.view_state import STATE

DATA = frozenset({"dataset", "validation", "data hash"})
MEANING = (
    "Mean ± sample standard deviation (divided by n - 1) over the finished runs that differ only in their seed; n is"
    " their number, and a single run has no spread."
)
OTHER_PAIRS = f" {seeds.OTHER_PAIRS}"
NONE_ALIKE = (
    "No two finished runs differ only in their seed, so there is no mean over seeds. Runs of another dataset, recipe or"
    " number of steps are not averaged; a time budget gives each run another number of steps."
)


@dataclass(frozen=True)
class SeedSpread:
    """Rows of settings: the differing settings, the ids of the runs, and their scores, whose formats have names."""

    settings: Mapping[str, Sequence[Any]]
    groups: Sequence[tuple[str, ...]]
    seeds: Sequence[Sequence[int]]
    scores: Mapping[str, Mapping[str, float | None]]  # by name, then run
    forms: Mapping[str, str]  # of each score's numbers
    draws_pairs: bool

    def spread(self, score: str, at: int) -> Spread | None:
        return Spread.of(self.scores[score].get(run) for run in self.groups[at])

    @property
    def names(self) -> list[str]:
        named = [
            ", ".join(
                f"{key.rpartition('.')[2]} {format_value(values[at])}"
                for key, values in self.settings.items()
            )
            for at in range(len(self.groups))
        ]
        unique = unique_names({str(at): name or "all runs" for at, name in enumerate(named)})
        return [*unique.values()]

    def table(self) -> pd.DataFrame:
        rows = [
            {
                **{key: format_value(values[at]) for key, values in self.settings.items()},
                "n": len(runs),
                "seeds": ", ".join(map(str, self.seeds[at])),
                **{
                    score: spread.text(form) if (spread := self.spread(score, at)) else ""
                    for score, form in self.forms.items()
                },
            }
            for at, runs in enumerate(self.groups)
        ]
        return pd.DataFrame(rows)

    def numbers(self) -> pd.DataFrame:
        rows = []
        for at, runs in enumerate(self.groups):
            row: dict[str, Any] = {
                key: format_value(values[at]) for key, values in self.settings.items()
            }
            row |= {"n": len(runs), "seeds": " ".join(map(str, self.seeds[at]))}
            for score in self.forms:
                spread = self.spread(score, at)
                row[f"{score} mean"] = spread.mean if spread else None
                row[f"{score} sd"] = spread.sd if spread else None
                row[f"{score} n"] = spread.n if spread else 0
            rows.append(row | {"runs": " ".join(runs)})
        return pd.DataFrame(rows)


def measured(
    runs: Sequence[str],
    scores: Mapping[str, Mapping[str, float | None]],
    forms: Mapping[str, str],
) -> SeedSpread | None:
    """The finished runs among these by setting; None where none has another seed than the others."""
    described = {
        run: Described(recipe, cached.metadata(run))
        for run in runs
        if (recipe := cached.recipe(run)) and cached.metadata(run) and _is_done(run)
    }
    if len({each.recipe.train.seed for each in described.values()}) < 2:
        return None
    groups = seeds.groups(described)
    return SeedSpread(
        seeds.varied([described[ids[0]] for ids in groups]),
        groups,
        [[described[run].recipe.train.seed for run in ids] for ids in groups],
        scores,
        {
            name: form
            for name, form in forms.items()
            if any(value is not None for value in scores[name].values())
        },
        seeds.draws_pairs(described.values()),
    )


def _is_done(run: str) -> bool:
    row = cached.runs().get(run)
    return row is None or row.state == "done"


def finished(runs: Sequence[str]) -> list[str]:
    return [run for run in runs if _is_done(run)]


def verdict(found: SeedSpread, score: str, *, is_low_better: bool) -> str:
    """The setting with the best mean, as markdown; "" where nothing was averaged, or several share the best mean, and
    for runs of different data, whose scores do not compare.
    """
    if DATA & found.settings.keys():
        return ""
    known = {at: spread for at in range(len(found.groups)) if (spread := found.spread(score, at))}
    if all(spread.n < 2 for spread in known.values()):
        return ""
    sign = 1 if is_low_better else -1
    first, *others = sorted(known, key=lambda at: sign * known[at].mean)
    best = known[first]
    if others and known[others[0]].mean == best.mean:
        return ""
    over = f"over {best.n} seeds" if best.n > 1 else "of a single run"
    said = f"**Best mean: {plain(found.names[first])}**, {score} {best.text(found.forms[score])} {over}."
    near = sum(abs(known[at].mean - best.mean) <= (known[at].sd or best.sd or 0.0) for at in others)
    if not near:
        return said
    are = "mean of another setting is" if near == 1 else f"means of {near} other settings are"
    return f"{said} The {are} within one standard deviation of it."


def panel(found: SeedSpread | None, name: str) -> None:
    """Table, picture and downloads; one sentence where no two runs differ only in their seed."""
    if found is None:
        return
    st.subheader("Mean and spread over seeds", anchor=False)
    if all(len(runs) < 2 for runs in found.groups):
        st.caption(NONE_ALIKE)
        return
    st.dataframe(
        found.table(),
        hide_index=True,
        placeholder="",
        alt=f"Mean and spread of {len(found.groups)} settings",
        key=f"seed spread {name}",
    )
    st.caption(MEANING + (OTHER_PAIRS if found.draws_pairs else ""))
    _picture(found, name)
    _downloads(found, name)


def _picture(found: SeedSpread, name: str) -> None:
    scores = list(found.forms)
    if not scores:
        return
    before = STATE.now
    names = {each: each for each in scores}
    score = STATE.choice("seed_score", "Score", names, default=scores[0], width=200)
    if STATE.now != before:
        st.rerun()  # the whole page: the link of Share says it, too
    rows = [
        SeedScores(
            label,
            tuple(value for run in runs if (value := found.scores[score].get(run)) is not None),
            spread.mean,
            spread.sd,
        )
        for at, (label, runs) in enumerate(zip(found.names, found.groups, strict=True))
        if (spread := found.spread(score, at))
    ]
    title = f"{name} · {score}, mean over seeds"
    form = found.forms[score]
    said = "; ".join(f"{row.name}: {Spread(row.mean, row.sd, 1).text(form)}" for row in rows)
    with st.container(key="seed spread"):
        chart(
            plots.mean_spread(rows, title=title, x_label=score),
            alt=f"{title}. {said}",
            file_name=file_name(title),
        )
    st.caption(plots.PLOTS["mean_spread"].caption)


def _downloads(found: SeedSpread, name: str) -> None:
    file = file_name(f"{name} seeds")
    notes = (f"{name}: {MEANING}{OTHER_PAIRS if found.draws_pairs else ''}",)
    with st.container(horizontal=True):
        for label, content, end, kind in (
            ("Mean and spread (CSV)", frame_csv(found.numbers()), "csv", "text/csv"),
            (
                "Mean and spread (LaTeX)",
                frame_latex(found.table(), notes),
                "tex",
                "application/x-tex",
            ),
        ):
            st.download_button(
                label,
                content,
                f"{file}.{end}",
                kind,
                key=f"seed spread {end}",
                on_click="ignore",
                icon=":material/download:",
            )
