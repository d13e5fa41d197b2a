"""Train before anybody presses the button: costs, warnings, expectation, sweep, initialization from a run."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from s2s import settings
from s2s.config import PRESETS, Recipe, asker, flat
from s2s.jobs.plan import expected
from s2s.links.share import pack, unpack
from s2s.processes import queue
from s2s.questions import ANSWERS, Have, TrainingForecast
from s2s.ui.kit import cached, plain
from s2s.ui.train import progress, view_state
from tests.conftest import make_run
from tests.jobs.plan.test_expected import run
from tests.screen import ROOT, html_table, lost, opened, page_text

SMALL = {"source": "builtin:en-fr", "preset": "small"}
REVERSE = {"source": "synthetic:reverse", "preset": "small", "train.steps": "20"}
RUN = "abcdefgh12345678"


@pytest.fixture(autouse=True)
def _form_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker, and below the form not the training of the page's run: test_progress.py and test_start.py have it."""
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    monkeypatch.setattr(progress, "panel", lambda *of: None)
    cached.refresh_runs()


def train(**changes: str) -> AppTest:
    return form(SMALL | {key.replace("__", "."): value for key, value in changes.items()})


def form(view: dict[str, str], *unfolded: str) -> AppTest:
    """The page at its link, with these expanders open."""
    screen = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=30)
    screen._page_hash = calc_hash("train")
    screen.query_params["set"] = pack(view)
    for key in unfolded:
        screen.session_state[key] = True
    screen.run()
    assert not screen.exception
    return screen


def keys(screen: AppTest, kind: str) -> set[str]:
    return {each.key for each in getattr(screen, kind)}


def test_by_default_there_is_no_warning_and_no_open_expander() -> None:
    """Once opened, the expanders agree with the rest of the page."""
    screen = train()
    assert not screen.warning
    assert not screen.error
    assert "1,200 steps, about " in page_text(screen)
    exported = "This recipe can be exported to Hugging Face transformers (Pegasus) and CTranslate2."
    assert plain(exported) in {caption.value for caption in screen.caption}
    assert not {"sweep key 0", "start from"} & keys(screen, "selectbox")
    assert "Expected BLEU" in page_text(screen)
    screen.session_state["costs"] = True
    screen.session_state["all presets"] = True
    screen.run()
    assert not screen.exception
    costs = {row["cost"]: row["estimate"] for row in html_table(screen, "estimate")}
    assert {*costs} == {"Parameters", "Time", "Memory needed", "Compute"}
    (table,) = screen.table
    assert list(table.value["preset"]) == list(PRESETS)
    sizes = dict(zip(table.value["preset"], table.value["parameters"], strict=True))
    assert sizes["small"] == costs["Parameters"]  # counted as the forecast does
    assert f"{costs['Parameters']} parameters · " in page_text(screen)


