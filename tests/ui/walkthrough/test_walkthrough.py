"""The Walkthrough: every step in every kind of model, its source, its address."""

import base64
import html
import inspect
import json
import shutil
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import s2s
from s2s import settings
from s2s.config import override
from s2s.data import Corpus, Pair, saved_datasets
from s2s.links.share import unpack
from s2s.questions import ANSWERS, Have, Walkthrough
from s2s.questions.views import view_of
from s2s.runs import Run, RunFolder, teacher_forcing
from s2s.tokenizers.word import WordTokenizer
from s2s.ui.kit import cached
from s2s.ui.walkthrough.code import ROOT, Code, excerpt
from s2s.ui.walkthrough.request import STATE
from s2s.ui.walkthrough.step import WalkthroughStep, aligned
from s2s.ui.walkthrough.steps import STEPS, WHERE
from tests.model.conftest import SRC_VOCAB, build, shrunk
from tests.screen import component, link, lost, opened, page_text

DEMO = "demo-en-fr"
TEXT = "the red house"
LOSS_STEPS = ("forcing", "loss", "gradients", "update", "counted")
KINDS = ("first-steps", "t5-small", "mini-t5", "modern-small", "blocks", "alibi", "none")


def run_of(kind: str, folder: Path) -> Run:
    """An untrained run of a preset's kind, or of a kind of positions."""
    recipe = shrunk("small" if kind in ("alibi", "none") else kind)
    recipe = (
        override(recipe, {"model.positions.kind": kind}) if kind in ("alibi", "none") else recipe
    )
    recipe = override(recipe, {"data.max_length": 16})  # an untrained model writes that many tokens
    words = WordTokenizer([f"w{number}" for number in range(SRC_VOCAB - 4)])
    return Run(RunFolder(folder), recipe, build(recipe), words, words, 0)


def walk(slug: str, *, src: str = TEXT, **params: str) -> AppTest:
    return opened("walkthrough", run=DEMO, src=src, set=f"step:{slug},position:2", **params)


def pictures(screen: AppTest) -> list[np.ndarray]:
    """The cells of every heatmap."""
    found = [json.loads(each.proto.spec)["data"][0] for each in screen.get("plotly_chart")]
    cells = [each["z"] for each in found if each["type"] == "heatmap"]
    return [
        np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape(
            [int(n) for n in str(z["shape"]).split(",")]
        )
        for z in cells
    ]


def bodies(screen: AppTest) -> str:
    """What the page has as HTML: findings, and tokens in frames."""
    return html.unescape("\n".join(str(each.proto.body) for each in screen.get("html")))


def held(screen: AppTest) -> dict[str, str]:
    return unpack(screen.session_state["set"])


@pytest.mark.slow
def test_next_leads_through_every_step_and_each_is_explained() -> None:
    screen = opened("walkthrough", run=DEMO, src=TEXT)
    there = [slug for slug, step in STEPS.items() if step.exists(s2s.load(DEMO).recipe.model)]
    assert screen.button(key="walkthrough previous").disabled
    for number, slug in enumerate(there, 1):
        assert not screen.exception, slug
        assert not lost(screen)
        assert held(screen)["step"] == slug
        titles = screen.selectbox(key="walkthrough step").format_func
        assert f"{number} of {len(there)}" in titles(slug)
        assert len(screen.get("latex") or screen.latex) == 1
        assert screen.code
        if slug not in ("pieces", "ids", "chosen", "forcing", "counted"):
            assert screen.get("plotly_chart"), slug
        for each in screen.get("plotly_chart"):
            assert len(each.proto.alt) > 20
        where = component(screen, "boxes")["chosen"]
        assert where == WHERE.get(slug, "")
        if number < len(there):
            screen.button(key="walkthrough next").click().run()
    assert screen.button(key="walkthrough next").disabled
    screen.button(key="walkthrough previous").click().run()
    assert held(screen)["step"] == there[-2]


