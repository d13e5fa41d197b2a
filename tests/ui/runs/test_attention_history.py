"""The tab "Attention over training", without a browser."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from s2s import settings
from s2s.analysis import Attention
from s2s.links.share import pack, unpack
from s2s.runs import RunFolder, SavedAttention, attention_history
from s2s.ui.kit import cached
from tests.screen import opened, page_markdown, page_text, picture

RUN = "abcdefgh12345678"
STEPS = (10, 20, 30)


def view(run: str = RUN, **link: str) -> AppTest:
    screen = opened("runs", run=run, set=pack({"tab": "attention-while-learning"}), **link)
    assert not screen.exception
    return screen


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


def at(screen: AppTest, step: int) -> AppTest:
    return screen.select_slider(key="runs at").set_value(step).run()


def test_a_demo_saved_no_attention_and_says_so() -> None:
    screen = view("demo-en-fr")
    assert "No attention was saved" in page_text(screen)
    assert not screen.get("plotly_chart")


def test_it_opens_at_the_newest_checkpoint_and_goes_to_earlier_ones(run: None) -> None:
    screen = view()
    assert title(screen) == [
        f"{cached.title(RUN)} · step 30",
        "cross-attention · layer 2 of 2 · mean of 3 heads",
    ]
    np.testing.assert_allclose(picture(screen)[1], rows(2, 3, 2, 3, seed=30)[1].mean(0), atol=1e-3)
    assert "every head attends" in page_text(screen)
    assert "Pair: *the* :material/home: cat → le" in page_text(screen)
    assert ":material/home:" not in page_markdown(screen)  # which would be an icon
    assert len(screen.get("plotly_chart")) == 3
    assert title(at(screen, 20))[0].endswith("step 20")
    np.testing.assert_allclose(picture(screen)[1], rows(2, 3, 2, 3, seed=20)[1].mean(0), atol=1e-3)
    assert unpack(screen.session_state["set"])["at"] == "20"
    assert title(at(screen, 30))[0].endswith("step 30")
    assert "at" not in unpack(screen.session_state["set"]), "the newest is followed"


def test_the_newest_is_followed_and_a_chosen_one_stays(run: None) -> None:
    screen = view()
    keep(40)
    assert title(screen.run())[0].endswith("step 40")
    at(screen, 20)
    keep(50)
    assert title(screen.run())[0].endswith("step 20")
    for step in (10, 20):
        (folder().path / "attention" / f"step-{step:08d}.safetensors").unlink()
    assert title(screen.run())[0].endswith("step 30")
    assert not screen.exception


def test_a_chosen_head_is_the_one_that_is_drawn_thicker(run: None) -> None:
    screen = view(layer="1", head="3")
    assert title(screen)[1] == "cross-attention · layer 1 of 2 · head 3 of 3"
    np.testing.assert_allclose(picture(screen)[1], rows(2, 3, 2, 3, seed=30)[0, 2], atol=1e-3)
    for figure in screen.get("plotly_chart")[1:]:
        names = {trace.get("name") for trace in json.loads(figure.proto.spec)["data"]}
        assert "L1 H3 (chosen)" in names
    screen.segmented_control(key="kind").set_value("encoder").run()
    assert title(screen)[1] == "encoder self-attention · layer 1 of 2 · head 3 of 3"
    assert "(chosen)" not in screen.get("plotly_chart")[1].proto.spec


def test_the_animation_leaves_out_what_cannot_be_read_and_the_chosen_step_alone(run: None) -> None:
    (folder().path / "attention" / "step-00000030.safetensors").write_text("broken")
    screen = at(view(), 20)
    screen.toggle(key="runs animated").set_value(True).run()
    assert not screen.exception
    figure = json.loads(screen.get("plotly_chart")[0].proto.spec)
    assert [frame["name"] for frame in figure["frames"]] == ["10", "20"]
    assert unpack(screen.session_state["set"])["animated"] == "1"
    screen.toggle(key="runs animated").set_value(False).run()
    assert title(screen)[0].endswith("step 20")


def test_a_broken_file_is_a_sentence_and_the_curves_stay(run: None) -> None:
    (folder().path / "attention" / "step-00000030.safetensors").write_text("broken")
    screen = view()
    assert "choose another step" in page_text(screen)
    assert len(screen.get("plotly_chart")) == 2
    assert title(at(screen, 20))[0].endswith("step 20")


def test_one_checkpoint_without_gold_links_needs_no_slider_and_has_no_error(run: None) -> None:
    attention_history.delete_after(folder(), 10)
    (folder().path / "metrics.jsonl").unlink()
    log(has_gold=False)
    screen = view()
    assert title(screen)[0].endswith("step 10")
    assert not screen.select_slider
    assert len(screen.get("plotly_chart")) == 2
    assert "no gold alignment" in page_text(screen)
