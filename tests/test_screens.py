"""Data, Train, Runs, Compare and Attention as a visitor uses them, without a browser."""

import dataclasses
import json
import math
import re
import shutil
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s import access, decode, settings
from s2s.config import PRESETS, Choice, Recipe, override
from s2s.data import files, load, saved_datasets
from s2s.decode import Greedy, greedy
from s2s.jobs import queue, run_service, training
from s2s.jobs.plan.cost import forecast
from s2s.runs import RunFolder
from s2s.share import Column, pack, unpack
from s2s.ui.compare import column
from s2s.ui.kit import cached
from s2s.ui.kit.text import plain
from tests.conftest import TINY, make_run
from tests.jobs.context import FakeContext
from tests.screen import PAGES, box, hints, link, lost, opened, picture, said, settled, translation

DEMO = "demo-en-fr"
PAIRS = (
    b"src\ttgt\nthe red house\tla maison rouge\nthe cat\tle chat\n\tno source\n"
    b"<b>x</b> **y**\t:material/home: $x$\n"
)


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs wait: a test does the work itself."""
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    cached.refresh_runs()


@pytest.fixture
def own() -> str:
    """A small trained run of the visitor's."""
    make_run(settings.home() / "runs" / "abcdefgh12345678", {})
    cached.refresh_runs()
    return "abcdefgh12345678"


def uploaded(*given: tuple[str, bytes]) -> AppTest:
    """The Data page with these files in its uploader."""
    screen = opened("data")
    screen.segmented_control(key="origin").set_value("Upload").run()
    screen.file_uploader(key="upload 0").set_value(
        [(name, content, "text/plain") for name, content in given]
    ).run()
    return settled(screen)


@pytest.mark.parametrize("path", PAGES)
def test_every_page_opens_first_on_a_deep_link(path: str) -> None:
    screen = opened(path)
    assert not screen.exception
    assert not screen.error
    assert link(screen).startswith("/?v=1")


HOSTILE = (
    {
        "run": "![x](http://e)",
        "step": "**1**",
        "layer": "x",
        "head": "-1",
        "kind": "<b>",
        "src": "a\x00b",
        "tgt": "\u202ex",
        "set": "a:b,source:![x](http://e),preset:**b**",
        "c1": "![x](y)@5!**b**!num_beams:![x](z)",
        "c2": "x@y!z!a:b",
        "c3": "!!!!",
    },
    {
        "run": "../../etc/passwd",
        "step": "7",
        "src": "cat " * 3000,
        "tgt": "chat " * 3000,
        "set": ",,:,source:../../etc,preset:x,train.steps:NaN,train.lr:1e999",
        "c1": "@99!beam!num_beams:1e9",
    },
    # which the demo, long as the sentence is, reads
    {"src": "cat " * 3000, "tgt": "chat " * 3000, "c1": "@99!beam!num_beams:1e9"},
)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("params", HOSTILE)
def test_a_hostile_link_gives_a_sentence_and_something_useful(
    path: str, params: dict[str, str]
) -> None:
    screen = opened(path, **params)
    assert not screen.exception
    assert screen.title
    notices = "".join(str(each.value) for each in [*screen.info, *screen.error, *screen.warning])
    assert not re.search(r"(?<!\\)(!\[|\]\(|<script|\*\*)", re.sub(r"`[^`]*`", "", notices))


# Data


def test_data_shows_a_dataset() -> None:
    screen = opened("data")
    assert {each.label: each.value for each in screen.metric}["Pairs"] == "20,000"
    frame = screen.dataframe[0].value
    corpus = load("builtin:en-fr")
    assert list(frame.iloc[0]) == [corpus.pairs[0].src, corpus.pairs[0].tgt]
    assert "first 300 of 20,000" in said(screen)


