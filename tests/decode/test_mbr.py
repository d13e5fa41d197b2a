import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.config import UserError
from s2s.decode import ID_CODEC
from s2s.decode.mbr import MBR, UTILITIES, mbr, utilities
from s2s.decode.sampling import Sample, sample
from tests.decode.table import EOS, VOCAB, Table, every_target


def _sacrebleu(utility: str, hypothesis: str, reference: str, tokenize: str = "13a") -> float:
    import sacrebleu

    if utility == "chrf":
        return float(sacrebleu.sentence_chrf(hypothesis, [reference]).score)
    found = sacrebleu.sentence_bleu(hypothesis, [reference], tokenize=tokenize)
    return float(found.score)


WORDS = "the a dog dogs, runs running. over Straße été 1.5 «nein» ! it's кот x".split()
TEXT = st.sampled_from(["", "x", "  ", "the the the the the"]) | st.lists(
    st.sampled_from(WORDS), min_size=1, max_size=14
).map(" ".join)


@pytest.mark.parametrize("utility", UTILITIES)
@settings(max_examples=30)
@given(texts=st.lists(TEXT, min_size=2, max_size=5))
def test_utilities_are_sacrebleus(utility: str, texts: list[str]) -> None:
    found = UTILITIES[utility](texts)
    for (i, hypothesis), (j, reference) in itertools.product(enumerate(texts), repeat=2):
        assert found[i, j] == pytest.approx(_sacrebleu(utility, hypothesis, reference), abs=1e-6), (
            hypothesis,
            reference,
        )


@pytest.mark.parametrize("utility", UTILITIES)
@settings(max_examples=10)
@given(texts=st.lists(TEXT, min_size=1, max_size=6).map(lambda texts: [*texts, *texts[:2]]))
def test_the_expected_utility_is_the_mean_over_all_samples(utility: str, texts: list[str]) -> None:
    found = utilities(texts, utility).expected
    assert set(found) == set(texts)
    for text, value in found.items():
        assert value == pytest.approx(
            sum(_sacrebleu(utility, text, other) for other in texts) / len(texts), abs=1e-6
        )


def test_the_tokenizer_of_bleu_is_that_of_the_script() -> None:
    texts = ["我喜欢红色的房子", "我喜欢红色的大房子", "他喜欢红色的大房子"]
    found = UTILITIES["bleu"](texts)
    assert found[0, 1] == pytest.approx(_sacrebleu("bleu", *texts[:2], "zh"), abs=1e-6)
    assert found[0, 1] > 50


@pytest.mark.parametrize("utility", UTILITIES)
def test_utilities_do_not_depend_on_the_unicode_form(utility: str) -> None:
    texts = ["un caf\u00e9 noir", "un cafe\u0301 noir"]
    assert utilities(texts, utility).expected == pytest.approx(dict.fromkeys(texts, 100.0))


@pytest.mark.parametrize("utility", UTILITIES)
def test_the_first_maximises_the_expected_utility_of_the_samples(utility: str) -> None:
    limits = {"max_new_tokens": 7, "temperature": 1.3, "seed": 4, "epsilon_cutoff": 0.1}
    config = MBR(num_samples=15, utility=utility, **limits)
    drawn = sample(Table(4, 2), Sample(num_return_sequences=15, **limits))
    for found, samples in zip(mbr(Table(4, 2), config), drawn, strict=True):
        texts = [
            ID_CODEC.decode([token for token in one.ids if token != EOS])
            for one in samples.hypotheses
        ]
        ids = [one.ids for one in samples.hypotheses]
        expected = {
            key: sum(_sacrebleu(utility, text, other) for other in texts) / 15
            for key, text in zip(ids, texts, strict=True)
        }
        assert found.best.score == pytest.approx(max(expected.values()), abs=1e-6)
        assert sorted(one.ids for one in found.hypotheses) == sorted(expected)
        assert [one.score for one in found.hypotheses] == sorted(
            (one.score for one in found.hypotheses), reverse=True
        )
        for one in found.hypotheses:
            assert one.score == pytest.approx(expected[one.ids], abs=1e-6)


def test_with_many_samples_it_finds_the_least_risk_of_the_distribution() -> None:
    table = Table(6, 8)
    config = MBR(num_samples=100, max_new_tokens=3, epsilon_cutoff=0.0)
    for source, found in enumerate(mbr(Table(6, 8), config)):
        cut = [ids for ids in itertools.product(range(1, VOCAB), repeat=3)]
        chances = {
            ids: float(torch.tensor(table.log_prob(source, ids)).exp())
            for ids in (*every_target(3), *cut)
        }
        assert sum(chances.values()) == pytest.approx(1.0, abs=1e-4)
        texts = {ids: ID_CODEC.decode([token for token in ids if token != EOS]) for ids in chances}
        matrix = UTILITIES["chrf"](list(texts.values()))
        risk = dict(
            zip(texts, matrix @ torch.tensor(list(chances.values())).double().numpy(), strict=True)
        )
        assert risk[found.best.ids] > max(risk.values()) - 6  # of 100: 100 samples are not all
        assert found.best.score == pytest.approx(risk[found.best.ids], abs=12)


def test_it_returns_num_return_sequences_distinct_hypotheses() -> None:
    for wanted in (1, 2, 3):
        for found in mbr(
            Table(4, 2),
            MBR(num_samples=20, num_return_sequences=wanted, max_new_tokens=8, temperature=2.0),
        ):
            assert len({one.ids for one in found.hypotheses}) == len(found.hypotheses) == wanted
    with pytest.raises(
        UserError,
        match="`num_return_sequences` 5 is more than the 4 that `num_samples` draws; give at most 4",
    ):
        MBR(num_samples=4, num_return_sequences=5)
    with pytest.raises(UserError, match="no choice of `utility` `bleurt`; the nearest are `bleu`"):
        MBR(utility="bleurt")


def test_one_sample_is_that_sample() -> None:
    limits = {"max_new_tokens": 8, "prefix": "3 4", "min_new_tokens": 3, "seed": 7}
    (found,) = mbr(Table(1, 2), MBR(num_samples=1, epsilon_cutoff=0.0, **limits))
    (drawn,) = sample(Table(1, 2), Sample(**limits))
    assert found.best.ids == drawn.best.ids


def test_by_default_no_improbable_token_is_drawn() -> None:
    """Epsilon sampling, of which MBR gains most (Freitag et al. 2023)."""
    assert MBR().epsilon_cutoff == 0.02
    faint = 0.015
    probs = torch.tensor([0.485, 0.485, faint, faint, 0.0]).clamp(min=1e-9)

    def drawn(config: MBR) -> set[int]:
        table = Table(6, 8)
        table.log_probs[:] = probs.log()
        return {
            token for found in mbr(table, config) for one in found.hypotheses for token in one.ids
        }

    assert drawn(MBR(max_new_tokens=8)) == {0, 1}
    assert drawn(MBR(max_new_tokens=8, epsilon_cutoff=0.0)) == {0, 1, 2, 3}
