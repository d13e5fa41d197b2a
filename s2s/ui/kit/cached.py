"""What visitors share: the runs there are, opened runs, and what they made of a sentence."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
import torch
from safetensors import SafetensorError, safe_open

import s2s
from s2s import settings
from s2s.analysis import Attention
from s2s.config import PRESETS, Recipe, UserError
from s2s.data import Preview, SavedDataset, profile_of, saved_datasets
from s2s.data import load_preview as make_preview
from s2s.decode.tree import Tree
from s2s.demo import DEMOS
from s2s.jobs import advice, board, queue
from s2s.jobs.forecast import Forecast, Pace, learnt_pace
from s2s.jobs.forecast import forecast as make_forecast
from s2s.model.weights import saved_steps, weights_path
from s2s.runs import Decoded, Run, RunFolder
from s2s.runs.listing import RunSummary
from s2s.runs.metrics import Curves, Metrics
from s2s.share import printable
from s2s.sizing import count_parameters
from s2s.ui.kit.text import shortened

DEMO_FOLDER = Path(s2s.__file__).parent / "demo" / "runs"
# of one sentence, in all layers and heads
SMALL_WEIGHTS = 500_000
MAX_WEIGHTS = 40_000_000
LIST_LIFETIME = 1.0  # seconds that a list of runs is good for: many visitors, one look at the disk


@dataclass(frozen=True)
class TimedDecoding:
    """What a strategy made of a sentence, and the seconds that it took when it was first asked for."""

    decoded: Decoded
    seconds: float


@dataclass(frozen=True)
class Translation:
    """A sentence, what was made of it, and where the model looked meanwhile."""

    decoded: Decoded
    seen: Attention


def runs() -> dict[str, RunSummary | None]:
    """Every run by its id: the shipped ones (None), then the visitor's own, newest first."""
    shipped: dict[str, RunSummary | None] = {
        name: None for name in DEMOS if saved_steps(DEMO_FOLDER / name / "checkpoints")
    }
    return shipped | {row.id: row for row in own_runs()}


@st.cache_resource(
    max_entries=16, show_spinner=False
)  # rows that nobody writes to: shared, not copied
def _listed(home: str, owner: str, moment: int) -> list[RunSummary]:
    """`moment` counts LIVES, since a `ttl` that runs out between Streamlit's look and its reading is a KeyError on the page."""
    return board.runs(owner)


def own_runs() -> list[RunSummary]:
    """The visitor's own runs, newest first, whatever their state."""
    return _listed(str(settings.home()), settings.OWNER, int(time.monotonic() / LIST_LIFETIME))


def refresh_runs() -> None:
    """After a run was made, renamed or deleted."""
    _listed.clear()


def title(run_id: str) -> str:
    """What people call a run."""
    return _title(run_id, runs().get(run_id))


def _title(run_id: str, row: RunSummary | None) -> str:
    return shortened(printable(row.name), 32) if row and row.name else run_id


def titles() -> dict[str, str]:
    """Of every run, by its id."""
    return {run_id: _title(run_id, row) for run_id, row in runs().items()}


def label(run_id: str) -> str:
    """How the address and the picker name a run: the id last, so that a link outlives another name."""
    return _label(run_id, title(run_id))


def labels() -> dict[str, str]:
    """Of every run, by its id."""
    return {run_id: _label(run_id, _title(run_id, row)) for run_id, row in runs().items()}


def _label(run_id: str, name: str) -> str:
    return run_id if name == run_id else f"{name} · {run_id}"


def dataset_name(spec: str) -> str:
    """What people call a text: a kept one by its name, any other by its spec."""
    return next((text.name for text in datasets() if text.spec == spec), spec)


def datasets() -> list[SavedDataset]:
    """The visitor's own texts, newest first."""
    return saved_datasets.listing(settings.OWNER)


def is_untrained(run_id: str) -> bool:
    """Whether there is nothing to open yet."""
    return (
        not saved_steps(settings.home() / "runs" / run_id / "checkpoints") and run_id not in DEMOS
    )


def open_run(run_id: str, step: int | None = None) -> Run:
    """A run at its best checkpoint or at the given one, shared by everybody. Raises UserError where it cannot be opened."""
    folder = RunFolder(settings.run_folder(run_id))
    return _opened(str(folder.path), folder.best_or_newest_step(), step)


def preview(spec: str) -> Preview:
    """What is in a text. Raises UserError for one that cannot be read."""
    return _previewed(str(settings.home()), spec)


@st.cache_resource(max_entries=16, show_spinner="Reading the text …")
def _previewed(home: str, spec: str) -> Preview:
    if not spec.startswith("corpus:"):
        return make_preview(spec)
    text = profile_of(spec)  # the page never holds the text itself
    if (known := text.result("preview")) is None:
        text.start(("preview",))
        while not (state := text.state()).is_over:
            time.sleep(0.05)
        known = text.result("preview")
        if known is None:
            raise UserError(state.error)
    return Preview.from_json(known)


