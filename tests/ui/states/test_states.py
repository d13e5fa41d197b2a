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
from s2s.analysis.projection import principal_components
from s2s.config import UserError, override
from s2s.links.share import unpack
from s2s.questions import ANSWERS, TWO_BANKS
from s2s.runs import runs_folder, states
from s2s.ui.kit import cached, vocabulary
from s2s.ui.states import logit_lens, neighbors
from s2s.ui.states import pool as pools
from s2s.ui.states.view_state import STATE
from s2s.ui.states.views import LABELS, VIEWS
from tests.conftest import make_run
from tests.screen import box, link, lost, opened, page_text

DEMO = "demo-en-fr"
HERE, THERE = TWO_BANKS


def held(screen) -> dict[str, str]:
    return unpack(screen.session_state["set"])


def drawn(screen) -> dict[str, Any]:
    """The chart."""
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


def own(run, text: str) -> str:
    return run.translate([text], "beam")[0].text


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


@pytest.mark.parametrize(("side", "layer"), [("encoder", 0), ("decoder", 2)])
def test_points_are_the_principal_components_of_the_runs_own_states(side: str, layer: int) -> None:
    run = s2s.load(DEMO)
    screen = opened("states", src=HERE, layer=str(layer), set=f"side:{side},colour:sentence")
    both = [run.states(text, own(run, text)).side(side).vectors[layer] for text in (HERE, THERE)]
    theirs = principal_components(np.concatenate(both))
    traces = drawn(screen)["data"]
    points = np.concatenate(
        [np.column_stack([numbers(each["x"]), numbers(each["y"])]) for each in traces]
    )
    np.testing.assert_allclose(points, theirs.points, atol=1e-3)
    assert f"{theirs.shares[0]:.0%}" in drawn(screen)["layout"]["xaxis"]["title"]["text"]


def test_one_sentence_alone_and_every_layer_which_says_what_state_is_nearest_in_it() -> None:
    screen = opened("states", src=HERE, set="shown:first,layers:all,colour:position")
    assert not screen.exception
    assert {each["xaxis"] for each in drawn(screen)["data"]} == {"x", "x2", "x3"}
    assert "7 tokens of 1 sentence, by position" in drawn(screen)["layout"]["title"]["text"]
    assert held(screen).items() >= {"shown": "first", "layers": "all", "colour": "position"}.items()
    vectors = torch.from_numpy(s2s.load(DEMO).states(HERE, own(s2s.load(DEMO), HERE)).encoder)
    drawn_layers = [trace for trace in drawn(screen)["data"] if "customdata" in trace]
    assert len(drawn_layers) == len(vectors)
    for layer, trace in zip(vectors, drawn_layers, strict=True):
        cosines = torch.cosine_similarity(layer[:, None], layer[None], dim=-1)
        best, nearest = cosines.fill_diagonal_(-1).max(1)
        for at, text in enumerate(trace["customdata"]):
            assert f"position {int(nearest[at]) + 1} (cosine {best[at]:.2f})" in text


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


def test_neighbors_are_the_nearest_of_all_words_read_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layer = 1  # of 0 to 2
    run = s2s.load(DEMO)
    some = [text for text in pools.pool(run).texts if text != HERE][:40]
    few = pools.Pool((*some, "I want to bank the money", HERE), 40, "held out")
    monkeypatch.setattr(pools, "pool", lambda run: few)
    pools._pool_index.clear()
    cosines = run.states(HERE, "le").encoder[layer, 1]
    vectors = []
    words = []
    for text in few.texts[:-1]:
        states = run.states(text, "le")
        vectors += [*states.encoder[layer, :-1]]
        words += [(word, text) for word in text.split()]
    every = torch.cosine_similarity(
        torch.from_numpy(np.stack(vectors)), torch.from_numpy(cosines), dim=-1
    )
    screen = opened("states", src=HERE, layer=str(layer), set="view:near,unit:2")
    pools._pool_index.clear()
    table = the_table(screen)
    np.testing.assert_allclose(table["cosine"], every.sort(descending=True).values[:15], atol=1e-4)
    assert table["cosine"].is_monotonic_decreasing
    assert (table["word"][0], table["sentence"][0]) == words[int(every.argmax())]
    assert HERE not in set(table["sentence"])
    assert "Searched 42 sentences" in page_text(screen)
    assert "40 of the dataset that this run was trained on and 2 others (held out)" in page_text(
        screen
    )


