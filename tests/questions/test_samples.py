"""The winner of minimum Bayes risk decoding is the sample with the highest mean, as decoding finds it."""

import numpy as np
import pytest

import s2s
from s2s.decode.mbr import utilities
from s2s.questions import Have, Samples
from s2s.questions.samples import FINDINGS, ranked

SOURCE = "the cat who chased the mouse was black"
DEMO = "demo-en-fr"


@pytest.mark.parametrize(
    ("settings", "limits"),
    [
        ('{"num_samples": 12, "epsilon_cutoff": 0.0}', {}),
        (
            '{"num_samples": 12, "epsilon_cutoff": 0.0, "utility": "bleu", "max_new_tokens": 5}',
            {"utility": "bleu", "max_new_tokens": 5},
        ),
    ],
)
def test_the_winner_has_the_highest_mean_and_it_is_the_score_of_decoding(
    settings: str, limits: dict[str, object]
) -> None:
    answer = Have().answer(Samples(DEMO, SOURCE, settings=settings))
    (found,) = s2s.load(DEMO).translate(
        [SOURCE], "mbr", num_samples=12, epsilon_cutoff=0.0, **limits
    )
    drawn = np.array([each.times for each in answer.samples])
    means = answer.pairs @ drawn / 12
    assert answer.n == drawn.sum() == 12
    assert means == pytest.approx([each.expected for each in answer.samples], abs=1e-3)
    assert means.argmax() == 0
    assert (answer.samples[0].text, answer.samples[0].expected) == (
        found.text,
        pytest.approx(found.score, abs=1e-9),
    )
    table = Samples().table(answer)
    assert table.columns[-1] == f"beside_{len(drawn)}"
    assert [row[5:] for row in table.rows] == answer.pairs.tolist()


def test_best_first_and_of_equal_ones_the_more_probable() -> None:
    texts = ["a dog", "a dog", "a cat", "the cat sat"]
    found = utilities(texts, "chrf")
    answer = ranked(found, {"a dog": -2.0, "a cat": -1.0, "the cat sat": -3.0}, "chrF")
    assert [row.expected for row in answer.samples] == sorted(found.expected.values(), reverse=True)
    assert [row.times for row in answer.samples] == [
        found.counts[row.text] for row in answer.samples
    ]
    twins = ranked(utilities(["ab", "cd"], "chrf"), {"ab": -2.0, "cd": -1.0}, "chrF")
    assert [row.text for row in twins.samples] == ["cd", "ab"]


def test_each_finding_is_said_where_it_holds_and_not_where_it_would_be_false() -> None:
    log_probs = {"a dog": -2.0, "a cat": -1.0, "dog": -3.0}
    several = utilities(["a dog", "a dog", "a cat", "dog"], "chrf")
    other = ranked(several, log_probs, "chrF")
    probable = ranked(several, log_probs | {"a dog": -0.5}, "chrF")
    same = ranked(utilities(["a dog"] * 5, "chrf"), log_probs, "chrF")
    one = ranked(utilities(["a dog"], "chrf"), log_probs, "chrF")
    cases = (
        (one, "", same),
        (same, "All 5 samples are the same text", probable),
        (probable, "also the one that the model finds most probable", other),
        (other, "The model finds sample 3 more probable (−1.00 against −2.00 nats)", probable),
    )
    for place, (answer, words, nearly) in enumerate(cases):
        said = Samples().finding(answer)
        assert words in said
        assert FINDINGS[place].said(answer) == said
        assert not words or words not in Samples().finding(nearly)