def test_an_uploaded_table_is_read_saved_and_taken_to_training() -> None:
    screen = uploaded(("pairs.tsv", PAIRS))
    assert {each.label: each.value for each in screen.metric}["Pairs"] == "3"
    assert "1 pair with an empty side dropped" in said(screen)
    assert "Only a saved dataset can be linked" in said(screen)
    screen.button(key="train on").click().run()
    (text,) = saved_datasets.listing(settings.OWNER)
    assert text.name == "pairs.tsv"
    assert [pair.src for pair in load(text.spec).pairs] == [
        "the red house",
        "the cat",
        "<b>x</b> **y**",
    ]


def test_any_two_columns_can_be_picked() -> None:
    table = b"id,en,split,de,fr\n1,the house,train,das Haus,la maison\n2,the cat,train,die Katze,le chat\n"
    screen = uploaded(("five.csv", table))
    pick = next(each for each in screen.selectbox if each.label == "Target column")
    assert pick.value == "de"
    settled(pick.set_value("fr").run())
    assert list(screen.dataframe[0].value["target"]) == ["la maison", "le chat"]
    next(each for each in screen.selectbox if each.label == "Source column").set_value("fr").run()
    assert "same column" in said(screen)


def test_a_third_column_says_the_task_and_the_header_can_be_taken_for_data() -> None:
    table = b"task,input,output\nsummarize,a long text,short\nreverse,a b,b a\n"
    screen = uploaded(("tasks.csv", table))
    settled(
        next(each for each in screen.selectbox if each.label == "Task column")
        .set_value("task")
        .run()
    )
    assert list(screen.dataframe[0].value["source"]) == ["summarize: a long text", "reverse: a b"]
    settled(
        next(each for each in screen.toggle if each.label.startswith("Row 1"))
        .set_value(False)
        .run()
    )
    assert next(iter(screen.dataframe[0].value["source"])) == "task: input"


def test_two_files_are_aligned_and_can_be_swapped() -> None:
    screen = uploaded(("a.en", b"one\ntwo\n"), ("a.de", b"eins\nzwei\n"))
    assert list(screen.dataframe[0].value.iloc[0]) == ["one", "eins"]
    assert "The source is a.en" in said(screen)
    settled(next(each for each in screen.toggle if "Swap" in each.label).set_value(True).run())
    assert list(screen.dataframe[0].value.iloc[0]) == ["eins", "one"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([("a.en", b"one\ntwo\n"), ("a.de", b"eins\n")], "2 lines"),
        ([("a.csv", b"")], "empty"),
        ([("a.csv", "привет мир,здравствуй мир\n".encode("cp1251") * 9)], "UTF-8"),
        ([("a.txt", b"text\n"), ("b.tsv", b"a\tb\n"), ("c.txt", b"x\n")], "3 files"),
        ([("a.png", b"\x89PNG\x00\x00")], "a.png"),
        ([("a.csv", b'a,b\n"open,c\n')], "not CSV"),
        ([("<b>.csv", b"")], "<b>.csv"),
    ],
)
def test_a_bad_upload_is_refused_in_a_sentence_beside_it(
    given: list[tuple[str, bytes]], sentence: str
) -> None:
    screen = uploaded(*given)
    (wrong,) = screen.error
    assert sentence in wrong.value.replace("\\", "").replace("\u2060", "")
    assert (
        "/" not in wrong.value.replace("</b>", "") or "tmp" not in wrong.value
    )  # no path of the server
    assert not screen.metric


def test_pasted_pairs_are_read() -> None:
    screen = opened("data")
    screen.segmented_control(key="origin").set_value("Paste").run()
    settled(
        screen.text_area(key="paste")
        .set_value("the house ||| la maison\nthe cat\tle chat\nnothing\n")
        .run()
    )
    assert {each.label: each.value for each in screen.metric}["Pairs"] == "2"
    assert "1 line" in said(screen)
    settled(screen.text_area(key="paste").set_value("no target here").run())
    assert screen.error


