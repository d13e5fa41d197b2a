"""The files of an evaluation: its scores in LaTeX, its sentences as CSV, and all of it as a zip that repeats it."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from s2s.config import asker
from s2s.data import one_line
from s2s.files import archives
from s2s.jobs import external
from s2s.jobs import provenance as repeating
from s2s.library import Library, rights, sharing
from s2s.plots.picture import NamedFile
from s2s.questions import Evaluate, Evaluated, Table
from s2s.runs import EvaluationFolder, ExternalScores, evaluations
from s2s.scores import METRICS, comparable
from s2s.words import FRACTIONS

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
LATEX = "application/x-tex"


def score_files(answer: Evaluated) -> tuple[NamedFile, ...]:
    """Files to download: the scores in LaTeX and, for those who may see the sentences, everything as a zip."""
    name = _file_name(answer.evaluation.name)
    latex = NamedFile("LaTeX", f"{name}.tex", LATEX, partial(scores_latex, answer))
    if not answer.may_download:
        return (latex,)
    zipped = NamedFile("Bundle (zip)", f"{name}.zip", "application/zip", partial(bundle, answer))
    return latex, zipped


def sentence_file(answer: Evaluated) -> NamedFile:
    """A file with the sentences of every system."""
    name = f"{_file_name(answer.evaluation.name)}-sentences.csv"
    return NamedFile("All systems (CSV)", name, "text/csv", lambda: sentence_table(answer).csv())


def _file_name(title: str) -> str:
    return re.sub(r"[^\w-]+", "-", title).strip("-")


def scores_latex(answer: Evaluated) -> str:
    """The scores as a LaTeX table: a row per system, with half the width of each 95 % interval; comments say what the
    scores are of.
    """
    import pandas as pd

    keys = dict.fromkeys(key for own in answer.systems for key in own.get("scores", {}))
    rows = [
        {
            "System": one_line(name),
            **{answer.metrics[key].label: _with_interval(answer, i, key) for key in keys},
        }
        for i, name in enumerate(answer.names)
    ]
    every = (each for own in answer.systems for each in own.get("signature", {}).items())
    notes = (
        f"{answer.evaluation.name}: {answer.n:,} sentences; ± half of the 95 % bootstrap interval",
        *(f"{answer.metrics[key].label}: {text}" for key, text in dict.fromkeys(every)),
    )
    body = pd.DataFrame(rows).to_latex(index=False, escape=True)
    return "".join(f"% {one_line(note)}\n" for note in notes) + str(body)


def _with_interval(answer: Evaluated, number: int, key: str) -> str:
    score = answer.systems[number].get("scores", {}).get(key)
    if score is None:
        return ""
    scale = 100 if key in FRACTIONS else 1  # stored as 0 to 1
    text = f"{scale * score['value']:.2f}"
    if "low" in score:
        text += f" ± {scale * (score['high'] - score['low']) / 2:.2f}"
    return text


def sentence_table(answer: Evaluated) -> Table:
    """A table with one row per sentence and system: texts, scores, quality flags."""
    given = [name.key for name in answer.given]
    head = ["number", "system", "source", "reference", "translation", *METRICS]
    head += ["log_prob", "rarest", "rarest_count", "repeats", "hints", *given]
    rows = [
        [
            *(row.number, name, row.source, row.reference, row.hypothesis),
            *(row.scores.get(key) for key in METRICS),
            row.log_prob,
            *((row.rarest.word, row.rarest.n) if row.rarest else ("", "")),
            row.repeated,
            "; ".join(f"{flag.rule}: {flag.evidence}" for flag in row.flags),
            *(row.scores.get(key) for key in given),
        ]
        for name, every in zip(answer.names, answer.sentences, strict=True)
        for row in every
    ]
    return Table(head, rows)


def bundle(answer: Evaluated) -> bytes:
    """A zip with the test set, all translations, all scores, and the commands that repeat them.

    Raises DeniedError for who may not download the sentences.
    """
    place = Library().evaluation(answer.evaluation.id)
    sentences = sharing.sentences_of(place.id, place.evaluation().owner)
    rights.require("download", sentences, asker.current())
    described: Sequence[dict[str, Any]] = answer.provenance.get("systems", ())
    given = external.covering(place, answer.n)
    runs = dict.fromkeys(system.run for system in answer.evaluation.systems if system.run)
    commands = "".join(f"{own['command']}\n" for own in described if "command" in own)
    made = json.dumps(answer.provenance, ensure_ascii=False, indent=1)
    scores = {**answer.scores, "evaluation": place.id, "names": answer.names}
    readme = README.format(
        name=answer.evaluation.name,
        runs=", ".join(runs) or "none",
        compared=EARLIER if evaluations.is_of_earlier_version(answer.scores) else COMPARED,
    )
    notes = "".join(f"\n{note}\n" for note in answer.evaluation.test.notes)
    files = {
        "README.txt": readme + (GIVEN if given else "") + notes,
        **_texts(place, answer),
        "scores.csv": Evaluate().table(answer).csv(),
        "scores.json": json.dumps(
            {**scores, "provenance": answer.provenance}, ensure_ascii=False, indent=1
        ),
        "provenance.json": made,
        "commands.txt": commands,
    }
    if repeating.RESCORE in commands:
        files[repeating.RESCORE] = repeating.rescore_script()
    if given:
        files["segment-scores.csv"] = segment_table(answer, given).csv()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archives.add(archive, name, text.encode())
    return out.getvalue()


def _texts(place: EvaluationFolder, answer: Evaluated) -> dict[str, str]:
    pairs = place.test()[: answer.n]
    files = {
        repeating.SOURCES: _lines(source for source, _ in pairs),
        **reference_texts(place.references(), answer.n),
    }
    for number, system in enumerate(answer.evaluation.systems):
        lines = place.lines(number)
        texts = (comparable(str(lines[i]["text"])) for i in range(len(pairs)))
        files[repeating.output_name(number, system)] = _lines(texts)
    return files


def segment_table(answer: Evaluated, given: Sequence[ExternalScores]) -> Table:
    """A table with one row per sentence, one column per metric and system of the files, in full precision."""
    head = [f"{one.metric} of {answer.names[one.system]}" for one in given]
    rows = [[i + 1, *(one.values[i] for one in given)] for i in range(answer.n)]
    return Table(["number", *head], rows)


def reference_texts(references: Sequence[Sequence[str]], n: int) -> dict[str, str]:
    """References as files, one per reference, of the first `n` sentences; a sentence with fewer has an empty line."""
    names = repeating.reference_files(max(map(len, references), default=1))
    return {
        name: _lines(
            comparable(each[number]) if number < len(each) else "" for each in references[:n]
        )
        for number, name in enumerate(names)
    }


def _lines(texts: Iterable[str]) -> str:
    return "".join(f"{one_line(text)}\n" for text in texts)
