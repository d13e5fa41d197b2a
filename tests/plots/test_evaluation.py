"""What the tables and plots of an evaluation mark, join and leave out."""

from typing import Any

import pytest

from s2s.plots import TradeoffPoint, evaluation_charts, evaluation_scores
from s2s.questions import Evaluated, evaluation_request
from s2s.questions.evaluated import Made
from s2s.runs import Evaluation, Sentences, System
from s2s.scores import METRIC_NAMES

DEMO = "demo-en-fr"


@pytest.mark.parametrize(
    ("pair", "is_marked"),
    [
        ({"low": -0.1, "high": 2.0, "p_value": 0.03, "p_randomization": 0.04}, False),
        ({"low": 0.1, "high": 2.0, "p_value": 0.01, "p_randomization": 0.02}, True),
        ({"low": -2.0, "high": -0.1, "p_value": 0.01, "p_randomization": 0.02}, True),
        ({"low": 0.1, "high": 2.0, "p_value": 0.03, "p_randomization": 0.06}, False),
        ({"low": -0.1, "high": 2.0, "p_value": 0.03}, False),  # of an earlier version
        ({"low": 0.1, "high": 2.0, "p_value": 0.03}, True),
    ],
)
def test_a_star_needs_an_interval_without_zero(pair: dict[str, float], is_marked: bool) -> None:
    answer = of_scores({"scores": {"bleu": {"value": 30.0}}, "paired": {"bleu": pair}})
    cell = evaluation_scores.cell("bleu", answer, 0, is_best=False)
    assert cell.endswith(evaluation_scores.DIFFERS) is is_marked


def of_scores(*systems: dict[str, Any], is_final: bool = True) -> Evaluated:
    """Systems with these scores."""
    named = tuple(System(f"s{i}", DEMO, 1, "greedy") for i in range(len(systems)))
    test = Sentences("mine", n=3)
    evaluation = Evaluation("e", "e", "", "", DEMO, test, named)
    scores = {"n": 3, "is_final": is_final, "systems": [{"n": 3, **one} for one in systems]}
    made = (Made(DEMO, "step 1", "step 1", ""),) * len(systems)
    return Evaluated(evaluation, scores, {}, made)


def test_losses_of_different_sentences_have_no_star() -> None:
    name = METRIC_NAMES["loss"]
    best = evaluation_scores.best_systems
    one, two = ({"n_forced": 3, "scores": {"loss": {"value": loss}}} for loss in (1.0, 2.0))
    assert best(name, of_scores(one, two)) == {0}
    fewer = two | {"n_forced": 2}
    assert best(name, of_scores(one, fewer)) == set()
    other = {"signature": {"loss": "ref:first|unit:token|tok:bpe|vocab:9"}}
    assert best(name, of_scores(one, two | other)) == set()
    assert "leave out" not in evaluation_scores.reading(of_scores(one, two))
    said = evaluation_scores.reading(of_scores(one, fewer))
    assert "Loss, perplexity and accuracy of s1 leave out 1 references" in said


def swept(*models: tuple[str, int], titles: dict[str, str]) -> Evaluated:
    """Two widths of each checkpoint."""
    given = [
        System("", run, step, "beam", {"num_beams": width}, "num_beams")
        for run, step in models
        for width in (2, 4)
    ]
    named = tuple(evaluation_request.named(given, titles))
    assert [one.run for one in named] == [one.run for one in given]
    found = Evaluation("e", "e", "", "", named[0].run, Sentences("builtin:en-fr", n=2), named)
    made = tuple(Made(titles[one.run], "", f"step {one.step:,}", "") for one in named)
    scores = {"scores": {"bleu": {"value": 1.0}, "chrf": {"value": 2.0}}}
    return Evaluated(found, {"n": 2, "systems": [scores for _ in named]}, {}, made)


def test_two_runs_with_one_title_are_two_systems_and_two_lines() -> None:
    runs = ("first123456789ab", "other123456789cd")
    answer = swept(*((run, 1) for run in runs), titles=dict.fromkeys(runs, "small: dropout…"))
    assert [name.split(" · ")[1] for name in answer.names] == ["89ab", "89ab", "89cd", "89cd"]
    lines = evaluation_charts.sweep_lines(answer, "num_beams")
    assert [len(each) for each in lines.values()] == [2, 2]


def test_every_checkpoint_of_a_sweep_has_a_line_and_a_color_of_its_own() -> None:
    answer = swept((DEMO, 100), (DEMO, 1500), titles={DEMO: DEMO})
    lines = evaluation_charts.sweep_lines(answer, "num_beams")
    assert list(lines) == [f"{DEMO}, beam, step 100", f"{DEMO}, beam, step 1,500"]
    points = evaluation_charts.tradeoff_points(answer, "chrf", "bleu")
    assert [point.group for point in points] == [0, 0, 1, 1]


def test_systems_on_the_same_spot_are_one_point_under_all_their_names() -> None:
    points = [
        TradeoffPoint("beam", 51.1, 76.4),
        TradeoffPoint("beam num_beams=5", 51.1, 76.4, label="5"),
        TradeoffPoint("sample", 61.3, 56.9),
    ]
    found = evaluation_charts.merged(points)
    assert [(point.name, point.label) for point in found] == [
        ("beam, beam num_beams=5", "beam, 5"),
        ("sample", "sample"),
    ]
