"""Training and evaluation from Python: in a script or a notebook, in this process, without the dashboard.

What the command line says, these functions print: notes on the data on standard output, warnings on standard error.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from s2s import runs
from s2s.config import PRESETS, Recipe, UserError, asker, choose, override, shortened
from s2s.data import (
    Columns,
    GivenPairs,
    Row,
    as_corpus,
    as_references,
    dataset_title,
    has_no_columns,
    held,
    saved_datasets,
    with_sample,
)
from s2s.faults import fault_of
from s2s.jobs import SystemScores, forced_signature, initialization, provenance, test_sets, training
from s2s.library.checkpoints import find_checkpoint
from s2s.library.checkpoints import load as load_run
from s2s.model import saved_steps
from s2s.runs import Decoded, Texts, seeds
from s2s.scores import AUTO, SPACES, Scoring, require_tokenizer
from s2s.settings import new_id
from s2s.training import Event, Planned, Step, Validation, Warned

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_PRESET = "small"
OneRun: TypeAlias = "str | Path | Run"


class Run(runs.Run):
    """A trained run, with `evaluate`.

    `notes` are the sentences that were said about its data, while it trained, and when it was opened.
    """

    def translate(self, sources: Texts, strategy: str = "beam", **settings: Any) -> list[Decoded]:
        """One Decoded per source, in order; a string is one source. `settings` are the strategy's: `num_beams=5`.

        Words that the model does not know are named on standard error.
        """
        found = super().translate(sources, strategy, **settings)
        for note in runs.source_words.unknown_notes(self, [one.source for one in found]):
            print(note, file=sys.stderr)
        return found

    def evaluate(
        self,
        data: GivenPairs,
        strategy: str = "beam",
        *,
        columns: Columns | None = (),
        by: str = "corpus",
        bleu_tokenize: str = AUTO,
        lowercase: bool = False,
        chrf_words: int = 0,
        rouge_tokenize: str = SPACES,
        stemmer: bool = False,
        **settings: Any,
    ) -> pd.DataFrame:
        """Translate the sources of `data` and score the translations.

        `data` and `columns` are as for `train`; the same source several times, columns `ref1`, `ref2`, ... or a list
        in a column `references` are several references. `by` is `corpus` (a row per metric: value, low and high of its
        95 % bootstrap interval, signature) or `sentence` (a row per source). `settings` are the strategy's. What was
        evaluated, and notes on it, are in `.attrs`. Raises UserError for data without references, and for a setting
        that is wrong.

        Texts are compared in Unicode's composed form (NFC). `bleu_tokenize` is auto (by the script of the references:
        zh for Chinese; char for Japanese, Korean, Thai, Lao, Khmer, Burmese and Tibetan; 13a otherwise) or a name of
        `s2s.scores.TOKENIZERS`; `lowercase` is of BLEU and chrF; `chrf_words=2` is chrF++. `rouge_tokenize` is spaces
        or, for English references, rouge_score (what papers on summaries report), with which `stemmer` may go.
        """
        import pandas as pd

        if not isinstance(strategy, str):
            given = shortened(repr(strategy))
            raise UserError(
                f"`strategy` is {given}; give its name, and columns as columns={given}."
            )
        rows = choose("table", by, {"corpus": _by_metric, "sentence": _by_sentence})
        _, config = self.configured(strategy, settings)
        scoring = Scoring(bleu_tokenize, lowercase, chrf_words, rouge_tokenize, stemmer)
        require_tokenizer(bleu_tokenize)
        read = as_references(data, columns)
        sources = [source for source, _ in read.rows]
        coverage = runs.source_words.coverage_of(self, sources)
        notes = [*read.notes, *_repeats(read.rows), *filter(None, [coverage])]
        for note in notes:
            print(note, file=sys.stderr)
        evaluated = _evaluated(self, read.rows, scoring, strategy, settings)
        table = pd.DataFrame(rows(evaluated))
        table.attrs = {
            "scoring": asdict(evaluated.corpus.scoring),
            "strategy": strategy,
            "settings": config.to_json(),
            "notes": notes,
            **provenance.of_run(self),
            **provenance.environment(),
        }
        return table.set_index("metric") if by == "corpus" else table


def _repeats(rows: Sequence[Row]) -> list[str]:
    references = tuple(each for _, each in rows)
    firsts = tuple((source, each[0]) for source, each in rows)
    return [*filter(None, [test_sets.UploadedTable(firsts, references, ()).repeats])]


class _Evaluated(NamedTuple):
    found: list[Decoded]
    references: Sequence[Sequence[str]]
    sentences: list[dict[str, float]]  # the scores of each
    corpus: SystemScores


def _evaluated(
    run: Run,
    rows: Sequence[Row],
    scoring: Scoring,
    strategy: str,
    settings: Mapping[str, Any],
) -> _Evaluated:
    firsts = [(source, references[0]) for source, references in rows]
    pairs, references = test_sets.grouped_references(firsts, [each for _, each in rows])
    sources, targets = zip(*pairs, strict=True)
    found = run.translate(sources, strategy, **settings)
    forced = run.force(sources, targets)
    lines = [
        {"text": one.text, "forced": (target.log_prob, target.n_tokens, target.n_correct)}
        for one, target in zip(found, forced, strict=True)
    ]
    scores = SystemScores(scoring.resolved(references), forced_signature(run))
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
    found = load_run(run, step, device=device)
    fault = fault_of(found.recipe.train.fault)
    trained_with = (
        [f"This run was trained with a fault, on purpose: {fault.title}."] if fault else []
    )
    said = (*trained_with, *found.notes)
    for note in said:
        print(note, file=sys.stderr)
    content = {field.name: getattr(found, field.name) for field in fields(found)}
    return Run(**{**content, "notes": (*found.folder.notes(), *said)})


def mean_and_spread(runs: OneRun | Iterable[OneRun]) -> pd.DataFrame:
    """Mean and sample standard deviation over seeds: a row for runs that differ in nothing but their seed.

    Columns: the settings in which the rows differ, the `runs`, their number `n` and `seeds`, and for `loss` (nats per
    token), `token_accuracy` (0 to 1), `bleu` and `chrf` (0 to 100) at the best validation `SCORE` and `SCORE sd`, which
    is missing for a single run. `to_csv` and `to_latex` write the table. A run is a Run, a folder, an id or a demo
    name; one that names its checkpoint, as `RUN@STEP`, has the scores of that step's validation. Raises UserError for
    an unfinished run, and for a step without a validation.
    """
    import pandas as pd

    given: list[Any] = [runs]
    if isinstance(runs, Iterable) and not isinstance(runs, str):
        given = [*runs]
    return pd.DataFrame(
        seeds.by_setting({str(name): find_checkpoint(name) for name in map(_named, given)})
    )


def _named(run: OneRun) -> str | Path:
    if isinstance(run, str | Path):
        return run
    if not isinstance(run, Run):
        raise UserError(
            f"`{shortened(repr(run))}` is no run; give a Run, a folder, an id or a name."
        )
    is_best = run.step == run.folder.best_or_newest_step()
    return run.folder.path if is_best else Path(f"{run.folder.path}@{run.step}")


def train(
    data: GivenPairs,
    columns: Columns | None = (),
    *,
    preset: str | Recipe = "",
    valid: GivenPairs | None = None,
    minutes: float | None = None,
    settings: Mapping[str, Any] | None = None,
    init_from: str = "",
    out: str | Path | None = None,
    name: str = "",
    progress: bool = True,
) -> Run:
    """Train in this process, and open the run at its best checkpoint.

    `data` is a datasets.Dataset, a pandas DataFrame, a pyarrow Table, a list of (source, target) pairs or of
    dictionaries, a dictionary of columns, a Corpus, a file or a SPEC such as `builtin:en-fr`; `columns` names the
    source and the target column of a table. Without `valid` some pairs are held out. `preset` is a name of
    `s2s.PRESETS` (by default `small`) or a Recipe; `settings` changes it, as {"train.steps": 500}. `minutes` is a time
    budget, with any preset; quick chooses its sizes by it. `init_from` is a run to take weights and vocabulary from
    and, without `preset`, the recipe.

    The run's folder is `out`, by default a new one in S2S_HOME that the dashboard lists; data that is not a SPEC is
    saved there as a dataset, so that the run can be resumed; without `name` it is called after what it was, such as
    `DataFrame of 1,200 rows (en, de)`. Notes and warnings are printed, and are the run's `notes`; `progress` is about
    the progress bar. Ctrl-C, or the notebook's stop button, saves a checkpoint before KeyboardInterrupt is raised.
    Raises UserError for wrong data or settings before anything is written.
    """
    limited = {} if minutes is None else {"train.minutes": minutes}
    changes = {**(settings or {}), **limited}
    recipe = override(_recipe(preset, init_from), changes)
    seed = recipe.train.seed
    if not isinstance(name, str):
        raise UserError(f"`name` is {shortened(repr(name))}; give a string.")
    name = runs.clean_name(name)
    path = Path(out) if out is not None else runs.runs_folder() / new_id()
    source = with_sample(_spec(data, columns, name), seed)
    if valid is not None and has_no_columns(valid := held(valid)):
        columns = ()  # which are those of `data`
    request = training.RunRequest(
        recipe,
        source,
        None if valid is None else with_sample(_spec(valid, columns, name, " (validation)"), seed),
        _preset_name(preset, init_from),
        name or (path.name if out is not None else _run_name(preset, init_from, source)),
        owner=asker.current(),
        init_from=init_from,
        given=tuple(changes),
    )
    prepared = training.start(request, path)
    for note in prepared.notes:
        print(note)
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


def _run_name(preset: str | Recipe, init_from: str, source: str) -> str:
    """`small on DataFrame of 1,200 rows (en, de)`, as the page Train names a run."""
    start = _preset_name(preset, init_from) or ("fine-tuned" if init_from else "recipe")
    return f"{start} on {dataset_title(source)}"


def _spec(given: GivenPairs, columns: Columns | None, name: str, part: str = "") -> str:
    given = held(given)
    if isinstance(given, str) and not (columns is not None and len(columns)):
        return given
    corpus = as_corpus(given, columns)
    title = f"{name or dataset_title(given, columns)}{part}"
    hash = saved_datasets.save(corpus, name=title, owner=asker.current(), keeps_name=not name)
    return f"corpus:{hash}"


def _follow(
    events: Generator[Event, None, None], prepared: training.PreparedRun, *, is_shown: bool
) -> None:
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
            elif isinstance(event, Warned):
                bar.write(event.text, file=sys.stderr)
            bar.set_postfix(losses, refresh=False)
            if received:
                events.close()  # saves a checkpoint
                raise KeyboardInterrupt(_where_it_stopped(prepared.folder))
        if ended := prepared.folder.status().get("ended"):
            bar.write(str(ended), file=sys.stderr)


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