@pytest.mark.parametrize("given", ["view:Cleaning", ""])
def test_an_older_address_does_not_leave_an_upload(given: str) -> None:
    """Of two requests at once, the browser's second still has the address from before the first."""
    screen = opened("data")
    screen.segmented_control(key="origin").set_value("Paste").run()
    settled(
        screen.text_area(key="paste")
        .set_value("the house ||| la maison\nthe cat ||| le chat")
        .run()
    )
    settled(screen.segmented_control(key="data view").set_value("Task").run())
    assert unpack(screen.session_state["set"])["source"].startswith("upload:")
    screen.query_params["set"] = given
    settled(screen.run())
    assert screen.segmented_control(key="origin").value == "Paste"
    assert {each.label: each.value for each in screen.metric}["Pairs"] == "2"
    assert screen.segmented_control(key="data view").value == (unpack(given).get("view", "Pairs"))


def test_a_saved_dataset_can_be_linked_renamed_and_deleted() -> None:
    corpus = files.from_bytes([("pairs.tsv", PAIRS)])
    spec = f"corpus:{saved_datasets.save(corpus, name='mine', owner=settings.OWNER)}"
    screen = opened("data", set=pack({"source": spec}))
    assert screen.segmented_control(key="origin").value == "Saved"
    assert "set=source" in link(screen)
    screen.text_input(key=f"name {spec.partition(':')[2]}").set_value("another name").run()
    assert saved_datasets.listing(settings.OWNER)[0].name == "another name"
    assert screen.button(key=f"delete text {spec.partition(':')[2]}").label == "Delete another name"
    screen.button(key=f"delete text {spec.partition(':')[2]}").click().run()
    assert not screen.exception
    assert not saved_datasets.listing(settings.OWNER)
    assert "No saved datasets yet" in said(screen)
    assert "There is no dataset" in said(opened("data", set=pack({"source": spec})))


# Train


def test_train_forecasts_what_it_will_cost() -> None:
    screen = opened("train")
    screen.session_state["costs"] = True
    screen.run()
    numbers = {each.label: each.value for each in screen.metric}
    cost = forecast(PRESETS["small"].recipe, cached.preview("builtin:en-fr"))
    assert f"{cost.parameters:,} in all" in said(screen)
    assert numbers["Memory needed"].endswith("MB")
    assert f"for {PRESETS['small'].recipe.train.steps:,} steps" in said(screen)


def test_a_link_fills_the_form_and_share_gives_it_back() -> None:
    changed = {"train.steps": "77", "model.dropout": "0.25", "model.norm.kind": "layer"}
    packed = pack({"source": "synthetic:copy", "preset": "modern-small", **changed})
    screen = opened("train", set=packed)
    assert not lost(screen)
    assert screen.selectbox(key="source").value == "synthetic:copy"
    assert screen.number_input(key="set train.steps").value == 77
    assert screen.number_input(key="set model.dropout").value == 0.25
    assert unpack(screen.session_state["set"]) == unpack(packed)


def test_settings_that_do_not_go_together_are_said_under_the_control() -> None:
    screen = opened("train")
    screen.number_input(key="set model.d_model").set_value(130).run()
    assert "not divisible" in said(screen)
    assert screen.button(key="train").disabled
    screen.number_input(key="set model.d_model").set_value(64).run()
    assert not screen.button(key="train").disabled


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"preset": "t5-11b"}, "choose a smaller preset"),
        ({"data.max_length": "2", "tokenizer.kind": "word"}, "leaves no pair"),
    ],
)
def test_what_training_would_refuse_is_said_before(changes: dict[str, str], sentence: str) -> None:
    screen = opened("train", set=pack({"source": "synthetic:copy", "preset": "small", **changes}))
    assert not screen.exception
    assert sentence in said(screen)
    assert screen.button(key="train").disabled


