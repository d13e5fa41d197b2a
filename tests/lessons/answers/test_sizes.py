"""Answers about sizes, from the weights themselves."""

import pytest

import s2s
from s2s.lessons import ANSWERS, CONDITIONS, Context

RUN = s2s.load("demo-en-fr")


def here(settings: str, src: str = "", start: str = "") -> Context:
    values = {"src": src, "set": settings}
    return Context("demo-en-fr", "", values, {"src": start}, opener=lambda run, step: RUN)


def test_an_embedding_has_a_row_per_token() -> None:
    found = ANSWERS["parameters_of_a_second_embedding"].compute(here(""))
    (table,) = [
        weights
        for name, weights in RUN.model.named_parameters()
        if weights.shape[0] == RUN.src_tokenizer.vocab_size
    ]
    assert found == table.numel()
    assert ANSWERS["parameters_of_a_wider_embedding"].compute(here("")) == 192 * len(table)


def test_the_ratio_of_two_models() -> None:
    """t5-11b has 11,307 M parameters and t5-small 60.5 M, as transformers counts them."""
    compute = ANSWERS["times_as_large"].compute
    assert compute(here("model:t5-small,against:t5-11b")) == pytest.approx(11_307 / 60.5, rel=0.01)
    assert compute(here("against:run")) == 1
    n = sum(weights.numel() for weights in RUN.model.parameters())
    assert compute(here("model:t5-small")) == pytest.approx(n / 60.5e6, rel=0.01)


@pytest.mark.parametrize(
    ("src", "level", "words"),
    [
        ("blue house", "wrong", "no prefix"),
        ("reverse: house blue", "wrong", "still the same task"),
        ("translate English to French: the red house", "right", "writes `"),
    ],
)
def test_another_prefix(src: str, level: str, words: str) -> None:
    verdict = CONDITIONS["another_prefix"].judge(here("", src, "reverse: blue house"))
    assert verdict.level == level
    assert words in verdict.sentence
