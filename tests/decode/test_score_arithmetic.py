import math
import re
from typing import Any

import pytest

from s2s.decode import STRATEGIES, GenerationConfig, SearchResult, configure
from s2s.decode.score_arithmetic import explain_score, maximized_score, score_unit
from tests.decode.table import Table
from tests.decode.test_strategies import decoded

NUMBER = r"−?\d+\.\d{4}"


def explained(config: GenerationConfig, found: SearchResult) -> list[tuple[str, float, float]]:
    """Of each hypothesis the sentence, its log-probability, its score."""
    return [
        (explain_score(config, one.log_prob, one.score, len(one.ids)), one.log_prob, one.score)
        for one in found.hypotheses
    ]  # fmt: skip


def value(written: str) -> float:
    """What a sum comes to."""
    assert re.fullmatch(r"[\d.()+*/ −^-]+", written)
    return float(eval(written.replace("−", "-").replace("^", "**")))


def sentences(name: str, **settings: Any) -> list[tuple[str, float, float]]:
    config = configure(name, {"max_new_tokens": 7} | settings)[1]
    return [
        each
        for found in decoded(name, Table(5, 3), **settings)
        for each in explained(config, found)
    ]


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_sentence_ends_in_the_score(name: str) -> None:
    for sentence, _, score in sentences(name):
        assert re.findall(NUMBER, sentence.split(";")[0])[-1] == f"{score:.4f}".replace("-", "−")


@pytest.mark.parametrize("name", ["beam", "constrained", "beam_sample"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"length_penalty": 0.6},
        {"length_penalty": -0.8},
        {"length_penalty": 0.0},
        {"length_formula": "gnmt"},
    ],
    ids=str,
)
def test_a_normalised_score_is_what_its_sum_says(name: str, settings: dict[str, Any]) -> None:
    for sentence, log_prob, score in sentences(name, **settings):
        left, right = sentence.split(" = ")
        assert ";" not in right
        assert value(left) == pytest.approx(score, rel=1e-4, abs=2e-4)
        assert left.startswith(f"{log_prob:.4f}".replace("-", "−"))


def changed(sentence: str, log_prob: float) -> float:
    """The second number of `(−3.2 − 0.5) / 7^1 = ...`, which the settings took or gave."""
    first, sign, second = re.match(rf"\(({NUMBER}) ([+−]) ({NUMBER})\)", sentence).groups()  # type: ignore[union-attr]
    assert value(first) == pytest.approx(log_prob, abs=1e-4)
    return value(f"{sign}{second}")


def test_what_a_temperature_changed_is_named_and_right() -> None:
    for sentence, log_prob, score in sentences("beam_sample", temperature=2.0, length_penalty=1.0):
        assert "temperature changed" in sentence
        assert changed(sentence, log_prob) == pytest.approx(log_prob / 2 - log_prob, abs=2e-4)
        assert value(sentence.split(" = ")[0]) == pytest.approx(score, abs=2e-4)


def test_what_diversity_took_is_a_multiple_of_the_penalty() -> None:
    taken = [
        changed(sentence, log_prob)
        for sentence, log_prob, _ in sentences("diverse_beam", diversity_penalty=0.7)
        if ";" in sentence
    ]
    assert taken
    for one in taken:
        assert one < 0
        assert abs(one / 0.7 - round(one / 0.7)) < 1e-3


def test_noise_is_the_rest() -> None:
    for sentence, log_prob, score in sentences("stochastic_beam"):
        assert value(sentence.split(" = ")[0]) == pytest.approx(score, abs=2e-4)
        assert sentence.startswith(f"{log_prob:.4f}".replace("-", "−"))


def test_a_score_that_no_sentence_knows_is_not_explained_away() -> None:
    assert explain_score(GenerationConfig(), -1.0, -1.0, 3) == "the log-probability itself: −1.0000"
    assert explain_score(GenerationConfig(), -1.0, 5.0, 3) == "5.0000, as the strategy ranks"
    assert math.isfinite(sentences("mbr")[0][2])
    assert sentences("mbr", num_samples=8, utility="bleu")[0][0].startswith(
        "mean BLEU over all 8 samples"
    )


@pytest.mark.parametrize(
    ("strategy", "settings", "unit"),
    [
        ("greedy", {}, "nats"),
        ("beam", {}, "nats / length"),
        ("beam", {"length_penalty": 0.0}, "nats"),
        (
            "beam",
            {"length_penalty": -0.5, "length_formula": "gnmt"},
            "nats / ((5 + length) / 6)^−0.5",
        ),
        ("beam", {"repetition_penalty": 1.2}, "nats / length, repetition_penalty applied"),
        ("sample", {"temperature": 0.5}, "nats"),
        ("greedy", {"repetition_penalty": 1.2}, "nats"),
        ("stochastic_beam", {}, "nats + Gumbel noise"),
        ("mbr", {"utility": "bleu"}, "mean BLEU over 32 samples, 0 to 100"),
    ],
)
def test_a_score_names_its_unit(strategy: str, settings: dict[str, Any], unit: str) -> None:
    assert score_unit(configure(strategy, settings)[1]) == unit


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_maximized_score_is_that_of_every_hypothesis(strategy: str) -> None:
    config = configure(strategy, {})[1]
    score = maximized_score(config)
    assert (score is not None) == (strategy in ("greedy", "beam", "constrained"))
    if score:
        for one in decoded(strategy, Table(2, 3))[0].hypotheses:
            assert score(one.log_prob, len(one.ids)) == pytest.approx(one.score, abs=1e-5)
