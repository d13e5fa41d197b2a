"""What a kind of positions does is found from its class: toy kinds are drawn and described as the real ones are."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
import torch
from torch import Tensor

from s2s.config import POSITION_KINDS, PositionKind, UserError, position_kinds
from s2s.model.positions import Position
from s2s.questions import ANSWERS, SHOWN, Encoding, Have, PositionKinds
from s2s.questions.views import view_of

SIX = ("sinusoidal", "learned", "rotary", "alibi", "relative", "none")
CHANGES_NOTHING = "This encoding changes nothing"


class Everything(Position):
    """Adds, rotates and biases, none of it as the six kinds do."""

    def add(self, x: Tensor, is_real: Tensor | None, start: int = 0) -> Tensor:
        places = torch.arange(start, start + x.shape[1], device=x.device)
        return x + (places % 2)[:, None]

    def rotate(self, x: Tensor, start: int = 0) -> Tensor:
        places = torch.arange(start, start + x.shape[2], device=x.device)
        return x * (1 + places)[:, None]

    def bias(self, query_len: int, key_len: int, device: torch.device) -> Tensor | None:
        keys = torch.arange(key_len, device=device).float()
        return keys.expand(1, 1, query_len, key_len)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> str:
    module = ModuleType("s2s.model.positions.toy")
    module.Everything = Everything  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    row = PositionKind("Toy", "A toy.", "", "toy:Everything", acts_on="vectors")
    monkeypatch.setitem(position_kinds._ROWS, "toy", row)
    ANSWERS.clear()
    return "toy"


def answered(kind: str, show: str = "matrix", **sizes: int) -> tuple[PositionKinds, Encoding]:
    question = PositionKinds(kind, show=show, **{"length": 20, "d_model": 8, "d_head": 8, **sizes})
    return question, Have().answer(question)


def said(kind: str, show: str) -> str:
    question, answer = answered(kind, show)
    return question.finding(answer)


def test_pictures_come_from_the_class_alone(toy: str) -> None:
    question, answer = answered(toy, heads=1)
    assert answer.parts == ["vectors", "query", "bias"]
    assert answer.first_head is not None
    for show in SHOWN:
        pictures = view_of(question).pictures(PositionKinds(toy, show=show, length=20), answer, "")
        assert pictures[0].finding
        assert all(picture.table.rows for picture in pictures)
        assert len({picture.name for picture in pictures}) == len(pictures)
    assert "20 positions share 2 vectors" in said(toy, "matrix")
    assert "does not depend on their distance alone" in said(toy, "distance")
    assert "No rotation leads" in said(toy, "rotation")
    assert "follow no wave" in said(toy, "waves")


@pytest.mark.parametrize("kind", POSITION_KINDS)
def test_what_a_kind_does_is_what_its_row_says(kind: str) -> None:
    _, answer = answered(kind)
    named = {"vectors": "vectors", "query": "queries and keys", "bias": "scores"}
    assert [named[part] for part in answer.parts] == list(
        filter(None, [POSITION_KINDS[kind].acts_on])
    )
    for show in SHOWN:
        assert (CHANGES_NOTHING in said(kind, show)) == (kind == "none")


@pytest.mark.parametrize(
    ("show", "sentence", "kinds"),
    [
        ("rotation", "is one and the same matrix", {"sinusoidal", "rotary"}),
        ("rotation", "No rotation leads", {"learned"}),
        ("rotation", "Nothing is rotated", {"alibi", "relative"}),
        ("matrix", "made of 4 waves", {"sinusoidal"}),
        ("matrix", "which follows no wave", {"learned"}),
        ("matrix", "are rotated instead", {"rotary"}),
        ("matrix", "depends on the distance alone", {"alibi", "relative"}),
        ("waves", "repeats every", {"sinusoidal", "rotary"}),
        ("waves", "follow no wave", {"learned"}),
        ("distance", "depends on their distance alone", {"sinusoidal"}),
        ("distance", "does not depend on their distance alone", {"learned"}),
        ("distance", "Only the distance counts", {"rotary"}),
        ("distance", "in proportion to the distance", {"alibi"}),
    ],
)
def test_a_sentence_is_said_of_the_kinds_of_which_it_is_true(
    show: str, sentence: str, kinds: set[str]
) -> None:
    assert {kind for kind in SIX if sentence in said(kind, show)} == kinds


def test_distances_share_numbers_only_beyond_the_exact_ones() -> None:
    for length, does_share in ((4, False), (60, True)):
        question, answer = answered("relative", "distance", length=length)
        assert ("Distances share numbers" in question.finding(answer)) is does_share


def test_the_decoder_has_no_later_keys() -> None:
    question = PositionKinds("relative", length=10, stack="decoder")
    answer = Have().answer(question)
    assert answer.distances.tolist() == list(range(-9, 1))
    assert len(question.table(answer).rows) == 10


def test_two_positions_are_distances_too() -> None:
    for kind in POSITION_KINDS:
        for show in SHOWN:
            question = PositionKinds(kind, show=show, length=2, offset=1, d_model=2, d_head=2)
            answer = Have().answer(question)
            assert question.finding(answer)
            assert view_of(question).pictures(question, answer, "")


def test_a_run_of_another_kind_is_refused() -> None:
    with pytest.raises(UserError, match="positions are `sinusoidal`, not `learned`"):
        Have().answer(PositionKinds("learned", "demo-en-fr"))
    trained = Have().answer(PositionKinds("sinusoidal", "demo-en-fr", length=9))
    assert trained.vectors is not None
    assert trained.vectors.shape == (9, 128)
    np.testing.assert_allclose(trained.vectors, Have().answer(PositionKinds(length=9)).vectors)
