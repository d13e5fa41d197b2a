"""The command `sweep`: a run for each combination of a few settings and seeds, and their mean and spread."""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from s2s.cli.training import (
    StoppedError,
    naming_options,
    recipe_changes,
    run_request,
    show,
    world_size,
)
from s2s.config import Recipe, UserError, flat, keys, shortened, unknown

if TYPE_CHECKING:  # torch takes seconds to import; --help and mistakes should not
    from s2s.jobs import RunRequest
    from s2s.jobs.training import PreparedRun

SEED = "train.seed"
REQUEST = "sweep.json"  # in the folder of a sweep: what all its runs have in common
LONGEST_FOLDER = 100  # characters


def sweep(arguments: argparse.Namespace) -> None:
    """Train a run for each combination of settings and seeds; print mean and standard deviation over the seeds."""
    if (n := world_size()) != 1:
        raise UserError(
            f"`sweep` trains in one process, and torchrun has started {n}; start it without torchrun."
        )
    texts = _texts(arguments.vary)
    if not texts and arguments.seeds is None:
        raise UserError(
            "`sweep` needs settings with their values, such as --vary train.lr=0.001,0.003, or --seeds N."
        )
    out = Path(arguments.out)
    request = run_request(arguments, recipe_changes(arguments), out.name)
    from s2s.jobs import sweep as sweeps

    choices = {key: sweeps.values(request.recipe, key, text) for key, text in texts.items()}
    if arguments.seeds is not None:
        choices[SEED] = _seeds(request.recipe, arguments.seeds, choices)
    orders = sweeps.grid(request, choices, out.name)
    folders = _folders(out, choices)
    _check_unchanged(out, request)
    for folder, order in zip(folders, orders, strict=True):
        _check_run(folder, order)
    for number, (folder, order) in enumerate(zip(folders, orders, strict=True), 1):
        print(f"Run {number} of {len(orders)}: {folder.name}")
        try:
            started = _prepared(order, folder)
            _write_request(out, request)  # before the first update: the run may be stopped
            if started:
                with naming_options():
                    show(started, None)
            else:
                print("It has been trained already.")
        except StoppedError as stopped:
            raise UserError(
                "Stopped, and what was trained is saved; the same command continues the sweep."
            ) from stopped
    _print_spread(folders)


