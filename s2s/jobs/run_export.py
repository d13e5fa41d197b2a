"""A run's checkpoint as a folder for other tools, with a card that says what it was trained on and how well."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from s2s import access
from s2s.model import trained_tensors
from s2s.pretrained import export
from s2s.pretrained.export import TrainedModel, Verdict
from s2s.runs import Run, guests

SCORES = ("loss", "perplexity", "token_accuracy", "bleu", "chrf")


def export_run(run: Run, target: str, out: str | Path) -> Verdict:
    """Write a new folder for a target of `export.TARGETS`. Returns the form that the model takes there.

    Raises UserError where the target cannot express the model, `out` has files, or this workspace may not download
    the run.
    """
    access.require("download", access.run_in(run.folder.path))
    model = TrainedModel(
        run.recipe.model,
        trained_tensors(run.model),
        run.src_tokenizer,
        run.tgt_tokenizer,
        run.recipe.data.max_length,
    )
    verdict = export.check(target, model)
    about = guests.about_run(run.folder.about(), run.folder.path)
    name = str(about.get("name") or run.folder.id)
    card = export.card(verdict, name, _facts(run, about), run.recipe.to_json())
    export.write(verdict, model, Path(out), card)
    return verdict


def _facts(run: Run, about: Mapping[str, Any]) -> dict[str, str]:
    data = about.get("data")
    counts: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    versions = about.get("versions")
    recipe = run.recipe
    return {
        "Dataset": str(about.get("source") or ""),
        "Training pairs": _number(counts.get("n_train")),
        "Task": recipe.data.task,
        "Source prefix": recipe.data.prefix,
        "Preset": str(about.get("preset") or ""),
        "Parameters": _number(run.n_parameters),
        "Tokenizer": f"{recipe.tokenizer.kind}, {run.src_tokenizer.vocab_size:,} tokens"
        f" (target: {run.tgt_tokenizer.vocab_size:,})",
        "Longest translation": f"{recipe.data.max_length:,} tokens",
        "Checkpoint": f"step {run.step:,}",
        "Validation": _scores(run),
        "Trained": str(about.get("created") or "")[:10],
        "Versions": ", ".join(f"{name} {version}" for name, version in versions.items())
        if isinstance(versions, Mapping)
        else "",
    }


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