@pytest.mark.slow
def test_every_step_draws_and_says_what_each_model_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that says the same of two models, with the same code, is drawn once."""
    run = s2s.load(DEMO)
    drawn = {  # the demo's steps are drawn above
        described(slug, step, run) for slug, step in STEPS.items() if step.exists(run.recipe.model)
    }
    for kind in KINDS:
        run = run_of(kind, tmp_path / kind)
        monkeypatch.setattr(Have, "opened", lambda have, name, run=run: run)
        monkeypatch.setattr(RunFolder, "about", lambda folder: {})
        monkeypatch.setattr(Have, "state", lambda have, name, kind=kind: kind)
        for slug, step in STEPS.items():
            if not step.exists(run.recipe.model):
                continue
            formula = step.formula(run)
            sentences = step.explanation(run)
            assert formula.count("{") == formula.count("}"), formula
            assert "%" not in formula
            assert len(sentences) == 2
            assert all(each.endswith(".") or each.endswith("?") for each in sentences), sentences
            for code in step.code(run):
                part = excerpt(code)
                assert 1 <= part.text.count("\n") + 1 <= 14, part
            if (said := described(slug, step, run)) in drawn:
                continue
            drawn.add(said)
            question = Walkthrough(kind, "w3 w9 w4", "w5 w6", slug)
            answer = Have().answer(question)
            assert all(
                each.table.columns for each in view_of(question).pictures(question, answer, kind)
            )
            assert "nan" not in question.finding(answer)


def described(slug: str, step: WalkthroughStep, run: Run) -> tuple[str, ...]:
    """All that a step says of a model."""
    return slug, step.formula(run), *step.explanation(run), *map(str, step.code(run))


def test_the_source_lines_stand_in_our_files() -> None:
    run = s2s.load(DEMO)
    for part in (excerpt(code) for step in STEPS.values() for code in step.code(run)):
        lines = (ROOT / part.file).read_text().splitlines()[part.start - 1 :]
        bare = [line.strip() for line in part.text.splitlines()]
        assert bare[0] == lines[0].strip()
        assert {*bare} <= {line.strip() for line in lines}
        assert part.file.startswith("s2s/")


def test_source_lines_that_are_gone_are_an_error() -> None:
    with pytest.raises(ValueError, match="`excerpt` has no line with `zork`"):
        excerpt(Code(excerpt, "zork"))
    with pytest.raises(ValueError, match="no line with `zork` after `function =`"):
        excerpt(Code(excerpt, "function =", "zork"))
    assert inspect.getdoc(excerpt) not in excerpt(Code(excerpt)).text


def test_the_pictures_hold_the_models_own_numbers() -> None:
    layer = 2
    head = 3
    run = s2s.load(DEMO)
    where = {"layer": str(layer), "head": str(head)}
    target = run.translate([TEXT], "greedy")[0].text
    attention = run.attention(TEXT, target)
    for slug, kind in (
        ("softmax", attention.encoder),
        ("self-attention", attention.decoder),
        ("bridge", attention.cross),
    ):
        weights = kind[layer - 1, head - 1]
        shown = [each for each in pictures(walk(slug, **where)) if each.shape == weights.shape]
        np.testing.assert_allclose(shown[0], weights, atol=1e-6)
    masked = pictures(walk("causal", **where))[-1]
    np.testing.assert_array_equal(np.isnan(masked), np.triu(np.ones_like(masked), 1) > 0)


@pytest.mark.parametrize(("slug", "stack"), [("queries", "encoder"), ("causal", "decoder")])
def test_the_first_step_of_a_layer_shows_and_names_its_input(slug: str, stack: str) -> None:
    first, second = (walk(slug, layer=layer) for layer in ("1", "2"))
    assert "From here on" not in page_text(first)
    assert f"layer 2 of the {stack}, whose input is the output of layer 1" in page_text(second)
    embeddings = pictures(walk({"encoder": "position", "decoder": "shifted"}[stack]))[-1]
    np.testing.assert_array_equal(pictures(first)[0], embeddings)
    before = {"encoder": "one-position", "decoder": "decoder-feed-forward"}[stack]
    assert pictures(second)[0].shape == embeddings.shape
    assert not np.array_equal(pictures(second)[0], embeddings)
    if stack == "decoder":
        np.testing.assert_allclose(
            pictures(second)[0], pictures(walk(before, layer="1"))[-1], atol=1e-4
        )


def test_probabilities_are_those_of_the_next_token() -> None:
    run = s2s.load(DEMO)
    screen = walk("probabilities")
    target = run.tgt_tokenizer.encode(run.translate([TEXT], "greedy")[0].text)
    row = run.next_tokens(TEXT, target)[1].exp()
    bars = json.loads(screen.get("plotly_chart")[0].proto.spec)["data"][0]["x"]
    np.testing.assert_allclose(bars, row.topk(10).values, atol=1e-5)
    assert torch.argsort(row, descending=True)[0] == target[1]


def test_a_typed_target_is_what_the_decoder_reads_and_is_taught() -> None:
    screen = walk("forcing", tgt="la grande maison")
    assert not screen.exception
    assert "la grande maison” (the given target)" in page_text(screen)
    assert "They first differ at position 2" in bodies(screen)
    losses = json.loads(walk("loss", tgt="la grande maison").get("plotly_chart")[0].proto.spec)[
        "data"
    ][0]["y"]
    forced = teacher_forcing.reference(s2s.load(DEMO), TEXT, "la grande maison")
    np.testing.assert_allclose(losses, [-each for each in forced.log_probs], atol=1e-4)


def own_run(*pairs: tuple[str, str]) -> str:
    """The demo as a run of the visitor's own, trained on these pairs."""
    corpus = Corpus("somewhere", "train", tuple(Pair(src, tgt) for src, tgt in pairs))
    dataset = saved_datasets.save(corpus, name="mine", owner="local")
    folder = settings.home() / "runs" / "mine"
    shutil.copytree(cached.DEMO_FOLDER / DEMO, folder)
    recipe = folder / "recipe.json"
    recipe.write_text(recipe.read_text().replace("builtin:en-fr", f"corpus:{dataset}"))
    cached.refresh_runs()
    return folder.name


