import base64
import html
import json
import re
import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import s2s
from s2s.links.share import unpack
from s2s.questions import ANSWERS, TWO_BANKS, Have, PoolOf
from s2s.questions.views import tabs
from s2s.runs import runs_folder
from s2s.ui.kit import cached, vocabulary
from s2s.ui.states.view_state import STATE
from tests.conftest import make_run
from tests.screen import box, link, lost, opened, page_text

DEMO = "demo-en-fr"
HERE, THERE = TWO_BANKS
LABELS = tabs("states")


def held(screen) -> dict[str, str]:
    return unpack(screen.session_state["set"])


def drawn(screen) -> dict[str, Any]:
    return json.loads(screen.get("plotly_chart")[0].proto.spec)


def numbers(values: Any) -> np.ndarray:
    """As Plotly writes them."""
    if not isinstance(values, dict):
        return np.array(values, float)
    flat = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return flat.reshape([int(side) for side in str(values.get("shape", len(flat))).split(",")])


def the_table(screen):
    return screen.dataframe[0].value


def finding(screen) -> str:
    """What the answer says."""
    said = [str(each.proto.body) for each in screen.get("html") if "data-answer" in each.proto.body]
    return html.unescape(re.sub(r"<.*?>", "", said[0]))


def test_a_newcomer_sees_two_banks_and_what_a_state_is_and_an_empty_box_says_what_to_do() -> None:
    screen = opened("states")
    assert not screen.exception
    assert not lost(screen)
    assert box(screen) == HERE
    assert "A state is a vector of 128 numbers" in page_text(screen)
    assert drawn(screen)["layout"]["title"]["text"].startswith(
        f"{DEMO} · step 1,500<br>encoder · after layer 2 of 2<br>PCA of 14 tokens"
    )
    assert f"src={HERE.replace(' ', '+')}" in link(screen)
    screen.button(key="chip4").click().run()
    assert not screen.exception
    assert box(screen) == "the red house"
    screen.text_input(key="src").set_value(" ").run()
    assert not screen.exception
    assert "Type a sentence above" in page_text(screen)


def test_a_link_opens_a_map_of_one_sentence_and_every_layer() -> None:
    screen = opened("states", src=HERE, set="shown:first,layers:all,colour:position")
    assert not screen.exception
    assert {each["xaxis"] for each in drawn(screen)["data"]} == {"x", "x2", "x3"}
    assert "7 tokens of 1 sentence, by position" in drawn(screen)["layout"]["title"]["text"]
    assert held(screen).items() >= {"shown": "first", "layers": "all", "colour": "position"}.items()


def test_same_word_draws_the_cosines_of_the_runs_own_states_and_marks_the_layer_of_the_link() -> (
    None
):
    run = s2s.load(DEMO)
    screen = opened("states", src=HERE, layer="1", set="view:same")
    assert not screen.exception
    one, other = (
        run.states(text, "le").encoder[:, text.split().index("bank")] for text in (HERE, THERE)
    )
    theirs = torch.cosine_similarity(torch.from_numpy(one), torch.from_numpy(other), dim=-1)
    lines = drawn(screen)["data"]
    np.testing.assert_allclose(numbers(lines[0]["y"]), theirs, atol=1e-5)
    assert lines[-1]["name"] == "any two words"
    assert len(lines) == 4
    assert drawn(screen)["layout"]["shapes"][0]["x0"] == 1
    assert f"from {theirs[0]:.2f} at the embeddings to {theirs[-1]:.2f}" in finding(screen)
    assert "“banque” and as “déposer”" in finding(screen)


def test_other_words_can_be_compared_and_are_forgotten_with_their_sentence() -> None:
    run = s2s.load(DEMO)
    screen = opened("states", src=HERE, set="view:same,word:6,word2:6")
    assert not screen.exception
    assert held(screen).items() >= {"word": "6", "word2": "6"}.items()
    one = run.states(HERE, "le").encoder[:, 5]
    other = run.states(THERE, "le").encoder[:, 5]
    theirs = torch.cosine_similarity(torch.from_numpy(one), torch.from_numpy(other), dim=-1)
    np.testing.assert_allclose(numbers(drawn(screen)["data"][0]["y"]), theirs, atol=1e-5)
    assert finding(screen).startswith("“river” and “money” are two words")
    assert "shapes" not in drawn(screen)["layout"]
    screen.text_input(key="src").set_value("the red house").run()  # which has other positions
    assert not screen.exception
    assert not lost(screen)
    assert screen.session_state["states word"] == held(screen)["word"] != "6"


def test_the_lens_lists_the_most_probable_tokens_of_the_layer_of_the_link() -> None:
    screen = opened("states", src=HERE, layer="0", set="view:lens")
    assert "Most probable tokens · decoder · embeddings" in page_text(screen)
    assert the_table(screen)["target"][1] == "banque"
    assert the_table(screen)["1."][1].startswith("la · ")  # what was just read


def test_neighbors_are_of_the_word_that_same_word_compares_until_another_is_chosen() -> None:
    screen = opened("states", src=HERE, set="view:near,second:the river house")
    assert "nearest to “river”" in page_text(screen)
    screen.selectbox(key="states unit").set_value("sentence").run()
    assert held(screen)["unit"] == "sentence"
    assert "word" not in the_table(screen)
    screen.text_input(key="src").set_value("the red house").run()
    assert not lost(screen)
    assert "nearest to “house”" in page_text(screen)