def test_a_whole_sentence_has_neighbors_and_the_table_can_be_downloaded() -> None:
    run = s2s.load(DEMO)
    screen = opened("states", src=HERE, set="view:near,unit:sentence")
    table = the_table(screen)
    means = [
        states.words_of(run, run.states(text, "le")).vectors[-1].mean(0)
        for text in (HERE, table["sentence"][0])
    ]
    theirs = torch.cosine_similarity(*map(torch.from_numpy, means), dim=0)
    assert table["cosine"][0] == pytest.approx(float(theirs), abs=1e-4)
    assert len(set(table["sentence"])) == len(table)
    rows = [neighbors.NeighborRow(0.5, "=1", 2, "+a", "dataset")]
    assert neighbors.neighbors_csv(rows).splitlines()[1] == "0.5,'=1,2,'+a,dataset"


def test_the_lens_ends_in_the_runs_next_tokens() -> None:
    run = s2s.load(DEMO)
    screen = opened("states", src=HERE, layer="2", set="view:lens")
    ids = run.tgt_tokenizer.encode(own(run, HERE))
    best = run.next_tokens(HERE, ids).exp().max(1)
    cells = numbers(drawn(screen)["data"][0]["z"])
    np.testing.assert_allclose(cells[:, -1], best.values, atol=1e-5)
    words = np.array(drawn(screen)["data"][1]["text"]).reshape(cells.shape)
    assert words[:-1, -1].tolist() == run.tgt_tokenizer.tokens(best.indices[:-1].tolist())
    assert the_table(screen)["rank"].tolist() == [1] * len(cells)
    assert f"{len(cells)} after layer 2" in page_text(screen)


@pytest.mark.parametrize("place", ["pre", "post"])
def test_the_caveat_of_the_lens_knows_a_model_without_norms(place: str) -> None:
    run = s2s.load(DEMO)
    changes = {"model.norm.place": place, "model.decoder.final_norm": True}
    normed, bare = (
        logit_lens.caveat(replace(run, recipe=override(run.recipe, changes | more)), [True])
        for more in ({}, {"model.norm.kind": "none"})
    )
    assert "the final norm is applied to them" in normed
    assert ("ends in its own norm" in normed) == (place == "post")
    assert "there is no final norm to apply. They" in bare


@pytest.mark.parametrize("view", LABELS)
def test_every_view_of_a_model_with_prefixes(view: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = s2s.load("demo-tasks")
    whole = pools.pool(run)
    few = pools.Pool(whole.texts[:40], 40, whole.others)
    monkeypatch.setattr(pools, "pool", lambda run: few)
    screen = opened("states", run="demo-tasks", set=f"view:{view}")
    pools._pool_index.clear(run.key, True, run)  # of the few
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
                "asked for layer 9; the encoder has 2, with 0 for the embeddings, and layer 2 is shown instead",
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
    run = s2s.load("short")
    short = "1 2 3"
    long = " ".join("1" * 20)
    screen = opened("states", run="short", src=short, tgt=long)
    assert not screen.exception
    assert "The target cannot be forced: Line 1 of the target has 21 tokens" in page_text(screen)
    assert screen.get("plotly_chart")
    screen = opened("states", run="short", src=short, set=f"second:{long}")
    assert "The second sentence cannot be read: Line 1 of the source has 21 tokens" in page_text(
        screen
    )
    assert screen.get("plotly_chart")
    with pytest.raises(UserError, match="has 21 tokens"):
        run.states(long, short)
    screen = opened("states", run="short", src=long)
    assert not screen.exception
    assert "Line 1 of the source has 21 tokens and this model has 16 positions" in page_text(screen)
    for view in [view for view in LABELS if view != "map"]:
        assert not opened("states", run="short", src=short, set=f"view:{view}").exception


def test_a_run_of_ones_own_searches_its_dataset_or_its_probes() -> None:
    make_run(runs_folder() / "mine", {"train.steps": 1})
    pool = pools.pool(s2s.load("mine"))
    assert 0 < pool.n_own <= 80
    folder = runs_folder() / "lost"
    shutil.copytree(cached.DEMO_FOLDER / DEMO, folder)
    for source in ("gone.tsv", "hub:who/what"):
        recipe = json.loads((folder / "recipe.json").read_text()) | {"source": source}
        (folder / "recipe.json").write_text(json.dumps(recipe))
        ANSWERS.clear()
        vocabulary._vocabulary.clear()
        pool = pools.pool(s2s.load("lost"))
        assert pool.n_own == 0
        assert 0 < len(pool.texts) < 50
        assert pool.origin(0) == "probe"
    screen = opened("states", run="lost", src=HERE, set="view:near")
    assert not screen.exception
    assert "0 of the dataset that this run was trained on" in page_text(screen)


def test_the_dataset_is_searched_as_the_run_reads_it() -> None:
    make_run(runs_folder() / "mine", {"train.steps": 1})
    make_run(runs_folder() / "back", {"train.steps": 1, "data.task": "reverse_direction"})
    there, back = (pools.pool(s2s.load(name)) for name in ("mine", "back"))
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
    assert next(iter(VIEWS)) == STATE.declaration().view
