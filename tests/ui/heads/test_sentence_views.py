import html
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.analysis import Attention, HeadSelection, heads, reduced
from s2s.links.share import pack
from s2s.questions import Have, Patching
from s2s.runs.probes import PROBES, ProbeInput
from s2s.ui.heads import sentence_controls
from s2s.ui.kit import JOINER
from tests.screen import link, opened

A, B = "the cat sits on the mat", "the cats sit on the mat"


def said(screen: AppTest) -> str:
    """What the page says, without the marks of markdown."""
    bodies = [*screen.markdown, *screen.info, *screen.error, *screen.caption]
    texts = [
        *(body.value for body in bodies),
        *(str(each.proto.body) for each in screen.get("html")),
    ]
    return html.unescape("\n".join(texts)).replace("\\", "").replace(JOINER, "")


def titles(screen: AppTest) -> list[str]:
    return [figure(screen, at)["layout"]["title"]["text"] for at in range(n_figures(screen))]


def n_figures(screen: AppTest) -> int:
    return len(screen.get("plotly_chart"))


def figure(screen: AppTest, at: int = 0) -> dict[str, Any]:
    return dict(json.loads(screen.get("plotly_chart")[at].proto.spec))


def cells(screen: AppTest, at: int = 0) -> list[str]:
    """The numbers in the cells of a picture, as text."""
    texts = next(trace for trace in figure(screen, at)["data"] if trace["type"] == "scatter")
    return list(texts["text"])


def test_patching_says_metric_effect_and_picture() -> None:
    screen = opened("heads", src=A, set=pack({"view": "patching", "patch": "cross-heads"}))
    assert not screen.exception
    run = s2s.load("demo-en-fr")
    token = run.tgt_tokenizer.encode
    given = ProbeInput(
        (A, B), (), "cross-heads", {"token_a": token("le")[0], "token_b": token("les")[0]}
    )
    result = heads.finish(PROBES["patching"].ask(run, given))
    text = said(screen)
    assert "logit of le minus logit of les after <s>" in text
    assert f"Run on A: {result.own_a:.2f} nats; run on B: −{-result.own_b:.2f}" in text
    largest = np.unravel_index(np.abs(result.effects).argmax(), result.effects.shape)
    assert f"carried most by layer {largest[0] + 1}, head {largest[1] + 1}: effect" in text
    assert titles(screen) == [
        "demo-en-fr · step 1,500 · cross-attention heads<br>effect on le − les, by layer and head"
    ]
    assert [float(value.replace("−", "-")) for value in cells(screen)] == pytest.approx(
        result.effects.ravel().tolist(), abs=0.0051
    )
    assert "view:patching" in link(screen).replace("%3A", ":")


@pytest.mark.parametrize(
    ("second", "more", "sentence"),
    [
        ("the cats sit", {}, "Source A has 7 tokens (the cat sits on the mat </s>) and source B"),
        (A, {}, "Sources A and B are the same for this model; change a word of B."),
        ("the cat sits on the zzz", {}, "In source B: "),
        ("the cat sat on the mat", {"tgt": "le"}, "both sources make the model prefer the same"),
        (B, {"token_b": "le"}, "Both tokens are the same"),
    ],
)
def test_patching_of_what_cannot_be_measured(
    second: str, more: dict[str, str], sentence: str
) -> None:
    state = {"view": "patching", "second": second}
    address = {"src": A}
    if "token_b" in more:
        state["token_b"] = state["token_a"] = str(
            s2s.load("demo-en-fr").tgt_tokenizer.encode("le")[0]
        )
    elif more:
        address |= more
    screen = opened("heads", set=pack(state), **address)
    assert not screen.exception
    assert sentence in said(screen)


def test_a_large_model_is_measured_by_a_button_that_says_how_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sentence_controls, "HEAVY", 0.0)
    screen = opened("heads", src=A, set=pack({"view": "patching"}))
    assert not screen.exception
    assert not n_figures(screen)
    assert "About 1 s, beside the dashboard" in said(screen)
    (button,) = (each for each in screen.button if each.label == "Measure patches")
    button.click().run()
    assert n_figures(screen) == 1


def test_attribution_stands_beside_attention_with_what_it_sums_to() -> None:
    view = {"view": "attribution", "method": "occlusion", "one_head": "2.3"}
    screen = opened("heads", src=A, set=pack(view))
    assert not screen.exception
    run = s2s.load("demo-en-fr")
    target = run.translate([A], "greedy")[0].text
    ids = run.target_ids(target)
    found = heads.finish(
        PROBES["attribution"].ask(run, ProbeInput((A,), ids, "occlusion", {"baseline": "zero"}))
    )
    assert [float(value.replace("−", "-")) for value in cells(screen)] == pytest.approx(
        found.values.ravel().tolist(), abs=0.0501
    )
    names = titles(screen)
    assert names[0] == "demo-en-fr · step 1,500<br>occlusion, nats of log-probability"
    assert names[1] == "demo-en-fr · step 1,500<br>cross-attention · layer 2 of 2 · head 3 of 4"
    assert names[2].endswith("total variation of the output, cross-attention of layer 2, head 3")
    complete, agreement, shifts = (table.value for table in screen.dataframe)
    np.testing.assert_allclose(complete["sum of the row"], found.values.sum(1), atol=1e-6)
    np.testing.assert_allclose(complete["residual"], found.residuals, atol=1e-6)
    seen: Attention = run.attention(A, target)
    for slug, label in (("mean", "Weights"), ("shift", "Shifted by one")):
        weights = reduced(seen, HeadSelection("cross", 1, 2), slug).weights
        expected = heads.rank_agreement(np.abs(found.values), weights)
        (line,) = agreement[agreement["attention"] == label].to_dict("records")
        assert line["Spearman"] == pytest.approx(expected.mean_spearman)
        assert line["target tokens"] == expected.n
    assert list(shifts["change"]) == [row.label for row in heads.WEIGHT_CHANGES.values()]
    question = ProbeInput((A,), ids, "permuted", {"layer": 1, "head": 2})
    shift = heads.finish(PROBES["changed weights"].ask(run, question))
    assert shifts["total variation"][0] == pytest.approx(np.median(shift.total_variation))
    assert shifts["other token"][0] == pytest.approx(100 * shift.is_changed.mean())


def test_without_a_sentence_the_page_invites() -> None:
    screen = opened("heads", src="", set=pack({"view": "attribution"}))
    assert not screen.exception
    assert "Type a sentence above" in said(screen)


def test_patches_as_a_table_and_what_is_said_of_them() -> None:
    question = Patching("demo-en-fr", A, second=B, patch="cross-heads")
    found = Have().answer(question)
    table = question.table(found)
    assert table.columns[:2] == ("layer", "head")
    assert [row[2] for row in table.rows] == found.effects.ravel().tolist()
    assert question.finding(found).startswith("The difference between “le” and “les” is carried")
    weak = heads.PatchingResult(2.0, -2.0, np.full_like(found.result.patched, -1.9))
    assert question.finding(replace(found, result=weak)).startswith("No single patch")
    alike = heads.PatchingResult(0.0, 0.0, found.result.patched)
    assert question.finding(replace(found, result=alike)).startswith("The two runs hardly differ")