@pytest.mark.parametrize(
    "changes",
    [
        {"model.d_model": "130", "model.encoder.n_heads": "5", "model.decoder.n_heads": "5"},
        {"tokenizer.shared": "false", "model.embeddings.shared": "false"},
    ],
)
def test_settings_that_need_each_other_travel_together(changes: dict[str, str]) -> None:
    screen = opened("train", set=pack({"source": "synthetic:copy", "preset": "small", **changes}))
    assert not lost(screen)
    assert not screen.button(key="train").disabled
    held = screen.session_state["set"]
    again = opened("train", set=held)
    assert unpack(again.session_state["set"]) == unpack(held)
    assert changes.items() <= unpack(held).items()


def test_two_datasets_of_one_name_stay_two() -> None:
    texts = [files.from_pasted(f"{word} ||| {word}") for word in ("one", "two")]
    specs = [
        f"corpus:{saved_datasets.save(text, name='pasted text', owner=settings.OWNER)}"
        for text in texts
    ]
    for spec in specs:
        screen = opened("train", set=pack({"source": spec}))
        screen.number_input(key="set train.steps").set_value(77).run()
        assert unpack(screen.session_state["set"])["source"] == spec
        kept = opened("data", set=pack({"source": spec})).run()
        assert unpack(kept.session_state["set"])["source"] == spec


def test_a_dataset_from_data_leaves_the_recipe_as_it_is() -> None:
    screen = opened("train")
    screen.selectbox(key="preset").set_value("modern-small").run()
    screen.number_input(key="set train.steps").set_value(77).run()
    screen.query_params["set"] = pack({"source": "synthetic:sort"})
    screen.run()
    held = unpack(screen.session_state["set"])
    assert held == {"source": "synthetic:sort", "preset": "modern-small", "train.steps": "77"}


def test_another_preset_brings_its_own_settings() -> None:
    screen = opened("train")
    screen.selectbox(key="preset").set_value("char-halves").run()
    assert (
        screen.number_input(key="set train.steps").value
        == PRESETS["char-halves"].recipe.train.steps
    )
    assert screen.session_state["set"] == pack({"source": "builtin:en-fr", "preset": "char-halves"})


def test_all_settings_open_and_every_one_can_be_set() -> None:
    from s2s.ui.kit.recipe_state import RECIPE_KEYS

    screen = opened("train")
    screen.session_state["all settings"] = True
    screen.run()
    assert not screen.exception
    widgets = [
        each.key
        for kind in ("number_input", "selectbox", "toggle", "text_input")
        for each in getattr(screen, kind)
    ]
    assert {f"set {key}" for key in RECIPE_KEYS} <= set(widgets)
    assert all(hints(screen, f"set {key}") for key in RECIPE_KEYS)


def finish(job: queue.Job) -> None:
    """Do what a worker's child does."""
    for _ in training.work(job, FakeContext()):
        pass
    queue.finish(job.id, "w", "done")


def submit_from_the_page(**changes: object) -> tuple[AppTest, str]:
    """Press Train with a tiny recipe."""
    values = {"source": "synthetic:reverse", "preset": "small"} | {
        key: str(value) for key, value in {**TINY, **changes}.items()
    }
    for short in ("model.d_ff", "model.n_layers"):
        value = values.pop(short)
        values |= {
            short.replace("model.", f"model.{stack}."): value for stack in ("encoder", "decoder")
        }
    screen = opened("train", set=pack(values))
    assert not lost(screen)
    screen.text_input(key="run name").set_value("<b>my</b> **run**").run()
    screen.button(key="train").click().run()
    assert not screen.exception
    return screen, screen.session_state["run"]


