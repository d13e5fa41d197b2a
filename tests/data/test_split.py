"""What is held out, and what is said about it."""

import pytest

from s2s.config import Cleaning, DataConfig
from s2s.data import Corpus, Pair, load, load_pairs_for_training
from s2s.data.overlap import normalized
from s2s.data.split import hold_out, hold_out_last, prepared
from s2s.data.text import passages


def corpus(n, distinct=None):
    return Corpus(
        "test",
        "train",
        tuple(Pair(f"source {index % (distinct or n)}", f"target {index}") for index in range(n)),
    )


@pytest.fixture
def tsv(tmp_path):
    def write(n):
        path = tmp_path / f"{n}.tsv"
        path.write_text("".join(f"source {index}\ttarget {index}\n" for index in range(n)))
        return str(path)

    return write


@pytest.mark.parametrize(("n", "held"), [(50, 2), (100, 5), (999, 49), (20_400, 1000)])
def test_one_in_twenty_is_held_out_and_at_most_a_thousand(n, held):
    train, valid, note = hold_out(corpus(n), 1)
    assert (len(train), len(valid)) == (n - held, held)
    assert f"{held:,} of {n:,} distinct sources are held out" in note
    assert (train.split, valid.split) == ("train", "valid")


def test_no_source_is_in_both_splits():
    train, valid, note = hold_out(corpus(400, distinct=100), 3)
    assert not {pair.src for pair in train.pairs} & {pair.src for pair in valid.pairs}
    assert (len(train), len(valid)) == (380, 20)
    assert note.endswith("are held out for validation (20 pairs).")


def test_variants_of_a_source_are_on_the_same_side():
    variants = [("Thank you {}.", "Thank you {}. "), ("café {}", "cafe\u0301  {}")]
    pairs = tuple(
        Pair(one.format(number), f"{number} {at}")
        for number in range(60)
        for both in variants
        for at, one in enumerate(both)
    )
    train, valid, note = hold_out(Corpus("", "train", pairs), 1)
    assert note.startswith("6 of 120 distinct sources are held out for validation (12 pairs)")
    assert len(valid) == 12
    known = {normalized(pair.src) for pair in valid.pairs}
    assert not known & {normalized(pair.src) for pair in train.pairs}
    # one that is added as it is written elsewhere changes nothing
    fewer = Corpus("", "train", tuple(pair for pair in pairs if pair.src == normalized(pair.src)))
    assert {pair.src for pair in hold_out(fewer, 1).valid.pairs} == known


def test_a_validation_source_in_another_form_is_not_trained_on():
    train = Corpus("", "train", (Pair("a  b ", "x"), Pair("c", "y")))
    valid = Corpus("", "valid", (Pair("a b", "x"),))
    for overlap in (True, False):
        config = DataConfig(clean=Cleaning(overlap=overlap))
        found = prepared(train, valid, 1, config).train.pairs
        assert [pair.src for pair in found] == (["c"] if overlap else ["a  b ", "c"])


def test_order_is_kept_and_nothing_is_lost():
    whole = corpus(200)
    train, valid, _ = hold_out(whole, 1)
    assert set(train.pairs) | set(valid.pairs) == set(whole.pairs)
    assert [pair for pair in whole.pairs if pair in set(valid.pairs)] == list(valid.pairs)


def test_the_seed_decides():
    assert (
        hold_out(corpus(400), 1).valid.hash
        == hold_out(corpus(400), 1).valid.hash
        != hold_out(corpus(400), 2).valid.hash
    )


def test_the_order_of_the_rows_does_not():
    backwards = Corpus("test", "train", corpus(400).pairs[::-1])
    assert set(hold_out(backwards, 1).valid.pairs) == set(hold_out(corpus(400), 1).valid.pairs)


@pytest.mark.parametrize("few", [corpus(49), corpus(100, distinct=19)])
def test_too_few_to_hold_any_out(few):
    train, valid, note = hold_out(few, 1)
    assert train.pairs == valid.pairs == few.pairs
    assert (
        note
        == f"With {len(few)} pairs nothing is held out: validation uses the training pairs and cannot show overfitting."
    )


def test_the_sources_own_valid_split_comes_first():
    train, valid, note = load_pairs_for_training("synthetic:copy", None, 1)
    assert (train.split, len(train), valid.split, len(valid)) == ("train", 5000, "valid", 500)
    assert note == "The 500 validation pairs are the valid split of `synthetic:copy`."


def test_a_requested_split_is_split_itself():
    train, valid, _ = load_pairs_for_training("synthetic:copy#split=test", None, 1)
    assert (len(train), len(valid)) == (475, 25)


def test_valid_pairs_of_ones_own(tsv):
    train, valid, note = load_pairs_for_training(tsv(60), tsv(10), 1)
    assert (len(train), len(valid)) == (60, 10)
    assert (
        note
        == f"The 10 validation pairs are those of `{tsv(10)}`. 10 training pairs have a source that is also there."
    )


def test_a_valid_spec_with_several_splits_gives_its_valid_one():
    _, valid, _ = load_pairs_for_training("builtin:first-steps", "synthetic:copy", 1)
    assert valid.hash == load("synthetic:copy", "valid").hash
    _, valid, _ = load_pairs_for_training("builtin:first-steps", "synthetic:copy#split=test", 1)
    assert valid.hash == load("synthetic:copy", "test").hash


@pytest.mark.parametrize(("n", "stride"), [(480, 12), (480, 5), (4800, 1)])
def test_the_last_tenth_shares_no_text_with_the_training_passages(n, stride):
    text = "".join(chr(0x4E00 + at) for at in range(n * stride))  # no character twice
    cut = passages(text, 12, stride)
    pairs = tuple(Pair(one, one) for one in cut)
    whole = Corpus("", "train", pairs, is_plain=True, n_overlapping=-(-12 // stride) - 1)
    train, valid, note = hold_out_last(whole)
    assert not set("".join(pair.src for pair in train.pairs)) & set(
        "".join(pair.src for pair in valid.pairs)
    )
    assert valid.pairs[0] == pairs[len(pairs) - len(pairs) // 10]
    assert 0 < len(valid) <= 1000
    assert ("overlap" in note) is (stride < 12)
    assert train.pairs == pairs[: len(train)]


def test_the_recipe_says_which_part_is_held_out():
    found = prepared(corpus(400), None, 1, DataConfig(held_out="last"))
    assert found.valid.pairs == corpus(400).pairs[-40:]
    half = prepared(corpus(400), None, 1, DataConfig(held_out="last", valid_share=0.5))
    assert len(half.valid) == 200


def test_sources_that_both_splits_have_are_counted_in_any_unicode_form(tmp_path):
    (tmp_path / "train.tsv").write_text("caf\u00e9\tx\nb\ty\n")
    (tmp_path / "valid.tsv").write_text("cafe\u0301\tx\n")
    found = load_pairs_for_training(str(tmp_path / "train.tsv"), str(tmp_path / "valid.tsv"), 1)
    assert found.note.endswith(" 1 training pairs have a source that is also there.")
