"""The pictures of `SeedSpread`: mean and spread per setting, as a table and for one score."""

from __future__ import annotations

from functools import partial

from s2s.plots.mean_spread import CAPTION, SeedScores, mean_spread
from s2s.plots.picture import NamedFile, Picture
from s2s.questions import SeedGroups, SeedSpread, Table
from s2s.runs import seeds

TITLE = "Mean and spread over seeds"
MEANING = (
    "Mean ± sample standard deviation (divided by n - 1) over the finished runs that differ only in their seed; n is"
    " their number, and a single run has no spread."
)
NONE_ALIKE = (
    "No two finished runs differ only in their seed, so there is no mean over seeds. Runs of another dataset, recipe or"
    " number of steps are not averaged; a time budget gives each run another number of steps."
)


def pictures(question: SeedSpread, answer: SeedGroups, model: str) -> list[Picture]:
    """Pictures: the table, and every run's score with means; a sentence where no two runs differ only in their seed."""
    table = question.table(answer)
    if not answer.is_averaged:
        return [Picture("seeds", TITLE, None, NONE_ALIKE, table, caption=NONE_ALIKE)]
    rows = [
        [
            *group.settings,
            len(group.runs),
            ", ".join(map(str, group.seeds)),
            *map(group.text, answer.scores),
        ]
        for group in answer.groups
    ]
    shown = Table((*answer.keys, "n", "seeds", *answer.scores), rows)
    caption = f"{MEANING} {seeds.OTHER_PAIRS}" if answer.draws_pairs else MEANING
    latex = NamedFile("LaTeX", ".tex", "application/x-tex", partial(_latex, shown, caption))
    alt = f"Mean and spread of {len(rows)} settings"
    found = question.finding(answer)
    summary = Picture("seeds", TITLE, shown, alt, table, found, caption, files=(latex,))
    return [summary, _scores(question, answer, table)]


def _scores(question: SeedSpread, answer: SeedGroups, table: Table) -> Picture:
    score = question.score(answer)
    rows = [
        SeedScores(
            group.name,
            tuple(value for value in group.scores[score] if value is not None),
            spread.mean,
            spread.sd,
        )
        for group in answer.groups
        if (spread := group.spread(score))
    ]
    title = f"{TITLE} · {score}"
    said = "; ".join(f"{group.name}: {group.text(score)}" for group in answer.groups)
    figure = mean_spread(rows, title=title, x_label=score)
    return Picture("seed spread", title, figure, f"{title}. {said}", table, caption=CAPTION)


def _latex(table: Table, note: str) -> str:
    """A table as LaTeX (booktabs), in which every cell is text, after a comment."""
    import pandas as pd

    frame = pd.DataFrame([*table.rows], columns=[*table.columns])
    return f"% {note}\n{frame.astype(str).to_latex(index=False, escape=True)}"
