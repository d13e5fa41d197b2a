"""All heads and the heatmap of Attention: what is sent, what stands in the table, what a link may ask for."""

import json
import re
import zlib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s import settings
from s2s.analysis import Attention
from s2s.analysis.roles import ROLES, summarize_heads
from s2s.links.share import pack, unpack
from s2s.plots import attention_view
from s2s.runs import Run
from s2s.ui.canvas import heads
from s2s.ui.kit import cached
from s2s.ui.kit.text import JOINER
from tests.conftest import make_run
from tests.screen import component, lost, opened, page_text, picture

DEMO = "demo-en-fr"
TEXT = "the cat who chased the mouse was black"
TARGET = "le chat qui a chassé la souris était noir"
RUN_ID = "abcdefgh12345678"
LONG = " ".join(str(number % 8 + 1) for number in range(64))  # 127 characters
HEADER = 4 + 3 * 256


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load(DEMO)


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2 layers of 2 heads that read characters, hardly trained."""
    shape = {
        "model.n_layers": 2,
        "model.n_heads": 2,
        "tokenizer.kind": "char",
        "train.steps": 2,
        "train.warmup_steps": 1,
    }
    return make_run(
        tmp_path_factory.mktemp("long") / RUN_ID,
        shape | {"train.watch.validate_every": 2, "train.watch.save_every": 2},
    )


def unpacked(sent: bytes) -> tuple[dict[str, object], np.ndarray]:
    """What the script reads: the head, and pixels as (layers, heads, rows, keys)."""
    length = int.from_bytes(sent[:4], "little")
    head = json.loads(sent[HEADER : HEADER + length])
    shape = (head["layers"], head["heads"], len(head["rows"]), len(head["keys"]))
    return head, np.frombuffer(sent[HEADER + length :], np.uint8).reshape(shape)


def look(**params: str) -> AppTest:
    screen = opened("attention", **{"run": DEMO, "src": TEXT, **params})
    assert not screen.exception
    return screen


def components(screen: AppTest) -> list[object]:
    return [each.proto for each in screen.get("bidi_component")]


def canvas(screen: AppTest) -> tuple[dict[str, object], np.ndarray]:
    sent = next(
        bytes(proto.bytes)
        for proto in components(screen)
        if proto.component_name.endswith("heads_canvas")
    )
    return unpacked(sent)


def chosen(screen: AppTest) -> dict[str, object]:
    found: dict[str, object] = json.loads(
        next(
            proto.json
            for proto in components(screen)
            if proto.component_name.endswith("heads_chosen")
        )
    )
    return found


def missing(screen: AppTest) -> list[str]:
    """The notices about a link, unescaped."""
    return [re.sub(r"\\(.)", r"\1", sentence).replace(JOINER, "") for sentence in lost(screen)]


def weights(*shape: int) -> np.ndarray:
    raw = np.random.default_rng(0).random(shape, np.float32) ** 4
    made: np.ndarray = raw / raw.sum(-1, keepdims=True)
    return made


def test_what_is_sent_holds_every_weight_to_the_second_decimal() -> None:
    given = weights(3, 5, 4, 6)
    rows = list("abcd")
    keys = list("uvwxyz")
    head, pixels = unpacked(heads.pack_heads(given, rows, keys, "reads"))
    assert (head["rows"], head["keys"], head["verb"]) == (rows, keys, "reads")
    assert np.abs((pixels / 255) ** 2 - given).max() < 0.005
    small = given < 0.05
    assert small.any()
    assert np.abs((pixels / 255) ** 2 - given)[small].max() < 0.001
    assert head["stamp"] == f"{zlib.crc32(pixels.tobytes()):08x}"


def test_too_many_weights_are_pooled_by_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    given = weights(2, 2, 5, 5)
    tokens = list("abcde")
    monkeypatch.setattr(heads, "MAX_PIXELS", 40)
    assert heads.pooling(given.shape) == 2
    head, pixels = unpacked(heads.pack_heads(given, tokens, tokens, "reads"))
    assert head["rows"] == ["a … b", "c … d", "e"]
    blocks = [
        [given[:, :, down : down + 2, across : across + 2].max((2, 3)) for across in (0, 2, 4)]
        for down in (0, 2, 4)
    ]
    np.testing.assert_allclose(
        (pixels / 255) ** 2, np.moveaxis(np.array(blocks), (0, 1), (2, 3)), atol=0.005
    )
    monkeypatch.undo()
    assert heads.pooling((24, 16, 128, 128)) == 1


def test_the_canvas_and_the_table_have_all_heads_of_the_kind(run: Run) -> None:
    screen = look(layer="1", head="3")
    assert not screen.dataframe  # it is made when it is opened
    screen.session_state["heads rows"] = True
    attention = run.attention(TEXT, TARGET)
    for kind in ("cross", "encoder", "decoder"):
        screen.segmented_control(key="kind").set_value(kind).run()
        assert not screen.exception
        assert_all_heads_are_there(screen, attention, kind)


def assert_all_heads_are_there(screen: AppTest, attention: Attention, kind: str) -> None:
    head, pixels = canvas(screen)
    assert np.abs((pixels / 255) ** 2 - attention.view(kind).weights).max() < 0.005
    assert (head["rows"], head["keys"]) == (
        [*attention.view(kind).rows],
        [*attention.view(kind).keys],
    )
    assert chosen(screen) == {"chosen": [0, 2], "enlarged": None, "perRow": False}
    table = next(each.value for each in screen.dataframe if "Entropy" in each.value)
    found = summarize_heads(attention, kind)
    assert head["roles"] == [[ROLES[slug].label for slug in layer] for layer in found.role]
    assert list(zip(table["Layer"], table["Head"], strict=True)) == [
        (layer, head) for layer in (1, 2) for head in (1, 2, 3, 4)
    ]
    np.testing.assert_allclose(table["Distance"], found.distance.ravel())
    assert list(table["Role"]) == [ROLES[slug].label for slug in found.role.ravel()]


def test_an_enlarged_head_is_in_the_link_and_one_that_is_not_there_is_reported() -> None:
    screen = look(set=pack({"alone": "2.4"}))
    assert chosen(screen)["enlarged"] == [1, 3]
    assert unpack(screen.session_state["set"])["alone"] == "2.4"
    for given in ("1.5", "x"):
        screen = look(set=pack({"alone": given}))
        complaint = f"There is no head {given} to enlarge: this model has 2 layers of 4 heads"
        assert any(complaint in sentence for sentence in missing(screen))
        assert chosen(screen)["enlarged"] is None
        assert not unpack(screen.session_state["set"]).get("alone")


def test_each_row_on_its_own_scale_keeps_the_weights_in_the_cells(run: Run) -> None:
    screen = look(layer="1", head="1", set=pack({"scale": "row"}))
    own = run.attention(TEXT, TARGET).cross[0, 0]
    np.testing.assert_allclose(picture(screen)[1], own / own.max(1, keepdims=True), atol=1e-6)
    assert chosen(screen)["perRow"] is True
    assert "Each row has its own color scale" in page_text(screen)
    screen.selectbox(key="attention scale").set_value("all").run()
    np.testing.assert_allclose(picture(screen)[1], own, atol=1e-6)
    assert unpack(screen.session_state["set"])["scale"] == "all"


@pytest.mark.parametrize(
    ("params", "sentence", "rule"),
    [
        (
            {},
            "When the model predicts “rouge”, it attends mostly to “red”",
            "weights, which sum to 1, show",
        ),
        (
            {"reduce": "shift"},
            "When the model reads “",
            "one decoder input token, the previous output; its weights, which sum to 1, show",
        ),
        (
            {"reduce": "max", "layer": "mean"},
            "When the model predicts “",
            "Each row is one predicted token; its weights show",
        ),
    ],
)
def test_a_sentence_reads_the_picture_that_is_shown(
    params: dict[str, str], sentence: str, rule: str
) -> None:
    screen = opened("attention", run=DEMO, src="the red house", **params)
    said = [str(each.proto.body) for each in screen.get("html")]
    (how,) = [each for each in said if "it attends m" in each]
    assert sentence in how
    assert rule in page_text(screen)
    assert (chosen(screen)["chosen"][0] == -1) is ("layer" in params)
    weights = picture(screen)[1]
    shown = float(how.rpartition("(")[2].partition(")")[0])
    assert np.isclose(weights, shown, atol=0.006).any()
    sums = weights.sum(1)
    assert (
        f"Rows here sum to between {sums.min():.2f} and {sums.max():.2f}" in page_text(screen)
    ) is (params.get("reduce") == "max")


@pytest.mark.parametrize(
    ("n", "lengths"),
    [(0, [0]), (1, [1]), (40, [40]), (41, [21, 20]), (128, [32] * 4), (129, [33, 33, 33, 30])],
)
def test_parts_cover_a_sentence_once(n: int, lengths: list[int]) -> None:
    found = attention_view.parts(n)
    assert [part.stop - part.start for part in found] == lengths
    assert [place for part in found for place in range(n)[part]] == [*range(n)]


@pytest.mark.slow
def test_the_heatmap_of_128_tokens_has_parts(long_run: Path) -> None:
    home = settings.home() / "runs"
    home.mkdir(parents=True)
    (home / RUN_ID).symlink_to(long_run)
    cached.refresh_runs()
    view = {"run": RUN_ID, "src": LONG, "tgt": LONG, "kind": "encoder", "layer": "2", "head": "2"}
    screen = look(**view)
    assert not lost(screen)
    _, pixels = canvas(screen)
    assert pixels.shape == (2, 2, 128, 128)
    weights = s2s.load(RUN_ID).attention(LONG, LONG).encoder[1, 1]
    np.testing.assert_allclose(picture(screen)[1], weights[:32, :32], atol=1e-6)
    screen.selectbox(key="attention part").set_value("97.33").run()
    title, shown = picture(screen)
    np.testing.assert_allclose(shown, weights[96:, 32:64], atol=1e-6)
    assert "layer 2 of 2 · head 2 of 2<br>rows 97 to 128 · columns 33 to 64 of 128 × 128" in title
    assert unpack(screen.session_state["set"])["from"] == "97.33"
    again = look(**view, set=screen.session_state["set"])
    assert picture(again)[0] == title
    means = view | {"kind": "cross", "layer": "mean", "head": "mean"}
    (sentence,) = missing(look(**means, set=pack({"from": "5.5"})))
    assert "there is no 5.5 here" in sentence


def test_too_much_to_keep_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s2s.questions.attention_of.MAX_WEIGHTS", 100)
    screen = opened("attention", run=DEMO, src="the cat sleeps here", tgt="le chat")
    assert not screen.exception
    assert "and at most 0 million are stored; shorten the sentence or the target." in page_text(
        screen
    )


def test_a_layer_and_a_head_that_the_model_lacks_fall_back(run: Run) -> None:
    screen = look(layer="5", head="7", set=pack({"alone": "3.1", "scale": "bogus"}))
    (both,) = [each for each in missing(screen) if "asks for" in each]
    others = "There is no head 3.1 to enlarge", "there is no bogus here"
    assert all(any(other in each for each in missing(screen)) for other in others)
    assert "asks for layer 5, which this model doesn't have; layer 2 is shown instead." in both
    assert "asks for head 7, which this model doesn't have; head mean is shown instead." in both
    np.testing.assert_allclose(
        picture(screen)[1], run.attention(TEXT, TARGET).cross[-1].mean(0), atol=1e-6
    )
    assert chosen(screen)["chosen"] == [1, -1]


def test_a_sentence_or_a_target_longer_than_the_learned_positions_is_said() -> None:
    positions = {
        "model.positions.kind": "learned",
        "model.positions.max_length": 32,
        "data.max_length": 16,
        "train.steps": 2,
    }
    make_run(settings.home() / "runs" / RUN_ID, positions | {"train.warmup_steps": 1})
    cached.refresh_runs()
    long = " ".join(["1"] * 40)
    screen = look(run=RUN_ID, src=long, tgt=long)
    assert (
        "has 41 tokens and this model has 32 positions; shorten it to at most 31 tokens"
        in page_text(screen)
    )
    screen = look(run=RUN_ID, src="1 2 3", tgt=long)
    assert (
        "The target cannot be forced: Line 1 of the target has 41 tokens and this model has 32 positions"
        in " ".join(missing(screen))
    )
    assert picture(screen)[1].size  # of the model's own


def test_all_heads_are_saved_with_run_step_and_scale() -> None:
    given = {"tgt": TARGET, "kind": "decoder", "reduce": "rollout", "set": pack({"drop": "1"})}
    screen = look(**given)
    screen.session_state["menu heads"] = True
    screen.run()
    saved = component(screen, "svg")
    words = " ".join("".join(ElementTree.fromstring(saved["svg"]).itertext()).split())
    assert "decoder self-attention · 2 layers of 4 heads" in words
    assert (
        f"demo-en-fr · step 1,500 · weights{TEXT} → {TARGET}In each square, a row predicts" in words
    )
    assert saved["name"] == "demo-en-fr-step-1-500-decoder-self-attention-2-layers-of-4-heads"
    assert {button.label for button in screen.get("download_button")} >= {"CSV", "JSON", "HTML"}
