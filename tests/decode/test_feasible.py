from typing import Any

import pytest
import torch

from s2s.decode import ID_CODEC, NEG_INF, Greedy, forbidding_setting
from s2s.decode.processors import LogitsProcessors
from tests.decode.table import START, VOCAB, Table, every_target

SOURCE = (2, 3, 4, 2)


def is_banned(config: Greedy, target: tuple[int, ...]) -> bool:
    """Whether the logits processors, step by step, ever ban the next token."""
    table = Table(1)
    table.sources = [SOURCE]
    processors = LogitsProcessors(config, table, ID_CODEC)
    given = len(processors.prefix)
    if target[:given] != processors.prefix or len(target) > processors.limit:
        return True
    for length in range(given, len(target)):
        written = torch.tensor([[START, *target[:length]]])
        scores = processors.apply(torch.zeros(1, VOCAB), written, [0])
        if scores[0, target[length]] == NEG_INF:
            return True
    return False


@pytest.mark.parametrize(
    "settings",
    [
        {"prefix": "3"},
        {"max_new_tokens": 3},
        {"min_new_tokens": 3},
        {"bad_words": "2, 3 4"},
        {"no_repeat_ngram_size": 1},
        {"no_repeat_ngram_size": 2},
        {"encoder_no_repeat_ngram_size": 2},
        {"encoder_no_repeat_ngram_size": 3},
        {"repetition_penalty": 1.5},
    ],
    ids=str,
)
def test_a_target_is_forbidden_as_the_search_would_find_it(settings: dict[str, Any]) -> None:
    config = Greedy(**settings)
    found = set()
    for target in every_target(5):
        name = forbidding_setting(config, target, ID_CODEC, source=SOURCE, start_id=START)
        assert (name in settings) == bool(name) == is_banned(config, target), target
        found.add(name)
    assert len(found) == 1 + (settings != {"repetition_penalty": 1.5})


def test_what_the_model_does_not_choose_stands_before_the_prefix() -> None:
    config = Greedy(prefix="3")
    for target, name in (((2, 3, 0), ""), ((3, 0), "prefix")):
        found = forbidding_setting(
            config, target, ID_CODEC, source=SOURCE, start_id=START, first=(2,)
        )
        assert found == name
