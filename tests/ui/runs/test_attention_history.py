"""The tab "Attention over training", without a browser."""

import csv
import io
import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from s2s import settings
from s2s.analysis import Attention, LabeledWeights
from s2s.links.share import unpack
from s2s.runs import AttentionHistory, RunFolder, SavedAttention, attention_history
from s2s.ui.kit import cached
from s2s.ui.runs import attention_history as attention_tab
from tests.conftest import make_run
from tests.harvest import compared, executed, unfolded
from tests.screen import page_markdown, page_text, picture

RUN = "abcdefgh12345678"
STEPS = (10, 20, 30)


def page(run):
    from s2s.ui.runs.attention_history import tab

    tab(run)


def opened(run=RUN):
    return AppTest.from_function(page, default_timeout=30, kwargs={"run": run}).run()


def rows(*shape, seed=0):
    raw = np.random.default_rng(seed).random(shape).astype(np.float32)
    return raw / raw.sum(-1, keepdims=True)


def keep(step):
    attention = Attention(
        ("▁*the*", "▁cat", "</s>"),
        ("<s>", "▁le"),
        ("▁le", "</s>"),
        rows(2, 3, 2, 3, seed=step),
        rows(2, 3, 3, 3),
        rows(2, 3, 2, 2),
    )
    attention_history.save(
        folder(), SavedAttention(step, "*the* :material/home: cat", "le", attention)
    )


def folder():
    return RunFolder(settings.home() / "runs" / RUN)


def log(*, has_gold=True):
    for step in STEPS:
        more = {"aer": rows(2, 3).tolist(), "aer_mean": [0.5, 0.25]} if has_gold else {}
        line = {
            "kind": "attention",
            "step": step,
            "entropy": rows(2, 3, seed=step).tolist(),
            "uniform": 1.1,
            "n_pairs": 32,
        }
        folder().log("metrics", line | more)


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    cached.refresh_runs()


@pytest.fixture
def run():
    folder().path.mkdir(parents=True)
    (folder().path / "recipe.json").write_text("{}")
    for step in STEPS:
        keep(step)
    log()


def title(screen):
    return picture(screen)[0].replace("<br>", "\n").splitlines()


def pressed(screen, label):
    return next(each for each in screen.button if each.label == label).click().run()


@pytest.mark.parametrize("which", [RUN, "demo-en-fr", "gone"])
def test_a_run_that_kept_nothing_says_so(which):
    screen = opened(which)
    assert not screen.exception
    assert "No attention was saved" in page_text(screen)
    assert not screen.get("plotly_chart")


def test_it_opens_at_the_newest_checkpoint_says_what_one_sees_and_goes_through_the_earlier(run):
    screen = opened()
    assert not screen.exception
    assert title(screen) == [
        f"{cached.title(RUN)} · step 30",
        "cross-attention · layer 2 of 2 · mean of 3 heads",
    ]
    np.testing.assert_allclose(picture(screen)[1], rows(2, 3, 2, 3, seed=30)[1].mean(0), atol=1e-3)
    assert "every head attends" in page_text(screen)
    assert "Pair: *the* :material/home: cat → le" in page_text(screen)
    assert ":material/home:" not in page_markdown(screen)  # which would be an icon
    assert len(screen.get("plotly_chart")) == 3
    screen = pressed(screen, "Earlier")  # through the checkpoints
    assert title(screen)[0].endswith("step 20")
    np.testing.assert_allclose(picture(screen)[1], rows(2, 3, 2, 3, seed=20)[1].mean(0), atol=1e-3)
    screen = pressed(screen, "Earlier")
    assert next(each for each in screen.button if each.label == "Earlier").disabled
    assert not next(each for each in screen.button if each.label == "Later").disabled
    screen.select_slider(key="learning step").set_value(20).run()
    assert title(screen)[0].endswith("step 20")
    assert title(pressed(screen, "Later"))[0].endswith("step 30")


def test_its_code_computes_every_number():
    make_run(folder().path, {"train.steps": 2})
    view = {"run": RUN, "layer": "2", "head": "1", "set": "tab:attention-while-learning,at:1"}
    screen = unfolded("runs", **view)
    n_numbers, lacking = compared(screen, executed(screen))
    assert not lacking
    assert n_numbers > 60


def test_the_whole_page_with_its_code_is_drawn_where_this_part_alone_shows_another_head(
    monkeypatch,
):
    session, drawn = {}, []
    monkeypatch.setattr(attention_tab.st, "session_state", session)
    monkeypatch.setattr(attention_tab.st, "rerun", lambda: drawn.append(1))
    attention_tab._keep_code("cross", 1, None)
    attention_tab._keep_code("cross", 1, None)
    assert not drawn
    attention_tab._keep_code("cross", 1, 0)
    assert drawn == [1]


