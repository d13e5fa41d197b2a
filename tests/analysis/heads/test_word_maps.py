from types import SimpleNamespace

import numpy as np
import pytest
import torch

import s2s
from s2s.analysis import HeadSelection, alignable_words, reduced
from s2s.analysis.heads.word_maps import HEAD_REDUCTIONS, word_maps
from s2s.config import UserError
from s2s.runs import encoded_pairs
from tests.model.conftest import build, shrunk

PAIRS = [
    ("the cat sits on the mat", "le chat est assis sur le tapis"),
    ("the red house", "la maison rouge"),
]


def test_a_batch_gives_what_one_sentence_gives_under_each_reduction() -> None:
    run = s2s.load("demo-en-fr")
    found = {maps.row: maps.maps for maps in word_maps(run.model, encoded_pairs(run, PAIRS))}
    assert len(found) == 2
    for index, pair in enumerate(PAIRS):
        attention = run.attention(*pair)
        for slug in HEAD_REDUCTIONS:
            for layer, head in np.ndindex(attention.cross.shape[:2]):
                expected = alignable_words(
                    reduced(attention, HeadSelection("cross", layer, head), slug),
                    rows_whole=True,
                    keys_whole=True,
                )
                assert found[index][slug][layer, head] == pytest.approx(
                    expected.weights, abs=2e-5
                ), (slug, layer, head)


def test_weights_of_a_training_that_diverged_are_refused() -> None:
    words = np.array([0, 1, -1])
    pair = SimpleNamespace(src=(5, 6, 2), tgt=(1, 7, 8, 2), src_words=words, tgt_words=words)
    broken = build(shrunk("small"))
    with torch.no_grad():
        broken.encoder.layers[0].self_attention.value.weight.fill_(float("nan"))
    with pytest.raises(UserError, match="not finite numbers, as after a training that diverged"):
        list(word_maps(broken, [pair]))
