"""Scores of another metric, on the page: added, shown in tables, plots, buckets and downloads, deleted."""

import csv
import io
import json
import zipfile
from collections.abc import Sequence

import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import asker
from s2s.jobs import GivenScores, external
from s2s.library import Library, sharing
from s2s.plots.evaluation_files import bundle
from s2s.questions import Evaluate, Have
from s2s.runs import EvaluationFolder
from s2s.ui.shell import visitors
from tests.screen import opened, page_text
from tests.ui.evaluate.test_evaluate import DEMO, MARKUP, evaluated, frame, work

NAME = "<b>COMET</b> :red[x]"
OURS = (0.9, 0.5, 0.25)
THEIRS = (0.5, 0.375, 0.125)


def given(place: EvaluationFolder, name: str = NAME) -> None:
    for system, values in enumerate((OURS, THEIRS)):
        text = "".join(f"{value}\n" for value in values)
        external.add(place.id, GivenScores(name, "higher", system, "comet.txt", text.encode()))


@pytest.fixture
def place() -> EvaluationFolder:
    return Library().evaluation(evaluated())


def shown(place: EvaluationFolder) -> AppTest:
    screen = opened("evaluate", run=DEMO, set=f"evaluation:{place.id}")
    assert not screen.exception
    return screen


def pasted(screen: AppTest, place: EvaluationFolder, text: str, n_added: int = 0) -> AppTest:
    screen.text_input(key="external metric").set_value("COMET")
    screen.text_area(key=f"external pasted {place.id} {n_added}").set_value(text)
    screen.button(key="add scores").click().run()
    assert not screen.exception
    return screen


def test_pasted_scores_are_added_and_deleted_and_a_mistake_is_said_in_the_form_which_keeps_it(
    place: EvaluationFolder,
) -> None:
    screen = pasted(shown(place), place, "0.9\n0,5\n0.25\n")
    (error,) = screen.error
    assert "Line 2 of `pasted scores.txt` is `0,5`" in str(error.value)
    screen.text_area(key=f"external pasted {place.id} 0").set_value("0.9\n").run()
    (form,) = (each for each in screen.expander if each.label == "Scores of another metric")
    assert form.proto.expanded  # also when the error is gone
    pasted(screen, place, "0.9\n0.5\n0.25\n")
    assert not screen.error
    assert frame(screen, "BLEU")["COMET"][0].startswith("0.55 ± ")
    assert frame(screen, "BLEU")["COMET"][1] == "–"
    assert "COMET of greedy: pasted scores.txt, 3 scores · higher is better" in page_text(screen)
    pasted(screen, place, "", n_added=1)
    assert "There are no scores yet" in str(screen.error[0].value)
    screen.button(key="delete scores COMET 0").click().run()
    assert not screen.exception
    assert "COMET" not in frame(screen, "BLEU").columns


def test_they_join_tables_plots_and_buckets_and_are_drawn_against_another(
    place: EvaluationFolder,
) -> None:
    given(place)
    screen = shown(place)
    row = frame(screen, "95 % interval").query("Score == @NAME").iloc[0]
    assert row["System"] == MARKUP
    assert row["Difference"] == "-0.217"
    assert list(frame(screen, "translation")[NAME]) == [OURS[i] for i in order(screen)]
    assert "There is no correlation to compute" in page_text(screen)  # chrF is 100 everywhere
    screen.selectbox(key="evaluate points_of").set_value("2")
    screen.selectbox(key="evaluate sort").set_value(NAME).run()
    assert list(frame(screen, "translation")[NAME]) == sorted(OURS)
    (spec,) = (
        json.loads(each.proto.spec)
        for each in screen.get("plotly_chart")
        if "3 sentences" in str(each.proto.spec) and "customdata" in str(each.proto.spec)
    )
    assert list(spec["data"][0]["y"]) == list(THEIRS)
    assert spec["layout"]["yaxis"]["title"]["text"].startswith("&lt;b&gt;")
    assert "Pearson correlation" in page_text(screen)
    screen.selectbox(key="evaluate sort").set_value("gap").run()
    screen.selectbox(key="evaluate by").set_value(NAME)
    screen.selectbox(key="evaluate bucket_score").set_value(NAME)
    screen.selectbox(key="evaluate quality").set_value(NAME).run()
    assert not screen.exception
    assert max(frame(screen, "gap")["gap"]) == pytest.approx(0.4)
    found = frame(screen, "bucket")
    mine = found[f"{NAME} of {MARKUP}"]
    assert (mine * found["sentences"]).sum() == pytest.approx(sum(THEIRS))
    pictures = [str(each.proto.spec) for each in screen.get("plotly_chart")]
    assert any("&lt;b&gt;COMET" in spec and "sentences per second" in spec for spec in pictures)
    assert not any("<b>COMET" in spec for spec in pictures)
    bodies = "".join(str(each.proto.body) for each in screen.get("html"))
    assert "&lt;b&gt;COMET&lt;/b&gt; :red[x] 0.5" in bodies


