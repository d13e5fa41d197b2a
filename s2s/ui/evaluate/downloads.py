"""The files of an evaluation to download: scores as CSV and JSON, and a bundle with all that repeats it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from s2s import access, archives, plots
from s2s.data import one_line
from s2s.files import csv_writer
from s2s.jobs import external
from s2s.jobs import provenance as repeating
from s2s.runs import Evaluation, ExternalScores, evaluations
from s2s.scores import METRIC_NAMES, comparable
from s2s.ui.evaluate import provenance
from s2s.ui.evaluate.provenance import Provenance
from s2s.ui.kit import file_name
from s2s.ui.kit.tables import frame_latex
from s2s.words import FRACTIONS

Scores = Mapping[str, Any]  # scores.json
SCORES = (
    "system",
    "score",
    "value",
    "low",
    "high",
    "difference",
    "difference_low",
    "difference_high",
    "p_value",  # sacrebleu's paired bootstrap
    "signature",
    "p_randomization",
)
MADE = (
    "run",
    "checkpoint",
    "settings",
    "seed",
    "n",
    "data_hash",
    "files",
    "subset",
    "versions",
    "command",
)
README = """The evaluation `{name}` as files.

test.src, test.ref    the sentences and their references, one per line; test.ref2, ... where there are several (an
                      empty line there: this sentence has no further reference)
output-*.txt          the translations of each system, one per line
scores.csv, scores.json, provenance.json
commands.txt          one command per system, which repeats its scores from these files; for the translations of another
                      system with sacrebleu alone: BLEU, chrF and TER

