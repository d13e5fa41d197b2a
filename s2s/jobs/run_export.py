"""A run's checkpoint as a folder for other tools, with a card that says what it was trained on and how well."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from s2s import faults
from s2s.config import Recipe, UserError, asker, override
from s2s.data import TASKS, task_of
from s2s.data import load as load_dataset
from s2s.files import archives, require_free
from s2s.jobs.evaluation import validation
from s2s.jobs.evaluation.provenance import Checkpoint
from s2s.jobs.evaluation.validation import ValidationScores
from s2s.jobs.run_archives import MAX_DOWNLOAD, ONE_AT_A_TIME
from s2s.library import Library, guests, rights, sharing
from s2s.library.checkpoints import load
from s2s.model import trained_tensors
from s2s.pretrained import export
from s2s.pretrained.export import TrainedModel, Verdict
from s2s.runs import Run, model_card, portable
from s2s.runs.portable import dataset_name
from s2s.scores import METRIC_NAMES
from s2s.sizing import count_parameters
from s2s.tokenizers import PretrainedTokenizer

CTRANSLATE2 = "ctranslate2"
CAPITALS = "s2s reads a text in capitals in ordinary case; an exported tokenizer reads it as it is"
# What validations while training measure: of all pairs, and of a sample.
FORCED = ("loss", "perplexity", "token_accuracy")
SAMPLED = ("bleu", "chrf")
MAIN = ("bleu", "chrf", "ter", "exact_match", "perplexity")  # in the card's summary


def export_run(
    run: Run,
    target: str,
    out: str | Path,
    *,
    compute: Callable[[Checkpoint], ValidationScores] = validation.compute,
    tell: Callable[[str], object] = lambda sentence: None,
) -> Verdict:
    """Write a new folder for a target of `export.TARGETS`. Returns the form that the model takes there.

    `compute` scores the validation pairs for the card, unless they are scored already or that takes too long, which
    `tell` is told.

    Raises UserError where the target cannot express the model, `out` has files, or this workspace may not download
    the run.
    """
    rights.require("download", sharing.run_in(run.folder))
    fault = run.recipe.train.fault
    if why := faults.why_not_exported(fault):
        raise UserError(f"This run is not exported: {why}")
    model = TrainedModel(
        run.recipe.model,
        trained_tensors(run.model),
        run.src_tokenizer,
        run.tgt_tokenizer,
        _longest(run),
    )
    verdict = export.check(target, model)
    require_free(Path(out))
    about = public_about(run)
    scores = validation.for_card(run, compute, tell)
    name = faults.marked(str(about.get("name") or run.folder.id), fault)
    said = model_card.read(about)
    card = export.card(
        verdict,
        model,
        name,
        origin=origin(run),
        facts=facts(run, about, scores),
        recipe=resolved(run).to_json(),
        limits=said.limits,
        outputs=_scored(scores)
        | {title: [model_card.COLUMNS, *rows] for title, rows in said.tables().items()},
    )
    export.write(verdict, model, Path(out), card)
    return verdict


def offers(run_id: str) -> dict[str, Verdict]:
    """For each target, the form in which a page can hand a run over, or why it cannot.

    Raises UserError where this request may not download the run, or its files cannot be read.
    """
    folder = Library().run(run_id, "download")
    recipe = folder.recipe()
    src, tgt = folder.tokenizers()
    found = export.verdicts_of(recipe.model, src, tgt)
    n_bytes = 4 * count_parameters(recipe.model, src.vocab_size, tgt.vocab_size)
    broken = faults.why_not_exported(recipe.train.fault)
    reason = too_large(n_bytes)
    missing = {CTRANSLATE2: export.missing_package()}
    return {
        target: replace(
            verdict, reason=broken or verdict.reason or reason or missing.get(target, "")
        )
        for target, verdict in found.items()
    }


def scores_note(run_id: str) -> str:
    """One sentence on what the card's scores are of, and how long they take. Raises UserError as `offers` does."""
    folder = Library().run(run_id, "download")
    return validation.note(validation.BestCheckpoint(folder, folder.best_or_newest_step()))


def download(run_id: str, target: str, name: str) -> bytes:
    """The folder of a run's best checkpoint as a zip, in which it is called `name`.

    Raises UserError for what `offers` does not offer, and as `offers` does.
    """
    if why := offers(run_id)[target].reason:
        raise UserError(f"This run is not handed over: {why}")
    validation.wait_for_best(run_id)  # before others wait for this download
    out = io.BytesIO()
    with ONE_AT_A_TIME, tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "folder"  # the name may be too long for a file system
        export_run(load(run_id), target, folder, compute=validation.stored_only)
        with zipfile.ZipFile(out, "w") as archive:
            for path in sorted(folder.iterdir()):
                archives.add(archive, f"{name}/{path.name}", path)
    return out.getvalue()


def too_large(n_bytes: int) -> str:
    """Why a page cannot hand over a folder of that size; empty where it can."""
    if n_bytes <= MAX_DOWNLOAD:
        return ""
    instead = "" if asker.is_hosted() else " `python -m s2s export` writes it."
    return (
        f"it has {n_bytes / 1e6:,.0f} MB, more than the {MAX_DOWNLOAD / 1e6:,.0f} MB that a page hands over."
        f"{instead}"
    )


