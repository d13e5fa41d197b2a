"""What is known before training: costs, and settings that training would refuse."""

from s2s.config import PRESETS
from s2s.jobs.plan.cost import forecast
from s2s.links.share import pack
from s2s.questions import Have, TrainingForecast
from s2s.ui.kit import cached
from tests.screen import html_table, opened, page_text


def test_train_forecasts_what_it_will_cost() -> None:
    screen = opened("train", set=pack({"source": "builtin:en-fr", "preset": "small"}))
    screen.session_state["costs"] = True
    screen.run()
    costs = {row["cost"]: row for row in html_table(screen, "estimate")}
    cost = forecast(PRESETS["small"].recipe, cached.preview("builtin:en-fr"))
    assert f"{cost.parameters:,} in all" in costs["Parameters"]["what it counts"]
    assert costs["Memory needed"]["estimate"].endswith("MB")
    steps = PRESETS["small"].recipe.train.steps
    assert f"for {steps:,} steps" in costs["Time"]["what it counts"]
    everything = cached.preview("builtin:en-fr")
    left = f"{everything.within(6).n_pairs:,} of {everything.n_pairs:,} pairs"
    assert left not in page_text(screen)
    some = opened("train", set=pack({"preset": "small", "data.clean.max_words": "6"}))
    assert left in page_text(some)


def test_two_phrases_open_the_preset_that_rebuilds_their_tutorial() -> None:
    screen = opened("train", set=pack({"source": "builtin:first-steps"}))
    assert screen.selectbox(key="preset").value == "first-steps"
    text = page_text(screen)
    assert "92 parameters (78 in the tutorial, without <pad> and <unk>)" in text
    assert "For this dataset: first-steps (chosen)" in text.replace("**", "")
    five = opened("train", set=pack({"source": "builtin:mini-en-fr"}))
    assert five.selectbox(key="preset").value == "mini-t5"
    assert "361 k parameters (551 k in the tutorial, with vocabularies of 1,000" in page_text(five)
    other = {"source": "builtin:first-steps", "preset": "first-steps", "model.d_model": "4"}
    assert "in the tutorial" not in page_text(opened("train", set=pack(other)))


def test_several_processes_are_started_in_a_terminal_and_each_needs_memory() -> None:
    screen = opened("train", set=pack({"preset": "small", "train.processes": "2"}))
    assert "train.processes is 2, and 1 process trains here; start as many" in page_text(screen)
    assert screen.button(key="train").disabled
    assert any(each.value.startswith("torchrun --nproc_per_node 2 ") for each in screen.code)
    screen.session_state["costs"] = True
    screen.run()
    assert html_table(screen, "estimate")[2]["estimate"].startswith("2 × ")


def test_no_quality_is_expected_of_what_our_runs_say_nothing_about() -> None:
    usual = Have().answer(TrainingForecast("builtin:en-fr"))
    assert usual.prediction.startswith("Expected BLEU on held-out pairs: ")
    for question in (
        TrainingForecast("synthetic:reverse"),
        TrainingForecast("builtin:en-fr", init_from="demo-en-fr"),
    ):
        answer = Have().answer(question)
        assert answer.expected is None
        assert "Expected BLEU" not in question.finding(answer)
        assert question.finding(answer)


def test_what_training_would_refuse_is_said_before() -> None:
    changes = {"data.max_length": "2", "tokenizer.kind": "word"}
    screen = opened("train", set=pack({"source": "synthetic:copy", "preset": "small", **changes}))
    assert not screen.exception
    assert "leaves no pair" in page_text(screen)
    assert screen.button(key="train").disabled


def test_plain_text_that_ships_opens_the_preset_that_continues_it() -> None:
    screen = opened("train", set=pack({"source": "builtin:plain-text"}))
    assert screen.selectbox(key="preset").value == "char-halves"
    assert not screen.exception
