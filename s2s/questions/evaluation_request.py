"""What an evaluation is requested of: its systems with their names, its test set; or the one that is stored already."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from s2s.config import UserError, asker, flat, override, parse_assignments, shortened, unique_names
from s2s.data import saved_datasets
from s2s.decode import STRATEGIES
from s2s.jobs import EvaluationRequest, evaluation_service, test_sets, validation
from s2s.library import Library
from s2s.library.own import list_evaluations
from s2s.questions.have import Have
from s2s.runs import Evaluation, EvaluationFolder, Run, Sentences, System, evaluations
from s2s.runs.portable import dataset_name
from s2s.scores import AUTO, ROUGE_SCORE, Scoring

if TYPE_CHECKING:
    from s2s.questions.evaluate import Evaluate

BEST, LAST, EVERY = "the best", "the last", "every one"  # these stand in links
AS_ASKED = MappingProxyType({BEST: "best", LAST: "last", EVERY: ""})  # of a stored system
NO_SWEEP = "none"  # stands in links
SWEEP_VALUES = MappingProxyType(
    {
        "num_beams": "1 2 4 8 16 32",
        "length_penalty": "0 0.5 1 1.5 2",
        "temperature": "0.2 0.5 0.8 1 1.2",
        "num_samples": "2 4 8 16 32",
    }
)
MOST_VALUES = 12
MBR = "mbr"
STATED = ("num_samples", "temperature", "epsilon_cutoff")  # in the name of every MBR system


class Model(NamedTuple):
    """A run's checkpoint; `checkpoint` is `best` or `last` where that was asked for, whatever its step."""

    run: str
    step: int
    checkpoint: str = ""
    src_lang: str = ""
    tgt_lang: str = ""


def models(have: Have, name: str, checkpoints: str) -> list[Model]:
    """The checkpoints of a run to evaluate: the one in its name, else the best, the last or all of them."""
    run = have.run(name)
    asked = "" if "@" in name else AS_ASKED[checkpoints]
    steps = [run.step]
    if "@" not in name and checkpoints != BEST:
        found = run.folder.steps_by_choice()
        steps = [max(found)] if checkpoints == LAST else sorted(found)
    if asked == "best" and run.notes:  # the best could not be read, and an older one was opened
        asked = ""
    reference = validation.run_reference(run)
    return [Model(reference, step, asked, *run.key.languages) for step in steps]


def offered_sweeps(strategies: Iterable[str]) -> list[str]:
    """The settings of the strategies that can be swept, as `num_beams of beam`."""
    return [
        f"{setting} of {name}"
        for name in strategies
        for setting in SWEEP_VALUES
        if setting in flat(STRATEGIES[name].config())
    ]


def swept_values(strategy: str, setting: str, text: str) -> list[Any]:
    """The values of a sweep. Raises UserError for too few, too many, and what the setting does not take."""
    parts = text.replace(",", " ").split() or SWEEP_VALUES[setting].split()
    values = [*dict.fromkeys(parse_assignments([f"{setting}={part}"])[setting] for part in parts)]
    if not 2 <= len(values) <= MOST_VALUES:
        raise UserError(
            f"A sweep has 2 to {MOST_VALUES} values and this one has {len(values)}; separate them with spaces."
        )
    for value in values:
        override(STRATEGIES[strategy].config(), {setting: value})
    return values


def parse(text: str) -> dict[str, Any]:
    """A strategy's settings from text: `"num_beams=5, prefix=la"` -> `{"num_beams": 5, "prefix": "la"}`; a comma that
    is not followed by a setting belongs to the value.

    Raises UserError for a part without a setting and a value.
    """
    given = [part.strip() for part in re.split(r",\s*(?=\w+\s*=)", text.strip()) if part.strip()]
    for part in given:
        if "=" not in part.strip("="):
            raise UserError(
                f"`{part[:40]}` is not a setting with a value; write num_beams=5, separated by commas."
            )
    return parse_assignments(given)


def systems(asked: Evaluate, have: Have) -> list[System]:
    """All systems: checkpoints with strategies, then the sweep. Raises UserError for what a strategy does not take."""
    every = [model for name in asked.runs for model in models(have, name, asked.checkpoints)]
    wanted = asked.strategies.split()
    if unknown := [name for name in wanted if name not in STRATEGIES]:
        raise UserError(
            f"There is no strategy `{unknown[0][:40]}`; choose from {', '.join(STRATEGIES)}."
        )
    given = _settings(asked.settings)
    found = [
        system_of(model, name, given.get(name, {}))
        for model in every
        for name in STRATEGIES
        if name in wanted
    ]
    if asked.sweep != NO_SWEEP:
        setting, _, strategy = asked.sweep.partition(" of ")
        if asked.sweep not in offered_sweeps(STRATEGIES):
            raise UserError(
                f"`sweep` is `{asked.sweep[:40]}`; give a setting and its strategy: num_beams of beam."
            )
        values = swept_values(strategy, setting, asked.values)
        usual = given.get(strategy, {})
        found += [
            system_of(model, strategy, usual | {setting: value}, setting)
            for model in every
            for value in values
        ]
    return named(found, have.titles(system.run for system in found))


