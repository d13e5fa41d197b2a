"""A published checkpoint becomes a run, which every page and command opens like one that was trained here."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

from s2s.config import UserError, asker
from s2s.decode import STRATEGIES, configure, starting_settings
from s2s.files import new_folder, require_free
from s2s.jobs.training import command, run_limits
from s2s.model import save_tensors, weights_path
from s2s.pretrained import generation, open_checkpoint
from s2s.runs import LONGEST_NAME, RunFolder, clean_name
from s2s.sizing import count_parameters

UNNAMED = "imported model"
STEP = 0  # of the only checkpoint: none was taken here
NO_DATA: Mapping[str, Any] = MappingProxyType({"train_hash": "", "valid_hash": ""})


def import_folder(
    folder: Path,
    out: Path,
    *,
    src_lang: str = "",
    tgt_lang: str = "",
    owner: str = asker.LOCAL,
    name: str = "",
    origin: str = "",
    revision: str = "",
) -> RunFolder:
    """Write the checkpoint of a folder as a new run at `out`: all of it, or nothing.

    `name` is the run's, by default the folder's; `origin` and `revision` are those of a model that came from the Hub.

    Raises UserError for a checkpoint that cannot be opened, a folder that holds something, and a full disk.
    """
    require_free(out)
    found = open_checkpoint(folder, src_lang, tgt_lang)
    sizes = (found.src_tokenizer.vocab_size, found.tgt_tokenizer.vocab_size)
    run_limits.check_opened_parameters(count_parameters(found.recipe.model, *sizes))
    settings, left_out = accepted_settings(found.settings)
    languages = {"src_lang": src_lang, "tgt_lang": tgt_lang}
    imported = {"from": origin or str(folder.resolve()), "revision": revision, **languages}
    about = {
        "name": clean_name(name or folder.resolve().name)[:LONGEST_NAME] or UNNAMED,
        "owner": owner,
        "preset": "",
        "source": "",
        "valid": None,
        "data": {**NO_DATA, "notes": [*found.notes, *left_out]},
        "versions": {name: version(name) for name in ("torch", "tokenizers", "safetensors")},
        "machine": platform.machine(),
        "imported": {"family": found.family, **imported},
        "starting_settings": settings,
    }
    about["command"] = command.to_repeat(found.recipe, about)
    with new_folder(out) as temporary:
        run = RunFolder(temporary)
        run.create(found.recipe, about, (found.src_tokenizer, found.tgt_tokenizer))
        run.checkpoints.mkdir()
        save_tensors(found.tensors, weights_path(run.checkpoints, STEP))
        run.set_status("done", step=STEP, steps=STEP, best_step=STEP)
    return RunFolder(out)


def accepted_settings(settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The starting values that our strategies take, and a sentence on each that is left out."""
    accepted: dict[str, Any] = {}
    left_out = []
    for name, value in settings.items():
        more = generation.with_groups({**accepted, name: value})
        try:
            check_settings(more)
        except UserError as wrong:
            left_out.append(f"A generation setting is left out: {wrong}")
        else:
            accepted = more
    return accepted, left_out


def check_settings(settings: Mapping[str, Any]) -> None:
    """Raises UserError for starting values that no strategy takes."""
    for strategy in STRATEGIES:
        configure(strategy, starting_settings(strategy, settings))
