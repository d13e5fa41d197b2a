"""Every task makes pairs that hold what the text holds, the same for the same seed."""

import random
import re
from collections import Counter
from dataclasses import replace

import pytest

from s2s.config import TASK_KINDS, Cleaning, DataConfig, UserError, override
from s2s.data import Corpus, Gold, Link, Pair, load
from s2s.data.lint import clean, lint_pairs
from s2s.data.pair import Relation
from s2s.data.split import prepared
from s2s.data.tasks import SENTINELS, TASKS, apply_task

WORDS = "the red house stands by the river and nobody has lived in it for years".split()
GOLD = Gold(
    (Link(0, 0), Link(1, 2), Link(2, 1)),
    (),
    (),
    (Relation("determiner-noun", "src", 2, 0),),
    possible=(Link(0, 1),),
)
PAIR = Pair("the red house", "la maison rouge", GOLD)


def make(text, task, seed=1, **changes):
    corpus = Corpus("t", "train", (Pair(text, text),), is_plain=True)
    return apply_task(corpus, override(DataConfig(), {"task": task, **changes}), seed).pairs


def texts(n, seed=0):
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(2, 60))) for _ in range(n)]


def test_the_registry_holds_what_the_settings_offer():
    assert tuple(TASKS) == TASK_KINDS
    assert all(
        set(row.settings) <= {field for field in DataConfig().to_json()} for row in TASKS.values()
    )


def filled(source: str, target: str) -> str:
    """The source with what the target says in place of the sentinels."""
    said = re.split("|".join(map(re.escape, SENTINELS)), target)[1:-1]
    return " ".join(
        re.sub(
            "|".join(map(re.escape, SENTINELS)),
            lambda found: said[SENTINELS.index(found[0])].strip(),
            source,
        ).split()
    )


@pytest.mark.parametrize("rate", [0.05, 0.15, 0.5, 0.9])
@pytest.mark.parametrize("span", [1.0, 3.0, 10.0])
def test_a_denoised_text_is_whole_again_with_what_the_target_says(rate, span):
    for text in texts(100):
        (pair,) = make(text, "denoise", noise_rate=rate, noise_span=span)
        assert filled(pair.src, pair.tgt) == text
        hidden = sum(word not in SENTINELS for word in pair.tgt.split())
        n = len(text.split())
        assert hidden == min(max(round(n * rate), 1), n - 1)
        sentinels = [word for word in pair.src.split() if word in SENTINELS]
        assert [*sentinels, SENTINELS[len(sentinels)]] == [
            word for word in pair.tgt.split() if word in SENTINELS
        ]


def test_spans_have_the_requested_length_on_average():
    pairs = [
        make(text, "denoise", noise_rate=0.4, noise_span=3.0)[0]
        for text in texts(400)
        if len(text.split()) > 30
    ]
    spans = [
        len(words.split())
        for pair in pairs
        for words in re.split("|".join(map(re.escape, SENTINELS)), pair.tgt)[1:-1]
    ]
    assert 2.6 < sum(spans) / len(spans) < 3.4
    assert max(spans) > 4  # not all the same


def test_every_place_may_be_hidden():
    places = Counter()
    for seed in range(300):
        (pair,) = make("a b c d e f", "denoise", seed=seed, noise_rate=0.3, noise_span=1.0)
        places.update(set("abcdef") - set(pair.src.split()))
    assert min(places.values()) > 50
    assert len(places) == 6


def test_the_same_seed_hides_the_same_and_another_another():
    text = " ".join(WORDS)
    assert make(text, "denoise") == make(text, "denoise")
    assert len({make(text, "denoise", seed=seed) for seed in range(5)}) > 1


def test_a_reply_may_equal_the_prompt_and_keeps_its_references():
    pairs = (Pair("Hello", "Hello"), Pair("Bye", "See you", more=("So long",)))
    corpus = Corpus("t", "train", pairs)
    found = apply_task(corpus, override(DataConfig(), {"task": "respond"}), 1)
    assert [(pair.src, pair.tgt, pair.more) for pair in found.pairs] == [
        ("respond: Hello", "Hello", ()),
        ("respond: Bye", "See you", ("So long",)),
    ]
    assert found.dropped == ()


def test_the_next_turn_follows_the_last_k():
    talk = "hi <turn> hello <turn> how are you <turn> fine"
    assert [(pair.src, pair.tgt) for pair in make(talk, "respond", turns=2)] == [
        ("respond: hi", "hello"),
        ("respond: hi <turn> hello", "how are you"),
        ("respond: hello <turn> how are you", "fine"),
    ]
    corpus = Corpus("t", "train", (Pair("hi <turn> hello <turn> how are you", "fine"),))
    (pair,) = apply_task(corpus, override(DataConfig(), {"task": "respond", "turns": 1}), 1).pairs
    assert (pair.src, pair.tgt) == ("respond: how are you", "fine")