def target(slug: str, run: str, src: str = TEXT) -> str:
    """What a step of the loss says about its target."""
    screen = opened("walkthrough", run=run, src=src, set=f"step:{slug}")
    assert not screen.exception
    return next(line for line in page_text(screen).splitlines() if line.startswith("Target: "))


def test_all_steps_of_the_loss_take_the_reference_that_the_dataset_has() -> None:
    own = s2s.load(DEMO).translate([TEXT], "greedy")[0].text
    run = own_run((TEXT, "la grande maison"), ("the cat", "le chat"), (TEXT, own))
    for slug in LOSS_STEPS:
        assert (
            f"“{own}” (of the 2 references in the run's dataset the one that the model writes)"
            in (target(slug, run))
        )


def test_a_reference_in_any_row_is_the_target_of_the_gradient_too() -> None:
    run = own_run(("the cat", "le chat"), (TEXT, "la grande maison"))
    said = target("loss", run)
    assert said.startswith("Target: “la grande maison” (the reference in the run's dataset).")
    screen = opened("walkthrough", run=run, src=TEXT, set="step:gradients")
    forced = teacher_forcing.reference(s2s.load(DEMO), TEXT, "la grande maison")
    assert f"The loss is {-forced.log_prob / len(forced.ids):.2f} nats per token" in page_text(
        screen
    )


def test_a_first_token_that_is_given_is_not_in_the_mean_loss() -> None:
    folder = RunFolder(settings.home() / "runs" / own_run(("the cat", "le chat")))
    recipe = override(folder.recipe(), {"model.ids.tgt_first": 1}).to_json()
    folder.amend(lambda about: {"recipe": recipe})
    view = {"src": TEXT, "tgt": "grande maison", "set": "step:loss"}
    screen = opened("walkthrough", run=folder.id, **view)
    assert not screen.exception
    forced = teacher_forcing.reference(s2s.load(folder.path), TEXT, "grande maison")
    assert forced.tokens == ("<s>", "grande", "maison", "</s>")
    assert f"{-forced.log_prob / 3:.3g} nats per token" in bodies(screen)


def test_without_a_reference_the_target_is_the_models_own_and_nothing_is_counted() -> None:
    run = own_run(("the cat", "le chat"))
    own = s2s.load(DEMO).translate([TEXT], "greedy")[0].text
    assert f"“{own}” (the model's own translation; no reference" in target("loss", run)
    counted = opened("walkthrough", run=run, src=TEXT, set="step:counted")
    assert "Without a reference there is nothing to count" in bodies(counted)
    counted.button(key="walkthrough Another translation of the model 0").click().run()
    assert not counted.exception
    assert "(the given target)" in page_text(counted)