def metadata(run_id: str) -> Mapping[str, Any]:
    """What recipe.json says of a run; nothing before it is written, or where it is broken. Nobody may write to it."""
    try:
        return _about(*_stamped(run_id))
    except (UserError, OSError):
        return {}


def recipe(run_id: str) -> Recipe | None:
    """What a run was asked for, although it may still wait; None where that cannot be read."""
    try:
        return _recipe(*_stamped(run_id))
    except (UserError, OSError):
        return _ordered(run_id)


def _stamped(run_id: str) -> tuple[str, int, int]:
    """A run's folder, and one state of its recipe.json told from the next."""
    folder = settings.run_folder(run_id)
    stamp = (folder / "recipe.json").stat()
    return str(folder), stamp.st_mtime_ns, stamp.st_size


@st.cache_resource(max_entries=512, show_spinner=False)
def _about(folder: str, changed: int, size: int) -> Mapping[str, Any]:
    return RunFolder(folder).about()


def parameter_count(run_id: str) -> int | None:
    """How many numbers a run trains; None before its first checkpoint."""
    try:
        folder = settings.run_folder(run_id) / "checkpoints"
    except UserError:
        return None
    steps = saved_steps(folder)
    return _parameters(str(weights_path(folder, steps[0]))) if steps else None


@st.cache_resource(max_entries=512, show_spinner=False)
def _parameters(path: str) -> int | None:
    try:
        with safe_open(path, "numpy") as file:
            return sum(int(math.prod(file.get_slice(name).get_shape())) for name in file.keys())  # noqa: SIM118 (no mapping)
    except (OSError, SafetensorError):  # broken, or pruned meanwhile
        return None


@st.cache_resource(max_entries=512, show_spinner=False)
def _recipe(folder: str, changed: int, size: int) -> Recipe:
    return RunFolder(folder).recipe()


def _ordered(run_id: str) -> Recipe | None:
    """As the queue has it."""
    try:
        job = queue.latest(run_id)
        return Recipe.from_json(job.spec["recipe"]) if job and job.owner == settings.OWNER else None
    except (UserError, KeyError):  # the queue is away, as the page says
        return None


def forecast(spec: str, recipe: Recipe) -> Forecast:
    """What training would cost. Raises UserError for a text that cannot be read."""
    return _forecast(str(settings.home()), spec, json.dumps(recipe.to_json()), throughput(), recipe)


@st.cache_resource(max_entries=256, show_spinner=False)
def _forecast(home: str, spec: str, written: str, throughput: Pace, _recipe: Recipe) -> Forecast:
    return make_forecast(_recipe, preview(spec), throughput)


def throughput() -> Pace:
    """How fast this home's runs trained, beside the formula."""
    return _pace(str(settings.home()))


@st.cache_resource(ttl=60, max_entries=8, show_spinner=False)
def _pace(home: str) -> Pace:
    return learnt_pace("cuda" if torch.cuda.is_available() else "cpu")


def recommended_preset(spec: str, minutes: float) -> advice.Recommended:
    """The preset for a text and so many minutes. Raises UserError for a text that cannot be read."""
    return _recommended(str(settings.home()), spec, minutes, throughput())


@st.cache_resource(max_entries=64, show_spinner=False)
def _recommended(home: str, spec: str, minutes: float, throughput: Pace) -> advice.Recommended:
    return advice.recommended(preview(spec), minutes, throughput)


@st.cache_resource(show_spinner=False)
def preset_sizes() -> dict[str, int]:
    """Parameters of every preset, with the vocabulary that it is quoted for. Nobody may write to it."""
    return {
        name: count_parameters(row.recipe.model, row.src_vocab_size, row.tgt_vocab_size)
        for name, row in PRESETS.items()
    }


def run_notes(run_id: str) -> list[str]:
    """What became of a run's text before training, and what was amiss since: sentences. None before it was read."""
    try:
        metadata = RunFolder(settings.run_folder(run_id)).about()
    except UserError:
        return []
    data = metadata.get("data") or {}
    return [str(note) for note in (*(data.get("notes") or []), *(metadata.get("warnings") or []))]


def samples(run_id: str, step: int | None = None) -> list[dict[str, Any]]:
    """The probe sentences' translations at a step of `sample_steps`, the newest unless one is given; none before the first."""
    places, path = _places(run_id)
    if not places:
        return []
    start, length = places.get(max(places) if step is None else step, (0, 0))
    with path.open("rb") as file:
        file.seek(start)
        return [line for given in file.read(length).splitlines() if (line := _sample(given))]


def sample_steps(run_id: str) -> list[int]:
    """At which steps the probe sentences were translated."""
    return sorted(_places(run_id)[0])


def _places(run_id: str) -> tuple[dict[int, tuple[int, int]], Path]:
    try:
        path = settings.run_folder(run_id) / "samples.jsonl"
        stamp = path.stat()
    except (UserError, OSError):
        return {}, Path()
    return _sampled(str(path), stamp.st_mtime_ns, stamp.st_size), path