@pytest.mark.parametrize("view", LABELS)
def test_every_view_of_a_model_with_prefixes(view: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Have().answer(PoolOf("demo-tasks"))
    few = replace(whole, texts=whole.texts[:40], n_own=40)
    monkeypatch.setattr(PoolOf, "ask", lambda self, have: few)
    ANSWERS.clear()
    screen = opened("states", run="demo-tasks", set=f"view:{view}")
    ANSWERS.clear()  # of the few
    assert not screen.exception
    assert not lost(screen)
    assert screen.get("plotly_chart") or screen.dataframe
    assert held(screen)["view"] == view


@pytest.mark.parametrize(
    ("params", "sentences"),
    [
        (
            {
                "layer": "9",
                "step": "7",
                "set": "view:<b>,side:left,strategy:zork,colour:;;,zork:1,:::,",
            },
            [
                "asked for layer 9; the encoder has 2, with 0 for the embeddings, and the last is shown instead",
                "no checkpoint of step 7",
                "there is no <b> here; Map is shown instead.",
                "there is no zork here",
                "there is no ;; here",
            ],
        ),
        (
            {"layer": "mean", "set": "view:near,unit:99"},
            ["asked for layer mean", "there is no 99 here"],
        ),
        (
            {"layer": "9", "set": "view:same,word:99,word2:x"},
            [
                "there is no 99 here; 2 · bank is shown instead",
                "there is no x here; the default is shown instead",
                "asked for layer 9; the encoder has 2, with 0 for the embeddings, and none is marked",
            ],
        ),
    ],
)
def test_a_broken_link_shows_the_page_and_reports_what_was_lost(
    params: dict[str, str], sentences: list[str]
) -> None:
    screen = opened("states", src=HERE, **params)
    assert not screen.exception
    assert all(sentence in page_text(screen) for sentence in sentences)
    assert screen.get("plotly_chart") or screen.dataframe
    if "step" in params:
        screen.selectbox(key="run").set_value("demo-en-es").run()  # the next thing anybody does
        assert not screen.exception
        assert not lost(screen)


def test_a_target_is_forced_and_its_unknown_words_are_named() -> None:
    screen = opened("states", src=HERE, tgt="la *zork* banque", set="view:lens")
    assert (
        "Forced target: *la *zork* banque*. Unknown words in it, read as <unk>: ***zork***"
        in page_text(screen)
    )
    assert drawn(screen)["layout"]["yaxis"]["ticktext"] == [
        "la",
        "&lt;unk&gt;",
        "banque",
        "&lt;/s&gt;",
    ]


def test_what_the_model_has_no_positions_for_is_reported_and_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changes = {
        "model.positions.kind": "learned",
        "model.positions.max_length": 16,
        "train.steps": 1,
        "data.max_length": 16,
    }
    make_run(runs_folder() / "short", changes)
    short = "1 2 3"
    long = " ".join("1" * 20)
    screen = opened("states", run="short", src=short, tgt=long)
    assert not screen.exception
    assert "The target cannot be forced: Line 1 of the target has 21 tokens" in page_text(screen)
    assert screen.get("plotly_chart")
    screen = opened("states", run="short", src=short, set=f"second:{long}")
    assert ["has 21 tokens" in str(each.value) for each in screen.error] == [True]
    screen = opened("states", run="short", src=long)
    assert not screen.exception
    assert "Line 1 of the source has 21 tokens and this model has 16 positions" in page_text(screen)
    for view in [view for view in LABELS if view != "map"]:
        assert not opened("states", run="short", src=short, set=f"view:{view}").exception


def test_a_run_of_ones_own_searches_its_dataset_or_its_probes() -> None:
    make_run(runs_folder() / "mine", {"train.steps": 1})
    pool = Have().answer(PoolOf("mine"))
    assert 0 < pool.n_own <= 80
    folder = runs_folder() / "lost"
    shutil.copytree(cached.DEMO_FOLDER / DEMO, folder)
    for source in ("gone.tsv", "hub:who/what"):
        recipe = json.loads((folder / "recipe.json").read_text()) | {"source": source}
        (folder / "recipe.json").write_text(json.dumps(recipe))
        ANSWERS.clear()
        vocabulary._vocabulary.clear()
        pool = Have().answer(PoolOf("lost"))
        assert pool.n_own == 0
        assert 0 < len(pool.texts) < 50
        assert pool.origin(0) == "probe"
    screen = opened("states", run="lost", src=HERE, set="view:near")
    assert not screen.exception
    assert "0 of the dataset that this run was trained on" in page_text(screen)


def test_the_dataset_is_searched_as_the_run_reads_it() -> None:
    make_run(runs_folder() / "mine", {"train.steps": 1})
    make_run(runs_folder() / "back", {"train.steps": 1, "data.task": "reverse_direction"})
    there, back = (Have().answer(PoolOf(name)) for name in ("mine", "back"))
    assert there.n_own
    assert back.n_own
    sources = dict(cached.preview(str(s2s.load("mine").folder.about()["source"])).rows)
    assert {*there.texts[: there.n_own]} <= {*sources}
    assert {*back.texts[: back.n_own]} <= {*sources.values()}


def test_a_model_of_the_other_direction_is_offered_no_sentences_of_the_first() -> None:
    folder = runs_folder() / "back"
    shutil.copytree(cached.DEMO_FOLDER / DEMO, folder)
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe["recipe"]["data"]["task"] = "reverse_direction"
    (folder / "recipe.json").write_text(json.dumps(recipe))
    there, back = (vocabulary.of(s2s.load(name)) for name in (DEMO, "back"))
    assert (there.languages, back.languages) == (("English", "French"), None)
    assert box(opened("states", run=DEMO)) == HERE
    assert box(opened("states", run="back")) != HERE


def test_undeclared_state_is_an_error() -> None:
    with pytest.raises(ValueError, match="declares no `size`"):
        STATE.remember(size="1")
    assert next(iter(LABELS)) == STATE.declaration().view
