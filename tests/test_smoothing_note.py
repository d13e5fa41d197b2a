"""Losses shown beside label smoothing are said to be without it, and are."""

import pytest

from s2s.words import NUMBER_NAMES, smoothing_note
from tests.screen import opened, page_text

NOTE = "Trained with label smoothing 0.1; losses are shown without it."


def test_runs_without_label_smoothing_have_no_note() -> None:
    assert smoothing_note([0.0, 0.1, 0.1]) == NOTE
    assert "0.05, 0.1;" in smoothing_note([0.1, 0.05])
    assert smoothing_note([0.0]) == smoothing_note([]) == ""


@pytest.mark.parametrize("key", ["train_loss", "valid_loss", "loss"])
def test_every_loss_says_in_its_tooltip_that_it_is_without(key: str) -> None:
    assert "without label smoothing" in NUMBER_NAMES[key].help


@pytest.mark.parametrize(
    ("page", "state", "is_loss"),
    [
        ("train", "", True),
        ("train", "curve:bleu", False),
        ("runs", "tab:side-by-side,compared:demo-en-fr demo-tasks", True),
        ("walkthrough", "step:loss", True),
        ("walkthrough", "step:update", True),
    ],
)
def test_a_page_says_beside_a_loss_that_it_is_without(page: str, state: str, is_loss: bool) -> None:
    screen = opened(page, run="demo-en-fr", set=state)
    assert not screen.exception
    assert (NOTE in page_text(screen)) == is_loss