def test_reversing_the_direction_twice_changes_nothing():
    corpus = Corpus("t", "train", (PAIR,))
    config = override(DataConfig(), {"task": "reverse_direction"})
    once = apply_task(corpus, config, 1)
    assert (once.pairs[0].src, once.pairs[0].gold.links) == (
        "la maison rouge",
        (Link(0, 0), Link(1, 2), Link(2, 1)),
    )
    assert once.pairs[0].gold.relations == (Relation("determiner-noun", "tgt", 2, 0),)
    assert apply_task(once, config, 1).pairs == corpus.pairs


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("copy", "b a c"),
        ("reverse", "c a b"),
        ("sort", "a b c"),
        ("summarize", None),
        ("translate", None),
    ],
)
def test_tasks_on_words(task, expected):
    if expected is None:
        with pytest.raises(
            UserError,
            match=rf"`data\.task` {task} needs sources and targets, and `t` is plain text",
        ):
            make("b a c", task)
        return
    (pair,) = make("b a c", task)
    assert (pair.src, pair.tgt) == ("b a c", expected)
    words = pair.src.split()
    assert (
        " ".join(words[link.src] for link in sorted(pair.gold.links, key=lambda link: link.tgt))
        == expected
    )


def test_a_prefix_moves_the_gold_along():
    config = override(DataConfig(), {"task": "prefix", "prefix": "translate English to French:"})
    (pair,) = apply_task(Corpus("t", "train", (PAIR,)), config, 1).pairs
    assert pair.src == "translate English to French: the red house"
    words = pair.src.split()
    assert {(words[link.src], pair.tgt.split()[link.tgt]) for link in pair.gold.links} == {
        ("the", "la"),
        ("red", "rouge"),
        ("house", "maison"),
    }
    assert pair.gold.unlinked_src == (0, 1, 2, 3)
    assert [words[pair.gold.relations[0].head], words[pair.gold.relations[0].dependent]] == [
        "house",
        "the",
    ]
    with pytest.raises(UserError, match=r"`data\.task` prefix has no `data\.prefix`; give one"):
        apply_task(Corpus("t", "train", (PAIR,)), DataConfig(task="prefix"), 1)


def test_a_summary_has_its_prefix_unless_another_is_given():
    corpus = Corpus("t", "train", (Pair("long text", "short"),))
    assert (
        apply_task(corpus, DataConfig(task="summarize"), 1).pairs[0].src == "summarize: long text"
    )
    assert (
        apply_task(corpus, DataConfig(task="summarize", prefix="tl;dr"), 1).pairs[0].src
        == "tl;dr long text"
    )


def test_auto_translates_pairs_as_they_are_and_continues_plain_text():
    corpus = load("builtin:mini-en-fr")
    assert apply_task(corpus, DataConfig(), 1) == replace(corpus, task="translate")
    (pair,) = make("abcdef", "auto")
    assert pair.src + pair.tgt == "abcdef"


def test_texts_that_are_too_short_are_counted():
    corpus = Corpus("t", "train", (Pair("one", "one"), Pair("one two", "one two")), is_plain=True)
    found = apply_task(corpus, DataConfig(task="denoise"), 1)
    assert len(found) == 1
    assert found.notes == ("1 text is too short for the task denoise and gives no pair.",)
    with pytest.raises(UserError, match=r"`data\.task` denoise makes no pair from `t`"):
        make("one", "denoise")


def test_held_out_dialogues_are_not_learned_turn_by_turn() -> None:
    talks = [f"a{n} <turn> b{n} <turn> c{n} <turn> d{n}" for n in range(200)]
    corpus = Corpus("t", "train", tuple(Pair(talk, talk) for talk in talks), is_plain=True)
    train, valid, _ = prepared(corpus, None, 1, DataConfig(task="respond"))
    assert len(valid) == 30
    learnt = " ".join(pair.src + pair.tgt for pair in train.pairs).split()
    assert not {word for pair in valid.pairs for word in pair.tgt.split()} & set(learnt)


@pytest.mark.parametrize("task", ["reverse_direction", "respond", "denoise", "sort", "translate"])
def test_no_source_is_in_both_splits_for_any_task(task: str) -> None:
    draw = random.Random(1)
    pairs = tuple(
        Pair(" ".join(draw.choices("abcdef", k=4)), " ".join(draw.choices("xyzabc", k=4)))
        for _ in range(900)
    )
    train, valid, _ = prepared(Corpus("t", "train", pairs), None, 1, DataConfig(task=task))
    assert len(valid) > 5
    assert not {pair.src for pair in train.pairs} & {pair.src for pair in valid.pairs}


def test_where_a_task_makes_all_sources_alike_nothing_can_be_held_out() -> None:
    corpus = Corpus("t", "train", tuple(Pair(f"question {n}", "ok") for n in range(60)))
    config = DataConfig(task="reverse_direction")
    with pytest.raises(UserError, match="validation split; give validation pairs of their own"):
        prepared(corpus, None, 1, config)
    own = Corpus("t", "valid", (Pair("question", "yes"),))
    assert len(prepared(corpus, own, 1, config).train) == 60


def test_a_report_counts_the_overlap_that_is_dropped() -> None:
    pairs = tuple(Pair(f"s{n}", f"t{n}") for n in range(100))
    train = Corpus("t", "train", pairs)
    valid = Corpus("t", "valid", pairs[:30])
    left = prepared(train, valid, 1, DataConfig()).train
    assert len(left) == 100 - lint_pairs(pairs, valid=valid.pairs).dropped(["overlap"]) == 70
    assert (
        len(prepared(train, valid, 1, override(DataConfig(), {"clean.overlap": False})).train)
        == 100
    )


def test_plain_text_is_no_copy_of_itself() -> None:
    pairs = tuple(Pair(f"text {n}", f"text {n}") for n in range(9))
    assert lint_pairs(pairs, is_plain=True).found["copies"].n == 0
    assert lint_pairs(pairs).found["copies"].n == 9
    assert len(clean(Corpus("t", "train", pairs, is_plain=True), Cleaning(copies=True))) == 9
