"""The views of Runs: the table, side by side, sweeps, the details of one run and what can be done with it."""

import base64
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlsplit

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from s2s.analysis import Attention
from s2s.config import PRESETS, asker, flat, override
from s2s.jobs import run_service, training
from s2s.library.own import list_runs
from s2s.links.share import pack, unpack
from s2s.plots import runs_view, short_names
from s2s.runs import RunFolder, attention_history, runs_folder
from s2s.runs.differences import HARDWARE_SETTINGS
from s2s.scores import METRICS
from s2s.ui.kit import as_markdown, cached, recipe_link
from s2s.ui.kit.pictures import SHOWN
from s2s.ui.runs import table as runs_table
from tests.conftest import TINY, make_run
from tests.screen import findings, link, lost, opened, page_text, picture

NASTY = "*a* :material/home: <b> $x$"
SIGNATURE = METRICS["bleu"].compute(["a"], ["a"]).signature
RATES = {"one0000000000000": 0.001, "two0000000000000": 0.01, "three00000000000": 0.1}

Put = Callable[..., RunFolder]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("trained") / "one", {})


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs wait."""
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    cached.refresh_runs()


@pytest.fixture
def put(trained: Path) -> Put:
    """A copy of a trained run, with other words in its recipe.json."""

    def copy(run: str, settings: dict[str, object] | None = None, /, **about: object) -> RunFolder:
        folder = RunFolder(shutil.copytree(trained, runs_folder() / run))
        recipe = override(folder.recipe(), settings or {})
        folder.amend(lambda old: {"recipe": recipe.to_json(), **about})
        cached.refresh_runs()
        return folder

    return copy


@pytest.fixture
def sweep(put: Put) -> list[str]:
    """Three runs that differ in one setting; the second has the lowest loss, the third the highest BLEU."""
    for run, rate in RATES.items():
        folder = put(run, {"train.lr": rate}, name=f"rate {rate}", tags=["sweep:rates", "x"])
        folder.set_status(
            "done",
            step=30,
            steps=30,
            best_step=30,
            best_loss=abs(rate - 0.01) + 1,
            token_accuracy=0.5,
        )
        for step, bleu in ((10, 1.0), (30, 100 * rate)):
            folder.log(
                "metrics",
                {
                    "kind": "valid",
                    "step": step,
                    "loss": abs(rate - 0.01) + 1,
                    "perplexity": 2.7,
                    "token_accuracy": 0.5,
                    "bleu": bleu,
                    "signature": SIGNATURE,
                },
            )
    return list(RATES)


def view(tab: str, run: str = "", **more: str) -> AppTest:
    screen = opened("runs", set=pack({"tab": tab, **more}), **({"run": run} if run else {}))
    assert not screen.exception
    return screen


def numbers(packed: dict[str, str]) -> np.ndarray:
    """An array of a figure."""
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])


# The table


def test_the_table_tells_tags_bleu_and_where_a_run_began(put: Put, sweep: list[str]) -> None:
    put(
        "heir000000000000",
        name=NASTY,
        tags=[NASTY],
        init_from={"run": sweep[0], "step": 30},
        comment=f"{NASTY}\nsecond",
    )
    screen = opened("runs", run="heir000000000000")
    table = screen.dataframe[0].value.set_index("name")
    assert list(table.loc[NASTY, "tags"]) == [NASTY]
    assert table.loc[NASTY, "initialized from"] == "rate 0.001"
    assert table.loc["rate 0.1", "BLEU"] == pytest.approx(10.0)
    assert NASTY in page_text(screen)
    assert table.loc["demo-en-fr", "state"] == "✓ done"  # the demos come last
    assert list(table.index[-1:]) == ["demo-tasks"]
    assert table.loc["demo-en-fr", "accuracy"] > 0.9


def test_bleu_is_that_of_the_best_step_and_of_no_other(put: Put, sweep: list[str]) -> None:
    assert [runs_table.bleu(sweep[2], step) for step in (10, 30, None, 7, 0)] == [
        1.0,
        pytest.approx(10.0),
        None,
        None,
        None,
    ]
    assert runs_table.bleu("nothing", 10) is None
    put("heir000000000000", name="heir").set_status(
        "done", step=30, steps=30, best_step=0, best_loss=1.0, token_accuracy=0.5
    )
    cached.refresh_runs()
    assert pd.isna(opened("runs").dataframe[0].value.set_index("name").loc["heir", "BLEU"])


def test_the_table_begins_with_what_matters_and_a_single_point_is_no_curve(
    put: Put, trained: Path
) -> None:
    folder = put("one0000000000000", name="one")
    (folder.path / "metrics.jsonl").write_text("")
    folder.log(
        "metrics",
        {"kind": "valid", "step": 0, "loss": 1.0, "perplexity": 2.7, "token_accuracy": 0.5},
    )
    table = opened("runs").dataframe[0].value
    assert list(table.columns) == list(runs_table.COLUMNS)
    assert list(table.columns)[:5] == ["state", "name", "loss", "accuracy", "BLEU"]
    assert list(table["curve"][0]) == []


def test_a_run_that_diverged_is_not_called_done(put: Put) -> None:
    folder = put("one0000000000000", name="one")
    folder.set_status("done", step=30, steps=30)
    (folder.path / "metrics.jsonl").write_text("")
    update = {"kind": "train", "lr": 0.1, "grad_norm": 1.0, "n_tokens": 9, "seconds": 0.1}
    for step, loss in ((0, 3.0), (10, 2.0), (20, 40.0), (30, 50.0)):
        if step:
            folder.log("metrics", update | {"step": step, "loss": loss})
        valid = {"kind": "valid", "step": step, "loss": loss, "token_accuracy": 0.0}
        folder.log("metrics", valid | {"perplexity": 9.0})
    table = opened("runs").dataframe[0].value.set_index("name")
    assert "diverged" in table.loc["one", "state"]


def test_a_run_without_a_model_is_not_called_done(put: Put) -> None:
    folder = put("one0000000000000", name="one")
    folder.set_status("done", step=30, steps=30)
    shutil.rmtree(folder.path / "checkpoints")
    cached.refresh_runs()
    table = opened("runs").dataframe[0].value.set_index("name")
    assert table.loc["one", "state"] == "! no checkpoint"


def test_a_search_finds_by_every_word(put: Put, sweep: list[str]) -> None:
    put("other00000000000", name="Été", comment="Overfits")
    rows = {row.id: row for row in cached.own_runs()}
    found = {
        wanted: [
            run for run in (*sweep, "other00000000000") if runs_table.matches(rows[run], wanted)
        ]
        for wanted in (
            "",
            "ÉTÉ",
            "sweep:rates",
            "rate 0.01",
            "done x",
            "overfits",
            "synthetic",
            "failed",
            "x été",
        )
    }
    assert found == {
        "": [*sweep, "other00000000000"],
        "ÉTÉ": ["other00000000000"],
        "sweep:rates": sweep,
        "rate 0.01": sweep[1:2],
        "done x": sweep,
        "overfits": ["other00000000000"],
        "synthetic": [*sweep, "other00000000000"],
        "failed": [],
        "x été": [],
    }


def test_the_search_box_appears_with_many_runs(put: Put, sweep: list[str]) -> None:
    assert "runs find" not in [each.key for each in opened("runs").text_input]
    for n in range(3):
        put(f"more{n}00000000000")
    screen = opened("runs", run=sweep[0])
    screen.text_input(key="runs find").set_value("rates").run()
    assert set(screen.dataframe[0].value["name"]) == {f"rate {rate}" for rate in RATES.values()}
    assert "3 of 10 runs." in page_text(screen)
    assert unpack(screen.session_state["set"])["find"] == "rates"
    linked = opened("runs", run=sweep[0], set=pack({"find": "rates"}))
    assert linked.text_input(key="runs find").value == "rates"
    assert len(linked.dataframe[0].value) == 3
    screen.text_input(key="runs find").set_value("nothing has this").run()
    assert not screen.exception
    assert len(screen.dataframe[0].value) == 0


# One run


def test_tags_and_a_note_are_kept_and_what_is_too_long_is_a_sentence(put: Put) -> None:
    put("one0000000000000", tags=["old"])
    screen = opened("runs", run="one0000000000000")
    screen.multiselect(key="tags one0000000000000").set_value([]).run()
    assert list_runs(asker.LOCAL)[0].tags == ()
    screen.text_area(key="note one0000000000000").set_value(f"{NASTY}\nand more").run()
    assert list_runs(asker.LOCAL)[0].comment == f"{NASTY}\nand more"
    assert NASTY in page_text(screen)
    screen.multiselect(key="tags one0000000000000").set_value(["x" * 41]).run()
    assert "A tag has at most 40 characters" in page_text(screen)
    screen.multiselect(key="tags one0000000000000").set_value(["mine", "sweep:a"]).run()
    assert list_runs(asker.LOCAL)[0].tags == ("mine", "sweep:a")


def test_duplicate_opens_train_with_the_settings_of_the_run(put: Put) -> None:
    preset = "transformer-tiny"
    recipe = override(
        PRESETS[preset].recipe,
        {"train.lr": 0.25, "train.seed": 7, "train.threads": 1, "data.clean.overlap": False},
    )
    put(
        "one0000000000000",
        recipe=recipe.to_json(),
        preset=preset,
        source="builtin:mini-en-fr",
        valid=None,
    )
    packed, untold = recipe_link.recipe_of_run("one0000000000000")
    assert untold == []
    screen = opened("train", set=packed)
    assert not screen.exception
    assert not lost(screen)
    held = unpack(screen.session_state["set"])
    assert held == {**unpack(packed), "curve": "loss", "over": "step"}
    assert (held["source"], held["preset"]) == ("builtin:mini-en-fr", preset)
    base = flat(PRESETS[preset].recipe)
    settings = {
        key: screen.session_state[f"set {key}"]
        for key in flat(recipe)
        if f"set {key}" in screen.session_state
    }
    assert settings == {
        key: base[key] if key in HARDWARE_SETTINGS else value
        for key, value in flat(recipe).items()
        if key in settings
    }
    assert {"train.lr", "train.seed", "data.clean.overlap"} <= settings.keys()


def test_settings_that_a_duplicate_cannot_carry_are_named(put: Put) -> None:
    put(
        "one0000000000000",
        source="corpus:gone",
        valid="builtin:mini-en-fr",
        init_from={"run": "gone", "step": 1},
    )
    _, untold = recipe_link.recipe_of_run("one0000000000000")
    assert [sentence.split(",")[0] for sentence in untold] == [
        "Its dataset `corpus:gone` is not on Data",
        "It was validated on `builtin:mini-en-fr`; a run from Train holds out pairs of its own dataset.",
        "The run that it was initialized from is gone; the copy starts from random weights.",
    ]
    assert "corpus:gone" in page_text(opened("runs", run="one0000000000000"))
    put(
        "two0000000000000",
        init_from={"run": "one0000000000000", "step": 30},
        source="builtin:mini-en-fr",
        valid=None,
    )
    packed, untold = recipe_link.recipe_of_run("two0000000000000")
    assert (unpack(packed)["start from"], untold) == ("one0000000000000", [])


def test_the_details_hold_what_repeats_a_run(put: Put) -> None:
    folder = put(
        "one0000000000000",
        command="python -m s2s train",
        changes=[{"step": 20, "lr": 0.5, "time": 1.0}, "broken"],
        tags=["t"],
    )
    screen = opened("runs", run="one0000000000000")
    data = folder.about()["data"]
    tables = "".join(str(each.proto.body) for each in screen.get("html"))
    for fact in (
        data["train_hash"][:16],
        "cpu, 1 thread",
        folder.about()["versions"]["torch"],
        folder.about()["source"],
    ):
        assert fact in tables
    assert "python -m s2s train" in [each.value for each in screen.code]
    assert "are not repeated: learning rate 0.5 from step 20." in page_text(screen)
    assert "bit-identical" not in page_text(screen)
    put(
        "two0000000000000",
        command="python -m s2s train",
        changes=[{"step": 31, "steps": 600, "time": 1.0}, {"step": "x", "lr": []}],
    )
    longer = page_text(opened("runs", run="two0000000000000"))
    assert "last step 600 from step 31." in longer
    assert "bit-identical" not in longer
    put("kept000000000000", command="python -m s2s train")
    assert "bit-identical" in page_text(opened("runs", run="kept000000000000"))
    put("timed00000000000", {"train.minutes": 1.0}, command="python -m s2s train")
    timed = page_text(opened("runs", run="timed00000000000"))
    assert "with a time budget, the weights differ each time" in timed
    assert "bit-identical" not in timed


def test_details_of_a_wrong_kind_break_nothing(put: Put) -> None:
    put("one0000000000000", data=None, versions=3, changes=4, init_from=[])
    put("two0000000000000", data={"train_hash": 5}, command=7)
    for run in ("one0000000000000", "two0000000000000"):
        view("", run)
    view("side-by-side", "one0000000000000")  # of both


# Side by side


def test_a_run_opens_beside_its_control_run(put: Put, sweep: list[str]) -> None:
    put("scratch000000000", tags=["twin:x"])
    put("heir000000000000", tags=["twin:x"], init_from={"run": "demo-en-fr", "step": 1})
    put("later00000000000", tags=["twin:x"], created="2100-01-01T00:00:00+00:00")
    screen = opened("runs", run="heir000000000000")
    screen.button(key="control run").click().run()
    assert not screen.exception
    assert screen.multiselect(key="runs compared").value == ["heir000000000000", "scratch000000000"]
    assert unpack(screen.session_state["set"])["tab"] == "side-by-side"
    assert "control run" not in [each.key for each in opened("runs", run=sweep[0]).button]


def curves_of(screen: AppTest) -> list[dict[str, Any]]:
    return list(json.loads(screen.get("plotly_chart")[0].proto.spec)["data"])


def test_the_pages_run_is_compared_with_the_newest_other_each_in_a_color_of_its_own(
    sweep: list[str],
) -> None:
    screen = view("side-by-side", sweep[0])
    chosen = screen.multiselect(key="runs compared").value
    assert chosen[0] == sweep[0]
    assert chosen[1] in sweep[1:]
    assert unpack(screen.session_state["set"]) == {
        "tab": "side-by-side",
        "compared": " ".join(chosen),
        "curve": "loss",
        "over": "step",
    }
    drawn = {
        curve["name"]: (curve["line"]["color"], curve["line"]["dash"])
        for curve in curves_of(screen)
    }
    one, other = (f"rate {RATES[run]}" for run in chosen)
    (first, _), (second, _) = drawn[f"{one} · training"], drawn[f"{other} · training"]
    assert first != second
    assert drawn == {
        f"{one} · training": (first, "solid"),
        f"{one} · validation": (first, "dash"),
        f"{other} · training": (second, "solid"),
        f"{other} · validation": (second, "dash"),
    }


def test_a_view_says_in_its_link_only_what_it_shows_and_keeps_its_choices(
    sweep: list[str],
) -> None:
    screen = view("side-by-side", sweep[0], compared=" ".join(sweep), over="token")
    (chart,) = screen.get("plotly_chart")
    axis = json.loads(chart.proto.spec)["layout"]["xaxis"]["title"]["text"]
    assert axis == "tokens trained on, source and target"
    tokens = cached.curves(sweep[0]).tokens
    np.testing.assert_allclose(numbers(curves_of(screen)[0]["x"]), tokens)
    screen.button_group(key="runs over").set_value("minute")
    screen.segmented_control(key="runs tab").set_value("sweeps").run()
    assert unpack(screen.session_state["set"]) == {"tab": "sweeps", "sweep": "rates"}
    screen.segmented_control(key="runs tab").set_value("side-by-side").run()
    assert screen.multiselect(key="runs compared").value == sweep
    assert unpack(screen.session_state["set"])["over"] == "minute"


def test_the_best_validation_is_that_of_the_best_step_everywhere(put: Put) -> None:
    """The mean of checkpoints is validated last, and is the best even where a loss was lower."""
    run, other = "mean000000000000", "same000000000000"
    for name in (other, run):
        folder = put(name, name=name[:4])
        folder.set_status("done", step=40, steps=40, best_step=40, best_loss=1.2)
        for step, loss in ((20, 0.5), (40, 1.5), (40, 1.2)):
            line = {"kind": "valid", "step": step, "loss": loss, "perplexity": 2.7}
            folder.log(
                "metrics", line | {"token_accuracy": 0.5, "bleu": 10 * loss, "signature": SIGNATURE}
            )
    cached.refresh_runs()
    screen = view("side-by-side", run, compared=f"{other} {run}")
    assert [*screen.dataframe[0].value["loss"]] == ["1.2", "1.2"]
    assert not findings(screen)  # they share it


def test_only_marked_differing_settings_are_shown_until_all_are_requested(
    sweep: list[str],
) -> None:
    screen = view("side-by-side", sweep[0], compared=" ".join(sweep))
    assert screen.multiselect(key="runs compared").value == sweep
    measured, settings_table = (each.value for each in screen.dataframe)
    assert list(measured["run"]) == ["rate 0.001", "rate 0.01", "rate 0.1"]
    assert list(measured["BLEU"]) == ["0.1", "1.0", "★ 10.0"]
    assert not any("★" in cell for cell in measured["accuracy"]), "all are as good"
    found = (
        "“rate 0.01” has the lowest validation loss, 1 nats per token (next: “rate 0.001”, 1.01);"
    )
    assert f"{found} by BLEU it is “rate 0.1” (10)." in findings(screen)[0]
    assert settings_table.to_dict("records")[0] | {"meaning": ""} == {
        " ": "≠",
        "setting": "train.lr",
        "rate 0.001": "0.001",
        "rate 0.01": "0.01",
        "rate 0.1": "0.1",
        "meaning": "",
    }
    assert len(settings_table) == 1
    screen.toggle(key="runs settings").set_value(True).run()
    assert unpack(screen.session_state["set"])["settings"] == "1"
    everything = screen.dataframe[1].value
    assert list(everything[" "]) == ["≠"] + [""] * (len(everything) - 1)
    assert set(flat(PRESETS["small"].recipe)) <= set(everything["setting"])


def test_one_run_alone_and_one_that_is_gone_are_a_sentence(put: Put) -> None:
    put("one0000000000000")
    screen = view("side-by-side", "one0000000000000", compared="one0000000000000 gone")
    assert "no run gone here" in " ".join(lost(screen)).replace("\\", "")
    assert screen.multiselect(key="runs compared").value == ["one0000000000000"]
    assert "Select two or more runs" in page_text(screen)


def test_runs_may_have_equal_names_or_the_name_of_a_column(put: Put) -> None:
    names = {"one": "same", "two": "same", "three": "score", "four": "setting", "five": "meaning"}
    for rate, (run, name) in enumerate(names.items(), 1):
        put(f"{run}0000000000", {"train.lr": float(rate)}, name=name)
    runs = {f"{run}0000000000": name for run, name in names.items()}
    screen = view("side-by-side", next(iter(runs)), compared=" ".join(runs))
    scores, settings = (table.value for table in screen.dataframe)
    assert [name.split(" · ")[0] for name in scores["run"]] == [*names.values()]
    assert len({*settings.columns}) == 3 + len(names)


def test_long_names_lose_what_they_share(put: Put) -> None:
    begin = "small on builtin:en-fr and then some: "
    for run, what in {"one0000000000000": "lr 0.001", "two0000000000000": "lr 0.0015"}.items():
        put(run, name=begin + what)
    screen = view("side-by-side", "one0000000000000", compared="one0000000000000 two0000000000000")
    assert list(screen.dataframe[0].value["run"]) == ["…lr 0.001", "…lr 0.0015"]
    one, two, other = short_names([f"{begin}lr 0.001", f"{begin}lr 0.0015", "another"])
    assert one.endswith(": lr 0.001")
    assert two.endswith(": lr 0.0015")
    assert other == "another"


def test_names_set_apart_are_short_and_as_many() -> None:
    for seed in range(20):
        draw = random.Random(seed)
        names = [
            f"{'x' * draw.choice([3, 40])}: lr {n}, steps {draw.randint(1, 9)}" for n in range(5)
        ]
        found = short_names(names)
        assert max(map(len, found)) <= runs_view.MAX_NAME
        assert [name[-9:] for name in found] == [name[-9:] for name in names]


def test_changes_during_training_are_compared_too(put: Put) -> None:
    put("one0000000000000", changes=[{"step": 20, "lr": 0.5, "time": 1.0}])
    put("two0000000000000")
    table = (
        view("side-by-side", "one0000000000000", compared="one0000000000000 two0000000000000")
        .dataframe[1]
        .value
    )
    row = table.set_index("setting").loc["changed while training"]
    assert list(row[1:3]) == ["learning rate 0.5 from step 20", "nothing"]
    assert row[" "] == "≠"


def test_a_damaged_run_is_compared_with_a_good_one(put: Put, sweep: list[str]) -> None:
    good = "good000000000000"
    put(good, {"train.lr": 1.0}, tags=["sweep:rates"])
    for run, damage in zip(sweep, ("recipe.json", "status.json", "metrics.jsonl"), strict=True):
        (runs_folder() / run / damage).write_text('{"half')
    cached.refresh_runs()
    for tab in ("side-by-side", "sweeps", "attention-while-learning"):
        view(tab, good, compared=" ".join([good, *sweep]))


# Sweeps


def test_without_a_sweep_there_is_a_way_to_one(put: Put) -> None:
    put("one0000000000000", tags=["sweep:", "swept"])
    screen = view("sweeps")
    assert "No sweeps yet" in "".join(each.value for each in screen.subheader)
    assert not lost(screen)


def test_a_sweep_that_is_not_there_is_said_to_be(put: Put) -> None:
    screen = view("sweeps", sweep=NASTY)
    said = f"There is no sweep {NASTY} among your runs (any more)"
    assert [each.startswith(as_markdown(said)) for each in lost(screen)] == [True]
    assert "No sweeps yet" in "".join(each.value for each in screen.subheader)


def test_a_sweep_names_its_best_run_and_holds_its_numbers(sweep: list[str]) -> None:
    screen = view("sweeps", sweep[0])
    (found,) = findings(screen)
    assert found.startswith(
        "Best: “rate 0.01”, validation loss 1, with train.lr 0.01. By BLEU it is “rate 0.1” (10)."
    )
    table = screen.dataframe[0].value
    assert list(table["train.lr"]) == [*map(str, RATES.values())]
    assert list(table["run"]) == ["rate 0.001", "★ rate 0.01", "rate 0.1"]
    figure = json.loads(screen.get("plotly_chart")[0].proto.spec)
    assert figure["layout"]["title"]["text"] == "Sweep rates · 3 runs"
    assert [trace["name"] for trace in figure["data"] if "name" in trace] == [
        "rate 0.001",
        "rate 0.1",
        "rate 0.01",
    ]
    table = screen.session_state[SHOWN]["parallel"].table
    numbers = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert [row["id"] for row in numbers] == sweep
    assert [row["train.lr"] for row in numbers] == [*RATES.values()]
    assert [row["BLEU"] for row in numbers] == pytest.approx(
        [100 * rate for rate in RATES.values()]
    )


def tokenizer_runs(put: Put, bleu: dict[str, float]) -> list[str]:
    """Runs of two tokenizers; that of characters has the lower loss per token."""
    runs = {"char": "char000000000000", "word": "word000000000000"}
    for kind, run in runs.items():
        changes = {"tokenizer.kind": kind}
        folder = put(run, changes, name=kind, tags=["sweep:t"], source="builtin:mini-en-fr")
        loss = {"char": 1.0, "word": 3.0}[kind]
        step = 30 if bleu else 29  # which the trained run has not measured
        best = {"best_step": step, "best_loss": loss, "token_accuracy": 1 / loss}
        folder.set_status("done", step=30, steps=30, **best)
        line = {"kind": "valid", "step": step, "loss": loss, "perplexity": 2.7}
        score = {"bleu": bleu[kind], "signature": SIGNATURE} if bleu else {}
        folder.log("metrics", line | {"token_accuracy": 1 / loss} | score)
    cached.refresh_runs()
    return [*runs.values()]


def test_runs_of_different_tokenizers_are_compared_by_bleu_alone(put: Put) -> None:
    runs = tokenizer_runs(put, {"char": 10.0, "word": 20.0})
    screen = view("sweeps", runs[0])
    assert findings(screen)[0].startswith("Best: “word”, BLEU 20, with tokenizer.kind word.")
    assert runs_view.BY_BLEU in page_text(screen)
    assert {*screen.dataframe[0].value["run"]} == {"char", "★ word"}
    beside = view("side-by-side", runs[0], compared=" ".join(runs))
    scores = beside.dataframe[0].value
    assert [cell.startswith("★") for cell in scores["BLEU"]] == [False, True]
    assert not any("★" in cell for name in ("loss", "accuracy") for cell in scores[name])
    assert runs_view.NO_STAR in page_text(beside)
    assert "lowest validation loss" not in "".join(findings(beside))


def test_runs_whose_bleu_has_different_signatures_get_a_warning(put: Put) -> None:
    runs = tokenizer_runs(put, {"char": 10.0, "word": 20.0})
    warning = "because their signatures differ: tok:13a; tok:zh."
    for name in ("runs", "sweeps", "side-by-side"):
        assert "signatures differ" not in page_text(view(name, runs[0], compared=" ".join(runs)))
    path = RunFolder(runs_folder() / runs[0]).path / "metrics.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    signed = (line | {"signature": SIGNATURE.replace("13a", "zh")} for line in lines)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in signed))
    cached.refresh_runs()
    for name in ("runs", "sweeps", "side-by-side"):
        screen = view(name, runs[0], compared=" ".join(runs))
        assert warning in page_text(screen), name
    assert not any(cell.startswith("★") for cell in screen.dataframe[0].value["BLEU"])


def test_runs_that_share_the_highest_bleu_have_no_best_one(put: Put) -> None:
    screen = view("sweeps", tokenizer_runs(put, {"char": 0.0, "word": 0.0})[0])
    assert findings(screen) == ["No single best run: 2 of 2 share the best score, BLEU 0."]
    assert {*screen.dataframe[0].value["run"]} == {"char", "word"}


def test_without_bleu_no_run_of_a_sweep_of_tokenizers_is_the_best(put: Put) -> None:
    runs = tokenizer_runs(put, {})
    screen = view("sweeps", runs[0])
    assert runs_view.NO_BLEU in page_text(screen)
    assert not findings(screen)
    assert {*screen.dataframe[0].value["run"]} == {"char", "word"}


def test_runs_of_a_sweep_that_wait_stand_in_it(sweep: list[str]) -> None:
    recipe = override(PRESETS["small"].recipe, {**TINY, "train.lr": 7.0})
    run = training.submit(
        training.RunRequest(recipe, "builtin:mini-en-fr", name="waits", tags=("sweep:rates", "x"))
    )
    cached.refresh_runs()
    assert run_service.find(run, asker.LOCAL).tags == ("sweep:rates", "x")
    screen = view("sweeps", sweep[0])
    row = screen.dataframe[0].value.set_index("run").loc["waits"]
    assert row["state"] == "waiting"
    assert row["train.lr"] == "7"
    assert "3 of 4 done, 1 waiting." in [each.proto.text for each in screen.get("progress")]
    assert findings(screen)[0].startswith("Best so far: “rate 0.01”")
    for tab in ("", "side-by-side", "attention-while-learning"):
        view(tab, run)


def test_a_run_of_a_sweep_may_be_deleted(sweep: list[str]) -> None:
    run_service.delete(sweep[1], asker.LOCAL)
    cached.refresh_runs()
    assert findings(view("sweeps", sweep[0]))[0].startswith("Best: “rate 0.001”")


def test_a_run_that_failed_before_its_first_validation_is_not_the_best(put: Put) -> None:
    failed = put("one0000000000000", {"train.lr": 1.0}, name="failed", tags=["sweep:s"])
    failed.set_status("failed", step=3, steps=30)
    (failed.path / "metrics.jsonl").write_text("")
    put("two0000000000000", {"train.lr": 0.5}, name="good", tags=["sweep:s"]).set_status(
        "done", step=30, steps=30, best_loss=2.0
    )
    cached.refresh_runs()
    screen = view("sweeps")
    assert findings(screen)[0].startswith("Best: “good”")
    assert "1 of 2 done, 1 failed." in [each.proto.text for each in screen.get("progress")]


# Links


def test_a_link_opens_at_its_checkpoint_or_the_nearest(put: Put) -> None:
    folder = put("one0000000000000")
    weights = np.full((2, 2, 2, 2), 0.5, np.float32)
    for step in (10, 20, 30):
        attention = Attention(
            ("▁a", "</s>"), ("<s>", "▁b"), ("▁b", "</s>"), weights, weights, weights
        )
        attention_history.save(folder, attention_history.SavedAttention(step, "a", "b", attention))
    for at, shown in (("20", 20), ("x", 30), ("9" * 900, 30), ("12", 10)):
        screen = view("attention-while-learning", "one0000000000000", at=at)
        assert f"step {shown}" in picture(screen)[0]
    for key, value in (("kind", "encoder"), ("layer", "1"), ("head", "2")):
        screen.segmented_control(key=key).set_value(value)
    screen.run()
    said = dict(parse_qsl(urlsplit(link(screen)).query))
    assert unquote_plus(link(screen)).endswith("set=tab:attention-while-learning,at:12")
    title = picture(opened("runs", **said))[0].replace("<br>", " · ")
    assert "encoder self-attention · layer 1 of 2 · head 2 of 2" in title


@pytest.mark.parametrize("given", ["tab:nowhere", "%%%", "tab:side-by-side,compared:a b c"])
def test_a_link_of_anything_opens(given: str, sweep: list[str]) -> None:
    assert not opened("runs", set=given, run=sweep[0]).exception
