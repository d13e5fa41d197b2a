"""Answers about training, computed again from the lines of the log; and runs as training leaves them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import s2s
from s2s import settings
from s2s.config import UserError
from s2s.jobs import run_service
from s2s.lessons import ANSWERS, RUN_CONDITIONS, Context, Heads, Verdict
from tests.lessons.answers.test_own_runs import store

HERE = Context("demo-en-fr")
FORCED = {"src": "the red house", "tgt": "la grande maison"}


def computed(name: str, context: Context = HERE) -> float:
    found = ANSWERS[name].compute(context)
    assert not isinstance(found, Heads)
    return found


def logged(run: str, kind: str) -> list[dict[str, float]]:
    lines = (settings.SHIPPED / run / "metrics.jsonl").read_text().splitlines()
    return [row for row in map(json.loads, lines) if row["kind"] == kind]


def test_the_loss_is_good_from_a_step_on() -> None:
    good = [row["step"] for row in logged("demo-en-fr", "valid") if row["loss"] < 0.1]
    assert computed("first_good_step") == good[0] == 600


def test_the_learning_rate_is_highest_after_the_warmup() -> None:
    highest = max(logged("demo-en-fr", "train"), key=lambda row: row["lr"])["step"]
    assert computed("highest_rate_step") == pytest.approx(highest, abs=4)
    assert computed("highest_rate_step") == 200


def test_both_read_the_same_until_they_chose_differently() -> None:
    context = Context("demo-en-fr", values=FORCED)
    own = s2s.load("demo-en-fr").translate([FORCED["src"]], "greedy")[0].text
    rows = zip(["<s>", *FORCED["tgt"].split()], ["<s>", *own.split()], strict=True)
    differ = [number for number, (forced, free) in enumerate(rows, 1) if forced != free]
    assert computed("first_differing_position", context) == differ[0] == 3


def test_label_smoothing_leaves_a_tenth_to_all() -> None:
    n = s2s.load("demo-en-fr").tgt_tokenizer.vocab_size
    assert n == 780  # as the question says
    assert computed("smoothed_target_percent") == pytest.approx(90 + 10 / n)


def test_bleu_and_loss_do_not_agree_on_the_best_checkpoint() -> None:
    rows = [row for row in logged("demo-tasks", "valid") if "bleu" in row]
    best = min(rows, key=lambda row: row["loss"])
    assert best["step"] == 5700  # as the note says
    assert best["bleu"] < max(row["bleu"] for row in rows)
    assert computed("bleu_peaks_where_loss_is_lowest", Context("demo-tasks")) == 1


@pytest.mark.parametrize(
    ("name", "context", "message"),
    [
        ("bleu_peaks_where_loss_is_lowest", HERE, "BLEU was not measured"),
        ("first_differing_position", HERE, "is missing"),
        (
            "first_differing_position",
            Context("demo-en-fr", values={**FORCED, "tgt": "la maison rouge"}),
            "the model's own translation",
        ),
    ],
)
def test_a_view_without_an_answer_says_so(name: str, context: Context, message: str) -> None:
    with pytest.raises(UserError, match=message):
        computed(name, context)


def stored(name: str, validation: Sequence[float], training: float, origin: str = "") -> None:
    """A finished run with these losses, every 10 steps."""
    store(name, 0.5)
    folder: Path = settings.home() / "runs" / name
    rows: list[dict[str, object]] = [
        {"kind": "valid", "step": 10 * at, "loss": loss, "perplexity": 1.0, "token_accuracy": 0.5}
        for at, loss in enumerate(validation)
    ]
    if rows:
        rows.append(
            {"kind": "train", "step": 5, "loss": training, "lr": 1e-3, "grad_norm": 1.0}
            | {"n_tokens": 10, "seconds": 1.0}
        )
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    if origin:
        recipe = folder / "recipe.json"
        content = json.loads(recipe.read_text()) | {"init_from": {"run": origin, "step": 1}}
        recipe.write_text(json.dumps(content))


def judged(name: str) -> Verdict:
    return RUN_CONDITIONS[name].judge(HERE)


def test_while_a_run_trains_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "press Train" in judged("overfitted_run").sentence
    stored("live", [6.0, 5.3, 5.6], 0.2)
    live = [replace(row, state="running") for row in run_service.runs("local")]
    monkeypatch.setattr(run_service, "runs", lambda owner: live)
    for name in ("overfitted_run", "fine_tuned_run"):
        assert "not done yet" in judged(name).sentence


def test_a_run_overfits_when_its_validation_loss_rises_again() -> None:
    assert judged("overfitted_run").level == "wrong"
    stored("learns", [6.0, 3.0, 2.9], 2.8)
    assert judged("overfitted_run").level == "nearly"
    stored("rises", [6.0, 5.3, 5.6], 0.2)
    verdict = judged("overfitted_run")
    assert verdict.level == "right"
    assert "validation 5.60, at best 5.30, training 0.20" in verdict.sentence


def test_a_fine_tuned_run_starts_with_a_low_loss() -> None:
    stored("scratch", [7.3], 2.0)
    assert judged("fine_tuned_run").level == "wrong"
    stored("waiting", [], 2.0, origin="demo-en-fr")
    assert judged("fine_tuned_run").level == "nearly"
    stored("tuned", [0.07], 0.1, origin="demo-en-fr")
    verdict = judged("fine_tuned_run")
    assert (verdict.level, "0.07 nats" in verdict.sentence) == ("right", True)
