"""The roles of a corpus against plain loops over every row of every pair."""

from __future__ import annotations

import numpy as np
import pytest

from s2s.analysis import KINDS, summarize_heads
from s2s.analysis.attention import Attention, Weights
from s2s.analysis.heads import CORPUS_ROLES, corpus_roles, vocabulary
from s2s.analysis.heads.corpus_roles import CorpusRoles, is_separating
from s2s.analysis.roles import ROLES
from s2s.config import UserError
from tests.analysis.heads.samples import (
    EOS,
    Ids,
    finished,
    random_pairs,
    sharp_model,
    weights_alone,
)
from tests.model.conftest import SRC_VOCAB

TOKENS = ["<pad>", "<s>", "</s>", "<unk>", ",", "▁.", *(f"w{n}" for n in range(6, SRC_VOCAB))]
SEPARATORS = {0, 1, 2, 4, 5}


def measured(pairs: list[Ids]) -> CorpusRoles:
    src = vocabulary(TOKENS, [pair.src for pair in pairs], EOS)
    tgt = vocabulary(TOKENS, [pair.tgt for pair in pairs], EOS)
    return finished(corpus_roles(sharp_model(), pairs, src, tgt))


def strengths_by_hand(pairs: list[Ids], kind: str) -> dict[str, list[Weights]]:
    """What each row adds to each strength, (layers, heads); for `aligned`, each sentence."""
    found: dict[str, list[Weights]] = {slug: [] for slug in CORPUS_ROLES}
    side = [pair.tgt for pair in pairs] if kind == "decoder" else [pair.src for pair in pairs]
    counts = np.bincount([token for ids in side for token in ids], minlength=SRC_VOCAB)
    for pair in pairs:
        weights = weights_alone(sharp_model(), pair)[kind]
        keys = pair.tgt[:-1] if kind == "decoder" else pair.src
        peaks = weights.argmax(-1)
        free = []
        for row in range(weights.shape[2]):
            n = row + 1 if kind == "decoder" else len(keys)
            if n < 2:
                continue
            free.append(row)
            seen = weights[:, :, row, :n].astype(float)
            found["spread"].append(-(seen * np.log(np.maximum(seen, 1e-300))).sum(-1) / np.log(n))
            for slug, offset in (("previous", -1), ("next", 1), ("same", 0)):
                if 0 <= row + offset < n:
                    found[slug].append(peaks[:, :, row] == row + offset)
            found["first"].append(seen[..., 0])
            found["end"].append(seen[..., n - 1])
            marks = [key for key in range(n) if keys[key] in SEPARATORS]
            found["separator"].append(seen[..., marks].sum(-1))
            others = [key for key in range(n) if keys[key] not in SEPARATORS]
            lowest = min((counts[keys[key]] for key in others), default=0)
            rarest = [key for key in others if counts[keys[key]] == lowest]
            if 0 < len(rarest) < len(others):
                found["rare"].append(np.isin(peaks[:, :, row], rarest))
        if free:
            found["aligned"].append(_monotony(peaks[:, :, free], np.array(free), len(keys)))
    return found


def _monotony(peaks: Weights, rows: Weights, n_keys: int) -> Weights:
    out = np.zeros(peaks.shape[:2])
    for head in np.ndindex(*out.shape):
        is_wide = len({*peaks[head]}) >= min(len(rows), n_keys) / 2
        if is_wide and np.ptp(peaks[head]) and np.ptp(rows):
            out[head] = max(0.0, np.corrcoef(rows, peaks[head])[0, 1])
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_every_strength_equals_that_of_plain_loops(kind: str) -> None:
    pairs = random_pairs(40)
    found = measured(pairs).kinds[kind]
    expected = strengths_by_hand(pairs, kind)
    assert set(found.strengths) == {
        slug for slug, role in CORPUS_ROLES.items() if kind in role.kinds and slug != "mixed"
    }
    for slug, strength in found.strengths.items():
        assert found.counted[slug] == len(expected[slug]) > 20, slug
        np.testing.assert_allclose(strength, np.mean(expected[slug], 0), atol=1e-5, err_msg=slug)
        assert 0 <= strength.min() < strength.max() <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_other_numbers_are_means_over_all_rows(kind: str) -> None:
    pairs = random_pairs(15)
    found = measured(pairs).kinds[kind]
    by_row: dict[str, list[Weights]] = {"entropy": [], "peak": [], "distance": []}
    for pair in pairs:
        weights = weights_alone(sharp_model(), pair)
        names = tuple(map(str, pair.src)), tuple(map(str, pair.tgt))
        attention = Attention(names[0], names[1][:-1], names[1][1:], **weights)
        one = summarize_heads(attention, kind)
        n_rows = len(attention.view(kind).rows)
        for name, values in by_row.items():
            values.extend([getattr(one, name)] * n_rows)
    assert found.n_rows == len(by_row["entropy"])
    for name, values in by_row.items():
        np.testing.assert_allclose(getattr(found, name), np.mean(values, 0), atol=1e-5)


def test_a_role_is_the_first_whose_strength_reaches_its_threshold() -> None:
    for found in measured(random_pairs(40)).kinds.values():
        for head in np.ndindex(*found.role.shape):
            strong = [
                slug
                for slug, strength in found.strengths.items()
                if strength[head] >= CORPUS_ROLES[slug].threshold
            ]
            assert found.role[head] == (strong[0] if strong else "mixed")


def test_one_sentence_ten_times_has_the_roles_that_it_has_alone() -> None:
    (pair,) = random_pairs(1, seed=5)
    found = measured([pair] * 10)
    alone = weights_alone(sharp_model(), pair)
    names = tuple(map(str, pair.src)), tuple(map(str, pair.tgt))
    attention = Attention(names[0], names[1][:-1], names[1][1:], **alone)
    for kind in KINDS:
        of_corpus = found.kinds[kind].role
        in_sentence = summarize_heads(attention, kind).role
        is_shared = np.isin(of_corpus, [*ROLES]) & (of_corpus != "mixed")
        assert (of_corpus == in_sentence)[is_shared].all()


def test_separators_are_punctuation_and_special_tokens() -> None:
    separating = [token for token in (*TOKENS, "▁", "a.", "...", "。") if is_separating(token)]
    assert separating == ["<pad>", "<s>", "</s>", ",", "▁.", "...", "。"]


def test_a_sample_of_a_few_sentences_is_refused() -> None:
    pairs = random_pairs(9)
    side = vocabulary(TOKENS, [pair.src for pair in pairs], EOS)
    with pytest.raises(UserError, match="at least 10 sentences, and this sample has 9"):
        next(corpus_roles(sharp_model(), pairs, side, side))
