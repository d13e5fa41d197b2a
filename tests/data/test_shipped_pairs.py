"""The generated corpora that ship, and the tasks that are mixed from them."""

import re

import pytest

from s2s.data import GENERATED_TASKS, PAIRS_PER_TASK, Pair
from s2s.data.shipped_pairs import shipped_pairs, task_pairs

# For the preset `small`, and the sentence box: tokens, words, characters, prefix and all.
MOST_TOKENS = 64
MOST_WORDS = 60
MOST_CHARACTERS = 400


def byte_pairs(src: str) -> int:
    """Tokens at least as many as of byte pairs that know the words: a period leaves its space; then `</s>`."""
    return len(re.findall(r"\w+", src)) + 2 * len(re.findall(r"[.?]", src)) + src.count(":") + 1


@pytest.mark.parametrize("split", PAIRS_PER_TASK)
def test_tasks_take_turns(split: str) -> None:
    pairs = task_pairs(split)
    assert len(pairs) == 4 * PAIRS_PER_TASK[split]
    for i, (name, task) in enumerate(GENERATED_TASKS.items()):
        of_task = pairs[i :: len(GENERATED_TASKS)]
        assert [Pair(pair.src.removeprefix(task.prefix), pair.tgt) for pair in of_task] == [
            Pair(pair.src, pair.tgt)
            for pair in shipped_pairs(task.corpus, split)[: PAIRS_PER_TASK[split]]
        ], name
        assert all(pair.src.startswith(task.prefix) for pair in of_task)
    assert max(len(pair.src.split()) for pair in pairs) < MOST_WORDS
    assert max(len(pair.src) for pair in pairs) <= MOST_CHARACTERS
    long = [pair.src for pair in pairs if pair.src.count(" ") > MOST_TOKENS // 2]
    assert max(map(byte_pairs, long)) <= MOST_TOKENS


def test_tasks_leak_nothing_and_hold_no_new_words() -> None:
    sources = [pair.src for split in PAIRS_PER_TASK for pair in task_pairs(split)]
    assert len(set(sources)) == len(sources)
    train = task_pairs("train")
    known = (
        {word for pair in train for word in pair.src.split()},
        {word for pair in train for word in pair.tgt.split()},
    )
    assert len(known[0]) < 800
    for pair in (pair for split in PAIRS_PER_TASK for pair in task_pairs(split)):
        assert known[0].issuperset(pair.src.split())
        assert known[1].issuperset(pair.tgt.split())


def test_links_move_with_the_words() -> None:
    for pair in task_pairs("random"):
        n = len(pair.src[: pair.src.index(": ") + 2].split())
        gold = pair.gold
        assert gold
        assert set(range(n)) <= set(gold.unlinked_src)
        assert {link.src for link in gold.links} | set(gold.unlinked_src) == set(
            range(len(pair.src.split()))
        )
    first = task_pairs("train")[0]
    assert first.gold
    words = first.src.split(), first.tgt.split()
    assert {(words[0][link.src], words[1][link.tgt]) for link in first.gold.links} == {
        ("the", "la"),
        ("red", "rouge"),
        ("house", "maison"),
    }
    assert {words[tie.side == "tgt"][tie.head] for tie in first.gold.relations} == {
        "house",
        "maison",
    }


def test_a_split_that_a_corpus_lacks_is_a_mistake_of_the_programmer() -> None:
    with pytest.raises(ValueError, match="deep"):
        shipped_pairs("dialogue", "deep")


def test_thousands_of_pairs_share_an_annotation() -> None:
    pairs = task_pairs("random")
    assert len({id(pair.gold) for pair in pairs}) == len({pair.gold for pair in pairs})