@st.cache_resource(max_entries=64, show_spinner=False)
def _sampled(path: str, changed: int, size: int) -> dict[int, tuple[int, int]]:
    """From a step to the first byte and the length of its lines: a long run's translations would fill the memory."""
    places: dict[int, tuple[int, int]] = {}
    end = 0
    with open(path, "rb") as file:
        for given in file:
            end += len(given)
            if line := _sample(given):
                start, _ = places.get(line["step"], (end - len(given), 0))
                places[line["step"]] = (start, end - start)
    return places


def _sample(given: bytes) -> dict[str, Any]:
    """A line of samples.jsonl; empty where it is broken, or being written."""
    try:
        line = json.loads(given)
    except (ValueError, RecursionError):
        return {}
    is_whole = (
        isinstance(line, dict)
        and {"step", "source", "text", "reference"} <= line.keys()
        and isinstance(line["step"], int)
    )
    return dict(line) if is_whole else {}


def attention(run: Run, text: str, target: str) -> Attention:
    """Where the model looks while it reads `text` and is made to write `target`. Raises UserError where that is too much to keep."""
    model = run.recipe.model
    src = len(run.src_tokenizer.encode(text)) + 1
    tgt = len(run.tgt_tokenizer.encode(target)) + 1
    encoder, decoder = (stack.n_layers * stack.n_heads for stack in (model.encoder, model.decoder))
    n_weights = encoder * src * src + decoder * tgt * (src + tgt)
    if n_weights > MAX_WEIGHTS:
        given = f"{src} source and {tgt} target tokens make {n_weights / 1e6:,.0f} million attention weights in this model"
        raise UserError(
            f"{given}, and at most {MAX_WEIGHTS / 1e6:.0f} million are kept; shorten the sentence, or the target."
        )
    kept = _attended if n_weights <= SMALL_WEIGHTS else _widely_attended
    return kept(str(run.folder.path), run.step, text, target, run)


def decoded(run: Run, text: str, strategy: str, options: dict[str, Any]) -> Decoded:
    """What a strategy makes of a sentence. Raises UserError for a setting that it doesn't have."""
    return timed_decoding(run, text, strategy, options).decoded


def timed_decoding(run: Run, text: str, strategy: str, options: dict[str, Any]) -> TimedDecoding:
    """The same, with the seconds it took. Raises UserError for a setting that it doesn't have."""
    return _decoded(
        str(run.folder.path), run.step, text, strategy, json.dumps(options, sort_keys=True), run
    )


def search_tree(run: Run, found: Decoded, strategy: str, options: dict[str, Any]) -> Tree:
    """The search tree of what `decoded` found with the same settings."""
    return _tree(
        str(run.folder.path),
        run.step,
        found.source,
        strategy,
        json.dumps(options, sort_keys=True),
        run,
        found,
    )


def translation(run: Run, text: str) -> Translation:
    """By beam search, with every head's attention."""
    made = decoded(run, text, "beam", {})
    return Translation(made, attention(run, text, made.text))


def trained_runs() -> dict[str, str]:
    """The runs that have a checkpoint, shipped and own, by id: what people call them."""
    return {
        run_id: label(run_id) for run_id, row in runs().items() if row is None or row.checkpoints
    }


def curves(run_id: str) -> Curves:
    """The training curves of a run, as far as they have come; empty where nothing is written yet."""
    try:
        folder = settings.run_folder(run_id)
    except UserError:  # queued: its folder comes with its first line
        folder = settings.home() / "runs" / run_id
    return _metrics(str(folder)).read()


@st.cache_resource(max_entries=6, show_spinner=False)  # as many as Compare has columns
def _opened(folder: str, best: int, step: int | None) -> Run:
    """`best` tells one state of the folder from the next; a checkpoint that cannot be read gives way to the one before it."""
    return s2s.load(folder, step)


@st.cache_resource(
    max_entries=64, show_spinner=False
)  # arrays that nobody writes to: shared, not copied; at most 2 MB each
def _attended(folder: str, step: int, text: str, target: str, _run: Run) -> Attention:
    return _run.attention(text, target)


@st.cache_resource(max_entries=3, show_spinner=False)  # at most 160 MB each
def _widely_attended(folder: str, step: int, text: str, target: str, _run: Run) -> Attention:
    return _run.attention(text, target)


@st.cache_resource(max_entries=256, show_spinner=False)
def _decoded(
    folder: str, step: int, text: str, strategy: str, options: str, _run: Run
) -> TimedDecoding:
    before = time.perf_counter()
    (found,) = _run.translate([text], strategy, **json.loads(options))
    return TimedDecoding(found, time.perf_counter() - before)


@st.cache_resource(max_entries=64, show_spinner=False)
def _tree(
    folder: str, step: int, text: str, strategy: str, options: str, _run: Run, _found: Decoded
) -> Tree:
    return _run.tree(_found, strategy, **json.loads(options))


@st.cache_resource(max_entries=512, show_spinner=False)
def _metrics(folder: str) -> Metrics:
    return Metrics(Path(folder) / "metrics.jsonl")
