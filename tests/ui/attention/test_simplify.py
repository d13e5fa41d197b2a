from urllib.parse import unquote

import numpy as np
import pytest

import s2s
from s2s import settings
from s2s.analysis import REDUCTIONS, HeadSelection, reduced
from s2s.analysis.simplify import is_sink
from tests.conftest import make_run
from tests.screen import link, opened, page_text, picture

DEMO = "demo-en-es"
RUN_ID = "abcdefgh12345678"


@pytest.mark.parametrize("kind", ["cross", "decoder"])
def test_hidden_sinks_and_their_weight_are_reported(kind: str) -> None:
    screen = opened(
        "attention", run=DEMO, src="the red house", kind=kind, layer="1", head="2", set="drop:1"
    )
    assert not screen.exception
    run = s2s.load(DEMO)
    whole = reduced(run.attention("the red house", "la casa roja"), HeadSelection(kind, 0, 1))
    kept = [key for key, token in enumerate(whole.keys) if not is_sink(token)]
    assert len(kept) == len(whole.keys) - 1
    weights = whole.weights[:, kept]
    sums = weights.sum(1, keepdims=True)
    np.testing.assert_allclose(
        picture(screen)[1],
        np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0),
        atol=1e-5,
    )
    share = 1 - weights.sum() / len(whole.rows)
    mark = "<s>" if kind == "decoder" else "</s>"
    assert (
        f"{f'{share:.0%}' if share >= 0.01 else 'less than 1%'} of the weight was on {mark} and is hidden"
        in page_text(screen)
    )
    least = float(sums[sums > 0].min())
    faint = f"The row that lost most kept {f'{least:.0%}' if least >= 0.01 else 'less than 1%'} of its weight."
    assert (faint in page_text(screen)) == (least < 0.5)
    assert ("One row had no other weight and is empty." in page_text(screen)) == (
        kind == "decoder"
    )  # the first one sees `<s>` alone


def test_the_settings_say_what_a_link_changes_and_nothing_of_another_sentence() -> None:
    def title() -> str:
        (box,) = (one for one in screen.get("popover") if one.proto.popover.icon.endswith("tune:"))
        return str(box.proto.popover.label).replace("*", "")

    screen = opened("attention", run=DEMO, src="the red house", tgt="la casa", reduce="rollout")
    assert title() == "Settings: another target, rollout"
    screen.text_input(key="src").set_value("the white house").run()
    assert title() == "Settings: rollout"
    screen = opened("attention", run=DEMO, src="the red house", step="77")
    assert title() == "Settings"  # there is no such checkpoint, as the page says


def test_switches_follow_the_link_and_the_link_the_switches() -> None:
    screen = opened("attention", run=DEMO, src="the red house", set="words:1")
    switches = {toggle.label: toggle for toggle in screen.toggle}
    assert (switches["Merge words"].value, switches["Hide sinks"].value) == (True, False)
    assert "Every token is already a word" in page_text(screen)
    switches["Merge words"].set_value(False)
    switches["Hide sinks"].set_value(True).run()
    assert "drop:1" in unquote(link(screen))
    assert "words:" not in unquote(link(screen))
    assert "is hidden" in page_text(screen)


def test_a_space_before_punctuation_is_merged_with_it_and_nothing_is_hidden() -> None:
    tokens = {"tokenizer.kind": "bpe", "train.steps": 2, "train.warmup_steps": 1}
    make_run(
        settings.home() / "runs" / RUN_ID,
        tokens | {"train.watch.validate_every": 2, "train.watch.save_every": 2},
    )
    screen = opened(
        "attention", run=RUN_ID, src="1 , 2", tgt="2 1", layer="1", head="1", set="words:1"
    )
    assert not screen.exception
    attention = s2s.load(RUN_ID).attention("1 , 2", "2 1")
    assert attention.src_tokens[1:3] == ("▁", "<unk>")
    one, blank, comma, *others = attention.cross[0, 0].T
    np.testing.assert_allclose(picture(screen)[1].T, [one, blank + comma, *others], atol=1e-6)
    assert "a space with the word after it" in page_text(screen)
    assert "is hidden" not in page_text(screen)


@pytest.mark.parametrize("slug", [slug for slug in REDUCTIONS if slug not in ("mean", "max")])
def test_each_reduction_is_described_and_named_in_the_picture(slug: str) -> None:
    row = REDUCTIONS[slug]
    which = HeadSelection("cross", 1, None)
    screen = opened(
        "attention", run=DEMO, src="the red house", kind="cross", layer="2", reduce=slug
    )
    assert f"{row.description(which, 2, 4)} ({row.source})" in page_text(screen)
    expected = reduced(s2s.load(DEMO).attention("the red house", "la casa roja"), which, slug)
    title, weights = picture(screen)
    assert title.replace("<br>", " ").endswith(expected.name)  # a long name takes two lines
    np.testing.assert_allclose(weights, expected.weights, atol=1e-6)


def test_shifted_rows_of_another_kind_fall_back() -> None:
    screen = opened("attention", run=DEMO, src="the red house", kind="encoder", reduce="shift")
    assert not screen.exception
    assert any(
        "There is no reduction shift of encoder attention" in str(each.value)
        for each in screen.info
    )
