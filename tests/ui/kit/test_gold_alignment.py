import numpy as np
import pytest

import s2s
from s2s import settings
from s2s.analysis.alignment import alignment_error_rate, best_sources, merge_to_words, word_indices
from s2s.config import Recipe, override
from s2s.data import Corpus, Gold, Link, Pair, saved_datasets
from s2s.demo import ALIGNED, DEMOS, EXAMPLES
from s2s.questions import GoldOf, Have, gold

PAIRS = (
    Pair("the red house", "la casa roja", Gold((Link(0, 0), Link(1, 2), Link(2, 1)))),
    Pair("a b", "x", None),
)


def kept() -> str:
    """The pairs, stored here: their SPEC."""
    return f"corpus:{saved_datasets.save(Corpus('somewhere', 'train', PAIRS), name='mine', owner='local')}"


@pytest.mark.parametrize("demo", [demo for demo in DEMOS if DEMOS[demo] in ALIGNED])
def test_a_demo_knows_links_of_its_examples_first(demo: str) -> None:
    found = Have().answer(GoldOf(demo)).targets
    assert tuple(found)[:5] == EXAMPLES[DEMOS[demo]]
    for src, targets in found.items():
        for tgt, links in targets:
            assert links
            assert all(0 <= i < len(src.split()) and 0 <= j < len(tgt.split()) for i, j in links)


def test_a_saved_dataset_has_its_own_alignment(tiny: Recipe) -> None:
    found = gold.aligned_targets(kept(), tiny)
    assert found == {
        "the red house": (gold.AlignedTarget("la casa roja", frozenset({(0, 0), (1, 2), (2, 1)})),)
    }


def test_links_go_with_the_task(tiny: Recipe) -> None:
    backwards = gold.aligned_targets(kept(), override(tiny, {"data.task": "reverse_direction"}))
    assert backwards == {
        "la casa roja": (gold.AlignedTarget("the red house", frozenset({(0, 0), (2, 1), (1, 2)})),)
    }
    prefixed = gold.aligned_targets(kept(), override(tiny, {"data.prefix": "to Spanish: "}))
    assert prefixed == {
        "to Spanish: the red house": (
            gold.AlignedTarget("la casa roja", frozenset({(2, 0), (3, 2), (4, 1)})),
        )
    }
    assert gold.aligned_targets("builtin:en-fr", override(tiny, {"data.task": "denoise"})) == {}


@pytest.mark.parametrize(
    "spec",
    [
        "builtin:mini-en-fr",
        "corpus:0123456789abcdef",
        "corpus:../../etc",
        "nowhere.tsv",
        "hub:a/b",
        "",
    ],
)
def test_other_datasets_have_none(tiny: Recipe, spec: str) -> None:
    assert gold.aligned_targets(spec, tiny) == {}


@pytest.mark.parametrize("links", ["0-x\n", "0-0\n", "0 0\n1-1\n"])
def test_a_broken_file_is_no_gold(tiny: Recipe, links: str) -> None:
    spec = kept()
    (settings.home() / "corpora" / spec.removeprefix("corpus:") / "train.align").write_text(links)
    assert gold.aligned_targets(spec, tiny) == {}


@pytest.mark.parametrize("demo", ["demo-en-fr", "demo-en-es"])
def test_the_demos_attend_to_a_word_while_they_predict_it_not_while_they_read_it(
    demo: str,
) -> None:
    """As the row `shift` of REDUCTIONS says of them."""
    run = s2s.load(demo)
    guesses: dict[str, list[np.ndarray]] = {"mean": [], "shift": []}
    known = []
    for src, targets in list(Have().answer(GoldOf(demo)).targets.items())[:12]:
        attention = run.attention(src, targets[0].tgt)
        words = word_indices(attention.tgt_tokens, is_whole=True)
        for slug, weights in (
            ("mean", attention.cross),
            ("shift", np.roll(attention.cross, -1, axis=2)),
        ):
            guesses[slug].append(
                best_sources(
                    merge_to_words(
                        weights, words, word_indices(attention.src_tokens, is_whole=True)
                    ).mean(1)[-1]
                )
            )
        known.append(targets[0].links)
    usual, later = (float(alignment_error_rate(guesses[slug], known)) for slug in ("mean", "shift"))
    assert usual < 0.3
    assert later > 0.7
