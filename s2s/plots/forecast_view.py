"""The pictures of `TrainingForecast`: its costs, the learning rate by step, and the quality to expect."""

from __future__ import annotations

from s2s.jobs import ALIKE, MARGIN, MeasuredRun, PredictionInterval, short_count
from s2s.plots.picture import ComparedRows, Picture
from s2s.plots.schedule import expected_quality, schedule
from s2s.questions import ForecastedTraining, Table, TrainingForecast
from s2s.words import duration

FLOPS = "operations (FLOPs), forward and backward: 6 per parameter and token, plus attention"
RATES = "The step size of each update: it rises during the warmup, then falls as the schedule says."
INTERVAL = "Most runs like this one should end within the shaded prediction interval; outside is unusual, not wrong."


def pictures(question: TrainingForecast, answer: ForecastedTraining, model: str) -> list[Picture]:
    """Pictures of costs, learning rate and expected quality; without an interval, costs and learning rate alone."""
    title = f"{answer.preset} on {answer.dataset}"
    found = answer.expected
    return [
        _costs(title, answer, question.table(answer)),
        _schedule(title, answer),
        *([_expected(title, found)] if found else []),
    ]


def _costs(title: str, answer: ForecastedTraining, table: Table) -> Picture:
    cost = answer.cost
    runs = f"{cost.calibration.n_runs} run{'s' * (cost.calibration.n_runs > 1)} here"
    basis = "by formula, until runs on this computer calibrate it"
    if cost.calibration.n_runs:
        basis = f"{cost.calibration.factor:.1f} times the formula's, calibrated by {runs}"
    n = answer.recipe.train.processes
    if n > 1:
        basis += f"; for {n} processes with their own CPU threads, communication not counted"
    sizes = f"vocabularies of about {cost.src_vocab_size:,} and {cost.tgt_vocab_size:,}"
    rows = [
        ["Parameters", short_count(cost.parameters), f"{cost.parameters:,} in all, {sizes}"],
        [
            "Time",
            duration(cost.seconds),
            f"for {cost.steps:,} steps, about {answer.epochs} epochs; {basis}",
        ],
        [
            "Memory needed",
            answer.memory,
            "weights, gradients, the optimizer's moments and activations",
        ],
        ["Compute", short_count(cost.flops, "kMGTPE"), FLOPS],
    ]
    said = "; ".join(f"{name}: {value}" for name, value, _ in rows)
    figure = ComparedRows(("cost", "estimate", "what it counts"), rows, (), [None] * 4, ("", ""))
    return Picture("costs", f"{title}\ncosts of training", figure, said, table)


def _schedule(title: str, answer: ForecastedTraining) -> Picture:
    train = answer.recipe.train
    steps, rates = answer.rates()
    heading = f"Learning rate · {train.schedule}"
    return Picture(
        "schedule",
        f"{title}\n{heading}",
        schedule(steps, rates, warmup=train.warmup_steps, title=heading),
        f"Learning rate by step: {train.schedule}, highest {max(rates):.3g}, last {rates[-1]:.3g}",
        Table(("step", "learning_rate"), [*map(list, zip(steps.tolist(), rates, strict=True))]),
        caption=RATES,
    )


def _expected(title: str, found: PredictionInterval) -> Picture:
    runs = ", ".join(
        f"{run.n_pairs:,} pairs with {run.preset} ({_last_bleu(run)})" for run in found.runs
    )
    columns = (found.minutes, found.lows, found.highs)
    heading = f"{title}\nexpected quality"
    return Picture(
        "expected quality",
        heading,
        expected_quality(*columns, title=heading),
        f"BLEU by minutes of training: from {found.low:.0f} to {found.high:.0f} at the end",
        Table(
            ("minutes", "bleu_low", "bleu_high"),
            [*map(list, zip(*(each.tolist() for each in columns), strict=True))],
        ),
        caption=f"{INTERVAL} Based on our runs on {runs}; the interval is {MARGIN:.0f} BLEU wider on each"
        f" side. {ALIKE}",
    )


def _last_bleu(run: MeasuredRun) -> str:
    """A measured run's last BLEU as text: `BLEU 23.1 after 4 min`."""
    last = next(point for point in reversed(run.points) if point.bleu is not None)
    return f"BLEU {last.bleu:.1f} after {last.minutes:.0f} min"
