"""The report of a run says what its files say, with units, and nothing of another workspace."""

import json
import re
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import pytest

import s2s
from s2s import reports
from s2s.config import DeniedError, UserError, asker
from s2s.data import Corpus, Pair, Statistics
from s2s.files import to_json
from s2s.library.checkpoints import load
from s2s.library.own import delete_evaluation
from s2s.plots.svg_sheet import visible_controls
from s2s.reports import data_profile
from s2s.runs import Evaluation, EvaluationFolder, RunFolder, Sentences, System, evaluations
from tests.conftest import make_run

NASTY = "<script>alert(1)</script>*a*"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> s2s.runs.Run:
    return load(make_run(tmp_path_factory.mktemp("runs") / "run", {}))


def test_every_part_is_there_with_its_numbers(run: s2s.runs.Run) -> None:
    html = reports.run_report(run, link="https://host/runs?run=a&b")
    parts = re.findall("<h2>(.*?)</h2>", html)
    assert parts == ["Model card", "Data", "Recipe", "Curves", "Scores", "Samples", "Attention"]
    assert f"<bdi>{run.n_parameters:,}</bdi>" in html
    assert "loss (nats per token)" in html
    assert "all 20 validation pairs, beam (num_beams 5, length_penalty 1.0): BLEU" in html
    assert "<bdi>Perplexity</bdi>" in html
    assert str(run.folder.path.parent) not in html
    assert "There are no statistics of this dataset" in html
    assert 'href="https://host/runs?run=a&amp;b"' in html
    assert html.count("<svg") >= 4
    for row in run.folder.lines("metrics"):
        if row["kind"] == "valid":
            assert f"<bdi>{row['loss']:.4g}</bdi>" in html
            assert f"<bdi>{100 * row['token_accuracy']:.2f}</bdi>" in html
    newest = max(line["step"] for line in run.folder.lines("samples"))
    for line in run.folder.lines("samples"):
        if line["step"] == newest:
            assert f"<bdi>{escape(line['text'])}</bdi>" in html
    (recipe,) = re.findall("<code>({.*?})</code>", html, re.DOTALL)
    assert json.loads(recipe.replace("&quot;", '"')) == run.recipe.to_json()


def refuse(*_: object) -> Any:
    raise UserError("Line 1 of the target has 129 tokens, and `data.max_length` is 128.")


def test_an_output_longer_than_the_learned_positions_leaves_the_other_parts(
    run: s2s.runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s2s.runs.Run, "attention", refuse)
    told: list[str] = []
    html = reports.run_report(run, compute=refuse, tell=told.append)
    assert "while training: loss " in html
    assert "No test set has been evaluated" in html
    assert "since not all validation pairs are scored: Line 1 of the" in told[0]
    assert "Line 1 of the target has 129 tokens, and data.max_length is 128." in html
    assert html.count("<svg") >= 3


def test_scores_have_units_intervals_and_signatures(run: s2s.runs.Run) -> None:
    found = evaluations.new_folder()
    system = System(NASTY, run=run.folder.id)
    request = Evaluation(
        found.id, NASTY, "local", "2026-03-01T00:00:00", run.folder.id, Sentences("t"), (system,)
    )
    EvaluationFolder(found.path).create(request)
    own = {
        "scores": {
            "bleu": {"value": 31.25, "low": 30.0, "high": 32.5},
            "token_accuracy": {"value": 0.5},
        },
        "signature": {"bleu": "nrefs:1|tok:13a"},
    }
    found.set_scores({"n": 20, "systems": [own], "is_final": True})
    html = reports.run_report(run, compute=refuse)
    assert "No test set has been evaluated" not in html
    row = re.search(r"<td><bdi>BLEU</bdi></td>(.*?)</tr>", html)
    assert row
    assert re.findall("<bdi>(.*?)</bdi>", row[1]) == [
        "31.25",
        "30 to 32.5",
        "0 to 100",
        "nrefs:1|tok:13a",
    ]
    row = re.search(r"<td><bdi>Token accuracy</bdi></td>(.*?)</tr>", html)
    assert row
    assert re.findall("<bdi>(.*?)</bdi>", row[1]) == ["50", "–", "%", ""]
    assert "<script" not in html
    delete_evaluation(found.id)


def test_the_words_of_a_dataset_that_is_here(
    run: s2s.runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = tuple(Pair(f"{NASTY} b", "c c") for _ in range(3))
    statistics = Statistics.of(Corpus("x", "train", pairs), Corpus("x", "valid", pairs[:1]))

    class Stored:
        def result(self, name: str) -> object:
            assert name.startswith("statistics")
            return to_json(statistics)

    monkeypatch.setattr(data_profile, "profile_of", lambda spec: Stored())
    html = "".join(data_profile.profile(run, {"source": "builtin:x"}))
    assert "Words of 3 training pairs" in html
    assert f"{escape(visible_controls(NASTY))} (3)" in html
    assert "c (6)" in html
    assert "<script" not in html


def test_markup_in_a_run_stays_text(run: s2s.runs.Run, tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {})
    RunFolder(path).amend(lambda about: {"name": NASTY, "source": NASTY, "machine": NASTY})
    RunFolder(path).log(
        "samples", {"step": 10**6, "source": NASTY, "reference": NASTY, "text": NASTY}
    )
    html = reports.run_report(replace(run, folder=RunFolder(path)))
    assert "<script" not in html
    assert escape(NASTY) in html


def test_somebody_elses_run_has_no_report(
    run: s2s.runs.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_run(tmp_path / "run", {})
    RunFolder(path).amend(lambda about: {"owner": "somebody"})
    monkeypatch.setenv("S2S_HOSTED", "1")
    with asker.acting_as("another"), pytest.raises(DeniedError):
        reports.run_report(replace(run, folder=RunFolder(path)))


def test_nothing_is_called_held_out_where_nothing_was(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", {}))
    assert "on held-out pairs." in reports.run_report(run)
    note = "5 pairs are few, so nothing is held out: validation uses the training pairs."
    run.folder.amend(lambda about: {"data": {**about["data"], "notes": [note]}})
    text = reports.run_report(run)
    assert "on held-out pairs." not in text
    assert "on training pairs (nothing is held out)." in text
    assert "Greedy translations of training sentences (nothing is held out)" in text


def test_an_existing_file_is_not_replaced(run: s2s.runs.Run, tmp_path: Path) -> None:
    out = tmp_path / "new" / "report.html"
    reports.write_report(run, out)
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(UserError, match="exists already; give another name"):
        reports.write_report(run, out)
