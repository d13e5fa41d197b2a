"""Intervals and paired tests, beside sacrebleu and beside drawing the texts themselves."""

from dataclasses import astuple
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics.base import Metric as Sacre
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from sacrebleu.significance import PairedTest

from s2s.scores import MEASURES, METRICS, intervals, paired, resampling, score_all, statistics
from s2s.scores.resampling import ALL, DISTINCT, SEED, Statistics
from tests.scores.pairs import hypotheses, pairs

HYPOTHESES, REFERENCES = pairs(60, 2)
OTHERS = hypotheses(REFERENCES, 3)
SACREBLEU: dict[str, Sacre] = {"bleu": BLEU(force=True), "chrf": CHRF(), "ter": TER()}
SAMPLES = 200


@cache
def counted() -> Statistics:
    return statistics(HYPOTHESES, REFERENCES)


def test_all_sentences_together_have_the_scores_of_the_metrics() -> None:
    found = counted().scores()
    assert {name: found[name] for name in METRICS} == score_all(HYPOTHESES, REFERENCES)
    assert {name: found[name] for name in MEASURES} == {
        name: row.compute(HYPOTHESES, REFERENCES) for name, row in MEASURES.items()
    }
    for text in ("oui", "oui non", ""):  # too short for runs of four words
        assert statistics([text], [text], names=[*METRICS]).scores() == score_all([text], [text])


@pytest.mark.parametrize("name", ALL)
def test_a_resample_has_the_score_of_the_texts_that_it_draws(name: str) -> None:
    drawn = np.random.default_rng(7).choice(60, size=(3, 60))
    found = statistics(HYPOTHESES, REFERENCES, names=[name]).resampled(samples=3, seed=7)[name]
    chosen = [([HYPOTHESES[i] for i in row], [REFERENCES[i] for i in row]) for row in drawn]
    assert found == pytest.approx([ALL[name].compute(*texts).value for texts in chosen])


@pytest.mark.parametrize("name", SACREBLEU)
def test_intervals_are_those_of_sacrebleu(name: str) -> None:
    theirs = SACREBLEU[name].corpus_score(HYPOTHESES, [REFERENCES], n_bootstrap=SAMPLES)
    ours = intervals(HYPOTHESES, REFERENCES, names=[name], samples=SAMPLES)[name]
    assert ours.value == theirs.score
    assert (ours.high - ours.low) / 2 == pytest.approx(
        theirs._ci, abs=1e-4
    )  # theirs are 32-bit numbers
    assert counted().resampled(samples=SAMPLES)[name].mean() == pytest.approx(
        theirs._mean, abs=1e-4
    )


def test_p_values_are_those_of_sacrebleu() -> None:
    systems = [("baseline", OTHERS), ("system", HYPOTHESES)]
    _, theirs = PairedTest(systems, SACREBLEU, [REFERENCES], test_type="bs", n_samples=SAMPLES)()
    ours = paired(HYPOTHESES, OTHERS, REFERENCES, names=[*SACREBLEU], samples=SAMPLES)
    for found, name in zip(ours.values(), ("BLEU", "chrF2", "TER"), strict=True):
        baseline, system = theirs[name]
        assert found.difference == pytest.approx(system.score - baseline.score)
        assert found.p_value == pytest.approx(system.p_value, abs=1.5 / SAMPLES)
        assert found.low <= found.difference <= found.high
    assert len({found.p_value for found in ours.values()}) > 1


def test_randomization_swaps_the_sentences_that_sacrebleu_swaps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    near = [*HYPOTHESES[:30], *OTHERS[30:]]  # neither equal nor far from the baseline
    systems = [("baseline", OTHERS), ("system", near)]
    _, theirs = PairedTest(systems, SACREBLEU, [REFERENCES], test_type="ar", n_samples=SAMPLES)()
    ours = paired(near, OTHERS, REFERENCES, names=[*SACREBLEU], samples=SAMPLES)
    monkeypatch.setattr(resampling, "BLOCK", 60 * 33)
    assert paired(near, OTHERS, REFERENCES, names=[*SACREBLEU], samples=SAMPLES) == ours
    for found, name in zip(ours.values(), ("BLEU", "chrF2", "TER"), strict=True):
        if name == "TER":  # coarse: an equal difference is as extreme, and sacrebleu passes it over
            assert found.p_randomization > theirs[name][1].p_value
        else:
            assert found.p_randomization == pytest.approx(theirs[name][1].p_value)
        assert found.p_randomization < 1


