"""Mean and spread over seeds, of a sweep and of runs side by side: table, picture, sentence and files."""

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import override
from s2s.files import as_text
from s2s.links.share import pack
from s2s.plots import seed_spread_view
from s2s.questions import Have, SeedSpread
from s2s.runs import RunFolder, runs_folder
from s2s.ui.kit import cached
from tests.conftest import make_run
from tests.screen import findings, opened, page_text

LOSSES = {(0.001, 1): 1.0, (0.001, 2): 1.2, (0.01, 1): 2.0, (0.01, 2): 2.4}

Put = Callable[..., str]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    trained = make_run(tmp_path / "trained", {})

    def copy(rate: float, seed: int, loss: float, state: str = "done") -> str:
        run = f"{'b' if rate > 0.005 else 'a'}{seed}00000000000000"
        folder = RunFolder(shutil.copytree(trained, runs_folder() / run))
        recipe = override(folder.recipe(), {"train.lr": rate, "train.seed": seed})
        name = f"lr {rate}, seed {seed}"
        folder.amend(lambda old: {"recipe": recipe.to_json(), "name": name, "tags": ["sweep:s"]})
        lines = [line for line in folder.lines("metrics") if line["kind"] == "valid"]
        lines[-1] |= {"loss": loss, "bleu": 10 * loss, "token_accuracy": 0.5}
        path = folder.path / "metrics.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        best = {"best_step": lines[-1]["step"], "best_loss": loss, "token_accuracy": 0.5}
        folder.set_status(state, step=30, steps=30, **best)
        cached.refresh_runs()
        return run

    return copy


@pytest.fixture
def sweep(put: Put) -> list[str]:
    return [put(rate, seed, loss) for (rate, seed), loss in LOSSES.items()]


def tables(screen: AppTest) -> list[pd.DataFrame]:
    return [each.value for each in screen.dataframe if "seeds" in each.value]


def test_a_sweep_shows_mean_and_sample_standard_deviation_per_setting(sweep: list[str]) -> None:
    screen = opened("runs", run=sweep[0], set=pack({"tab": "sweeps"}))
    assert not screen.exception
    (table,) = tables(screen)
    assert list(table["train.lr"]) == ["0.001", "0.01"]
    assert list(table["n"]) == [2, 2]
    assert list(table["seeds"]) == ["1, 2", "1, 2"]
    spread = np.std([1.0, 1.2], ddof=1)
    assert table["validation loss"][0] == f"1.1 ± {spread:.3f}"
    best = f"Best mean: “lr 0.001”, validation loss 1.1 ± {spread:.3f} over 2 seeds"
    tested = "difference from “lr 0.01” (2.2 ± 0.283): 95% interval "
    assert any(best in said and tested in said for said in findings(screen))
    assert not any(said.startswith("Best:") for said in findings(screen))  # the means decide
    assert seed_spread_view.MEANING in page_text(screen)
    figure = json.loads(screen.get("plotly_chart")[0].proto.spec)
    assert figure["layout"]["title"]["text"] == "Mean and spread over seeds · validation loss"


def test_its_files_have_the_numbers(sweep: list[str]) -> None:
    question = SeedSpread(tuple(sweep))
    answer = Have().answer(question)
    numbers = pd.read_csv(io.StringIO(question.table(answer).csv()))
    assert list(numbers["validation loss mean"]) == pytest.approx([1.1, 2.2])
    assert list(numbers["validation loss sd"]) == pytest.approx(
        [np.std([1.0, 1.2], ddof=1), np.std([2.0, 2.4], ddof=1)]
    )
    assert list(numbers["BLEU n"]) == [2, 2]
    (latex,) = seed_spread_view.pictures(question, answer, "")[0].files
    assert "0.001 & 2 & 1, 2 & 1.1 ± 0.141 &" in latex.content()


def test_unfinished_runs_and_single_seeds_have_no_spread(put: Put) -> None:
    runs = [put(0.001, 1, 1.0), put(0.001, 2, 1.2, "stopped"), put(0.01, 2, 2.0)]
    screen = opened("runs", run=runs[0], set=pack({"tab": "sweeps"}))
    assert not tables(screen)
    assert seed_spread_view.NONE_ALIKE in page_text(screen)


def test_runs_side_by_side_are_averaged_where_only_the_seed_differs(sweep: list[str]) -> None:
    view = pack({"tab": "side-by-side", "compared": " ".join(sweep[:3])})
    screen = opened("runs", run=sweep[0], set=view)
    assert not screen.exception
    (table,) = tables(screen)
    assert list(table["n"]) == [2, 1]
    assert table["BLEU"][0] == f"11.0 ± {np.std([10, 12], ddof=1):.1f}"
    assert table["BLEU"][1] == "20.0"
    both = pack({"tab": "side-by-side", "compared": f"{sweep[0]} {sweep[2]}"})
    assert not tables(opened("runs", run=sweep[0], set=both))  # of one seed


def test_datasets_are_called_as_people_call_them(sweep: list[str]) -> None:
    RunFolder(runs_folder() / sweep[0]).amend(lambda about: {"source": "/srv/me/pairs.tsv"})
    question = SeedSpread(tuple(sweep[:3]))
    answer = Have().answer(question)
    assert "pairs.tsv" in answer.groups[0].settings
    assert "/srv" not in as_text(answer)
    assert question.finding(answer) == ""  # scores of different data do not compare