def test_the_code_has_the_picture_of_a_changed_head():
    make_run(folder().path, {"train.steps": 2})
    screen = unfolded("runs", run=RUN, head="1", set="tab:attention-while-learning")
    assert ".reduced(0, 0)" in screen.code[-1].value
    screen.segmented_control(key="head").set_value("2").run()
    assert not screen.exception
    assert title(screen)[1].endswith("head 2 of 4")
    assert ".reduced(0, 1)" in screen.code[-1].value


def test_the_newest_is_followed_and_a_chosen_one_stays(run):
    screen = opened()
    keep(40)
    assert title(screen.run())[0].endswith("step 40")
    screen.select_slider(key="learning step").set_value(20).run()
    keep(50)
    assert title(screen.run())[0].endswith("step 20")
    for step in (10, 20):
        (folder().path / "attention" / f"step-{step:08d}.safetensors").unlink()
    assert title(screen.run())[0].endswith("step 30")
    assert not screen.exception


def test_a_chosen_head_is_the_one_that_is_drawn_thicker(run):
    screen = opened()
    screen.segmented_control(key="head").set_value("3")
    screen.segmented_control(key="layer").set_value("1").run()
    assert title(screen)[1] == "cross-attention · layer 1 of 2 · head 3 of 3"
    np.testing.assert_allclose(picture(screen)[1], rows(2, 3, 2, 3, seed=30)[0, 2], atol=1e-3)
    for figure in screen.get("plotly_chart")[1:]:
        assert "L1 H3 (chosen)" in {
            trace.get("name") for trace in json.loads(figure.proto.spec)["data"]
        }
    screen.segmented_control(key="kind").set_value("encoder").run()
    assert title(screen)[1] == "encoder self-attention · layer 1 of 2 · head 3 of 3"
    assert "(above)" not in screen.get("plotly_chart")[1].proto.spec


def test_the_animation_has_every_checkpoint_and_leaves_the_chosen_one_alone(run):
    screen = pressed(opened(), "Earlier")
    (folder().path / "attention" / "step-00000030.safetensors").write_text("broken")
    screen.toggle(key="runs animated").set_value(True).run()
    assert not screen.exception
    figure = json.loads(screen.get("plotly_chart")[0].proto.spec)
    assert [frame["name"] for frame in figure["frames"]] == ["10", "20"]
    assert unpack(screen.session_state["set"])["animated"] == "1"
    screen.toggle(key="runs animated").set_value(False).run()
    assert title(screen)[0].endswith("step 20")


def test_a_broken_file_is_a_sentence_and_the_lines_stay(run):
    (folder().path / "attention" / "step-00000030.safetensors").write_text("broken")
    screen = opened()
    assert not screen.exception
    assert "choose another step" in page_text(screen)
    assert len(screen.get("plotly_chart")) == 2
    assert title(pressed(screen, "Earlier"))[0].endswith("step 20")


def test_without_gold_it_says_why_there_is_no_error(run):
    (folder().path / "metrics.jsonl").unlink()
    log(has_gold=False)
    screen = opened()
    assert len(screen.get("plotly_chart")) == 2
    assert "no gold alignment" in page_text(screen)


def test_one_checkpoint_needs_no_scrubber(run):
    attention_history.delete_after(folder(), 10)
    screen = opened()
    assert not screen.exception
    assert "One checkpoint so far: step 10." in page_text(screen)
    assert title(screen)[0].endswith("step 10")


def test_the_table_has_a_row_a_step_and_head():
    entropy = rows(2, 2, 3)
    aer = rows(2, 2, 3, seed=1)
    history = AttentionHistory(np.array([5, 9]), entropy, aer, None, None, 32)
    head, *lines = csv.reader(io.StringIO(attention_tab._table(history)))
    assert head == ["step", "layer", "head", "entropy", "alignment_error"]
    for step, layer, number, *values in lines:
        place = (5, 9).index(int(step)), int(layer) - 1, int(number) - 1
        np.testing.assert_allclose(
            [float(value) for value in values], [entropy[place], aer[place]], rtol=1e-5
        )
    assert len(lines) == 12


def test_an_animation_of_many_checkpoints_is_spread_over_them():
    steps = list(range(0, 1000, 10))
    found = attention_tab._spread(steps)
    assert (len(found), len(set(found)), found[0], found[-1]) == (30, 30, 0, 990)
    assert attention_tab._spread(steps[:7]) == steps[:7]


def test_the_table_of_an_animation_has_a_row_a_step_and_weight():
    view = LabeledWeights(
        rows(1, 1, 6).reshape(1, 1, 2, 3), ("a", "b"), ("c", "=d", "e"), "predicts"
    )
    weights = {5: view.weights[0, 0], 9: 2 * view.weights[0, 0]}
    head, *lines = csv.reader(io.StringIO(attention_tab._frames_table(weights, view)))
    assert head == ["step", "position", "token", "key_position", "key", "weight"]
    assert len(lines) == 12
    assert lines[1][:5] == ["5", "1", "a", "2", "'=d"]
    assert float(lines[-1][5]) == pytest.approx(float(weights[9][1, 2]), rel=1e-5)
