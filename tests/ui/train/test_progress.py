"""A run in training as a visitor sees and controls it, without a browser."""

import dataclasses
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, unquote

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from s2s import settings
from s2s.config import Recipe, UserError, asker, override
from s2s.jobs import run_service
from s2s.library import Library
from s2s.links.share import pack, unpack
from s2s.processes import queue
from s2s.questions import Have, SamplesOverTraining
from s2s.runs import RunFolder, RunSummary, runs_folder
from s2s.training import Planned
from s2s.training.schedules import SCHEDULES, learning_rate
from s2s.ui.kit import cached, in_view, polling, trouble
from s2s.ui.kit.datasets import DEFAULT_DATASET
from s2s.ui.train import controls, progress
from tests.conftest import make_run
from tests.screen import lost, opened, page_text

RUN = "abcdefgh12345678"
LR = f"control {RUN} train.lr"
STAMPS = ("state", "format", "updated")
NEXT_LR = f"continue {RUN} train.lr"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("trained") / RUN, {})


@pytest.fixture(autouse=True)
def own(trained: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A run of the visitor's, and no worker."""
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    shutil.copytree(trained, settings.home() / "runs" / RUN)
    cached.refresh_runs()
    return Library().run(RUN)


Becomes = Callable[..., None]


@pytest.fixture
def becomes(monkeypatch: pytest.MonkeyPatch) -> Becomes:
    """Makes the run look as the queue would tell it."""
    real = run_service.find

    def set_to(**changes: object) -> None:
        monkeypatch.setattr(
            run_service,
            "find",
            lambda run_id, owner: dataclasses.replace(real(run_id, owner), **changes),
        )

    return set_to


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """The calls of the run service."""
    calls: list[tuple[object, ...]] = []
    for name in ("pause", "unpause", "step_once", "change_lr"):
        monkeypatch.setattr(
            run_service, name, lambda *given, name=name: calls.append((name, *given))
        )
    return calls


def labels(screen: AppTest) -> list[str]:
    return [each.label for each in screen.button]


def test_a_training_run_can_be_paused_and_stopped_and_a_new_learning_rate_is_previewed(
    becomes: Becomes, requests: list[tuple[object, ...]], own: RunFolder
) -> None:
    becomes(state="running")
    screen = opened("train", run=RUN)
    assert {"Pause", "Stop this run"} <= set(labels(screen))
    assert "Resume continues from there" in page_text(screen)
    assert not {"Continue", "One step", "Resume"} & set(labels(screen))
    train = own.recipe().train
    assert screen.number_input(key=LR).value == train.lr
    assert screen.button(key="change lr").disabled
    screen.number_input(key=LR).set_value(0.02).run()
    assert f"with 0.02 it would give {learning_rate(31, train, 0.02):.2e}" in page_text(screen)
    screen.button(key="change lr").click().run()
    screen.button(key="pause").click().run()
    assert requests == [("change_lr", RUN, asker.LOCAL, 0.02), ("pause", RUN, asker.LOCAL)]
    assert not screen.exception


def test_a_paused_run_says_so_and_continues_or_takes_one_step(
    becomes: Becomes, requests: list[tuple[object, ...]]
) -> None:
    becomes(state="running", is_paused=True)
    screen = opened("train", run=RUN)
    assert "paused" in page_text(screen)
    assert "10 min " in page_text(screen)
    assert "Pause" not in labels(screen)
    screen.button(key="one step").click().run()
    screen.button(key="carry on").click().run()
    assert requests == [("step_once", RUN, asker.LOCAL), ("unpause", RUN, asker.LOCAL)]


@pytest.mark.parametrize("state", ["queued", "starting"])
def test_a_run_that_does_not_train_yet_can_only_be_stopped(state: str, becomes: Becomes) -> None:
    becomes(state=state)
    assert {"Pause", "One step"} & set(labels(opened("train", run=RUN))) == set()


def test_the_changes_of_a_run_are_listed_and_the_newest_holds(
    becomes: Becomes, own: RunFolder
) -> None:
    changes = [
        {"step": 5, "lr": 0.5, "time": "2026-01-02T03:04:05+00:00"},
        {"step": 9, "steps": 1200, "time": "2026-01-02T03:05:05+00:00"},
    ]
    own.write_about({**own.about(), "changes": changes})
    for change in changes[:1]:
        own.log("metrics", {"kind": "change", **change, "time": 1.0})
    becomes(state="running")
    screen = opened("train", run=RUN)
    assert screen.number_input(key=LR).value == 0.5
    assert "train.lr 0.5 from step 5 (2026-01-02 03:04 UTC)" in page_text(screen)
    assert "train.steps 1,200 from step 9" in page_text(screen)
    shapes = json.loads(screen.get("plotly_chart")[0].proto.spec)["layout"]["shapes"]
    assert [(shape["x0"], shape["label"]["text"]) for shape in shapes] == [
        (5, "train.lr 0.5"),
        (9, "to step 1,200"),
    ]


def test_a_refused_action_is_explained(becomes: Becomes, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(run_id: str, owner: str) -> None:
        raise UserError("This run is `stopped` <b>already</b>.")

    becomes(state="running")
    monkeypatch.setattr(run_service, "pause", refuse)
    screen = opened("train", run=RUN)
    screen.button(key="pause").click().run()
    assert [each.value for each in screen.error] == [
        "This run is `stopped` \\<b\\>already\\<\\/b\\>\\."
    ]
    assert not screen.run().error


def test_the_links_open_and_name_the_newest_checkpoint(becomes: Becomes) -> None:
    newest = "Translate (step 30)"
    for best, named in ((20, [newest, "Translate (best, step 20)"]), (30, [newest])):
        becomes(state="stopped", best_step=best)
        links = [each.proto for each in opened("train", run=RUN).get("page_link")]
        found = {each.label: unquote(each.query_string) for each in links}
        assert [label for label in found if label.startswith("Translate")] == named
        assert f"{RUN}@30!" in found[newest]
        assert found["Inspect attention (step 30)"].endswith("step=30")
        sentence = Have().samples(RUN)[0]["source"]
        assert f"src={sentence}" in found[newest].replace("+", " ")
    screen = opened("compare", c1=f"{RUN}@30!beam!")
    assert screen.selectbox(key="c1 step").value == "30"


def test_refusals_of_the_run_service_are_sentences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for what in ("pause", "carry on", "one step", "stop", "resume", "change lr"):
        session: dict[str, object] = {LR: 0.1}
        monkeypatch.setattr(controls.st, "session_state", session)
        controls.act(what, RUN)  # of a run that is done: somebody was faster
        assert isinstance(session[controls.REFUSED], UserError)
    with pytest.raises(ValueError, match="dance"):
        controls.act("dance", RUN)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_more_steps_say_what_happens_to_the_learning_rate(schedule: str) -> None:
    recipe = override(
        Recipe(), {"train.schedule": schedule, "train.steps": 100, "train.warmup_steps": 10}
    )
    before = controls.RatePlan(100, 0.004)
    sentence = controls.schedule_preview(recipe, 101, before, before._replace(steps=200))
    longer = override(recipe, {"train.steps": 200}).train
    assert ("recomputed" in sentence) == (schedule == "cosine")
    assert f"{learning_rate(101, longer, 0.004):.2e}" in sentence


@pytest.mark.parametrize(
    ("schedule", "steps", "peak", "words"),
    [
        ("cosine", 200, 0.004, "is recomputed for the new last step, so the rate jumps up"),
        ("cosine", 60, 0.004, "is recomputed for the new last step, so the rate drops"),
        ("cosine", 100, 0.001, "continues with the new peak, so the rate drops"),
        ("constant", 200, 0.004, "continues unchanged"),
        ("constant", 200, 0.008, "continues with the new peak, so the rate jumps up"),
    ],
)
def test_a_continuation_says_how_the_learning_rate_moves(
    schedule: str, steps: int, peak: float, words: str
) -> None:
    recipe = override(Recipe(), {"train.schedule": schedule, "train.warmup_steps": 10})
    before = controls.RatePlan(100, 0.004)
    sentence = controls.schedule_preview(recipe, 51, before, controls.RatePlan(steps, peak))
    assert sentence.startswith(f"The {schedule} schedule {words}: step 51 starts at")


def test_a_rate_that_a_new_last_step_leaves_as_it_was_is_not_said_to_jump() -> None:
    recipe = override(Recipe(), {"train.schedule": "cosine", "train.warmup_steps": 10})
    before = controls.RatePlan(100, 0.004)
    sentence = controls.schedule_preview(recipe, 5, before, controls.RatePlan(200, 0.004))
    assert "new last step, and the rate stays the same" in sentence  # still in its warmup


def queued_again() -> Recipe:
    """The recipe of the run's newest job."""
    job = queue.latest(RUN)
    assert job
    return Recipe.from_json(job.spec["recipe"])


def set_status(own: RunFolder, state: str, **details: object) -> None:
    known = {key: value for key, value in own.status().items() if key not in STAMPS}
    own.set_status(state, **{**known, **details})


def within_minutes(own: RunFolder) -> None:
    """The run has a time budget, planned once more at step 11."""
    recipe = override(own.recipe(), {"train.minutes": 5.0})
    plan = [{"step": 1, "steps": 60}, {"step": 11, "steps": 40}]
    own.write_about({**own.about(), "recipe": recipe.to_json(), "plan": plan})
    set_status(own, "stopped", steps=40)
    cached.refresh_runs()


def test_another_rate_alone_keeps_the_time_budget_and_another_last_step_ends_it(
    own: RunFolder,
) -> None:
    within_minutes(own)
    screen = opened("train", run=RUN)
    plan = [Planned(1, 60), Planned(11, 40)]
    first = learning_rate(31, override(own.recipe(), {"train.steps": 40}).train, plan=plan)
    assert f"step 31 starts at a learning rate of {first:.2e}" in page_text(screen)
    assert "Another last step would end its time budget." in page_text(screen)
    screen.number_input(key=NEXT_LR).set_value(0.02).run()
    screen.button(key="go on").click().run()
    assert not screen.exception
    assert queued_again().train.minutes == 5.0
    assert [change.keys() & {"lr", "steps"} for change in controls.changes(RUN)] == [{"lr"}]
    run_service.stop(RUN, asker.LOCAL)
    cached.refresh_runs()
    screen = opened("train", run=RUN)
    screen.number_input(key=f"to step {RUN}").set_value(35).run()
    assert "Another last step ends its time budget." in page_text(screen)
    screen.button(key="go on").click().run()
    assert not screen.exception
    assert (queued_again().train.minutes, queued_again().train.steps) == (None, 35)


def test_a_run_that_stopped_early_continues_from_its_newest_checkpoint(own: RunFolder) -> None:
    recipe = override(own.recipe(), {"train.steps": 100})
    own.write_about({**own.about(), "recipe": recipe.to_json()})
    set_status(own, "done", steps=100)
    cached.refresh_runs()
    screen = opened("train", run=RUN)
    last = screen.number_input(key=f"to step {RUN}")
    assert (last.min, last.value) == (31, 200)
    assert "step 31 starts at" in page_text(screen)
    last.set_value(100).run()
    screen.button(key="go on").click().run()
    assert not screen.exception
    assert queued_again().train.steps == 100


def test_a_rate_that_was_typed_while_it_trained_is_not_taken_when_it_goes_on(
    becomes: Becomes, own: RunFolder
) -> None:
    becomes(state="running")
    screen = opened("train", run=RUN)
    screen.number_input(key=LR).set_value(0.5).run()
    becomes(state="stopped")
    screen = screen.run()
    assert screen.number_input(key=NEXT_LR).value == own.recipe().train.lr


def test_an_untouched_rate_follows_what_another_page_changed(
    becomes: Becomes, own: RunFolder
) -> None:
    becomes(state="running")
    screen = opened("train", run=RUN)
    change = {"step": 5, "lr": 0.5, "time": "2026-01-02T03:04:05+00:00"}
    own.write_about({**own.about(), "changes": [change]})
    cached.refresh_runs()
    assert screen.run().number_input(key=LR).value == 0.5


def test_five_metrics_come_first(own: RunFolder) -> None:
    own.log(
        "metrics",
        {
            "kind": "valid",
            "step": 30,
            "loss": 1.0,
            "perplexity": 2.7,
            "token_accuracy": 0.5,
            "bleu": 31.4,
            "memory": 5e8,
        },
    )
    screen = opened("train", run=RUN)
    shown = {each.label: each.value for each in screen.metric[:11]}
    assert list(shown)[:5] == [
        "Training loss",
        "Validation loss",
        "Perplexity",
        "Token accuracy",
        "BLEU",
    ]
    assert (shown["BLEU"], shown["Memory"]) == ("31.4", "500 MB")
    assert all(each.help for each in screen.metric[:11])


def test_sample_translations_of_an_earlier_step(own: RunFolder) -> None:
    steps = sorted({line["step"] for line in own.lines("samples")})
    screen = opened("train", run=RUN)
    assert "memorizes" in page_text(screen)  # unlike that of a run that failed, below
    slider = screen.select_slider(key="train sample")
    assert slider.value == steps[0]
    slider.set_value(steps[1]).run()
    (table,) = [
        str(each.proto.body)
        for each in screen.get("html")
        if 'class="samples numbers"' in str(each.proto.body)
    ]
    assert f'<th scope="col">step {steps[1]:,}</th>' in table


def test_samples_with_broken_lines_are_read_around_them(own: RunFolder) -> None:
    path = own.path / "samples.jsonl"
    good = [
        json.dumps({"step": step, "source": "a", "text": str(step), "reference": "é"})
        for step in (0, 0, 5)
    ]
    path.write_text(
        "\n".join(
            [
                good[0],
                '{"half',
                good[1],
                "[]",
                '{"step": "x", "source": 1, "text": 2, "reference": 3}',
                good[2],
            ]
        )
        + "\n"
    )
    found = Have().answer(SamplesOverTraining(RUN))
    assert found.steps == (0, 5)
    assert found.rows == (("a", "0", "5", "é"),)


def test_translations_are_counted_as_right_only_once_something_is_learned(own: RunFolder) -> None:
    question = SamplesOverTraining(RUN)
    answer = Have().answer(question)
    right = answer.rows[0]._replace(earlier="", newest="x", reference="x")
    said = question.finding(dataclasses.replace(answer, steps=(0, 9), earlier=0, rows=(right,)))
    assert said == "At step 9, 1 of 1 translations equal their references; at step 0, 0."
    untrained = question.finding(
        dataclasses.replace(answer, steps=(0,), earlier=None, rows=(right,))
    )
    assert untrained.startswith("Nothing is learned yet")
    assert question.finding(dataclasses.replace(answer, rows=())) == ""


@pytest.mark.slow
def test_the_picture_follows_its_controls(own: RunFolder) -> None:
    def spec(screen: AppTest) -> dict[str, object]:
        assert not screen.exception
        return dict(json.loads(screen.get("plotly_chart")[0].proto.spec))

    screen = opened("train", run=RUN)
    assert [trace["name"] for trace in spec(screen)["data"]] == ["training", "validation"]  # type: ignore[attr-defined]
    screen.segmented_control(key="train curve").set_value("bleu").run()
    assert not screen.exception
    assert screen.slider(key="curve steps").max == 30  # the last step of a finished run
    screen.segmented_control(key="train curve").set_value("loss")
    screen.slider(key="train smoothing").set_value(0.5)
    screen.slider(key="curve steps").set_value((10, 20)).run()
    assert len(spec(screen)["data"]) == 3  # type: ignore[arg-type]
    own.log(
        "metrics",
        {
            "kind": "train",
            "step": 31,
            "loss": 1.0,
            "lr": 1e-3,
            "grad_norm": 1.0,
            "n_tokens": 9,
            "seconds": 0.1,
            "time": 1e9,
        },
    )
    assert spec(screen.run())["layout"]["xaxis"]["range"] == [10.0, 20.0]  # type: ignore[index]
    screen.toggle(key="train log_y").set_value(True)
    screen.segmented_control(key="train over").set_value("token")
    screen.multiselect(key="train runs").set_value(["demo-en-fr"])
    screen.button(key="curve whole").click().run()
    assert spec(screen)["layout"]["yaxis"]["type"] == "log"  # type: ignore[index]
    assert "range" not in spec(screen)["layout"]["xaxis"]  # type: ignore[index]
    assert "by token" in spec(screen)["layout"]["title"]["text"]  # type: ignore[index]
    assert {trace["name"] for trace in spec(screen)["data"] if trace.get("name")} == {  # type: ignore[attr-defined]
        f"{name} · {kind}"
        for name in (cached.title(RUN), "demo-en-fr")
        for kind in ("training", "validation")
    }


def test_the_link_says_which_curve_is_drawn_over_what(own: RunFolder) -> None:
    view = {"curve": "bleu", "over": "token", "logx": "1"}
    recipe = {"source": "builtin:mini-en-fr", "preset": "mini-t5", "train.steps": "77"}
    screen = opened("train", run=RUN, set=pack(recipe | view))
    assert not lost(screen)
    layout = json.loads(screen.get("plotly_chart")[0].proto.spec)["layout"]
    assert "BLEU by token" in layout["title"]["text"]
    assert layout["xaxis"]["type"] == "log"
    assert recipe | view == {**unpack(screen.session_state["set"])}
    screen.segmented_control(key="train over").set_value("minute").run()
    assert unpack(screen.session_state["set"])["over"] == "minute"
    screen = opened("train", run=RUN, set=pack({"curve": "beauty"}))
    assert any("there is no beauty here" in sentence for sentence in lost(screen))


def test_the_link_says_how_curves_and_samples_are_shown(own: RunFolder) -> None:
    samples = Have().answer(SamplesOverTraining(RUN)).steps
    view = {"with": "demo-en-fr", "smoothing": "0.9", "from": "5", "to": "20"}
    view |= {"sample": str(samples[1])}
    recipe = {"source": "builtin:mini-en-fr", "preset": "mini-t5", "train.steps": "77"}
    screen = opened("train", run=RUN, set=pack(recipe | view))
    assert not lost(screen)
    assert unpack(screen.session_state["set"]).items() >= view.items()
    layout = json.loads(screen.get("plotly_chart")[0].proto.spec)["layout"]
    assert layout["xaxis"]["range"] == [5.0, 20.0]
    assert screen.multiselect(key="train runs").value == ["demo-en-fr"]
    assert screen.slider(key="train smoothing").value == 0.9
    assert screen.select_slider(key="train sample").value == samples[1]
    assert ("run", "demo-en-fr") not in screen.session_state[in_view.IN_VIEW]  # needs no sharing
    screen.slider(key="curve steps").set_value((0, 10))
    screen.slider(key="train smoothing").set_value(0.0)
    screen.select_slider(key="train sample").set_value(samples[0]).run()
    said = unpack(screen.session_state["set"])
    assert view.keys() & said.keys() == {"with", "to"}
    assert said["to"] == "10"
    screen.selectbox(key="run").set_value("demo-en-fr").run()
    assert not view.keys() & unpack(screen.session_state["set"]).keys()  # all of it, without itself
    assert not lost(screen)


@pytest.mark.parametrize(
    "given", ["from:30", "from:999999999,to:3,smoothing:7,sample:9,with:a b c d e f g"]
)
def test_a_link_with_what_no_curve_has_opens(given: str, own: RunFolder) -> None:
    assert not opened("train", run=RUN, set=given).exception


def test_a_run_beside_it_is_shared_with_it(own: RunFolder) -> None:
    other = runs_folder() / "other00000000000"
    shutil.copytree(own.path, other)
    cached.refresh_runs()
    screen = opened("train", run=RUN, set=f"with:{other.name}")
    assert ("run", other.name) in screen.session_state[in_view.IN_VIEW]


def test_the_newest_value_is_the_last_that_was_logged() -> None:
    from s2s.ui.train.metrics import newest

    assert newest(np.array([np.nan, 2.0, np.nan])) == 2.0
    assert newest(np.array([np.nan])) is None
    assert newest(np.array([])) is None


def test_no_more_time_is_left_than_the_budget_of_a_run(becomes: Becomes) -> None:
    shown = []
    for minutes in (None, 0.5):
        becomes(state="running", steps=10_000_000, minutes=minutes)
        (bar,) = opened("train", run=RUN).get("progress")
        shown.append(bar.proto.text)
    assert re.search(r" of 10,000,000 .* (h|days) left", shown[0])
    assert re.search(r" of about 10,000,000 .* \d\d? s left", shown[1])


def test_a_listed_run_is_not_paused_by_default() -> None:
    assert not RunSummary("a", "a", "local", "", "", 0.0, "running").is_paused


def test_a_diverged_run_says_first_what_happened_and_the_cure(own: RunFolder) -> None:
    step = {"kind": "train", "lr": 1e-3, "grad_norm": 1.0, "n_tokens": 9, "seconds": 0.1}
    for at in range(31, 45):
        own.log("metrics", {**step, "step": at, "loss": 95.0})
    valid = {"kind": "valid", "step": 44, "loss": 94.0, "token_accuracy": 0.01}
    own.log("metrics", {**valid, "perplexity": 6.7e40})
    screen = opened("train", run=RUN)
    (error,) = [each.value for each in screen.error if "diverged" in each.value]
    assert "This run diverged at step 44" in error
    assert "such as 0" in error.replace("\\", "")
    assert "memorizes" not in page_text(screen)
    badges = [each.value for each in screen.markdown if "badge" in each.value]
    assert any("diverged" in each for each in badges)
    assert not any("done" in each for each in badges)
    shown = {each.label: each.value for each in screen.metric}
    assert shown["Perplexity"] == "> 1e38"
    screen = opened("runs", run=RUN)
    assert screen.dataframe[0].value["state"].tolist()[0] == "✗ diverged"


def test_of_a_run_that_failed_only_the_cure_is_said(own: RunFolder, becomes: Becomes) -> None:
    cure = "Training diverged at step 31: its loss or its gradient is not finite; lower train.lr."
    own.set_status("failed", step=30, steps=30)
    becomes(error=cure)
    cached.refresh_runs()
    screen = opened("train", run=RUN)
    assert cure in page_text(screen)
    assert "memorizes" not in page_text(screen)


def test_what_the_process_of_a_failed_run_printed_last_is_shown_unless_strangers_come(
    own: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.submit("train", asker.current(), RUN, {}, now=1e9)
    job = queue.claim("w", "h", "long", 9.0)
    assert job
    assert queue.finish(job.id, "w", "failed", "An internal error occurred (KeyError).", now=4e9)
    queue.keep_lines(job.id, ["KeyError", "  File <b>"])
    cached.refresh_runs()
    for page in ("train", "runs"):
        screen = opened(page, run=RUN)
        assert "An internal error occurred" in page_text(screen)
        assert "KeyError\n  File <b>" in [each.value for each in screen.code]
    monkeypatch.setattr(asker, "is_hosted", lambda: True)
    assert trouble._log(RUN) == ""


def test_another_run_is_folded_below_the_recipe_of_a_new_one(own: RunFolder) -> None:
    recipe = {"source": "synthetic:sort", "preset": "small"}
    screen = opened("train", run=RUN, set=pack(recipe))
    assert not screen.get("plotly_chart")
    assert any(each.label.startswith("The training of") for each in screen.expander)
    asked = opened("train", run=RUN, set=pack(recipe | {"curve": "bleu"}))
    assert asked.get("plotly_chart")


def test_a_run_that_failed_without_a_checkpoint_leads_to_its_settings(
    becomes: Becomes,
) -> None:
    becomes(state="failed", checkpoints=(), error="The disk is full.")
    screen = opened("train", run=RUN)
    (link,) = [
        each.proto for each in screen.get("page_link") if each.proto.label == "Change its settings"
    ]
    filled = opened("train", run=RUN, set=dict(parse_qsl(link.query_string))["set"])
    assert filled.session_state["set train.steps"] == cached.recipe(RUN).train.steps  # type: ignore[union-attr]


def test_an_interrupted_run_is_looked_at_less_often(
    becomes: Becomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds: list[float | None] = []

    def fragment(panel: Callable[..., None], *, run_every: float | None) -> Callable[..., None]:
        seconds.append(run_every)
        return panel

    monkeypatch.setattr(progress.st, "fragment", fragment)
    monkeypatch.setattr(progress, "_panel", lambda *of: None)
    monkeypatch.setattr(polling, "LAST_POLLS", {})  # of no other session
    for state in ("running", "interrupted", "done"):
        becomes(state=state)
        progress.panel(RUN, DEFAULT_DATASET)
    assert seconds == [progress.REFRESH, progress.REFRESH * progress.REST, None]


def test_a_run_that_ended_early_says_why_is_not_green_and_continues_to_what_was_planned(
    own: RunFolder,
) -> None:
    about = own.about()
    about["recipe"]["train"]["minutes"] = 10.0
    own.write_about({**about, "plan": [{"step": 1, "steps": 7400}, {"step": 3, "steps": 30}]})
    status = {key: value for key, value in own.status().items() if key not in STAMPS}
    own.set_status("done", **status, ended="Its time budget of 10 minutes ended it at step 30.")
    screen = opened("train", run=RUN)
    assert "Its time budget of 10 minutes ended it at step 30" in screen.info[0].value
    badges = [each.value for each in screen.markdown if "badge" in each.value]
    assert any("orange" in each and "ended early" in each for each in badges)
    assert not any("green" in each for each in badges)
    assert "Continue" in labels(screen)
    assert [each.value for each in screen.number_input if each.label == "Last step"] == [7400]
    screen = opened("runs", run=RUN)
    assert screen.dataframe[0].value["state"].tolist()[0] == "! ended early"


def test_a_stopped_run_says_where(own: RunFolder) -> None:
    status = {key: value for key, value in own.status().items() if key not in STAMPS}
    own.set_status("stopped", **status | {"steps": 100})
    screen = opened("train", run=RUN)
    assert "It was stopped at step 30 of 100" in screen.info[0].value
    assert "Resume" in labels(screen)


@pytest.mark.parametrize(
    "note",
    ["Waiting for the processor: 7 s of it in 6 minutes.", "Training on cpu, up to 2 threads."],
)
def test_only_while_the_processor_is_taken_the_bar_says_so(note: str, becomes: Becomes) -> None:
    becomes(state="running", note=note)
    (bar,) = opened("train", run=RUN).get("progress")
    assert ("7 s of it in 6 minutes" in bar.proto.text) == note.startswith("Waiting")
    assert "Training on cpu" not in bar.proto.text