def test_an_update_lowers_the_loss_of_a_wrong_word_unless_its_step_is_too_long() -> None:
    screen = walk("update", tgt="la maison bleue")
    assert not screen.exception
    (weight,) = (each.value for each in screen.dataframe if "gradient" in each.value)
    before, gradient, after = (float(each.replace("−", "-")) for each in weight.iloc[0])
    assert round(before - 0.1 * gradient, 3) == round(after, 3) != round(before, 3)
    assert "output vector of “bleue”" in page_text(screen)
    assert "The loss falls from" in bodies(screen)
    screen.segmented_control(key=STATE.key("rate")).set_value("1").run()
    assert not screen.exception
    assert "The step is too long: the loss rises from" in bodies(screen)


def test_the_three_pictures_of_a_residual_connection_have_one_scale() -> None:
    screen = walk("residual", layer="2")
    found = [json.loads(each.proto.spec) for each in screen.get("plotly_chart")]
    assert len({each["data"][0]["zmax"] for each in found}) == 1
    assert found[0]["data"][0]["zmax"] == pytest.approx(
        max(float(np.abs(cells).max()) for cells in pictures(screen))
    )
    assert all("layer 2" in each["layout"]["title"]["text"] for each in found)


def test_an_update_of_a_large_model_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s2s.questions.walkthrough.MOST_PARAMETERS", 1000)
    ANSWERS.clear()
    assert "one update is computed here for at most 1,000" in page_text(walk("update"))


@pytest.mark.parametrize(
    ("params", "sentences"),
    [
        ({"set": "step:zork,rate:7"}, ["Step: there is no zork here", "rate: there is no 7 here"]),
        ({"set": "step:bias,position:x"}, ["This model has no step", "position: there is no x"]),
        (
            {"layer": "9", "head": "<b>", "set": "step:scores,position:99"},
            [
                "There is no token 99",
                "layer 9, which this model doesn't have",
                "head 1 is shown instead",
            ],
        ),
    ],
)
def test_a_broken_link_shows_the_page_and_says_what_was_lost(
    params: dict[str, str], sentences: list[str]
) -> None:
    screen = opened("walkthrough", **params)
    assert not screen.exception
    assert all(sentence in page_text(screen) for sentence in sentences)
    assert held(screen).keys() == STATE.fields.keys()


def test_a_head_that_elsewhere_is_a_mean_is_the_first_here() -> None:
    screen = opened(head="mean", layer="2")
    screen.session_state["head"] = "mean"
    screen.switch_page("pages/learn/walkthrough.py").run()
    assert not screen.exception
    assert screen.session_state["head"] == "1"


def test_the_share_link_opens_the_same_view() -> None:
    screen = walk("scores", layer="2", head="3")
    again = opened(
        "walkthrough",
        **{key: value[-1] for key, value in parse_qs(urlsplit(link(screen)).query).items()},
    )
    assert held(again) == held(screen) == {"step": "scores", "position": "2", "rate": "0.1"}
    assert [each.proto.spec for each in again.get("plotly_chart")] == [
        each.proto.spec for each in screen.get("plotly_chart")
    ]


def test_markup_in_the_sentence_is_inert_and_an_empty_box_says_what_to_do() -> None:
    hostile = "the <img src=x onerror=alert(1)> :material/home: $x$ **b** cat"
    for slug in ("pieces", "bridge", "forcing"):
        assert not walk(slug, src=hostile, tgt=hostile).exception
    empty = walk("scores", src=" ")
    assert not empty.exception
    assert "Type a sentence above" in page_text(empty)


@pytest.mark.parametrize("kind", ["sinusoidal", "rotary"])
@pytest.mark.parametrize(("base", "text"), [(1e6, "1000000"), (2.5, "2.5")])
def test_a_large_base_is_written_out_in_the_formula(
    kind: str, base: float, text: str, tmp_path: Path
) -> None:
    run = run_of("small", tmp_path)
    changes = {"model.positions.kind": kind, "model.positions.base": base}
    changed = replace(run, recipe=override(run.recipe, changes))
    assert rf"t \,/\, {text}^" in STEPS["position"].formula(changed)


def test_formulas_of_several_lines() -> None:
    assert aligned("a", "b") == r"\begin{aligned} & a \\ & b \end{aligned}"
