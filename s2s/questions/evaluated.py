"""What is known of an evaluation: its scores, what they were made with, and its sentences for who may see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.analysis import SentenceRow, sentence_rows
from s2s.config import flat
from s2s.decode import STRATEGIES
from s2s.files import to_json
from s2s.jobs import external
from s2s.library import guests
from s2s.questions.have import Have, about
from s2s.runs import Evaluation, EvaluationFolder, ExternalScores, System
from s2s.scores import METRIC_NAMES
from s2s.words import MetricName

Scores = Mapping[str, Any]  # of one system, as scores.json has them
ROW_BYTES = 2_000  # about as many as a sentence of a system takes
GIVEN = "Mean of the segment scores in a file that was added to the evaluation; not computed here."
# Settings that are stated even at their defaults, where a strategy has them.
MAIN_SETTINGS = (
    "num_beams",
    "length_penalty",
    "num_samples",
    "utility",
    "temperature",
    "top_k",
    "top_p",
    "epsilon_cutoff",
    "penalty_alpha",
    "num_beam_groups",
    "diversity_penalty",
)
UPLOADED = "uploaded file"


class Made(NamedTuple):
    """How a system was made, in words."""

    run: str  # its name
    checkpoint: str  # `step 1,500 (best)`; the file's name for another system
    step: str  # `step 1,500`
    settings: str  # `num_beams=5, length_penalty=1.0`: what took effect


@dataclass(frozen=True)
class Evaluated:
    """The result of an evaluation: scores with 95 % intervals, differences from the baseline, and the sentences."""

    evaluation: Evaluation  # as the asker sees it
    scores: Mapping[str, Any]  # empty before the first sentence
    provenance: Mapping[str, Any]  # provenance.json; empty for evaluations of earlier versions
    made: tuple[Made, ...]
    sentences: tuple[
        tuple[SentenceRow, ...], ...
    ] = ()  # of each system; empty where they are not known
    references: tuple[tuple[str, ...], ...] = ()  # all of each sentence
    forced: tuple[tuple[float | None, ...], ...] = ()  # nats of each first reference, by system
    may_download: bool = False  # the whole evaluation, with its files

    @property
    def systems(self) -> Sequence[Scores]:
        return list(self.scores.get("systems", ()))

    @property
    def n(self) -> int:
        return int(self.scores.get("n", 0))

    @property
    def is_final(self) -> bool:
        return bool(self.scores.get("is_final"))

    @property
    def names(self) -> Sequence[str]:
        return [system.name for system in self.evaluation.systems]

    @cached_property
    def metrics(self) -> Mapping[str, MetricName]:
        given = self.scores.get("external", {})
        own = {key: MetricName(key, key, "", GIVEN, better) for key, better in given.items()}
        return MappingProxyType({**METRIC_NAMES, **own})

    @property
    def given(self) -> list[MetricName]:
        return [self.metrics[key] for key in self.scores.get("external", {})]

    @property
    def has_several(self) -> bool:
        return any(len(each) > 1 for each in self.references)

    @property
    def nbytes(self) -> int:
        return ROW_BYTES * (1 + sum(map(len, self.sentences)))

    def value(self, system: int, key: str) -> float | None:
        """One score of a system; None if it was not scored."""
        own = self.systems[system]
        found = own.get("scores", {}).get(key, {}).get("value")
        number = own.get(key) if key == "sentences_per_second" else found
        return None if number is None else float(number)

    def present(self, keys: Sequence[str]) -> list[str]:
        every = range(len(self.systems))
        return [key for key in keys if any(self.value(i, key) is not None for i in every)]


def read(place: EvaluationFolder, have: Have) -> Evaluated:
    """Read an evaluation from its folder. Raises UserError for damaged files."""
    stored = place.evaluation()
    scores = place.scores()
    shown = guests.evaluation(stored)
    made = place.provenance()
    given = external.covering(place, int(scores["n"])) if scores.get("is_final") else []
    if given:
        scores = external.joined(scores, given, stored.baseline)
        rows = [
            {**to_json(one), "n": len(one.values), "name": shown.systems[one.system].name}
            for one in given
        ]
        for row in rows:
            del row["values"]
        made = {**made, "external": rows}
    made = guests.provenance(made, stored)
    titles = have.titles(system.run for system in stored.systems)
    described = made.get("systems") or [{} for _ in stored.systems]
    known = tuple(
        _made(system, own, titles) for system, own in zip(shown.systems, described, strict=True)
    )
    found = Evaluated(replace(shown, owner=""), scores, made, known)
    if not (found.is_final and found.n and stored.test.has_references):
        return found
    if not have.may_see_sentences(stored):
        return found
    may_download = have.may_see_sentences(stored, "download")
    return replace(found, may_download=may_download, **_sentences(place, found, given))


def _made(system: System, own: Mapping[str, Any], titles: Mapping[str, str]) -> Made:
    if not system.run:
        return Made(UPLOADED, system.uploaded, "", "")
    asked = f" ({system.checkpoint})" if system.checkpoint else ""
    is_published = not system.step and about(system.run).get("imported")
    step = f"step {system.step:,}" if system.step else "as published" if is_published else "best"
    checkpoint = f"{step}{asked}" if system.step else step
    return Made(titles[system.run], checkpoint, step, settings_text(system, own))


def settings_text(system: System, own: Mapping[str, Any]) -> str:
    """A system's settings as text, `num_beams=5, length_penalty=1.0`: the main ones and those that differ from
    defaults.

    They are those that took effect; before the model is loaded, and in evaluations of earlier versions, those given.
    """
    effective = own.get("settings")
    if effective is None:
        return ", ".join(f"{key}={value}" for key, value in system.settings.items())
    defaults = flat(STRATEGIES[system.strategy].config())
    draws = "temperature" in effective
    shown = [
        key
        for key, value in effective.items()
        if key in MAIN_SETTINGS
        or (key == "seed" and draws)
        or (key != "max_new_tokens" and value != defaults.get(key))
        or key in system.settings
    ]
    order = [key for key in MAIN_SETTINGS if key in shown]
    order += [key for key in shown if key not in order]
    return ", ".join(f"{key}={effective[key]}" for key in order)


def _sentences(
    place: EvaluationFolder, found: Evaluated, given: Sequence[ExternalScores]
) -> dict[str, Any]:
    pairs = place.test()[: found.n]
    every: list[tuple[SentenceRow, ...]] = []
    forced: list[tuple[float | None, ...]] = []
    counts = place.words() or None
    for number in range(len(found.names)):
        lines = place.lines(number)
        if any(i not in lines for i in range(len(pairs))):
            return {}
        own = place.sentence_scores(number)
        more = {one.metric: one.values for one in given if one.system == number}
        every.append(_rows(pairs, lines, own, counts, more))
        known = (lines[i].get("forced") for i in range(len(pairs)))
        forced.append(tuple(float(each[0]) if each else None for each in known))
    references = tuple(place.references()[: found.n])
    return {"sentences": tuple(every), "references": references, "forced": tuple(forced)}


def _rows(
    pairs: Sequence[tuple[str, str]],
    lines: Mapping[int, Mapping[str, Any]],
    own: Mapping[int, Mapping[str, float]],
    counts: Mapping[str, int] | None,
    more: Mapping[str, Sequence[float]],
) -> tuple[SentenceRow, ...]:
    places = range(len(pairs))

    def column(name: str) -> list[float]:
        return [lines[i][name] for i in places]

    is_known = all("log_prob" in lines[i] for i in places)
    rows = sentence_rows(
        [source for source, _ in pairs],
        [reference for _, reference in pairs],
        [str(lines[i]["text"]) for i in places],
        scored=[own[i] for i in places] if all(i in own for i in places) else None,
        log_probs=column("log_prob") if is_known else None,
        ranked=column("score") if is_known else None,
        counts=counts,
    )
    given = ({name: values[i] for name, values in more.items()} for i in places)
    return tuple(
        replace(row, scores={**row.scores, **each}) if each else row
        for row, each in zip(rows, given, strict=True)
    )
