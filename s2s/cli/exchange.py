"""The commands that take runs elsewhere and back: `export` and `import`."""

from __future__ import annotations

import argparse
from pathlib import Path

from s2s.cli.decoding import open_run
from s2s.config import UserError, choose, shortened

WHOLE_RUN = "run"  # the target that is no library


def export(arguments: argparse.Namespace) -> None:
    """Write a run as a folder that other libraries load, or whole as a zip."""
    from s2s.jobs import run_archives, run_export
    from s2s.pretrained.export import TARGETS

    choose("target", arguments.to, {WHOLE_RUN: "", **TARGETS})
    if arguments.to != WHOLE_RUN:
        run = open_run(arguments.run, arguments.checkpoint)
        verdict = run_export.export_run(run, arguments.to, arguments.out)
        print(f"{arguments.out}: step {run.step:,} for {verdict.label}; see its README.md.")
        return
    if arguments.checkpoint != "best":
        raise UserError("`--to run` writes all checkpoints; leave out --checkpoint.")
    run_archives.export(arguments.run, Path(arguments.out))
    print(f"The run is in {arguments.out}")


def import_(arguments: argparse.Namespace) -> None:
    """Open the folder of a Hugging Face checkpoint as a run, or a run from the zip that `export --to run` wrote."""
    from s2s.access import LOCAL
    from s2s.jobs import run_archives
    from s2s.runs import runs_folder

    path = Path(arguments.name)
    if path.is_dir():
        _import_checkpoint(path, arguments)
        return
    if not path.is_file():
        raise UserError(
            f"There is no file or folder `{shortened(path)}`; give the folder of a Hugging Face checkpoint, or the zip"
            " of a run, as `export --to run` writes it."
        )
    if arguments.src_lang or arguments.tgt_lang:
        raise UserError("A run knows its languages; leave out --src-lang and --tgt-lang.")
    with path.open("rb") as raw:
        if arguments.out:
            folder = run_archives.open_at(raw, path.name, Path(arguments.out)).path
        else:
            folder = runs_folder() / run_archives.bring_in(raw, path.name, LOCAL)
    print(f"The run is in {folder}")


def _import_checkpoint(path: Path, arguments: argparse.Namespace) -> None:
    from s2s.jobs import model_import
    from s2s.runs import runs_folder
    from s2s.settings import new_id

    folder = model_import.import_folder(
        path,
        Path(arguments.out) if arguments.out else runs_folder() / new_id(),
        src_lang=arguments.src_lang,
        tgt_lang=arguments.tgt_lang,
    )
    print(f"The run is in {folder.path}")
