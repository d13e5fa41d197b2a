"""Training and evaluation from Python: in a script or a notebook, in this process, without the dashboard."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from s2s import access, runs
from s2s.config import PRESETS, Recipe, choose, override
from s2s.data import GivenPairs, as_corpus, as_references, saved_datasets, with_sample
from s2s.jobs import SystemScores, forced_signature, initialization, provenance, test_sets, training
from s2s.model import saved_steps
from s2s.runs import Decoded, seeds
from s2s.settings import new_id
from s2s.train import Event, Planned, Step, Validation, Warned

if TYPE_CHECKING:
    import pandas as pd

DATASET_NAME = "Dataset from Python"
DEFAULT_PRESET = "small"


class Run(runs.Run):
    """A trained run, with `evaluate`."""

    def evaluate(
        self,
        data: GivenPairs,
        strategy: str = "beam",
        *,
        columns: Sequence[str] = (),
        by: str = "corpus",
        **settings: Any,
    ) -> pd.DataFrame:
        """Translate the sources of `data` and score the translations.

        `data` and `columns` are as for `train`; the same source several times, columns `ref1`, `ref2`, ... or a list
        in a column are several references. `by` is `corpus` (a row per metric: value, low and high of its 95 %
        bootstrap interval, signature) or `sentence` (a row per source). `settings` are the strategy's. What was
        evaluated is in `.attrs`. Raises UserError for data without references, and for a setting that is wrong.
        """
        import pandas as pd

        rows = choose("table", by, {"corpus": _by_metric, "sentence": _by_sentence})
        _, config = self.configured(strategy, settings)
        table = pd.DataFrame(
            rows(_evaluated(self, as_references(data, columns), strategy, settings))
        )
        table.attrs = {
            "strategy": strategy,
            "settings": config.to_json(),
            **provenance.of_run(self),
            **provenance.environment(),
        }
        return table.set_index("metric") if by == "corpus" else table


class _Evaluated(NamedTuple):
    """Translations with their references and scores, in the order of the sources."""

    found: list[Decoded]
    references: Sequence[Sequence[str]]
    sentences: list[dict[str, float]]  # the scores of each
    corpus: SystemScores


def _evaluated(
    run: Run,
    rows: Sequence[tuple[str, tuple[str, ...]]],
    strategy: str,
    settings: Mapping[str, Any],
) -> _Evaluated:
    """Sources that come several times are one sentence with several references."""
    firsts = [(source, references[0]) for source, references in rows]
    pairs, references = test_sets.grouped_references(firsts, [each for _, each in rows])
    sources, targets = zip(*pairs, strict=True)
    found = run.translate(sources, strategy, **settings)
    forced = run.force(sources, targets)
    lines = [
        {"text": one.text, "forced": (target.log_prob, target.n_tokens, target.n_correct)}
        for one, target in zip(found, forced, strict=True)
    ]
    scores = SystemScores(forced_signature=forced_signature(run))
    return _Evaluated(found, references, scores.add(lines, references), scores)


def _by_metric(evaluated: _Evaluated) -> Iterator[dict[str, Any]]:
    found = evaluated.corpus.compared(None)
    for key, interval in found["scores"].items():
        yield {"metric": key, **interval, "signature": found["signature"].get(key, "")}


def _by_sentence(evaluated: _Evaluated) -> Iterator[dict[str, Any]]:
    columns = (evaluated.found, evaluated.references, evaluated.sentences)
    for one, references, scores in zip(*columns, strict=True):
        yield {
            "source": one.source,
            "references": list(references),
            "translation": one.text,
            "log_prob": one.log_prob,
            **scores,
        }


def load(run: str | Path, step: int | str | None = None, *, device: str = "cpu") -> Run:
    """Open a run by folder, id or demo name, at the given checkpoint or its best. Raises UserError if that fails.

    `run` may name the checkpoint, as `demo-en-fr@400`; a step is a number, `best` or `last`.
    """
    found = runs.load(run, step, device=device)
    return Run(**{field.name: getattr(found, field.name) for field in fields(found)})


def mean_and_spread(runs: Sequence[str | Path]) -> pd.DataFrame:
    """Mean and sample standard deviation over seeds: a row for runs that differ in nothing but their seed.

    Columns: the settings in which the rows differ, the `runs`, their number `n` and `seeds`, and for `loss` (nats per
    token), `token_accuracy` (0 to 1), `bleu` and `chrf` (0 to 100) at the best validation `SCORE` and `SCORE sd`, which
    is missing for a single run. `to_csv` and `to_latex` write the table. Raises UserError for an unfinished run.
    """
    import pandas as pd

    return pd.DataFrame(seeds.by_setting(runs))


def train(
    data: GivenPairs,
    *,
    preset: str | Recipe = "",
    columns: Sequence[str] = (),
    valid: GivenPairs | None = None,
    minutes: float | None = None,
    settings: Mapping[str, Any] | None = None,
    init_from: str = "",
    out: str | Path | None = None,
    name: str = "",
    progress: bool = True,
) -> Run:
    """Train in this process, and open the run at its best checkpoint.

    `data` is a datasets.Dataset, a pandas DataFrame, a list of (source, target) pairs, a Corpus or a SPEC such as
    `builtin:en-fr`; `columns` names the source and the target column of a table. Without `valid` some pairs are held
    out. `preset` is a name of `s2s.PRESETS` (by default `small`) or a Recipe; `settings` changes it, as
    {"train.steps": 500}. `minutes` is a time budget, with any preset; quick chooses its sizes by it. `init_from` is a
    run to take weights and vocabulary from and, without `preset`, the recipe.

    The run's folder is `out`, by default a new one in S2S_HOME that the dashboard lists; data that is not a SPEC is
    saved there as a dataset, so that the run can be resumed. Ctrl-C, or the notebook's stop button, saves a checkpoint
    before KeyboardInterrupt is raised. Raises UserError for wrong data or settings before anything is written.
    """
    limited = {} if minutes is None else {"train.minutes": minutes}
    changes = {**(settings or {}), **limited}
    recipe = override(_recipe(preset, init_from), changes)
    seed = recipe.train.seed
    path = Path(out) if out is not None else runs.runs_folder() / new_id()
    valid_name = f"{name or DATASET_NAME} (validation)"
    request = training.RunRequest(
        recipe,
        with_sample(_spec(data, columns, name or DATASET_NAME), seed),
        None if valid is None else with_sample(_spec(valid, columns, valid_name), seed),
        _preset_name(preset, init_from),
        name or (path.name if out is not None else ""),
        owner=access.current(),
        init_from=init_from,
        given=tuple(changes),
    )
    prepared = training.start(request, path)
    _follow(training.run(prepared), prepared, is_shown=progress)
    return load(path)


def _preset_name(preset: str | Recipe, init_from: str) -> str:
    if isinstance(preset, Recipe):
        return ""
    return preset or ("" if init_from else DEFAULT_PRESET)


def _recipe(preset: str | Recipe, init_from: str) -> Recipe:
    if isinstance(preset, Recipe):
        return preset
    if name := _preset_name(preset, init_from):
        return choose("preset", name, PRESETS).recipe
    return initialization.parse_checkpoint(init_from).folder.recipe()


def _spec(given: GivenPairs, columns: Sequence[str], name: str) -> str:
    """Where the pairs can be read again: the given SPEC, or a saved dataset."""
    if isinstance(given, str) and not columns:
        return given
    return f"corpus:{saved_datasets.save(as_corpus(given, columns), name=name, owner=access.current())}"


def _follow(
    events: Generator[Event, None, None], prepared: training.PreparedRun, *, is_shown: bool
) -> None:
    """Train to the end, with a progress bar."""
    from tqdm.auto import tqdm

    with (
        tqdm(total=prepared.recipe.train.steps, unit="step", disable=not is_shown) as bar,
        _interrupts() as received,
    ):
        losses = {"loss": "…", "valid loss": "…"}
        for event in events:
            if isinstance(event, Step):
                losses["loss"] = f"{event.loss:.3f}"
                bar.update()
            elif isinstance(event, Validation):
                losses["valid loss"] = f"{event.loss:.3f}"
            elif isinstance(event, Planned):
                bar.total = event.steps
            elif isinstance(event, Warned) and is_shown:
                bar.write(event.text)
            bar.set_postfix(losses, refresh=False)
            if received:
                events.close()  # saves a checkpoint
                raise KeyboardInterrupt(_where_it_stopped(prepared.folder))


def _where_it_stopped(folder: runs.RunFolder) -> str:
    steps = saved_steps(folder.checkpoints)
    if not steps:
        return f"The run in {folder.path} was stopped before its first update; train it again."
    return f"Stopped and saved at step {max(steps):,}; resume with: python -m s2s train --resume --out {folder.path}"


@contextlib.contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Collects Ctrl-C, so that training stops between two updates and not within one."""
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received  # only the main thread may handle signals
        return
    previous = signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    try:
        yield received
    finally:
        signal.signal(signal.SIGINT, previous)
