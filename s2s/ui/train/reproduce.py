"""The code that recomputes the forecast of Train, and reads the curves that it shows."""

from __future__ import annotations

from s2s.ui.kit import cached, reproduce
from s2s.ui.train.command import command
from s2s.ui.train.forecast import DEVICE, SCHEDULE_POINTS
from s2s.ui.train.recipe_form import RunRequest

ABOUT = (
    "The command trains with this recipe; the Python recomputes its forecast, for this computer, and reads what the run"
    " above has logged."
)


def show(request: RunRequest, run_id: str) -> None:
    """The folded section; none for a recipe that cannot be trained."""
    if not request.wrong:
        reproduce.section(ABOUT, lambda: (command(request), python(request, run_id)))


def python(request: RunRequest, run_id: str) -> str:
    """Its `cost` and `expected` are the forecast, its `curves` are what the shown run has logged."""
    jobs = {"calibrate", "forecast"}
    train = {"learning_rate"}
    preset = reproduce.quoted("" if request.init_from else request.preset)
    planned, sizes = "recipe", ""
    left, start, expected = [], [], []
    if request.recipe.train.minutes is not None or not request.init_from:
        left = ["left = preview.within(recipe.data.clean.max_words)"]
    if request.recipe.train.minutes is not None:
        jobs.add("within_minutes")
        train.add("free_memory")
        planned = "planned"
        left += [
            f"speed, free = calibrate({DEVICE!r}), free_memory({DEVICE!r})",
            f"planned = within_minutes(recipe, {preset}, left, speed, free=free)",
        ]
    if request.init_from:
        jobs.add("initialization")
        origin = reproduce.quoted(request.init_from)
        start = [
            f"start = initialization.parse_checkpoint({origin}).tokenizers()",
            "sizes = (start[0].vocab_size, start[1].vocab_size)",
        ]
        sizes = ", sizes=sizes"
    else:
        jobs.add("predict_quality")
        expected = [
            f"expected = predict_quality(recipe, {preset}, left, cost)  # None where unknown",
            "print(expected)",
        ]
    line = reproduce.recipe_line(request.preset, request.recipe)
    lines = [
        "import numpy as np",
        "",
        "import s2s",
        "from s2s.library import Library",
        *(["from s2s.config import override"] if "override(" in line else []),
        "from s2s.data import load_preview",
        reproduce.imported("s2s.jobs", jobs),
        "from s2s.runs import Metrics",
        reproduce.imported("s2s.training", train),
        "",
        line,
        f"preview = load_preview({reproduce.quoted(request.source)})",
        *left,
        *start,
        f"cost = forecast({planned}, preview, calibrate({DEVICE!r}){sizes})",
        *expected,
        f"train = {planned}.train",
        f"steps = np.linspace(1, train.steps, {SCHEDULE_POINTS}).round().astype(int)",
        "steps = np.union1d(steps, [train.warmup_steps or 1])",
        "steps = steps[steps <= train.steps]",
        "rates = [learning_rate(int(step), train) for step in steps]",
    ]
    return "\n".join([*lines, *_curves(run_id), "print(cost)"])


def _curves(run_id: str) -> list[str]:
    """What the shown run has logged; none before its first step."""
    if not len(cached.curves(run_id).steps):
        return []
    run = reproduce.quoted(run_id)
    return [
        f'curves = Metrics(Library().run({run}).path / "metrics.jsonl").read()',
        'names = ("loss", "perplexity", "token_accuracy", "bleu", "chrf", "memory")',
        'logged = [getattr(curves, f"valid_{name}") for name in names]',
        "newest = [each[~np.isnan(each)][-1:] for each in (curves.loss, *logged)]",
        "print(newest)",
    ]
