"""The curves of a run's training."""

from __future__ import annotations

from collections.abc import Iterable

from s2s import plots
from s2s.plots import Curve, CurveOptions, svg_curves
from s2s.reports import document
from s2s.runs import Curves
from s2s.scores import METRIC_NAMES
from s2s.words import smoothing_note

SMOOTHING = 0.6  # of the loss per batch, as a running average
CURVES = (  # name of METRIC_NAMES, fields of `Curves` with steps and values, what a logged 1 is drawn as
    ("token_accuracy", "valid_steps", "valid_token_accuracy", 100.0),
    ("bleu", "valid_steps", "valid_bleu", 1.0),
    ("chrf", "valid_steps", "valid_chrf", 1.0),
    ("lr", "steps", "rates", 1.0),
)
NAMES = tuple(row[0] for row in CURVES)


def figures(found: Curves, label_smoothing: float) -> Iterable[str]:
    """Figures of training and validation loss, then of each score that was measured more than once."""
    yield loss(found, label_smoothing)
    for name in NAMES:
        yield from metric(found, name)


def loss(found: Curves, label_smoothing: float, about: str = "") -> str:
    """The figure of training and validation loss; the caption begins with `about`."""
    drawn = (
        Curve("training", found.steps, found.loss),
        Curve("validation", found.valid_steps, found.valid_loss, is_held_out=True),
    )
    options = CurveOptions(smoothing=SMOOTHING)
    svg = svg_curves.curves(drawn, title="Loss", y_label="loss (nats per token)", options=options)
    smoothed = f"Training loss is smoothed: a running average of weight {SMOOTHING:g}."
    said = [plots.PLOTS["curves"].caption, smoothed, smoothing_note([label_smoothing])]
    return document.figure(svg, f"{about}{' '.join(filter(None, said))}")


def metric(found: Curves, name: str, about: str = "") -> Iterable[str]:
    """The figure of one metric in NAMES, if it was measured more than once."""
    (row,) = [row for row in CURVES if row[0] == name]
    key, steps, values, scale = row
    said = METRIC_NAMES[key]
    label = f"{said.label} ({said.unit})" if said.unit else said.label
    curve = Curve(
        said.label,
        getattr(found, steps),
        getattr(found, values) * scale,
        is_held_out=steps == "valid_steps",
    )
    if len(plots.curve_points(curve, CurveOptions()).steps) > 1:
        svg = svg_curves.curves([curve], title=said.label, y_label=label)
        yield document.figure(svg, f"{about}{said.help}")