def test_train_queues_the_run_and_shows_it_to_the_end() -> None:
    screen, run_id = submit_from_the_page()
    (job,) = queue.jobs(settings.OWNER)
    assert job.run == run_id
    recipe = Recipe.from_json(job.spec["recipe"])
    expected = override(PRESETS["small"].recipe, TINY)
    assert recipe == dataclasses.replace(expected, train=recipe.train)
    assert recipe.train.steps == 30
    assert "Waiting" in screen.get("progress")[0].proto.text
    assert plain("<b>my</b> **run**") in [each.value for each in screen.subheader]
    claimed = queue.claim("w", "h", job.slot, 60)
    assert claimed
    finish(claimed)
    cached.refresh_runs()
    screen.run()
    assert not screen.exception
    assert run_service.find(run_id, settings.OWNER).state == "done"
    assert len(picture_of_curves(screen)) == 2
    again = opened("train", run=run_id)
    assert "Step 30 of 30" in again.get("progress")[0].proto.text


def picture_of_curves(screen: AppTest) -> list[str]:
    figure = json.loads(screen.get("plotly_chart")[0].proto.spec)
    return [trace["name"] for trace in figure["data"]]


def test_a_waiting_run_can_be_stopped_and_taken_up_again() -> None:
    screen, run_id = submit_from_the_page()
    screen.button(key="stop").click().run()
    assert run_service.find(run_id, settings.OWNER).state == "stopped"
    cached.refresh_runs()
    screen = opened("train", run=run_id)
    screen.button(key="resume").click().run()
    assert not screen.exception
    assert run_service.find(run_id, settings.OWNER).state == "queued"


# Runs


def test_runs_lists_renames_and_deletes(own: str) -> None:
    screen = opened("runs", run=own)
    row = screen.dataframe[0].value.iloc[0]
    assert "done" in row["state"]
    assert row["steps"] == "30 of 30"
    lines = RunFolder(access.run_folder(own)).lines("metrics")
    assert row["loss"] == pytest.approx(
        min(line["loss"] for line in lines if line["kind"] == "valid")
    )
    screen.text_input(key=f"rename {own}").set_value("*a* better name").run()
    assert not screen.exception
    assert run_service.find(own, settings.OWNER).name == "*a* better name"
    screen.button(key="delete").click().run()
    assert not screen.exception
    assert not (settings.home() / "runs" / own).exists()
    assert "No runs of your own yet" in "".join(each.value for each in screen.subheader)
    screen.button(key="undo deletion").click().run()
    assert not screen.exception
    assert screen.dataframe[0].value["name"].tolist() == ["*a* better name"]
    assert screen.selectbox(key="run").value == own
    assert "undo deletion" not in [each.key for each in screen.button]


def test_another_run_brings_its_own_checkpoint_examples_and_target(own: str) -> None:
    for path in ("attention", "compare"):
        screen = opened(path, run=own)
        probes = [line["source"] for line in s2s.load(own).folder.lines("samples")]
        assert box(screen) == probes[0]
        if path == "attention":
            screen.text_input(key="tgt box").set_value("1 2").run()
        screen.selectbox(key="run").set_value(DEMO).run()
        assert not screen.exception
        assert not lost(screen)
        assert box(screen) == "the cat sits on the mat"
        assert "not among" not in said(screen)
        if path == "attention":
            assert screen.text_input(key="tgt box").value == ""


def test_the_chosen_row_is_the_run_that_is_acted_on(own: str) -> None:
    make_run(settings.home() / "runs" / "second0000000000", {})
    cached.refresh_runs()
    screen = opened("runs", run=own)
    screen.selectbox(key="run").set_value("second0000000000").run()
    proto = screen.dataframe[0].proto
    ids = [row.id for row in cached.own_runs()]
    assert json.loads(proto.selection_default)["selection"]["rows"] == [
        ids.index("second0000000000")
    ]


DAMAGES = {
    "recipe.json": '{"format": 1}',
    "status.json": '{"state": "paused"}',
    "metrics.jsonl": '{"a": 1}\n{"half\n[]\n',
    "samples.jsonl": '{"a": 1}\n{"half\n[]\n',
}