def test_what_the_server_does_not_allow_cannot_be_queued(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_MAX_STEPS", "500")
    screen = train()
    assert "500 allowed here" in page_text(screen)
    assert screen.button(key="train").disabled
    screen.button(key="cure 0").click().run()
    assert screen.number_input(key="set train.steps").value == 500
    assert not screen.button(key="train").disabled


def test_every_preset_says_what_it_is_good_for() -> None:
    for row in PRESETS.values():
        assert row.good_for.endswith(".")
        assert 40 < len(row.good_for) < 160


def test_the_expected_quality_is_one_sentence_and_a_chart_in_an_expander(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ANSWERS.clear()
    known = (run(20_000, 90, like="grammar", rich=2.2),)
    monkeypatch.setattr(expected, "measured_runs", lambda: known)
    screen = train()
    assert "Expected BLEU" in page_text(screen)
    assert "with small on grammar" in page_text(screen)
    before = len(screen.get("plotly_chart"))
    screen.session_state["expect"] = True
    assert len(screen.run().get("plotly_chart")) == before + 1
    assert not screen.exception
    ANSWERS.clear()


CHANGED = {"model.dropout": "0.25", "tokenizer.vocab_size": "900"}


def values(screen: AppTest) -> dict[str, object]:
    state = screen.session_state
    found = {key: state[f"set {key}"] for key in flat(Recipe()) if f"set {key}" in state}
    return found | {"preset": state["preset"]}


def changed(before: dict[str, object], after: dict[str, object]) -> set[str]:
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def ask_minutes(screen: AppTest, answer: str) -> AppTest:
    return screen.segmented_control(key="train budget").set_value(answer).run()


def test_steps_follow_from_the_minutes_that_are_chosen_first() -> None:
    screen = opened("train")
    assert screen.segmented_control(key="train budget").value == "10"
    assert "set" not in screen.query_params
    assert "set train.steps" not in keys(screen, "number_input")
    ask_minutes(screen, "1")
    assert "1 min, about" in page_text(screen)
    assert "Training ends on time." in page_text(screen)
    assert unpack(screen.session_state["set"])["minutes"] == "1"
    screen.button(key="train").click().run()
    (job,) = queue.jobs(asker.LOCAL)
    assert Recipe.from_json(job.spec["recipe"]).train.minutes == 1.0
    ask_minutes(screen, "steps")
    assert screen.number_input(key="set train.steps").value == PRESETS["small"].recipe.train.steps
    assert not screen.exception


def test_the_preset_follows_dataset_and_minutes_until_somebody_chooses_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    natural = "synthetic:sort"
    monkeypatch.setattr(
        cached, "suggested_preset", lambda spec, minutes: "quick" if spec == natural else "small"
    )
    screen = opened("train", set=pack({"source": natural}))
    assert screen.selectbox(key="preset").value == "quick"
    ask_minutes(screen, "5")
    assert screen.number_input(key="set train.minutes").value == 5
    screen.selectbox(key="source").set_value("builtin:en-fr").run()
    assert screen.selectbox(key="preset").value == "small"
    assert screen.segmented_control(key="train budget").value == "5"
    screen.session_state["set data.max_length"] = 200
    screen.selectbox(key="source").set_value(natural).run()
    assert screen.selectbox(key="preset").value == "small"
    assert screen.session_state["set data.max_length"] == 200
    screen.selectbox(key="preset").set_value("modern-small").run()
    screen.selectbox(key="source").set_value("synthetic:copy").run()
    assert screen.selectbox(key="preset").value == "modern-small"
    assert not screen.exception


def test_a_handful_of_pairs_is_trained_for_the_few_steps_of_its_preset() -> None:
    screen = opened("train", set=pack({"source": "builtin:mini-en-fr"}))
    assert screen.segmented_control(key="train budget").value == "steps"
    assert screen.selectbox(key="preset").value == "mini-t5"


def test_under_load_the_wait_is_told_before_the_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "queue_wait", lambda slot: 420.0)
    assert "starts in about 7 min" in page_text(train())


@pytest.mark.parametrize(
    ("said", "minutes"),
    [({"minutes": "7"}, "7"), ({"train.minutes": "20"}, "20"), ({"train.minutes": "0.5"}, "0.5")],
)
def test_a_link_says_the_name_and_the_minutes(said: dict[str, str], minutes: str) -> None:
    screen = form(SMALL | {"name": "<b>a, b: c</b>"} | said)
    assert not lost(screen)
    assert screen.text_input(key="train name").value == "<b>a, b: c</b>"
    assert screen.segmented_control(key="train budget").value == minutes
    held = screen.session_state["set"]
    assert unpack(held)["name"] == "<b>a, b: c</b>"
    assert minutes in unpack(held).values()
    again = opened("train", set=held)
    assert again.segmented_control(key="train budget").value == minutes


def test_a_name_or_minutes_that_cannot_be_are_left_out_and_said() -> None:
    screen = form(SMALL | {"name": "n" * 81, "minutes": "10001"})
    (said,) = lost(screen)
    assert "there is no nnn" in said
    assert "there is no 10001" in said
    assert not view_state._are_minutes("0")
    assert screen.text_input(key="train name").value == ""
    assert screen.segmented_control(key="train budget").value == "steps"


def test_advice_changes_one_setting_and_says_its_old_and_new_value() -> None:
    screen = form(SMALL | CHANGED | {"train.steps": "150"})
    before = values(screen)
    (warning,) = [each for each in screen.warning if "still rises" in each.value]
    assert not screen.button(key="train").disabled  # a warning, no refusal
    (cure,) = [each for each in screen.button if "warmup" in each.label]
    assert cure.label.replace("\\", "") == "Set train.warmup_steps from 200 to 25"
    cure.click().run()
    assert changed(before, values(screen)) == {"train.warmup_steps"}
    assert not [each for each in screen.warning if each.value == warning.value]
    assert "Changed: train.warmup_steps from 200 to 25." in page_text(screen)
    screen.session_state["set train.warmup_steps"] = 30
    screen.run()
    assert "undo advice" not in keys(screen, "button")  # it would undo what the visitor typed


def test_another_preset_keeps_the_visitors_own_settings_and_says_so() -> None:
    screen = opened(
        "train",
        set=pack(
            {
                "source": "builtin:en-fr",
                "preset": "vaswani-512",
                "model.dropout": "0.25",
                "model.encoder.n_layers": "5",
            }
        ),
    )
    before = values(screen)
    (cure,) = [each for each in screen.button if each.label.startswith("Use small")]
    cure.click().run()
    assert screen.selectbox(key="preset").value == "small"
    assert screen.session_state["set model.dropout"] == 0.25
    small = PRESETS["small"].recipe
    assert screen.session_state["set model.d_model"] == small.model.d_model
    assert screen.session_state["set model.encoder.n_layers"] == small.model.encoder.n_layers
    sentence = page_text(screen)
    assert "Changed: preset from vaswani-512 to small, model.encoder.n_layers from 5 to" in sentence
    assert "Kept: model.dropout 0.25." in sentence
    screen.button(key="undo advice").click().run()
    assert values(screen) == before


def test_no_bleu_stands_beside_a_learning_rate_that_may_diverge() -> None:
    screen = train(train__lr="0.03")
    assert "may diverge" in page_text(screen)
    assert "Expected BLEU" not in page_text(screen)
    assert "No BLEU is expected" in page_text(screen)


def test_a_refused_preset_leaves_the_one_that_fits_in_sight() -> None:
    screen = opened("train", set=pack({"source": "builtin:en-fr", "preset": "t5-11b"}))
    assert "of memory" in page_text(screen)
    assert "choose a smaller preset" in page_text(screen)
    assert screen.button(key="train").disabled
    (command,) = [each.value for each in screen.code if each.value.startswith("torchrun")]
    assert "--nproc_per_node 4 -m s2s train --source builtin:en-fr --preset t5-11b" in command
    assert "each holds the whole model, about" in page_text(screen)
    assert "For this dataset: **small**" in page_text(screen)
    screen.button(key="use it").click().run()
    assert screen.selectbox(key="preset").value == "small"
    assert not screen.button(key="train").disabled


def test_where_nothing_is_expected_the_preset_that_fits_is_in_sight() -> None:
    screen = opened(
        "train", set=pack({"source": "builtin:mini-en-fr", "preset": "transformer-base"})
    )
    assert "44 M parameters" in page_text(screen)
    assert "100,000 epochs" in page_text(screen)
    assert "For this dataset: **mini-t5**" in page_text(screen)
    (cure,) = [each for each in screen.button if each.label == "Use mini\\-t5"]
    cure.click().run()
    assert screen.selectbox(key="preset").value == "mini-t5"
    assert not screen.warning


def test_a_click_opens_the_run_and_the_button_waits_for_its_start() -> None:
    screen = opened("train", set=pack({**SMALL, "train.steps": "20"}))
    button = screen.button(key="train")
    button.click().run()
    assert screen.button(key="train").disabled
    (job,) = queue.jobs(asker.LOCAL)
    assert screen.selectbox(key="run").value == job.run
    queue.claim("w", "h", job.slot, 20.0)
    queue.finish(job.id, "w", "failed", "gone")
    screen.run()
    assert not screen.button(key="train").disabled
    screen.button(key="train").click().run()
    names = [job.spec["name"] for job in queue.jobs(asker.LOCAL)]
    assert sorted(names) == ["small on builtin:en-fr", "small on builtin:en-fr 2"]


def test_what_is_typed_just_before_the_click_counts() -> None:
    """The browser sends both at once, before the button was drawn with what it then starts."""
    screen = opened("train", set=pack({**SMALL, "train.steps": "20"}))
    screen.text_input(key="train name").set_value("mine")
    screen.number_input(key="set train.steps").set_value(30)
    screen.button(key="train").click().run()
    (job,) = queue.jobs(asker.LOCAL)
    assert job.spec["name"] == "mine"
    assert Recipe.from_json(job.spec["recipe"]).train.steps == 30
    screen = opened("train", set=pack({**SMALL, "train.steps": "20"}))
    screen.number_input(key="set model.d_model").set_value(130)
    screen.button(key="train").click().run()
    assert "not divisible" in page_text(screen)
    assert screen.button(key="train").disabled
    assert len(queue.jobs(asker.LOCAL)) == 1


@pytest.mark.parametrize(
    ("times", "text"), [(0.3, "0.3"), (9.94, "9.9"), (9.96, "10"), (150.0, "150"), (1e5, "100,000")]
)
def test_epochs_in_short(times: float, text: str) -> None:
    answer = Have().answer(TrainingForecast("builtin:en-fr"))
    assert replace(answer, cost=replace(answer.cost, epochs=times)).epochs == text


def test_without_a_measured_run_it_says_why() -> None:
    assert "memorized" in page_text(
        opened("train", set=pack({"source": "builtin:mini-en-fr", "preset": "mini-t5"}))
    )
    assert "none to compare" in page_text(
        opened("train", set=pack({"source": "synthetic:copy", "preset": "small"}))
    )


def test_a_sweep_is_counted_queued_and_linked() -> None:
    screen = form(SMALL | {"train.steps": "20"}, "sweeping")
    assert screen.button(key="queue sweep").disabled
    screen.selectbox(key="sweep key 0").set_value("train.lr").run()
    screen.text_input(key="sweep values 0").set_value("0.001, 0.003").run()
    link = screen.session_state["set"]
    linked = opened("train", set=link)
    assert linked.text_input(key="sweep values 0").value == "0.001, 0.003"
    assert linked.button(key="queue sweep").label == "Queue 2 runs"
    assert linked.session_state["set"] == link
    linked.query_params["set"] = pack({"source": "synthetic:reverse"})  # which leaves the rest
    linked.run()
    chosen = {"source": "synthetic:reverse", "preset": "small", "train.steps": "20"}
    assert unpack(linked.session_state["set"]).items() >= chosen.items()
    assert linked.text_input(key="sweep values 0").value == "0.001, 0.003"
    linked.selectbox(key="sweep key 0").set_value("").run()
    assert "sweep" not in unpack(linked.session_state["set"])
    screen.selectbox(key="sweep key 1").set_value("model.dropout").run()
    screen.text_input(key="sweep values 1").set_value("0, 0.1, 0.2").run()
    assert screen.button(key="queue sweep").label == "Queue 6 runs"
    assert "lr 0.001, dropout 0; lr 0.001, dropout 0.1; lr 0.001, dropout 0.2; …" in page_text(
        screen
    )
    screen.text_input(key="train name").set_value("<b>rates</b>")
    screen.button(key="queue sweep").click().run()
    assert not screen.exception
    assert "is queued" in "".join(each.value for each in screen.success)
    jobs = queue.jobs(asker.LOCAL)
    assert len(jobs) == 6
    assert {tuple(job.spec["tags"]) for job in jobs} == {("sweep:<b>rates</b>",)}
    found = {
        (
            Recipe.from_json(job.spec["recipe"]).train.lr,
            Recipe.from_json(job.spec["recipe"]).model.dropout,
        )
        for job in jobs
    }
    assert found == {(lr, dropout) for lr in (0.001, 0.003) for dropout in (0, 0.1, 0.2)}


def test_a_broken_sweep_in_a_link_is_said_and_left_out() -> None:
    for said in ("[", "[" * 5000, "7", '["train.lr"]', '[["train.lr", 1]]', '[["no.such", "1"]]'):
        assert not view_state._is_sweep(said)
    screen = train(sweep="[[")
    assert len(lost(screen)) == 1
    assert "sweep" not in unpack(screen.session_state["set"])


def test_a_wrong_value_is_one_sentence_and_a_full_queue_takes_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = train(train__steps="20", sweep='[["train.lr", "0.001, fast, 7000"]]')
    assert "train.lr cannot be fast" in page_text(screen)
    monkeypatch.setenv("S2S_MAX_JOBS", "2")
    screen.text_input(key="sweep values 0").set_value("0.001, 0.002, 0.003").run()
    screen.button(key="queue sweep").click().run()
    assert screen.error
    assert not [job for job in queue.jobs(asker.LOCAL) if job.state == "queued"]


@pytest.fixture
def own() -> str:
    """A small trained run of the visitor's."""
    make_run(settings.home() / "runs" / RUN, {})
    cached.refresh_runs()
    return RUN


def test_an_initializing_run_fills_the_form_and_is_queued_with_a_control_run(own: str) -> None:
    announced = "A control run from scratch is trained, too."
    screen = form(REVERSE, "from a run")
    assert "seen only" in page_text(screen)
    screen.selectbox(key="start from").set_value(own).run()
    assert "seen only" not in page_text(screen)
    assert announced not in page_text(screen)
    theirs = cached.recipe(own)
    assert theirs
    assert screen.number_input(key="set model.d_model").value == theirs.model.d_model
    assert "its weights fit no others" in page_text(screen)
    held = screen.session_state["set"]
    assert unpack(held)["start from"] == own
    screen.toggle(key=f"with a control run {own}").set_value(True).run()
    assert announced in page_text(screen)
    screen.button(key="train").click().run()
    assert not screen.exception
    jobs = {job.spec["name"]: job for job in queue.jobs(asker.LOCAL)}
    usual = "small on synthetic:reverse"
    name = f"{usual}, from {cached.title(own)}"
    assert set(jobs) == {name, f"{usual} (from scratch)"}
    assert jobs[name].spec["init_from"].startswith(own)
    assert not jobs[f"{usual} (from scratch)"].spec.get("init_from")
    ((tag,),) = {tuple(job.spec["tags"]) for job in jobs.values()}
    assert tag.startswith(f"twin:{usual}")
    screen.selectbox(key="start from").set_value("demo-en-fr").run()
    assert announced not in page_text(screen)  # it belongs to its origin alone
    assert not screen.toggle(key="with a control run demo-en-fr").value
    again = opened("train", set=held)
    assert unpack(again.session_state["set"]) == unpack(held)


def test_what_an_initializing_run_brings_is_said_and_can_be_undone(own: str) -> None:
    screen = form(SMALL | CHANGED, "from a run")
    before = values(screen)
    screen.selectbox(key="start from").set_value(own).run()
    brought = changed(before, values(screen))
    own_settings = {"tokenizer.vocab_size", "model.dropout"}
    assert "tokenizer.vocab_size" in brought
    sentence = page_text(screen)
    assert "tokenizer.vocab_size from 900 to automatic" in sentence
    assert f"and {len(brought) - 4 - len(brought & own_settings)} more settings." in sentence
    screen.button(key="undo advice").click().run()
    assert not screen.exception
    assert values(screen) == before
    assert screen.selectbox(key="start from").value == ""


def test_another_shape_is_refused_and_corrected(own: str) -> None:
    screen = form(SMALL, "from a run")
    screen.selectbox(key="start from").set_value(own).run()
    screen.number_input(key="set model.d_model").set_value(64).run()
    assert "another shape" in page_text(screen)
    assert screen.button(key="train").disabled
    screen.button(key="take origin").click().run()
    assert not screen.button(key="train").disabled
    theirs = cached.recipe(own)
    assert theirs
    size = theirs.model.d_model
    assert f"Changed: model.d_model from 64 to {size}." in page_text(screen)
    screen.button(key="undo advice").click().run()
    assert screen.session_state["set model.d_model"] == 64
    assert screen.selectbox(key="start from").value == own


def test_a_link_to_a_run_that_is_gone_is_said() -> None:
    screen = opened("train", set=pack({**SMALL, "start from": "gone"}))
    assert any("no trained run gone" in sentence for sentence in lost(screen))
    assert not screen.button(key="train").disabled
    assert "start from" not in unpack(screen.session_state["set"])


def test_every_setting_can_be_swept() -> None:
    from s2s.ui.train.sweep import SETTINGS

    assert set(SETTINGS) <= set(flat(Recipe()))


def test_after_the_data_page_the_form_opens() -> None:
    screen = opened("data")
    screen.segmented_control(key="origin").set_value("Upload").run()
    kept = {
        key: screen.session_state[key]
        for key in ("origin", "data view")
        if key in screen.session_state
    }
    again = opened("train")
    for key, value in kept.items():
        again.session_state[key] = value
    again.run()
    assert not again.exception