def _longest(run: Run) -> int:
    longest: int = run.starting_settings.get("max_new_tokens", run.recipe.data.max_length)
    return longest


def origin(run: Run) -> str:
    """Where the weights of a run come from, in a few words."""
    if not isinstance(run.src_tokenizer, PretrainedTokenizer):
        return "trained from scratch with s2s"
    verb = "fine-tuned" if run.step else "opened"
    return f"{verb} with s2s from a published checkpoint"


def public_about(run: Run) -> dict[str, Any]:
    """The recipe.json of a run, as this request may see it and as it leaves this computer."""
    return portable.about_run(guests.about_run(run.folder))


def resolved(run: Run) -> Recipe:
    """The recipe with the task that training found for the dataset, and the prefix that this task has by itself."""
    data = run.recipe.data
    task = _task(run)
    if task not in TASKS:
        return run.recipe
    return override(
        run.recipe, {"data.task": task, "data.prefix": data.prefix or TASKS[task].prefix}
    )


def _task(run: Run) -> str:
    """What the task auto was; recipes of earlier versions do not say it, and their dataset may be gone."""
    about = run.folder.about()
    data, spec = about.get("data"), str(about.get("source") or "")
    known = data.get("task") if isinstance(data, Mapping) else None
    if known or run.recipe.data.task != "auto":
        return str(known or run.recipe.data.task)
    if not spec or spec.startswith("hub:"):  # which would be downloaded
        return ""
    try:
        with sharing.reading_data_of(run.folder):
            return task_of(load_dataset(spec), run.recipe.data)
    except UserError:
        return ""


def _scored(scores: ValidationScores | None) -> dict[str, list[Sequence[str]]]:
    if scores is None:
        return {}
    title = f"Scores of {scores.described}"
    return {title: [validation.HEAD, *validation.rows(scores.scores)]}


def facts(
    run: Run, about: Mapping[str, Any], scores: ValidationScores | None = None
) -> dict[str, str]:
    """What a model card says of a run; `about` is its recipe.json, as `public_about` gives it. Without `scores`, it
    says what training measured.
    """
    data = about.get("data")
    counts: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    versions = about.get("versions")
    recipe = resolved(run)
    return {
        "Dataset": dataset_name(str(about.get("source") or "")),
        "Training pairs": _number(counts.get("n_train")),
        "Task": recipe.data.task,
        "Source prefix": recipe.data.prefix,
        "Preset": str(about.get("preset") or ""),
        "Parameters": _number(run.n_parameters),
        "Tokenizer": f"{recipe.tokenizer.kind}, {run.src_tokenizer.vocab_size:,} tokens"
        f" (target: {run.tgt_tokenizer.vocab_size:,})",
        "Capitals": CAPITALS if run.src_tokenizer.to_json().get("lowers_capitals") else "",
        "Longest translation": f"{_longest(run):,} tokens",
        "Deliberate fault": _fault(recipe.train.fault),
        "Checkpoint": f"step {run.step:,}",
        "Validation": _summary(scores) if scores else _while_training(run, counts),
        "Trained": str(about.get("created") or "")[:10],
        "Attribution": model_card.read(about).attribution,
        "Versions": ", ".join(f"{name} {version}" for name, version in versions.items())
        if isinstance(versions, Mapping)
        else "",
    }


def _fault(name: str) -> str:
    """A fault's title and cause: `No positions. No positional encoding is added.`; empty for none."""
    fault = faults.fault_of(name)
    return f"{fault.title}. {fault.cause}" if fault else ""


def _summary(scores: ValidationScores) -> str:
    """The main scores as text, without signatures: `all 500 validation pairs, beam (...): BLEU 98.31, chrF ...`."""
    main = {METRIC_NAMES[key].label for key in MAIN}
    values = (
        f"{label} {value}" for label, value, *_ in validation.rows(scores.scores) if label in main
    )
    return f"{scores.described}: {', '.join(values)}"


def _while_training(run: Run, counts: Mapping[str, Any]) -> str:
    """What training measured of this checkpoint, and of how many pairs; empty where it did not."""
    rows = [row for row in run.folder.lines("metrics") if row.get("step") == run.step]
    scores = {
        key: value for row in rows if row.get("kind") == "valid" for key, value in row.items()
    }
    n = counts.get("n_valid")
    n_all = f"all {n:,}" if isinstance(n, int) else "all"
    n_scored = run.recipe.train.watch.scores
    some = f"{min(n, n_scored) if isinstance(n, int) else n_scored:,} of {n_all[4:] or 'them'}"
    parts = (
        (FORCED, f"of {n_all} validation pairs"),
        (SAMPLED, f"of {some}, greedy"),
    )
    said = [
        f"{', '.join(known)} ({which})"
        for keys, which in parts
        if (
            known := [
                f"{key.replace('_', ' ')} {scores[key]:.4g}"
                for key in keys
                if isinstance(scores.get(key), (int, float))
            ]
        )
    ]
    return f"while training: {', '.join(said)}" if said else ""


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else ""
