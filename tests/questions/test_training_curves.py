"""What a training logged: its finding, its numbers, and whose runs may be asked for."""

from dataclasses import replace

import numpy as np
import pytest

import s2s
from s2s.config import UserError
from s2s.questions import Have, LoggedRuns, TrainingCurves

DEMO = TrainingCurves(runs=("demo-en-fr",))


def with_losses(*losses: float) -> LoggedRuns:
    """The demo's curves with these validation losses."""
    curves = Have().answer(DEMO).curves[0]
    valid = np.array(losses, np.float32)
    steps = np.arange(len(losses)) * 100
    training = np.full_like(curves.loss, 60.0 if 60.0 in losses else 1.0)
    return LoggedRuns(
        ("a",), (replace(curves, loss=training, valid_loss=valid, valid_steps=steps),)
    )


def test_the_finding_is_how_the_validation_loss_went() -> None:
    assert "fell from 7 to 2 nats per token" in DEMO.finding(with_losses(7.0, 3.0, 2.0))
    assert replace(DEMO, curve="bleu").finding(with_losses(7.0, 3.0, 2.0)) == ""
    risen = DEMO.finding(with_losses(7.0, 2.0, 3.0))
    assert "lowest at step 100 (2 nats per token) and has risen to 3" in risen


@pytest.mark.parametrize("losses", [(7.0,), (7.0, 60.0), (float("nan"),), ()])
def test_without_a_second_validation_or_after_divergence_there_is_no_finding(
    losses: tuple[float, ...],
) -> None:
    assert DEMO.finding(with_losses(*losses)) == ""


def test_several_runs_have_no_finding_and_one_table() -> None:
    asked = s2s.ask(TrainingCurves(runs=("demo-en-fr", "demo-en-es"), curve="bleu"))
    assert asked.finding == ""
    assert {row[0] for row in asked.table.rows} == {"demo-en-fr", "demo-en-es"}
    (picture,) = asked.pictures
    assert picture.title.endswith("BLEU by step")


def test_the_table_has_what_was_logged_where_it_was() -> None:
    answer = Have().answer(DEMO)
    table = DEMO.table(answer)
    column = [*table.columns].index("valid_loss")
    logged = {row[1]: row[column] for row in table.rows if not np.isnan(row[column])}
    curves = answer.curves[0]
    assert logged == dict(zip(curves.valid_steps.tolist(), curves.valid_loss.tolist(), strict=True))


def test_no_run_and_one_that_is_not_there_are_refused() -> None:
    with pytest.raises(UserError, match="No run is given"):
        Have().answer(TrainingCurves())
    with pytest.raises(UserError):
        Have().answer(TrainingCurves(runs=("gone",)))
    with pytest.raises(UserError, match="curve"):
        s2s.ask(TrainingCurves(runs=("demo-en-fr",), curve="beauty")).pictures  # noqa: B018