def _settings(text: str) -> dict[str, dict[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise UserError(
            f'`settings` is `{text[:40]}`; give JSON such as {{"beam": {{"num_beams": 10}}}}.'
        )
    return found


def system_of(model: Model, strategy: str, settings: Mapping[str, Any], sweep: str = "") -> System:
    return System(
        "",
        model.run,
        model.step,
        strategy,
        settings,
        sweep=sweep,
        checkpoint=model.checkpoint,
        src_lang=model.src_lang,
        tgt_lang=model.tgt_lang,
    )


def named(systems: Iterable[System], titles: Mapping[str, str]) -> list[System]:
    """The systems with unique names: run and checkpoint where there are several, strategy, settings.

    MBR states its samples even at their defaults: its quality depends on them more than on the model.
    """
    systems = [*systems]
    titles = unique_names({system.run: titles[system.run] for system in systems})
    n_models = len({(system.run, system.step) for system in systems})
    renamed = []
    for system in systems:
        values = flat(STRATEGIES[system.strategy].config())
        stated = {key: values[key] for key in STATED if key in values and system.strategy == MBR}
        settings = " ".join(
            f"{key}={value}" for key, value in (stated | dict(system.settings)).items()
        )
        run = f"{titles[system.run]} · " if len(titles) > 1 else ""
        step = f"step {system.step:,}" if system.step else "as published"
        run += f"{step} · " if n_models > len(titles) else ""
        renamed.append(
            replace(system, name=f"{run}{system.strategy}{' ' if settings else ''}{settings}")
        )
    return list({system.name: system for system in renamed}.values())


def scoring(asked: Evaluate) -> Scoring:
    """How translations are scored; stemming applies only to the ROUGE implementation that has it."""
    return Scoring(
        asked.tokenizer,
        asked.lowercase,
        2 if asked.chrf_words else 0,
        asked.rouge,
        asked.stemmer and asked.rouge == ROUGE_SCORE,
    )


def request(asked: Evaluate, have: Have) -> EvaluationRequest:
    """The whole request. Raises UserError for what it contradicts, before anything is read or translated."""
    if not asked.runs:
        raise UserError("Name a run to evaluate, or `evaluation`, one that is stored.")
    found = systems(asked, have)
    names = [system.name for system in found]
    if asked.baseline and asked.baseline not in names:
        raise UserError(
            f"`baseline` is `{shortened(asked.baseline, 40)}`; choose from {', '.join(names)}."
        )
    baseline = names.index(asked.baseline) if asked.baseline else 0
    run = have.run(asked.runs[0])
    return EvaluationRequest(
        tuple(found),
        _test_set(asked, have, run),
        run=validation.run_reference(run),
        baseline=baseline,
        scoring=scoring(asked),
    )


def _test_set(asked: Evaluate, have: Have, run: Run) -> Sentences:
    n = test_sets.MAX_SENTENCES if asked.every else asked.n
    if ":" in asked.test:
        name = saved_datasets.name_of(asked.test)
        return Sentences(name, spec=asked.test, n=n, is_grouped=asked.grouped)
    reference = validation.run_reference(run)
    splits = test_sets.splits_of_run(reference) if have.may_see_data(run) else ()
    split = asked.test or next(iter(splits), "")
    if split not in splits:
        known = ", ".join(splits) or "no test set of its own that you may read"
        raise UserError(
            f"`test` is `{split[:40]}`; the run `{run.folder.id}` has {known}. Name one, or a dataset such as"
            " builtin:en-fr."
        )
    source = dataset_name(str(run.folder.about().get("source", "its dataset")))
    name = f"{source}, {split}"
    return Sentences(name, split=split, run=reference, n=n, is_grouped=asked.grouped)


def carried_out(asked: EvaluationRequest, have: Have) -> EvaluationFolder:
    """The stored evaluation of this request; where it is not done, it is made or finished in this process. Stopped, it
    keeps its sentences, and whoever asks next resumes it.
    """
    place = known(asked, have) or evaluation_service.store(asked)
    if place.status().get("state") == "done":
        return place
    if evaluation_service.progress(place.id).is_live:
        raise UserError(
            f"It is being evaluated: wait, or ask for what there is of it with evaluation={place.id}."
        )
    for is_turn in evaluation_service.evaluate(place):
        if is_turn:
            _tell(have, place)
    _tell(have, place)
    return place


def _tell(have: Have, place: EvaluationFolder) -> None:
    status = place.status()
    if have.progress:
        have.progress(int(status["done"]), int(status["n"]))


def known(asked: EvaluationRequest, have: Have) -> EvaluationFolder | None:
    """The asker's newest evaluation of the same systems, test set and scoring, whether it is done or not."""
    runs: list[Run] = []
    for found in list_evaluations(asker.current(), asked.run):
        place = Library().evaluation(found.id)
        scores = place.scores()
        is_by_rule = asked.scoring.tokenize == AUTO and scores.get("tokenizer_reason")
        counted = replace(found.scoring, tokenize=AUTO) if is_by_rule else found.scoring
        is_alike = counted == asked.scoring and _is_alike(found, asked)
        if not is_alike or evaluations.is_of_earlier_version(scores):
            continue
        runs = runs or [have.run(f"{one.run}@{one.step}") for one in asked.systems]
        described = place.provenance().get("systems") or [{} for _ in runs]
        pairs = {
            (run.folder.path, run.step): (own, run)
            for own, run in zip(described, runs, strict=True)
        }
        if place.status().get("state") == "waiting" or all(
            validation.is_of(own, run) for own, run in pairs.values()
        ):
            return place
    return None


def _is_alike(found: Evaluation, asked: EvaluationRequest) -> bool:
    ours, theirs = asked.test, found.test
    same = ("run", "spec", "split", "is_grouped", "seed", "files")
    if any(getattr(ours, name) != getattr(theirs, name) for name in same):
        return False
    n = min(ours.n, theirs.n_all) if theirs.n_all else ours.n
    made, wanted = (
        [replace(one, name="", checkpoint="") for one in each.systems] for each in (found, asked)
    )
    return (theirs.n, made, found.baseline) == (n, wanted, asked.baseline)
