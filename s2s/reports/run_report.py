"""The report of a run: its model card, data, recipe, curves, scores, samples and attention, in one HTML file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from s2s import faults
from s2s.config import PRESETS, UserError, flat, shortened
from s2s.files import UnwrittenError, write_bytes
from s2s.jobs import Checkpoint, ValidationScores, run_archives, run_export, validation
from s2s.library import Library, guests, rights, sharing
from s2s.library.checkpoints import load
from s2s.reports import attention_figures, curve_figures, data_profile, document, evaluation_scores
from s2s.runs import Metrics, Run, differences, model_card
from s2s.scores import METRIC_NAMES
from s2s.words import FRACTIONS

MOST_SAMPLES = 12
VALIDATED = ("loss", "perplexity", "token_accuracy", "bleu", "chrf")
LICENSE = (
    "The license of this model is its owner's to choose; the licenses of the dataset, and of a checkpoint that it was"
    " initialized from, may restrict it."
)


def run_report(
    run: Run,
    *,
    link: str = "",
    compute: Callable[[Checkpoint], ValidationScores] = validation.compute,
    tell: Callable[[str], object] = lambda sentence: None,
) -> str:
    """The report of a run as one HTML file; `link` opens the run, or is empty.

    Raises UserError where this workspace may not download it.
    """
    rights.require("download", sharing.run_in(run.folder))
    about = run_export.public_about(run)
    scores = validation.for_card(run, compute, tell)
    said = model_card.read(about)
    name = faults.marked(str(about.get("name") or run.folder.id), run.recipe.train.fault)
    subtitle = f"A sequence-to-sequence transformer, {run_export.origin(run)}: step {run.step:,}"
    body = (
        document.header(f"Run report: {name}", subtitle, document.made_at(), link),
        document.section(
            "Model card",
            document.facts(run_export.facts(run, about, scores)),
            *map(document.paragraph, said.limits),
            *(
                document.table(model_card.COLUMNS, rows, title)
                for title, rows in said.tables().items()
            ),
            document.paragraph(LICENSE, "note"),
        ),
        document.section("Data", *data_profile.profile(run, about)),
        document.section("Recipe", *_recipe(run, about)),
        document.section(
            "Curves",
            *curve_figures.figures(
                Metrics(run.folder.path / "metrics.jsonl").read(),
                0.0 if about.get("imported") else run.recipe.train.label_smoothing,
            ),
        ),
        document.section(
            "Scores",
            *_validations(run, about),
            *evaluation_scores.evaluations({validation.run_reference(run), run.folder.id}),
        ),
        document.section("Samples", *_samples(run, about)),
        document.section("Attention", *attention_figures.figures(run)),
    )
    return document.page(f"Run report: {name}", "".join(body))


def download(run_id: str, link: str = "") -> bytes:
    """The report of a run's best checkpoint. Raises UserError for a run that may not be downloaded, or has none."""
    Library().run(run_id, "download")
    validation.wait_for_best(run_id)  # before others wait for this download
    with run_archives.ONE_AT_A_TIME:
        return run_report(load(run_id), link=link, compute=validation.stored_only).encode()


def write_report(
    run: Run,
    out: Path,
    *,
    compute: Callable[[Checkpoint], ValidationScores] = validation.compute,
    tell: Callable[[str], object] = lambda sentence: None,
) -> None:
    """Writes the report as a new file. Raises UserError where that cannot be."""
    if out.exists():
        raise UserError(
            f"`{shortened(out)}` exists already; give another name, or delete it first."
        )
    content = run_report(run, compute=compute, tell=tell).encode()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(out, content)
    except OSError as error:
        raise UnwrittenError(
            f"`{shortened(out)}` cannot be written ({error.strerror or error}); choose another folder or free some"
            " space."
        ) from error


def _recipe(run: Run, about: Mapping[str, Any]) -> Iterable[str]:
    preset = str(about.get("preset") or "")
    train = run.recipe.train
    yield document.facts(
        {
            "Preset": preset,
            "Seed": str(train.seed),
            "Steps": f"{train.steps:,}",
            "Device": train.device,
            "Threads": str(train.threads or ""),
            "Computer": str(about.get("machine") or ""),
        }
    )
    if preset in PRESETS:
        changed = differences.changed_settings(run.recipe, PRESETS[preset].recipe)
        rows = [(key, _setting(value)) for key, value in changed.items()]
        if rows:
            caption = f"Settings that differ from the preset {preset}"
            yield document.table(("setting", "value"), rows, caption)
        else:
            yield document.paragraph(f"All settings are those of the preset {preset}.")
    if command := str(about.get("command") or ""):
        yield document.paragraph("This command repeats the run in a terminal:")
        yield document.code(command)
    settings = [(key, _setting(value)) for key, value in flat(run.recipe).items()]
    yield document.folded("All settings", document.table(("setting", "value"), settings))
    yield document.folded(
        "The recipe as JSON",
        document.code(json.dumps(run.recipe.to_json(), indent=1, ensure_ascii=False)),
    )


def _setting(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _held_out(about: Mapping[str, Any], what: str) -> str:
    data = about.get("data")
    notes = data.get("notes", ()) if isinstance(data, Mapping) else ()
    is_held_out = not any(guests.NOTHING_HELD_OUT in str(note) for note in notes)
    return f"held-out {what}" if is_held_out else f"training {what} (nothing is held out)"


def _validations(run: Run, about: Mapping[str, Any]) -> Iterable[str]:
    rows = [row for row in run.folder.lines("metrics") if row.get("kind") == "valid"]
    keys = [key for key in VALIDATED if any(_is_number(row.get(key)) for row in rows)]
    names = [METRIC_NAMES[key] for key in keys]
    head = [f"{name.label} ({name.unit})" if name.unit else name.label for name in names]
    lines = [
        [f"{row['step']:,}{' ★' * (row['step'] == run.step)}", *(_value(row, key) for key in keys)]
        for row in rows
        if isinstance(row.get("step"), int)
    ]
    pairs = _held_out(about, "pairs")
    caption = f"Validations during training, on {pairs}. ★: the checkpoint of this report."
    yield document.table(["step", *head], lines, caption)
    if not lines:
        yield document.paragraph("This run was never validated.")


def _value(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if value is None or not _is_number(value):
        return "–"
    return f"{100 * value:.2f}" if key in FRACTIONS else f"{value:.4g}"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _samples(run: Run, about: Mapping[str, Any]) -> Iterable[str]:
    lines = [line for line in run.folder.lines("samples") if isinstance(line.get("step"), int)]
    if not lines:
        yield document.paragraph("Training translated no sample sentences.")
        return
    newest = max(line["step"] for line in lines)
    rows = [
        [str(line.get(key) or "") for key in ("source", "reference", "text")]
        for line in lines
        if line["step"] == newest
    ]
    caption = f"Greedy translations of {_held_out(about, 'sentences')} at step {newest:,}."
    yield document.table(("source", "reference", "translation"), rows[:MOST_SAMPLES], caption)
