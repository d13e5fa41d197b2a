from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import GenerationConfig

from s2s.config import flat
from s2s.decode import STRATEGIES, configure
from s2s.decode.generate_call import ONLY_OURS, RANDOM, SAME, TRANSFORMERS, generate_call
from tests.decode.test_generate import LIMIT, MARIAN_IDS, models, ours, sources, written

TRICKY = 'the "red" house\\n, isn\'t it'
FEW = 6
SETTINGS: dict[str, dict[str, Any]] = {
    "greedy": {"repetition_penalty": 1.2, "bad_words": "7,30 12", "min_new_tokens": 2},
    "beam": {
        "num_beams": 3,
        "length_penalty": 0.6,
        "early_stopping": "never",
        "no_repeat_ngram_size": 2,
        "num_return_sequences": 2,
    },
    "diverse_beam": {"diversity_penalty": 1.5},
    "sample": {
        "top_p": 0.9,
        "temperature": 0.7,
        "min_p": 0.1,
        "top_h": 0.4,
        "typical_p": 0.9,
        "epsilon_cutoff": 0.01,
        "eta_cutoff": 0.01,
    },
    "beam_sample": {"top_k": 20, "seed": 4},
    "stochastic_beam": {"num_beams": 2},
    "contrastive": {"penalty_alpha": 0.3},
    "mbr": {"utility": "bleu"},
    "constrained": {"force_words": TRICKY},
}


def made(strategy: str, settings: dict[str, Any], starting: tuple[str, ...] = ()) -> Any:
    config = configure(strategy, {"max_new_tokens": LIMIT} | settings)[1]
    return generate_call(
        strategy,
        config,
        settings,
        source=TRICKY,
        run="demo-en-fr",
        step=1500,
        starting=starting,
    ), config


def as_our_own(code: str) -> tuple[Any, ...]:
    """What our own call is given: run, step, sources, strategy, settings."""
    given: list[Any] = []
    run = SimpleNamespace(
        translate=lambda texts, strategy, **settings: given.extend([texts, strategy, settings])
    )
    s2s = SimpleNamespace(load=lambda name, step: given.extend([name, step]) or run)
    exec(code.removeprefix("import s2s\n"), {"s2s": s2s})
    return tuple(given)


def found_by_theirs(passed: dict[str, Any], src: torch.Tensor) -> list[list[tuple[int, ...]]]:
    """What `generate` writes for these sources."""
    _, model = models()
    ids = {
        "pad_token_id": MARIAN_IDS.pad,
        "eos_token_id": MARIAN_IDS.eos,
        "decoder_start_token_id": MARIAN_IDS.start,
    }
    with torch.inference_mode():
        rows = model.generate(input_ids=src, attention_mask=src.ne(MARIAN_IDS.pad), **passed, **ids)
    n = passed.get("num_return_sequences", 1)
    return [[written(row) for row in rows[at : at + n]] for at in range(0, len(rows), n)]


def as_theirs(code: str) -> dict[str, Any]:
    """What `generate` is given, but for the source."""
    given: dict[str, Any] = {}

    def tokenizer(
        text: str = "",
        text_target: str = "",
        return_tensors: str = "",
        add_special_tokens: bool = True,
    ) -> Any:
        if return_tensors:
            assert text == TRICKY
            return {"input_ids": None}
        assert not add_special_tokens
        return SimpleNamespace(input_ids=[int(part) for part in text_target.split()])

    exec(
        code,
        {
            "tokenizer": tokenizer,
            "model": SimpleNamespace(generate=lambda **passed: given.update(passed)),
        },
    )
    given.pop("input_ids")
    return given


def test_the_call_says_every_setting_of_every_strategy() -> None:
    for which in [0, 1]:
        for strategy in STRATEGIES:
            settings = ({}, SETTINGS[strategy])[which]
            made_call, config = made(strategy, settings)
            if strategy not in TRANSFORMERS:
                assert as_our_own(made_call.code) == (
                    "demo-en-fr",
                    1500,
                    [TRICKY],
                    strategy,
                    settings,
                )
                assert f"no `{strategy}`" in made_call.about
                continue
            passed = as_theirs(made_call.code)
            assert passed.pop("do_sample") is (TRANSFORMERS[strategy] == RANDOM)
            if "num_beams" not in flat(config):
                assert passed.pop("num_beams") == 1
            bad = passed.pop("bad_words_ids", None)
            forms = [[7], [7], [30, 12], [30, 12]]  # at the beginning, and after a space
            assert bad == (forms if "bad_words" in settings else None)
            assert passed == {name: flat(config)[name] for name in passed}
            assert set(settings) - {"bad_words", "seed"} <= set(passed)


@pytest.mark.parametrize("strategy", TRANSFORMERS)
def test_transformers_knows_every_word_of_the_call(strategy: str) -> None:
    for settings in ({}, SETTINGS[strategy]):
        passed = as_theirs(made(strategy, settings)[0].code)
        assert not set(passed) - set(vars(GenerationConfig()))
        GenerationConfig(**passed).validate(strict=True)
        if passed["do_sample"]:
            assert "top_k" in passed  # left out, it would be 50


@pytest.mark.parametrize(
    ("setting", "value"), [("length_formula", "gnmt"), ("prefix", "le"), ("precision", "fast")]
)
def test_a_setting_that_transformers_has_not_makes_it_our_own_call(
    setting: str, value: str
) -> None:
    assert setting in ONLY_OURS
    made_call, _ = made("beam", {setting: value})
    assert f"no `{setting}`" in made_call.about
    assert as_our_own(made_call.code)[-1] == {setting: value}


@pytest.mark.parametrize(
    "strategy", [name for name, about in TRANSFORMERS.items() if about == SAME]
)
@pytest.mark.parametrize("which", [0, 1])
def test_the_copied_call_finds_what_we_find(strategy: str, which: int) -> None:
    settings = ({}, SETTINGS[strategy])[which]
    passed = as_theirs(made(strategy, settings)[0].code)
    n = passed.get("num_return_sequences", 1)
    assert [
        [one.ids for one in found.hypotheses[:n]] for found in ours(strategy, settings)[:FEW]
    ] == found_by_theirs(passed, sources()[:FEW])


@pytest.mark.parametrize("strategy", ["greedy", "beam"])
def test_a_setting_that_the_model_came_with_is_passed_at_our_default_too(
    strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {"no_repeat_ngram_size": 1, "repetition_penalty": 1.7, "min_length": 9}
    src = sources()[:FEW]
    plain = as_theirs(made(strategy, {})[0].code)
    expected = found_by_theirs(plain, src)
    for name, value in own.items():
        monkeypatch.setattr(models()[1].generation_config, name, value)
    starting = ("no_repeat_ngram_size", "repetition_penalty", "min_new_tokens", "num_beams")
    passed = as_theirs(made(strategy, {}, starting)[0].code)
    usual = {"no_repeat_ngram_size": 0, "repetition_penalty": 1.0, "min_new_tokens": 0}
    assert passed == plain | usual
    assert found_by_theirs(passed, src) == expected
    assert found_by_theirs(plain, src) != expected  # else the model's own hold


@pytest.mark.parametrize("strategy", ["beam", "beam_sample"])
def test_one_beam_is_our_own_call(strategy: str) -> None:
    """Theirs is then greedy search, or sampling, whose processors change logits."""
    call, _ = made(strategy, {"num_beams": 1})
    assert "no `" + strategy + "` with `num_beams=1`" in call.about
    assert as_our_own(call.code)[3] == strategy
