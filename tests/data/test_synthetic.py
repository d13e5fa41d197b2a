"""Copy, reverse and sort: right answers, right links, no overlap."""

import pytest

from s2s.config import UserError
from s2s.data import load, splits
from s2s.data.synthetic import SIZES, SYNTHETIC

ANSWERS = {"copy": list, "reverse": lambda words: words[::-1], "sort": sorted}


@pytest.fixture(scope="module", params=SYNTHETIC)
def parts(request):
    spec = f"synthetic:{request.param}"
    return request.param, {split: load(spec, split) for split in splits(spec)}


def test_the_sizes_are_as_announced(parts):
    _, corpora = parts
    assert (
        {split: len(corpus) for split, corpus in corpora.items()}
        == SIZES
        == {"train": 5000, "valid": 500, "test": 500}
    )


def test_no_source_comes_twice(parts):
    _, corpora = parts
    sources = [pair.src for corpus in corpora.values() for pair in corpus.pairs]
    assert len(set(sources)) == len(sources)
    assert {len(source.split()) for source in sources} == set(range(3, 13))


def test_the_answer_is_right_and_every_link_joins_equal_words(parts):
    name, corpora = parts
    for pair in corpora["valid"].pairs:
        src = pair.src.split()
        tgt = pair.tgt.split()
        links = pair.gold.links
        assert tgt == ANSWERS[name](src)
        assert [src[link.src] for link in links] == [tgt[link.tgt] for link in links]
        assert (
            [link.src for link in links]
            == list(range(len(src)))
            == sorted(link.tgt for link in links)
        )
        assert pair.gold.relations == ()


def test_equal_words_keep_their_order_when_sorted():
    pair = next(
        pair
        for pair in load("synthetic:sort", "test").pairs
        if len(set(pair.src.split())) < len(pair.src.split())
    )
    by_word = {}
    for link in pair.gold.links:
        by_word.setdefault(pair.src.split()[link.src], []).append(link.tgt)
    assert all(places == sorted(places) for places in by_word.values())


def test_the_same_pairs_everywhere_and_always():
    assert (
        load("synthetic:copy", "test").hash
        == "ff4cee51a72759248138b80da03f0aaf361928a0392a10d5f5b292a281657cdb"
    )


def test_a_wrong_name_gets_the_nearest():
    with pytest.raises(UserError, match=r"no synthetic task `sorted`; the nearest are `sort`"):
        load("synthetic:sorted")
