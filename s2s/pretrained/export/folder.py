"""Writes an export as a whole folder, or nothing."""

from __future__ import annotations

from pathlib import Path

from s2s.config import ModelConfig, UserError, choose
from s2s.files import new_folder, write_text
from s2s.pretrained.export import ctranslate2_folder, transformers_folder
from s2s.pretrained.export.opened import TrainedModel
from s2s.pretrained.export.targets import TARGETS, Verdict, refused, verdicts
from s2s.pretrained.export.tokenizer_json import why_not
from s2s.pretrained.export.usage import usage_of
from s2s.tokenizers import Tokenizer

README = "README.md"
SCRIPT = "translate.py"


def verdicts_of(config: ModelConfig, src: Tokenizer, tgt: Tokenizer) -> dict[str, Verdict]:
    reason = why_not(src) or why_not(tgt)
    return refused(reason) if reason else verdicts(config, src.kind, is_shared=src is tgt)


def check(target: str, model: TrainedModel) -> Verdict:
    """The form that the model takes in a target. Raises UserError with the reason where it can take none."""
    choose("target", target, TARGETS)
    verdict = verdicts_of(model.config, model.src_tokenizer, model.tgt_tokenizer)[target]
    if not verdict.is_possible:
        raise UserError(f"This model cannot be exported to {TARGETS[target]}: {verdict.reason}")
    return verdict


def write(verdict: Verdict, model: TrainedModel, out: Path, card: str) -> None:
    """Write the folder `out`, in the form that `check` found, with `card` as its README.md and a script that uses it.

    Raises UserError where `out` has files or cannot be written, or a package is missing; then nothing is written.
    """
    with new_folder(out) as unfinished:
        _write_files(verdict, model, unfinished)
        write_text(unfinished / README, card)
        write_text(unfinished / SCRIPT, usage_of(verdict, model).script)


def _write_files(verdict: Verdict, model: TrainedModel, folder: Path) -> None:
    if verdict.form is not None:
        transformers_folder.write_files(model, verdict.form, folder)
    else:
        ctranslate2_folder.write_files(model, folder)
