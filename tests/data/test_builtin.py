"""The texts that ship with the program."""

import pytest

from s2s.config import UserError
from s2s.data import Pair, load, splits
from s2s.data.builtin import BUILTINS, FORMER, GRAMMAR_SPLITS, TEMPLATE_SPLITS
from s2s.data.shipped_pairs import path, shipped_pairs
from s2s.runs.store import FORMER_PAIRS


def test_first_steps_has_two_idiomatic_pairs():
    assert load("builtin:first-steps").pairs == (
        Pair("let's go", "ir vamos"),
        Pair("love you", "te amo"),
    )
    assert "vamos" in BUILTINS["first-steps"].summary  # what is idiomatic is said


def test_runs_on_former_pairs_read_their_own():
    known = {source for source, _ in FORMER_PAIRS}
    assert known <= {f"builtin:{name}" for name in BUILTINS}
    for (source, train_hash), spec in FORMER_PAIRS.items():
        assert load(spec).hash == train_hash != load(source).hash
    assert not FORMER.keys() & BUILTINS.keys()  # no list offers them


def test_one_dataset_is_plain_text_in_passages():
    whole = load("builtin:plain-text")
    assert whole.is_plain
    text = "".join(pair.src for pair in whole.pairs)
    assert 50_000 < len(text) < 100_000
    assert all(len(pair.src) == 120 for pair in whole.pairs[:-1])
    every = load("builtin:plain-text#stride=1,length=60,rows=100")
    assert [pair.src for pair in every.pairs] == [text[at : at + 60] for at in range(100)]
    with pytest.raises(UserError, match="stride"):
        load("builtin:en-fr#stride=1")


def test_mini_en_fr_has_five_pairs():
    assert [(pair.src, pair.tgt) for pair in load("builtin:mini-en-fr").pairs] == [
        ("hello", "bonjour"),
        ("thank you", "merci"),
        ("good morning", "bonjour"),
        ("how are you", "comment allez-vous"),
        ("i love you", "je t'aime"),
    ]


@pytest.mark.parametrize("name", [name for name in BUILTINS if path(name).exists()])
def test_each_split_of_a_shipped_corpus_is_read(name):
    assert splits(f"builtin:{name}") == (
        GRAMMAR_SPLITS if name.startswith("en-") else TEMPLATE_SPLITS
    )
    for split in splits(f"builtin:{name}"):
        assert load(f"builtin:{name}", split).pairs == shipped_pairs(name, split)


def test_a_wrong_name_gets_the_nearest():
    with pytest.raises(UserError, match=r"no built-in dataset `en-ff`; the nearest are `en-fr`"):
        load("builtin:en-ff")


def test_a_wrong_split_gets_the_nearest():
    with pytest.raises(
        UserError, match=r"no split of `builtin:first-steps` `trane`; the nearest are `train`"
    ):
        load("builtin:first-steps", "trane")
