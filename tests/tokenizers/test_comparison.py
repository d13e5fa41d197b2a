import itertools
import random
from statistics import median

import pytest

from s2s.config import Recipe, UserError, override
from s2s.tokenizers import TOKENIZERS, UNK, fit
from s2s.tokenizers import comparison as module
from s2s.tokenizers.comparison import LIMIT, compare, scope

RNG = random.Random(11)
WORDS = [
    "".join(RNG.choice("abcdefghijkl") for _ in range(RNG.randrange(2, 9))) for _ in range(400)
]
SRC = [" ".join(RNG.choices(WORDS, k=RNG.randrange(1, 40))) for _ in range(300)]
TGT = [" ".join(RNG.choices(WORDS, k=RNG.randrange(1, 40))) for _ in range(300)]
HELD = [f"{text} zebra" for text in SRC[:20]]
EXAMPLE = (SRC[0], "<b> & " + TGT[0])


def compared(*, shared=True, src=SRC, tgt=TGT, held_out=(HELD, TGT[:20]), report=lambda note: None):
    return compare(
        src,
        tgt,
        *held_out,
        shared=shared,
        example=EXAMPLE,
        report=report,
        clock=itertools.count().__next__,
    )


def first_row(kind, **settings):
    """With the automatic size; those after it are not made."""
    return next(row for row in compared(**settings) if row.kind == kind)


@pytest.fixture(scope="module", params=[True, False], ids=["shared", "apart"])
def found(request):
    return list(compared(shared=request.param))


def test_every_kind_is_there_and_the_learned_ones_at_several_sizes(found):
    assert {row.kind for row in found} == set(TOKENIZERS)
    assert sum(row.kind == "unigram" for row in found) >= 2
    assert sum(row.kind == "bpe" for row in found) >= 2
    assert len({(row.kind, row.requested_size) for row in found}) == len(found)


def test_a_row_is_what_its_settings_give(found):
    for row in found:
        recipe = override(Recipe(), row.changes | {"model.embeddings.shared": row.shared})
        made = fit(recipe.tokenizer, SRC, TGT)
        lengths = [
            list(map(len, tokenizer.encode_many(texts)))
            for tokenizer, texts in zip(made, (SRC, TGT), strict=True)
        ]
        for tokenizer, counts, side, sentence in zip(
            made, lengths, (row.src, row.tgt), EXAMPLE, strict=True
        ):
            assert side.vocab_size == tokenizer.vocab_size
            assert (side.median, side.longest) == (median(counts), max(counts))
            assert (
                sum(count <= side.p95 for count in counts)
                >= 0.95 * len(counts)
                > sum(count < side.p95 for count in counts)
            )
            assert [index for _, index in side.example] == tokenizer.encode(sentence)
            assert [token for token, _ in side.example] == tokenizer.tokens(
                tokenizer.encode(sentence)
            )
        assert row.too_long == sum(
            max(pair) + 1 > LIMIT for pair in zip(*lengths, strict=True)
        ) / len(SRC)
        held = [index for ids in made[0].encode_many(HELD) for index in ids]
        assert row.src.unknown_rate == held.count(UNK) / len(held)


def test_the_numbers_say_what_one_expects(found):
    by_kind = {row.kind: row for row in found}
    assert by_kind["word"].src.tokens_per_word == 1
    assert by_kind["word"].src.unknown_rate >= 20 / sum(len(text.split()) for text in HELD)
    assert by_kind["byte"].src.unknown_rate == 0
    assert by_kind["char"].src.tokens_per_word > by_kind["bpe"].src.tokens_per_word >= 1
    assert by_kind["char"].too_long > by_kind["word"].too_long
    for kind in ("bpe", "unigram"):
        sized = [row for row in found if row.kind == kind]
        assert sized[0].requested_size is None, "what training would take comes first"
        assert [row.src.vocab_size for row in sized[1:]] == sorted(
            row.src.vocab_size for row in sized[1:]
        )
        assert all(
            row.requested_size is None or row.src.vocab_size <= row.requested_size for row in sized
        )


def test_larger_sizes_than_the_text_gives_are_not_repeated(found):
    for kind in ("bpe", "unigram"):
        short = [
            row
            for row in found
            if row.kind == kind
            and row.requested_size
            and max(row.src.vocab_size, row.tgt.vocab_size) < row.requested_size
        ]
        assert len(short) <= 1


def test_sizes_with_no_room_for_the_characters_are_left_out():
    src = ["".join(map(chr, range(0x4E00 + n, 0x4E00 + n + 40))) for n in range(0, 1400, 20)]
    found = list(compared(src=src, tgt=src, held_out=([], [])))
    assert {row.requested_size for row in found if row.kind == "bpe"} == {None, 4000}


def test_progress_is_reported():
    reports = []
    found = list(compared(src=SRC[:60], tgt=TGT[:60], report=reports.append))
    assert (
        reports[0]
        == "Fitted to 60 pairs; tokens counted in 60 of them, unknown tokens in 20 held-out pairs."
    )
    assert len(reports) == len(found) + 1
    assert all(row.seconds == 1 for row in found), "one tick of this clock"


def test_large_corpora_are_sampled_evenly(monkeypatch):
    assert scope(29_000, 1014).startswith(
        "Fitted to 20,000 of 29,000 pairs, evenly spaced; tokens counted in 5,000 of them"
    )
    monkeypatch.setattr(module, "MAX_FITTED", 100)
    src = [*SRC[:150], *["zz zz"] * 150]
    word = first_row("word", src=src, tgt=src)
    assert word.src.vocab_size == 4 + len({word for text in src[::3] for word in text.split()})


def test_the_automatic_size_is_that_of_the_whole(monkeypatch):
    whole = first_row("bpe")
    monkeypatch.setattr(module, "MAX_FITTED", 250)
    part = first_row("bpe")
    assert part.requested_size is None
    assert part.src.vocab_size == pytest.approx(whole.src.vocab_size, rel=0.05)


def test_without_held_out_pairs_nothing_is_said_of_the_unknown():
    found = compared(src=SRC[:60], tgt=TGT[:60], held_out=([], []))
    assert {row.src.unknown_rate for row in found} == {None}


@pytest.mark.parametrize(("src", "tgt", "side"), [([], [], "source"), (["a"], [" "], "target")])
def test_a_side_without_text(src, tgt, side):
    with pytest.raises(UserError, match=f"The {side} side has no text to tokenize"):
        list(compared(src=src, tgt=tgt))
