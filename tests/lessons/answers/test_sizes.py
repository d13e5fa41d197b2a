"""Answers about sizes, from the weights themselves."""

import pytest
import torch

import s2s
from s2s.config import PRESETS
from s2s.data import load_pairs_for_training
from s2s.lessons import ANSWERS, CONDITIONS, LESSONS, Context
from s2s.model import Transformer
from s2s.training import prepare

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


def of_lesson(name: str, step: int) -> object:
    """The answer to a step of the lesson that rebuilds tutorials."""
    view = LESSONS["build-it-yourself"].steps[step - 1].view
    return ANSWERS[name].compute(Context("demo-en-fr", view.page, {}, view.values))


def model(name: str) -> Transformer:
    row = PRESETS[name]
    with torch.device("meta"):
        return Transformer(row.recipe.model, row.src_vocab_size, row.tgt_vocab_size)


def n_weights(module: torch.nn.Module) -> int:
    return sum(weights.numel() for weights in module.parameters())


def test_the_numbers_of_rebuilt_models_are_those_of_their_modules() -> None:
    first = model("first-steps")
    encoder, decoder = n_weights(first.encoder), n_weights(first.decoder)
    assert (encoder, decoder, n_weights(first) - encoder - decoder) == (24, 36, 18)
    assert of_lesson("decoder_parameters", 1) == decoder
    blocks = model("blocks")
    logits = blocks(meta_ids(8, 512), meta_ids(8, 256))
    assert logits.shape == (8, 256, 10_000)
    assert of_lesson("logits_of_batch", 2) == logits.numel()
    paper = model("vaswani-512")
    assert paper(meta_ids(32, 10), meta_ids(32, 8)).shape == (32, 8, 10_000)
    assert of_lesson("output_parameters", 4) == 512 * 10_000 + 10_000


def meta_ids(*shape: int) -> torch.Tensor:
    return torch.ones(shape, dtype=torch.long, device="meta")


def test_what_the_encoder_reads_is_what_training_reads() -> None:
    for name, step, spec in (
        ("tokens_of_one_word", 3, "builtin:mini-en-fr"),
        ("tokens_of_half_a_passage", 5, "builtin:plain-text#rows=60"),
    ):
        preset = "mini-t5" if step == 3 else "char-halves"
        recipe = PRESETS[preset].recipe
        pairs = load_pairs_for_training(spec, None, 1, recipe.data)
        data = prepare(recipe, pairs.train, pairs.valid)
        assert of_lesson(name, step) == len(
            recipe.model.ids.source(data.src_tokenizer.encode(pairs.train.pairs[0].src))
        )
