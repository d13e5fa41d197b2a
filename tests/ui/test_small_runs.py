"""Sentences beside pictures of runs unlike the demos: one layer, one head, a fault, no translation, no end."""

import html
from dataclasses import replace

import pytest

import s2s
from s2s import settings
from s2s.decode import configure, generate_call
from s2s.faults import why_not_exported
from s2s.plots.evaluation_charts import sweep_caption, tradeoff_caption
from s2s.scores import METRIC_NAMES
from s2s.ui.kit import cached
from tests.conftest import make_run
from tests.screen import opened, page_text, picture, settled

RUN = "abcdefgh12345678"


@pytest.fixture
def one_head() -> str:
    """A run of one layer and one head, whose outputs hardly ever end."""
    make_run(settings.home() / "runs" / RUN, {"model.n_heads": 1, "train.steps": 2})
    cached.refresh_runs()
    return RUN


@pytest.mark.parametrize("reduction", ["mean", "max"])
def test_where_there_is_one_head_nothing_is_averaged(one_head: str, reduction: str) -> None:
    screen = opened("attention", run=one_head, src="a b c", reduce=reduction)
    assert "The attention weights of this head." in page_text(screen)
    assert "average" not in page_text(screen)
    assert "layer 1 of 1 · head 1 of 1" in picture(screen)[0].replace("<br>", " ")


def test_hypotheses_that_the_length_limit_ended_are_not_called_finished(one_head: str) -> None:
    run = s2s.load(one_head)
    (found,) = run.translate(["a b c"], "beam", max_new_tokens=3)
    n_ended = sum(each.tokens[-1:] == ("</s>",) for each in found.hypotheses)
    text = page_text(
        opened("steps", run=one_head, src="a b c", set="strategy:beam,max_new_tokens:3")
    )
    n_truncated = len(found.hypotheses) - n_ended
    assert n_truncated
    assert f"{n_truncated} hypotheses ended at the length limit, unfinished" in text or (
        f"and {n_truncated} ended at the length limit, unfinished" in text
    )


def test_a_dotted_line_is_explained_only_where_there_is_one() -> None:
    both, alone = (
        page_text(opened("states", src="the red house", set=f"shown:{shown}"))
        for shown in ("both", "first")
    )
    assert "A dotted line joins a word" in both
    assert "dotted line" not in alone


def test_dashed_lines_are_explained_only_where_there_are_any(one_head: str) -> None:
    known = settled(opened("states", set="view:same"))
    unknown = settled(opened("states", run=one_head, src="zzz a", set="view:same,second:zzz b"))
    assert "Dashed: " in page_text(known)
    assert "Dashed: " not in page_text(unknown)


@pytest.mark.parametrize(
    ("fault", "is_loaded"), [("no-positions", False), ("no-causal-mask", True), ("none", True)]
)
def test_transformers_is_said_to_find_the_same_only_where_it_can_load_the_run(
    fault: str, is_loaded: bool
) -> None:
    config = configure("beam", {"max_new_tokens": 9})[1]
    why = why_not_exported(fault)
    call = generate_call("beam", config, {}, source="a", run=RUN, step=1, why_not_exported=why)
    assert ("finds the same" in call.about) == is_loaded
    assert ("s2s.load" in call.code) != is_loaded


def test_the_caption_of_a_sweep_follows_score_and_setting() -> None:
    bleu, ter, ratio = (METRIC_NAMES[key] for key in ("bleu", "ter", "length_ratio"))
    assert "line falls although the search is wider" in sweep_caption("num_beams", bleu)
    assert "line rises although the search is wider" in sweep_caption("num_beams", ter)
    assert "wider" not in sweep_caption("num_beams", ratio) + sweep_caption("temperature", bleu)


def test_the_caption_of_quality_and_speed_follows_the_score() -> None:
    bleu, ter, speed, distinct = (
        METRIC_NAMES[key] for key in ("bleu", "ter", "sentences_per_second", "distinct_2")
    )
    assert "Up and to the right is better" in tradeoff_caption(bleu, speed)
    assert "Down and to the right is better" in tradeoff_caption(ter, speed)
    said = tradeoff_caption(replace(bleu, key="external"), distinct)
    assert "Up is better." in said
    assert "right" not in said


@pytest.mark.parametrize(
    ("fault", "step", "said", "never"),
    [
        ("no-residual", "residual", "what replaces it, by this run's fault,", "what is added"),
        (
            "no-residual",
            "gradients",
            "both bars of a layer are the same",
            "It was trained with them",
        ),
        ("no-scale", "scaling", "dividing changes nothing", "without scaling; it is"),
    ],
)
def test_the_walkthrough_of_a_run_with_a_fault_says_what_its_pictures_show(
    fault: str, step: str, said: str, never: str
) -> None:
    make_run(settings.home() / "runs" / RUN, {"train.fault": fault, "train.steps": 2})
    cached.refresh_runs()
    screen = opened("walkthrough", run=RUN, src="a b c", set=f"step:{step}")
    bodies = [html.unescape(str(each.proto.body)) for each in screen.get("html")]
    text = "\n".join([page_text(screen), *bodies])
    assert said in text
    assert never not in text


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("cross", "</s> ends a sentence."),
        ("decoder", "<s> starts a sentence and </s> ends it."),
    ],
)
def test_what_the_special_tokens_do_is_a_sentence_with_one_and_with_both(
    kind: str, said: str
) -> None:
    screen = opened("attention", run="demo-en-fr", src="the red house", kind=kind)
    assert page_text(screen).count(said) == 1