def test_damaged_runs_take_down_no_page(own: str) -> None:
    runs = settings.home() / "runs"
    for number, (name, content) in enumerate(DAMAGES.items()):
        damaged = Path(shutil.copytree(runs / own, runs / f"damaged{number}00000000"))
        (damaged / name).write_text(content)
    cached.refresh_runs()
    for page in PAGES:
        for run in ("", *(f"damaged{number}00000000" for number in range(len(DAMAGES)))):
            assert not opened(page, **({"run": run} if run else {})).exception, (page, run)


def test_deleting_a_dataset_that_is_gone_is_no_exception() -> None:
    hash = saved_datasets.save(files.from_pasted("a ||| b"), name="mine", owner=settings.OWNER)
    saved_datasets.save(files.from_pasted("c ||| d"), name="other", owner=settings.OWNER)
    screen = opened("data", set=pack({"source": f"corpus:{hash}"}))
    saved_datasets.delete(hash, settings.OWNER)
    screen.button(key=f"delete text {hash}").click().run()
    assert not screen.exception


def test_a_finished_run_can_be_continued(own: str) -> None:
    screen = opened("train", run=own)
    screen.number_input(key="to step").set_value(40).run()
    screen.button(key="go on").click().run()
    assert not screen.exception
    (job,) = queue.jobs(settings.OWNER)
    finish(job)
    assert RunFolder(access.run_folder(own)).status()["step"] == 40


def test_the_demo_can_be_neither_renamed_nor_deleted() -> None:
    screen = opened("runs", run=DEMO)
    assert "ships with the program" in said(screen)
    assert not [each for each in screen.button if each.key == "delete"]


@pytest.mark.parametrize("path", ["", "compare", "attention"])
def test_a_run_without_a_checkpoint_points_to_its_training(path: str) -> None:
    _, run_id = submit_from_the_page()
    cached.refresh_runs()
    screen = opened(path, run=run_id)
    assert not screen.exception
    assert "has no checkpoint yet" in said(screen)


# Compare


def test_compare_shows_every_tokens_probability() -> None:
    screen = opened("compare", src="the red house", c1=f"{DEMO}@1500!greedy!")
    assert not lost(screen)
    (found,) = s2s.load(DEMO).translate(["the red house"], "greedy")
    assert translation(screen) == found.text
    strip = next(
        str(each.proto.body)
        for each in screen.get("html")
        if 'class="tokens"' in str(each.proto.body)
    )
    for token, value in zip(found.tokens, found.hypotheses[0].token_log_probs, strict=True):
        assert (
            f">{token.replace('<', '&lt;').replace('>', '&gt;')}</bdi></b><small>{math.exp(value):.0%}<"
            in strip
        )
    assert f"{found.log_prob:.2f}".replace("-", "−") in said(screen)


def test_a_column_is_a_link(own: str) -> None:
    values = {
        "num_beams": "3",
        "length_penalty": "0.5",
        "length_formula": "power",
        "early_stopping": "never",
        "max_new_tokens": "9",
    }
    written = str(Column(own, "20", "beam", values))
    screen = opened("compare", src="1 2 3", c1=written)
    assert not lost(screen)
    assert screen.session_state["run"] == own
    assert screen.session_state["c1"] == written
    expected = s2s.load(own, 20).translate(
        ["1 2 3"], "beam", num_beams=3, length_penalty=0.5, early_stopping="never", max_new_tokens=9
    )[0]
    assert translation(screen) == (expected.text or "(nothing)")
    assert len(expected.hypotheses) == 3
    assert "c1=" in link(screen)


def test_a_setting_moves_the_link() -> None:
    screen = opened("compare", src="the red house")
    screen.number_input(key="c1 beam num_beams").set_value(2).run()
    assert Column.read(screen.session_state["c1"]).settings["num_beams"] == "2"
    assert screen.query_params["c1"] in (screen.session_state["c1"], [screen.session_state["c1"]])
    screen.number_input(key="c1 beam num_beams").set_value(5).run()
    assert "c1" not in screen.query_params  # what one finds without it