def order(screen: AppTest) -> Sequence[int]:
    return [number - 1 for number in frame(screen, "translation")["no."]]


def test_the_downloads_say_what_was_given(place: EvaluationFolder) -> None:
    given(place, "COMET")
    question = Evaluate(evaluation=place.id)
    answer = Have().answer(question)
    rows = csv.DictReader(io.StringIO(question.table(answer).csv()))
    comet = [row for row in rows if row["score"] == "COMET"]
    assert [float(row["value"]) for row in comet] == [pytest.approx(0.55), pytest.approx(1 / 3)]
    assert comet[1]["p_randomization"]
    with zipfile.ZipFile(io.BytesIO(bundle(answer))) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    segments = list(csv.DictReader(io.StringIO(files["segment-scores.csv"])))
    assert [float(row["COMET of greedy"]) for row in segments] == list(OURS)
    assert "segment-scores.csv" in files["README.txt"]
    recorded = json.loads(files["provenance.json"])["external"]
    assert [(one["name"], one["file"], one["n"]) for one in recorded] == [
        ("greedy", "comet.txt", 3),
        (MARKUP, "comet.txt", 3),
    ]
    assert [row.scores["COMET"] for row in answer.sentences[0]] == list(OURS)


def test_scores_that_no_longer_cover_the_evaluation_say_so(place: EvaluationFolder) -> None:
    given(place, "COMET")
    for path in place.path.glob("external-*.json"):
        content = json.loads(path.read_text())
        path.write_text(json.dumps(content | {"values": content["values"][:2]}))
    screen = shown(place)
    assert "They cover 2 of 3 sentences and are not used" in page_text(screen)
    assert "COMET" not in frame(screen, "BLEU").columns


def test_only_the_owner_sees_the_form(
    place: EvaluationFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(place, "COMET")
    with asker.acting_as("local"):
        sharing.share(
            sharing.thing("evaluation", place.id, "local"), sharing.Sharing(link=True, data=True)
        )
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    monkeypatch.setattr(visitors, "workspace_of_visitor", lambda: "another")
    monkeypatch.setattr(visitors, "cookies", dict)
    screen = shown(place)
    assert "COMET" in frame(screen, "BLEU").columns
    assert not [each for each in screen.button if "scores" in str(each.key)]


def test_an_evaluation_that_is_scored_again_shows_its_new_scores_beside_them(
    place: EvaluationFolder,
) -> None:
    given(place)
    path = place.path / "scores.json"
    old = json.loads(path.read_text().replace("|unicode:NFC", ""))
    old["systems"][1]["scores"]["bleu"]["value"] = 1.5
    path.write_text(json.dumps(old))
    screen = shown(place)
    assert "1.5" in frame(screen, "BLEU")["BLEU"][1]
    screen.button(key="score again").click().run()
    work(place)
    screen.run()
    assert not screen.exception
    value = place.scores()["systems"][1]["scores"]["bleu"]["value"]
    assert f"{value:.1f}" in frame(screen, "BLEU")["BLEU"][1]
