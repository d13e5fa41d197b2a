"""The code that reads the numbers of Runs from the folders of the runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from s2s.jobs import sweep
from s2s.ui.kit import cached
from s2s.ui.runs import seed_spread
from s2s.ui.runs.view_state import STATE, SWEEPS

KEY = "reproduce code"
ABOUT = (
    "The Python reads the numbers of this view from the folders of the runs. Run it where s2s is installed and these"
    " runs are stored; each run's zip has its folder."
)
SCORES = (
    "losses = [row.best_loss for row in rows]  # nats per token",
    "accuracy = [row.token_accuracy for row in rows]",
    "bleu = []  # at the step with the best loss",
    "for row in rows:",
    '    curves = Metrics(runs_folder() / row.id / "metrics.jsonl").read()',
    "    by_step = dict(zip(curves.valid_steps.tolist(), curves.valid_bleu.tolist(), strict=True))",
    "    bleu.append(by_step.get(row.best_step))",
    "    print(row.name, row.best_loss, row.token_accuracy, bleu[-1])",
)


def show(run_id: str) -> None:
    """The folded section of the open view; none where it shows no numbers."""
    lines = CODE.get(STATE.now.tab, _nothing)(run_id)
    if not lines:
        return
    with st.container(key="reproduce"):
        box = st.expander("Reproduce", icon=":material/terminal:", key=KEY, on_change="rerun")
    if box.open:  # what colors code takes a browser longer to load than the page's picture
        with box:
            st.caption(ABOUT)
            st.code("\n".join(lines), language="python", wrap_lines=True)


def _nothing(run_id: str) -> list[str]:
    return []


def _sweeps(run_id: str) -> list[str]:
    if not STATE.now.sweep:
        return []
    name = f"{sweep.TAG}{STATE.now.sweep}"
    tag = json.dumps(name)
    return [
        "from s2s.config import asker",
        "from s2s.library.own import list_runs",
        "from s2s.runs import Metrics, RunFolder, differences, runs_folder",
        "",
        f"rows = [row for row in list_runs(asker.current()) if {tag} in row.tags]",
        "recipes = [RunFolder(runs_folder() / row.id).recipe() for row in rows]",
        "varied = differences.varied_settings(recipes)  # settings in which they differ",
        "values = [[(each.values[at] is None, each.values[at]) for each in varied]",
        "          for at in range(len(rows))]",
        "order = sorted(range(len(rows)), key=values.__getitem__)",
        "rows = [rows[at] for at in order]",
        "settings = {each.key: [each.values[at] for at in order] for each in varied}",
        "print(settings)",
        *SCORES,
        *_spread([row.id for row in cached.own_runs() if name in row.tags]),
    ]


def _spread(runs: Sequence[str]) -> list[str]:
    done = seed_spread.finished(runs)
    recipes = [recipe for run in done if (recipe := cached.recipe(run))]
    if len({recipe.train.seed for recipe in recipes}) < 2:
        return []
    return [
        "import pandas as pd",
        "from s2s.library import Library",
        "from s2s.library.checkpoints import find_checkpoint",
        "from s2s.runs import seeds",
        f"named = {{run: find_checkpoint(run) for run in {done!r}}}",
        "spread = pd.DataFrame(seeds.by_setting(named))  # means, sample standard deviations",
        "alike = [Library().run(run) for ids in spread.runs for run in ids]",
        "each = pd.DataFrame([seeds.best_scores(folder) for folder in alike])",
        "print(spread)",
    ]


# by the name of the view in a link
CODE: Mapping[str, Callable[[str], list[str]]] = MappingProxyType({SWEEPS: _sweeps})
