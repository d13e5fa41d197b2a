"""A run's checkpoint as a folder for other tools, with a card that says what it was trained on and how well."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from s2s import access, archives, faults, settings
from s2s.config import UserError
from s2s.data import saved_datasets
from s2s.jobs.run_archives import MAX_DOWNLOAD, ONE_AT_A_TIME
from s2s.model import trained_tensors
from s2s.pretrained import export
from s2s.pretrained.export import TrainedModel, Verdict
from s2s.runs import Run, RunFolder, guests, load, model_card
from s2s.sizing import count_parameters
from s2s.tokenizers import PretrainedTokenizer

CTRANSLATE2 = "ctranslate2"
CAPITALS = "s2s reads a text in capitals in ordinary case; an exported tokenizer reads it as it is"
SCORES = ("loss", "perplexity", "token_accuracy", "bleu", "chrf")


def export_run(run: Run, target: str, out: str | Path) -> Verdict:
    """Write a new folder for a target of `export.TARGETS`. Returns the form that the model takes there.

    Raises UserError where the target cannot express the model, `out` has files, or this workspace may not download
    the run.
    """
    access.require("download", access.run_in(run.folder.path))
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
    about = guests.about_run(run.folder.about(), run.folder.path)
    name = faults.marked(str(about.get("name") or run.folder.id), fault)
    said = model_card.read(about)
    card = export.card(
        verdict,
        model,
        name,
        origin=origin(run),
        facts=facts(run, about),
        recipe=run.recipe.to_json(),
        limits=said.limits,
        outputs={title: [model_card.COLUMNS, *rows] for title, rows in said.tables().items()},
    )
    export.write(verdict, model, Path(out), card)
    return verdict


def offers(run_id: str) -> dict[str, Verdict]:
    """For each target, the form in which a page can hand a run over, or why it cannot.

    Raises UserError where this request may not download the run, or its files cannot be read.
    """
    folder = RunFolder(access.run_folder(run_id, "download"))
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


def download(run_id: str, target: str, name: str) -> bytes:
    """The folder of a run's best checkpoint as a zip, in which it is called `name`.

    Raises UserError for what `offers` does not offer, and as `offers` does.
    """
    if why := offers(run_id)[target].reason:
        raise UserError(f"This run is not handed over: {why}")
    out = io.BytesIO()
    with ONE_AT_A_TIME, tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "folder"  # the name may be too long for a file system
        export_run(load(run_id), target, folder)
        with zipfile.ZipFile(out, "w") as archive:
            for path in sorted(folder.iterdir()):
                archives.add(archive, f"{name}/{path.name}", path)
    return out.getvalue()


def too_large(n_bytes: int) -> str:
    """Why a page cannot hand over a folder of that size; empty where it can."""
    if n_bytes <= MAX_DOWNLOAD:
        return ""
    instead = "" if settings.is_hosted() else " `python -m s2s export` writes it."
    return (
        f"it has {n_bytes / 1e6:,.0f} MB, more than the {MAX_DOWNLOAD / 1e6:,.0f} MB that a page hands over."
        f"{instead}"
    )


def _longest(run: Run) -> int:
    """Where a translation ends at the latest, in tokens."""
    longest: int = run.starting_settings.get("max_new_tokens", run.recipe.data.max_length)
    return longest


def origin(run: Run) -> str:
    """In a few words, where the weights come from."""
    if not isinstance(run.src_tokenizer, PretrainedTokenizer):
        return "trained from scratch with s2s"
    verb = "fine-tuned" if run.step else "opened"
    return f"{verb} with s2s from a published checkpoint"


def facts(run: Run, about: Mapping[str, Any]) -> dict[str, str]:
    """What a model card says of a run; `about` is its recipe.json, as this request may see it."""
    data = about.get("data")
    counts: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    versions = about.get("versions")
    recipe = run.recipe
    return {
        "Dataset": saved_datasets.name_of(str(about.get("source") or "")),
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
        "Validation": _scores(run),
        "Trained": str(about.get("created") or "")[:10],
        "Attribution": model_card.read(about).attribution,
        "Versions": ", ".join(f"{name} {version}" for name, version in versions.items())
        if isinstance(versions, Mapping)
        else "",
    }


def _fault(name: str) -> str:
    """`No positions. No positional encoding is added.`; empty for none."""
    fault = faults.fault_of(name)
    return f"{fault.title}. {fault.cause}" if fault else ""


def _scores(run: Run) -> str:
    """What the validation of this checkpoint measured: `loss 0.068, bleu 41.2`."""
    rows = [row for row in run.folder.lines("metrics") if row.get("step") == run.step]
    scores = {
        key: value for row in rows if row.get("kind") == "valid" for key, value in row.items()
    }
    known = {key: scores[key] for key in SCORES if isinstance(scores.get(key), (int, float))}
    return ", ".join(f"{key.replace('_', ' ')} {value:.4g}" for key, value in known.items())


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else ""