@pytest.mark.slow
def test_systems_alike_by_construction_differ_in_one_comparison_of_twenty() -> None:
    """Both systems draw each output from the same variants of a real sentence, corrupted at random."""
    references = Path("tests/samples/captions.de").read_text(encoding="utf-8").splitlines()[:80]
    chance = np.random.default_rng(SEED)
    names = ["bleu", "exact_match"]
    n_variants = 6
    variants = [
        " ".join(word for word in text.split() if number % 3 == 0 or chance.random() < 0.85)
        for number in range(n_variants)
        for text in references
    ]
    counted = statistics(variants, references * n_variants, names=names)

    def system(rows: np.ndarray) -> Statistics:
        chosen = {name: counts[rows] for name, counts in counted.rows.items()}
        return Statistics(
            counted.names, tuple(variants[row] for row in rows), chosen, counted.scoring
        )

    trials = 400
    alarms = dict.fromkeys(names, 0)
    marked = dict.fromkeys(names, 0)
    for _ in range(trials):
        sentences = chance.integers(len(references), size=150)
        ours, theirs = (
            system(sentences + len(references) * chance.integers(n_variants, size=150))
            for _ in range(2)
        )
        for name, found in ours.paired(theirs, samples=100).items():
            alarms[name] += found.p_randomization < 0.05
            marked[name] += found.p_randomization < 0.05 and not found.low <= 0 <= found.high
    for name in names:
        assert 0.03 <= alarms[name] / trials <= 0.07, alarms
        assert marked[name] <= alarms[name]


def test_a_system_is_no_better_than_itself() -> None:
    for name in ALL:
        found = counted().paired(counted(), samples=50)[name]
        assert astuple(found) == (0.0, 0.0, 0.0, 1.0, 1.0)


def test_a_much_better_system_is_significantly_better() -> None:
    better = paired(
        REFERENCES, OTHERS, REFERENCES, names=["bleu", "ter", "exact_match"], samples=SAMPLES
    )
    assert better["bleu"].low > 0
    assert better["ter"].high < 0
    for found in better.values():
        assert found.p_value == found.p_randomization == 1 / (SAMPLES + 1)


def test_the_score_lies_in_its_interval() -> None:
    for name in ALL:
        found = counted().intervals(samples=SAMPLES)[name]
        assert found.low <= found.value <= found.high
        assert found.low < found.high
        drawn = counted().resampled(samples=SAMPLES)[name]
        inside = (found.low <= drawn) & (drawn <= found.high)
        assert (
            inside.mean() == pytest.approx(0.95, abs=0.05) or name in DISTINCT
        )  # theirs are moved: draws hold fewer words


def test_an_interval_covers_nineteen_test_sets_of_twenty() -> None:
    chance = np.random.default_rng(SEED)
    hits = 0
    for _ in range(200):
        texts = ["a" if one else "b" for one in chance.random(80) < 0.7]
        found = intervals(texts, ["a"] * 80, names=["exact_match"], samples=SAMPLES)["exact_match"]
        hits += found.low <= 70 <= found.high
    assert hits / 200 == pytest.approx(0.95, abs=0.05)


def test_parts_add_up_and_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = counted().intervals(samples=SAMPLES)
    parts = [
        statistics(HYPOTHESES[start : start + 25], REFERENCES[start : start + 25])
        for start in (0, 25, 50)
    ]
    together = parts[0] + parts[1] + parts[2]
    monkeypatch.setattr(resampling, "BLOCK", 60 * 7)
    for name, found in together.intervals(samples=SAMPLES).items():
        assert astuple(found) == pytest.approx(astuple(whole[name]))
    assert len(together) == 60
    assert counted().intervals(samples=SAMPLES, seed=1) != whole


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"unknown scores \['blue'\]; choose from"):
        statistics(["a"], ["a"], names=["bleu", "blue"])
    with pytest.raises(ValueError, match="2 hypotheses do not match 1 references"):
        statistics(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="cannot be added"):
        counted() + statistics(["a"], ["a"], names=["bleu"])
    with pytest.raises(ValueError, match=r"60 sentences .* cannot be paired with 1 with"):
        counted().paired(statistics(["a"], ["a"]))
    with pytest.raises(ValueError, match="no sentences to score"):
        statistics([], [])
