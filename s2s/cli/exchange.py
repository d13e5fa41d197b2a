"""The commands that take runs elsewhere and back: `export`, `report` and `import`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from s2s.cli.decoding import open_run
from s2s.config import UserError, choose, shortened

if TYPE_CHECKING:  # torch takes seconds to import; --help and mistakes should not
    from s2s.jobs import Checkpoint, ValidationScores
    from s2s.runs import RunFolder

WHOLE_RUN = "run"  # the target that is no library


def export(arguments: argparse.Namespace) -> None:
    """Write a run as a folder that other libraries load, or whole as a zip."""
    from s2s.jobs import run_archives, run_export
    from s2s.library.checkpoints import find_checkpoint
    from s2s.pretrained.export import TARGETS

    choose("target", arguments.to, {WHOLE_RUN: "", **TARGETS})
    if arguments.to != WHOLE_RUN:
        run = open_run(arguments.run, arguments.checkpoint)
        verdict = run_export.export_run(
            run, arguments.to, arguments.out, compute=_validated, tell=_tell
        )
        print(f"{arguments.out}: step {run.step:,} for {verdict.label}; see its README.md.")
        return
    named = find_checkpoint(arguments.run, arguments.checkpoint, "download")
    if arguments.checkpoint or named.run != arguments.run:
        raise UserError("`--to run` writes all checkpoints; name none.")
    run_archives.export(arguments.run, Path(arguments.out))
    print(f"The run is in {arguments.out}")


def report(arguments: argparse.Namespace) -> None:
    """Write a run's model card, data, recipe, curves, scores, samples and attention as one HTML file."""
    if find_spec("plotly") is None:
        raise UserError(
            "The report needs plotly for its pictures, which this environment lacks; in the project's folder, run:"
            ' pip install ".[app]"'
        )
    from s2s import reports

    run = open_run(arguments.run, arguments.checkpoint)
    reports.write_report(run, Path(arguments.out), compute=_validated, tell=_tell)
    print(f"The report of step {run.step:,} is in {arguments.out}")


def _validated(run: Checkpoint) -> ValidationScores:
    from s2s.jobs import validation

    _tell(f"Scoring all validation pairs, once: about {max(1, round(validation.seconds(run)))} s.")
    return validation.compute(run, _show_sentences)


def _show_sentences(done: int, n: int) -> None:
    if sys.stderr.isatty() and n:
        end = "\n" if done == n else ""
        print(f"\r{done:,} of {n:,} pairs", end=end, file=sys.stderr, flush=True)


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def import_(arguments: argparse.Namespace) -> None:
    """Open a published model as a run, from the Hugging Face Hub or a folder; or a run from the zip that `export --to
    run` wrote.
    """
    from s2s.config import asker
    from s2s.jobs import run_archives
    from s2s.library import Library

    path = Path(arguments.name)
    if path.is_dir():
        if arguments.revision:
            raise UserError("A folder has no revisions; leave out --revision.")
        _import_checkpoint(path, arguments)
        return
    if not path.is_file() and not _is_path(arguments.name):
        _import_from_hub(arguments)
        return
    if not path.is_file():
        raise UserError(
            f"There is no file or folder `{shortened(path)}`; give the name of a model on the Hub, the folder of a"
            " Hugging Face checkpoint, or the zip of a run, as `export --to run` writes it."
        )
    if arguments.src_lang or arguments.tgt_lang or arguments.revision:
        raise UserError(
            "A run knows its languages and its revision; leave out --src-lang, --tgt-lang and --revision."
        )
    if arguments.out:
        with path.open("rb") as raw:
            folder = run_archives.open_at(raw, path.name, Path(arguments.out)).path
    else:
        folder = Library().run(run_archives.bring_in(path, path.name, asker.LOCAL)).path
    print(f"The run is in {folder}")


def _is_path(name: str) -> bool:
    return name.endswith(".zip") or name.startswith((".", "~")) or Path(name).is_absolute()


def _import_checkpoint(path: Path, arguments: argparse.Namespace) -> None:
    from s2s.jobs import model_import

    folder = model_import.import_folder(
        path, _out(arguments), src_lang=arguments.src_lang, tgt_lang=arguments.tgt_lang
    )
    _say_opened(folder)


def _import_from_hub(arguments: argparse.Namespace) -> None:
    from s2s import hub
    from s2s.files import require_free
    from s2s.jobs import fetching, import_forecasts, model_import

    out = _out(arguments)
    require_free(out)
    token = os.environ.get("HF_TOKEN", "")
    model = hub.preflight_model(arguments.name, token, revision=arguments.revision)
    found = import_forecasts.forecast(model.config, model.size)
    import_forecasts.check(found)
    license_ = shortened("".join(filter(str.isprintable, model.license))) or "none stated"
    said = f"{model.id}: {found.parameters:,} parameters, {_megabytes(model.size)} to download"
    print(f"{said}, license: {license_}", file=sys.stderr)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        downloads = tempfile.TemporaryDirectory(prefix=".import-", dir=out.parent)
    except OSError as error:
        raise UserError(
            f"`{shortened(out)}` cannot be written ({error.strerror}); choose another folder."
        ) from error
    languages = {"src_lang": arguments.src_lang, "tgt_lang": arguments.tgt_lang}
    with downloads as temporary:
        for n_bytes in fetching.fetch(model, Path(temporary), *languages.values(), token=token):
            _show(n_bytes, model.size)
        folder = model_import.import_folder(
            Path(temporary) / "files",
            out,
            **languages,
            name=model.id,
            origin=model.id,
            revision=model.sha,
        )
    _say_opened(folder)


def _say_opened(folder: RunFolder) -> None:
    for note in folder.about()["data"]["notes"]:
        print(note, file=sys.stderr)
    print(f"The run is in {folder.path}")


def _show(n_bytes: int, n_all: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if n_bytes == n_all else ""
        text = f"\r{_megabytes(n_bytes)} of {_megabytes(n_all)}"
        print(text, end=end, file=sys.stderr, flush=True)


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB"


def _out(arguments: argparse.Namespace) -> Path:
    from s2s.runs import runs_folder
    from s2s.settings import new_id

    return Path(arguments.out) if arguments.out else runs_folder() / new_id()