References and translations are in Unicode's composed form (NFC){compared}.
The commands need the runs: {runs}.
"""
COMPARED = ", in which they were compared"
EARLIER = (
    ". An earlier version computed these scores, on texts as they were written and with BLEU's tokenizer 13a unless a"
    " command says another: the commands may give other ones"
)
GIVEN = """
segment-scores.csv    scores of metrics that were given as files, per sentence; provenance.json names the files
"""


def buttons(evaluation: Evaluation, scores: Scores, found: Provenance) -> None:
    """Scores as CSV, LaTeX and JSON, and the bundle."""
    name = file_name(evaluation.name)
    files: list[tuple[str, str, Callable[..., str | bytes], str, str]] = [
        ("Scores (CSV)", "csv", scores_csv, f"{name}.csv", "text/csv"),
        ("Scores (LaTeX)", "latex", scores_latex, f"{name}.tex", "application/x-tex"),
        ("Scores (JSON)", "json", scores_json, f"{name}.json", "application/json"),
    ]
    sentences = access.sentences_of(evaluation.id, evaluation.owner)
    if access.may(access.current(), "download", sentences):
        files.append(("Bundle (zip)", "bundle", bundle, f"{name}.zip", "application/zip"))
    with st.container(horizontal=True):
        for label, key, make, file, kind in files:
            st.download_button(
                label,
                partial(make, evaluation, scores, found),
                file,
                kind,
                on_click="ignore",
                icon=":material/download:",
                key=f"eval {key}",
            )


def scores_csv(evaluation: Evaluation, scores: Scores, found: Provenance) -> str:
    """One row per system and score: value, interval, difference from the baseline, p-values, signature, and what it
    was made with.
    """
    out = io.StringIO()
    rows = csv_writer(out)
    rows.writerow([*SCORES, *MADE])
    for system, own, made in zip(
        evaluation.systems, scores["systems"], _made(evaluation, found, scores["n"]), strict=True
    ):
        for key, number in _values(own).items():
            interval = own.get("scores", {}).get(key, {})
            pair = own.get("paired", {}).get(key, {})
            paired = [pair.get(name) for name in ("difference", "low", "high", "p_value")]
            numbers = [number, interval.get("low"), interval.get("high"), *paired]
            cells = ["" if each is None else each for each in numbers]
            signature = own.get("signature", {}).get(key, "")
            p = pair.get("p_randomization", "")
            rows.writerow([system.name, key, *cells, signature, p, *made])
    return out.getvalue()


def scores_latex(evaluation: Evaluation, scores: Scores, found: Provenance) -> str:
    """One row per system, with half the width of each 95 % interval; comments say what the scores are of."""
    systems = scores["systems"]
    keys = dict.fromkeys(key for own in systems for key in own.get("scores", {}))
    rows = [
        {"System": system.name, **{_heading(key): _with_interval(key, own) for key in keys}}
        for system, own in zip(evaluation.systems, systems, strict=True)
    ]
    signatures = dict.fromkeys(each for own in systems for each in own.get("signature", {}).items())
    notes = (
        f"{evaluation.name}: {scores['n']:,} sentences; ± half of the 95 % bootstrap interval",
        *(f"{_heading(key)}: {text}" for key, text in signatures),
    )
    return frame_latex(pd.DataFrame(rows), notes)


def _heading(key: str) -> str:
    return METRIC_NAMES[key].label if key in METRIC_NAMES else key


def _with_interval(key: str, own: Scores) -> str:
    score = own.get("scores", {}).get(key)
    if score is None:
        return ""
    scale = 100 if key in FRACTIONS else 1  # stored as 0 to 1
    text = f"{scale * score['value']:.2f}"
    if "low" in score:
        text += f" ± {scale * (score['high'] - score['low']) / 2:.2f}"
    return text


def _values(own: Scores) -> dict[str, float]:
    values = {key: score["value"] for key, score in own.get("scores", {}).items()}
    if (rate := own.get("sentences_per_second")) is not None:
        values["sentences_per_second"] = rate
    return values


def _made(evaluation: Evaluation, found: Provenance, n: int) -> list[list[object]]:
    """The columns of MADE, per system, of `n` sentences; empty where an earlier version did not record them."""
    test = evaluation.test
    versions = found.get("versions", {})
    return [
        [
            system.run,
            system.step or "",
            json.dumps(own.get("settings", dict(system.settings))),
            own.get("settings", {}).get("seed", ""),
            n,
            test.hash,
            "; ".join(name for name in (*test.files, system.uploaded) if name),
            found.get("test", {}).get("subset", ""),
            "; ".join(f"{name} {version}" for name, version in versions.items()),
            str(own.get("command", "")),
        ]
        for system, own in zip(
            evaluation.systems, provenance.systems(evaluation, found), strict=True
        )
    ]


def scores_json(evaluation: Evaluation, scores: Scores, found: Provenance) -> str:
    """scores.json with the names of the systems and the provenance."""
    names = [system.name for system in evaluation.systems]
    content = {**scores, "evaluation": evaluation.id, "names": names, "provenance": dict(found)}
    return json.dumps(content, ensure_ascii=False, indent=1)


def bundle(evaluation: Evaluation, scores: Scores, found: Provenance) -> bytes:
    """A zip with the test set, all translations, all scores, and the commands that repeat them."""
    place = evaluations.folder(evaluation.id)
    pairs = place.test()[: scores["n"]]
    made = provenance.systems(evaluation, found)
    given = external.covering(place, int(scores["n"]))
    runs = ", ".join(dict.fromkeys(system.run for system in evaluation.systems if system.run))
    commands = "".join(f"{own['command']}\n" for own in made if "command" in own)
    files = {
        "README.txt": README.format(
            name=evaluation.name,
            runs=runs or "none",
            compared=EARLIER if evaluations.is_of_earlier_version(scores) else COMPARED,
        )
        + (GIVEN if given else "")
        + "".join(f"\n{note}\n" for note in evaluation.test.notes),
        repeating.SOURCES: _lines(source for source, _ in pairs),
        **_references(place.references(), scores["n"]),
        "scores.csv": scores_csv(evaluation, scores, found),
        "scores.json": scores_json(evaluation, scores, found),
        "provenance.json": json.dumps(dict(found), ensure_ascii=False, indent=1),
        "commands.txt": commands,
    }
    if repeating.RESCORE in commands:
        files[repeating.RESCORE] = repeating.rescore_script()
    for number, system in enumerate(evaluation.systems):
        lines = place.lines(number)
        files[repeating.output_name(number, system)] = _lines(
            comparable(str(lines[i]["text"])) for i in range(len(pairs))
        )
    if given:
        files["segment-scores.csv"] = segment_scores_csv(evaluation, given, int(scores["n"]))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archives.add(archive, name, text.encode())
    return out.getvalue()


def segment_scores_csv(evaluation: Evaluation, given: Sequence[ExternalScores], n: int) -> str:
    """One row per sentence, one column per metric and system, in full precision."""
    columns: dict[str, list[object]] = {"number": [*range(1, n + 1)]}
    for one in given:
        name = f"{one.metric} of {evaluation.systems[one.system].name}"
        columns[name] = [*one.values[:n]]
    return plots.columns_csv(columns)


def _references(references: Sequence[Sequence[str]], n: int) -> dict[str, str]:
    """One file per reference, of the first `n` sentences; a sentence with fewer has an empty line."""
    names = repeating.reference_files(max(map(len, references), default=1))
    return {
        name: _lines(
            comparable(each[number]) if number < len(each) else "" for each in references[:n]
        )
        for number, name in enumerate(names)
    }


def _lines(texts: Iterable[str]) -> str:
    return "".join(f"{one_line(text)}\n" for text in texts)
