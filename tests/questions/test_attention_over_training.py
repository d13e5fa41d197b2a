"""What AttentionOverTraining says of a run's saved attention, and its tables."""

import numpy as np

from s2s.analysis import Attention
from s2s.questions import AttentionByStep, AttentionOverTraining
from s2s.questions.attention_over_training import spread
from s2s.runs import AttentionHistory, SavedAttention

ASKED = AttentionOverTraining("run")


def answer(entropy: list[list[list[float]]]) -> AttentionByStep:
    """By step, layer and head."""
    values = np.array(entropy, np.float32)
    steps = np.arange(10, 10 * len(values) + 10, 10)
    history = AttentionHistory(steps, values, values / 10, None, None, 32)
    return AttentionByStep((), (), history, is_held_out=True)


def test_sharper_heads_are_found_and_the_sharpest_is_named() -> None:
    found = ASKED.finding(answer([[[2.0, 2.0]], [[1.0, 0.5]]]))
    assert "from 2 nats at step 10 to 0.75 at step 20" in found
    assert "layer 1 head 2 (0.5)" in found


def test_heads_that_stay_are_not_called_sharper_and_one_step_says_nothing() -> None:
    assert "became sharper" not in ASKED.finding(answer([[[2.0, 2.0]], [[2.0, 1.9]]]))
    assert ASKED.finding(answer([[[2.0, 2.0]]])) == ""
    assert ASKED.finding(answer([[[2.0, np.nan]], [[1.0, 1.0]]])) == ""


def test_the_table_has_a_row_per_step_and_head() -> None:
    table = ASKED.table(answer([[[2.0, 1.5]], [[1.0, 0.5]]]))
    assert list(table.columns) == ["step", "layer", "head", "entropy", "alignment_error"]
    assert [row[:4] for row in table.rows] == [
        [10, 1, 1, 2.0],
        [10, 1, 2, 1.5],
        [20, 1, 1, 1.0],
        [20, 1, 2, 0.5],
    ]


def test_the_table_of_an_animation_has_a_row_per_step_and_weight() -> None:
    weights = np.full((1, 1, 2, 3), 1 / 3, np.float32)
    attention = Attention(
        ("c", "d", "e"),
        ("<s>", "a"),
        ("a", "b"),
        weights,
        np.full((1, 1, 3, 3), 1 / 3, np.float32),
        np.full((1, 1, 2, 2), 0.5, np.float32),
    )
    frames = tuple(SavedAttention(step, "c d e", "a b", attention) for step in (5, 9))
    animated = AttentionOverTraining("run", animated=True)
    table = animated.pair_table(AttentionByStep(frames, (5, 9), None, is_held_out=True))
    assert len(table.rows) == 12
    assert table.rows[1][:5] == [5, 1, "a", 2, "d"]


def test_an_animation_of_many_checkpoints_is_spread_over_them() -> None:
    steps = list(range(0, 1000, 10))
    found = spread(steps)
    assert (len(found), len(set(found)), found[0], found[-1]) == (30, 30, 0, 990)
    assert spread(steps[:7]) == steps[:7]