def _texts(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    known = [*keys(Recipe), *Recipe.shorthands()]
    for one in given:
        key, equals, text = one.partition("=")
        key = key.strip()
        if not equals or not key:
            raise UserError(
                f"`--vary {shortened(one)}` has no setting and values; write it as train.lr=0.001,0.003."
            )
        if key not in known:
            raise unknown("setting", key, known)
        if key in found:
            raise UserError(f"`--vary` has `{key}` twice; give all its values at once.")
        found[key] = text
    return found


def _seeds(recipe: Recipe, n: int, choices: Mapping[str, Any]) -> list[int]:
    from s2s.jobs.sweep import MOST

    if not 0 < n <= MOST:
        raise UserError(f"`--seeds` {n} is not a number of seeds; give 1 to {MOST}.")
    if SEED in choices:
        raise UserError(f"`--vary {SEED}` and `--seeds` both choose the seeds; leave one out.")
    first = int(flat(recipe)[SEED])
    return list(range(first, first + n))


def _folders(out: Path, choices: Mapping[str, Sequence[Any]]) -> list[Path]:
    """A folder per run, named after its settings, so that more values leave those before as they are."""
    found = []
    for values in itertools.product(*choices.values()):
        settings = ",".join(
            f"{key}={value if isinstance(value, str) else json.dumps(value)}"
            for key, value in zip(choices, values, strict=True)
        )
        name = re.sub(r"[^\w.,=+-]", "_", settings)
        if len(name) > LONGEST_FOLDER:  # others may begin alike
            end = f"-{hashlib.sha256(settings.encode(errors='replace')).hexdigest()[:8]}"
            name = name[: LONGEST_FOLDER - len(end)] + end
        found.append(out / name)
    if len({*found}) < len(found):
        raise UserError(
            "Two of these runs would have the same folder; give values that differ in letters or digits."
        )
    return found


def _check_unchanged(out: Path, request: RunRequest) -> None:
    """Raises UserError where the folder holds something other than a sweep, or a sweep with other settings."""
    if out.exists() and not out.is_dir():
        raise UserError(f"`{shortened(out)}` is a file; give `--out` a folder.")
    if (out / "recipe.json").exists():
        raise UserError(f"`{shortened(out)}` is a run's folder; choose another `--out`.")
    try:
        before = json.loads((out / REQUEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise UserError(
            f"`{shortened(out / REQUEST)}` cannot be read; choose another `--out`."
        ) from error
    if before != _common(request):
        raise UserError(
            f"`{shortened(out)}` holds a sweep with another dataset, recipe or start; choose another `--out`."
        )


def _check_run(folder: Path, order: RunRequest) -> None:
    """Raises UserError where the folder holds a trained run with another recipe or dataset than is ordered."""
    from s2s.jobs import following
    from s2s.model import saved_steps
    from s2s.runs import RunFolder
    from s2s.runs.differences import varied_settings

    if not saved_steps(folder / "checkpoints"):
        return
    run = RunFolder(folder)
    about, spec = run.about(), order.to_spec()
    preset = "" if order.init_from else order.preset
    follows = following(order.recipe, preset, order.given)
    rows = varied_settings([run.recipe(), order.recipe])
    other = [f"`{row.key}`" for row in rows if row.key not in follows]
    other += ["dataset"] if any(about.get(key) != spec[key] for key in ("source", "valid")) else []
    if other:
        raise UserError(
            f"`{shortened(folder)}` holds a run with another {other[0]}; choose another `--out`."
        )


def _common(request: RunRequest) -> Any:
    return json.loads(json.dumps(request.to_spec()))


def _write_request(out: Path, request: RunRequest) -> None:
    from s2s import files

    files.write_json(out / REQUEST, _common(request))


def _prepared(order: RunRequest, folder: Path) -> PreparedRun | None:
    from s2s.jobs import training
    from s2s.model import saved_steps
    from s2s.runs import RunFolder

    if not saved_steps(folder / "checkpoints"):
        return training.start(order, folder)
    if RunFolder(folder).status().get("state") == "done":
        return None
    with naming_options():
        return training.resume(folder)


def _print_spread(folders: Sequence[Path]) -> None:
    from s2s.library.checkpoints import find_checkpoint
    from s2s.runs import RunFolder, seeds

    rows = seeds.by_setting({str(folder): find_checkpoint(folder) for folder in folders})
    table = _table(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for cells in table:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        print("  ".join(padded).rstrip())
    print("Mean ± sample standard deviation over the seeds, at each run's best validation.")
    runs = [RunFolder(folder) for folder in folders]
    if seeds.draws_pairs(seeds.Described(run.recipe(), run.about()) for run in runs):
        print(seeds.OTHER_PAIRS)
    print(json.dumps({"rows": rows}))


def _table(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    from s2s.runs import seeds
    from s2s.scores import METRIC_NAMES
    from s2s.words import FRACTIONS

    columns = [*rows[0]]
    settings = columns[: columns.index("runs")]
    scores = [score for score in seeds.SCORES if any(score in row for row in rows)]
    table = [[*settings, "seeds", *(METRIC_NAMES[score].label for score in scores)]]
    for row in rows:
        cells = [*(str(row[key]) for key in settings), str(row["n"])]
        for score in scores:
            factor, form = (100, ".1f") if score in FRACTIONS else (1, ".3f")
            mean, sd = row.get(score), row.get(f"{score} sd")
            spread = mean is not None and seeds.Spread(factor * mean, sd and factor * sd, row["n"])
            cells.append(spread.text(form) if spread else "")
        table.append(cells)
    return table