@pytest.mark.parametrize("strategy", decode.STRATEGIES)
def test_every_strategy_is_decoded_on_the_page(strategy: str) -> None:
    screen = opened("compare", src="the red house", c1=f"{DEMO}!{strategy}!")
    assert not lost(screen)
    (found,) = s2s.load(DEMO).translate(["the red house"], strategy)
    assert translation(screen) == found.text


def test_a_setting_that_cannot_be_obeyed_is_said_before_anything_is_decoded() -> None:
    screen = opened("compare", src="the red house", c1=f"{DEMO}!constrained!force_words:zebrä")
    assert "is not in this model's target vocabulary" in said(screen)
    assert not screen.exception


def test_a_new_strategy_is_on_the_page_and_in_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = Choice(
        lambda stepper, config, words: greedy(stepper, Greedy(max_new_tokens=1)),
        Greedy,
        "One word is enough.",
    )
    more = MappingProxyType({**decode.STRATEGIES, "toy": toy})
    for place in (decode.strategies, column):
        monkeypatch.setattr(place, "STRATEGIES", more)
    screen = opened("compare", src="the red house", c1=f"{DEMO}!toy!")
    assert not lost(screen)
    assert translation(screen) == "la"
    assert "One word is enough." in said(screen)
    assert "!toy!" in screen.session_state["c1"]


# Attention


@pytest.mark.parametrize(
    ("kind", "layer", "head"),
    [
        ("cross", "1", "3"),
        ("encoder", "mean", "mean"),
        ("decoder", "2", "mean"),
        ("cross", "mean", "1"),
    ],
)
def test_attention_shows_the_models_own_weights(kind: str, layer: str, head: str) -> None:
    screen = opened("attention", src="the red house", kind=kind, layer=layer, head=head)
    assert not lost(screen)
    run = s2s.load(DEMO)
    attention = run.attention("the red house", run.translate(["the red house"])[0].text)
    weights = getattr(attention, kind)
    weights = weights.mean(0) if layer == "mean" else weights[int(layer) - 1]
    weights = weights.mean(0) if head == "mean" else weights[int(head) - 1]
    title, shown = picture(screen)
    np.testing.assert_allclose(shown, weights, atol=1e-6)
    assert kind in title
    assert "step 1,500" in title
    assert ("mean of 2 layers" in title) is (layer == "mean")


def test_another_target_can_be_forced_and_travels() -> None:
    screen = opened("attention", src="the red house", tgt="le chat")
    attention = s2s.load(DEMO).attention("the red house", "le chat")
    np.testing.assert_allclose(picture(screen)[1], attention.cross[-1].mean(0), atol=1e-6)
    assert "tgt=le+chat" in link(screen)
    screen.text_input(key="tgt box").set_value("").run()
    assert picture(screen)[1].shape[0] == 4
    assert "tgt=la+maison+rouge" in link(screen)  # a link writes every value


def test_an_earlier_checkpoint_can_be_looked_into(own: str) -> None:
    screen = opened(
        "attention", run=own, src="1 2 3", step="10", kind="encoder", layer="1", head="1"
    )
    assert not lost(screen)
    np.testing.assert_allclose(
        picture(screen)[1], s2s.load(own, 10).attention("1 2 3", "").encoder[0, 0], atol=1e-6
    )
    assert "There is no checkpoint of step 7" in said(
        opened("attention", run=own, src="1 2 3", step="7")
    )


def test_what_one_typed_stays_on_the_way_from_page_to_page(tmp_path: Path) -> None:
    screen = opened("", src="the red house")
    assert box(screen) == "the red house"
    screen.switch_page("pages/decode/compare.py").run()
    assert not screen.exception
    assert box(screen) == "the red house"
