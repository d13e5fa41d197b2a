"""Break it on purpose: symptom, guess, cause, and the runs that a visitor trains."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import NO_FAULT, asker
from s2s.faults import FAULTS
from s2s.jobs import fault_experiment
from s2s.jobs.plan import throughput
from s2s.processes import queue
from s2s.questions import FaultResults, Have, MeasuredFaults
from s2s.runs import runs_folder
from s2s.ui.kit import as_markdown
from tests.conftest import make_run
from tests.screen import opened, page_text


def card(number: int) -> AppTest:
    screen = opened("lessons", set=f"view:faults,fault:{number}")
    assert not screen.exception
    return screen


def press(screen: AppTest, label: str) -> AppTest:
    next(each for each in screen.button if each.label == label).click().run()
    assert not screen.exception
    return screen


def own_run(fault: str, trained: Path) -> str:
    """A finished run of the visitor's, whose recipe names the fault."""
    path = runs_folder() / f"{fault.replace('-', ''):x<16}"
    shutil.copytree(trained, path)
    about = json.loads((path / "recipe.json").read_text())
    about["recipe"]["train"]["fault"] = fault
    about |= {"tags": [fault_experiment.TAG], "name": "mine"}
    (path / "recipe.json").write_text(json.dumps(about))
    return path.name


def test_each_fault_is_found_by_its_name_and_the_symptom_comes_before_the_cause() -> None:
    screen = card(2)
    row = list(FAULTS.values())[1]
    names = [as_markdown(each.title) for each in FAULTS.values()]
    assert screen.get_by_key("lessons fault").options == names
    shown = page_text(screen)
    assert shown.index(row.symptom) < shown.index(row.cause)
    title = json.loads(screen.get("plotly_chart")[0].proto.spec)["layout"]["title"]["text"]
    assert "No causal mask · loss during training" in title


def test_a_visitor_trains_a_fault_in_the_express_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throughput, "peak", lambda: 1e11)  # of a computer that is not busy
    screen = card(4)
    press(screen, "Train it myself")
    jobs = queue.jobs(asker.LOCAL, kind="train")
    faults = [job.spec["recipe"]["train"].get("fault", NO_FAULT) for job in jobs]
    assert sorted(faults) == ["no-positions", NO_FAULT]
    assert {job.slot for job in jobs} == {"express"}
    assert "With the fault: waiting" in page_text(screen)
    labels = [each.label for each in screen.button]
    assert "Train it myself" not in labels
    assert labels.count("Stop") == 2
    press(screen, "Stop")
    assert [each.label for each in screen.button].count("Stop") == 1


def test_both_runs_are_opened_side_by_side(tmp_path: Path) -> None:
    trained = make_run(tmp_path / "trained", {})
    healthy, broken = own_run(NO_FAULT, trained), own_run("no-positions", trained)
    screen = card(4)
    links = {
        each.proto.label: parse_qs(each.proto.query_string) for each in screen.get("page_link")
    }
    columns = links["Both in Compare"]
    assert columns["c1"][0].startswith(healthy)
    assert columns["c2"][0].startswith(broken)
    assert links["Attention, with the fault"]["run"] == [broken]
    assert "Train it again" in {each.label for each in screen.button}
    attention = opened("attention", run=broken)
    assert f"mine (fault: no positions) · {broken}" in attention.selectbox(key="run").options
    assert "Trained with a fault: No positions" in page_text(attention)
    title = json.loads(attention.get("plotly_chart")[0].proto.spec)["layout"]["title"]["text"]
    assert "(fault: no positions)" in title


def test_a_missing_causal_mask_is_looked_for_where_it_was(tmp_path: Path) -> None:
    trained = make_run(tmp_path / "trained", {})
    for fault in (NO_FAULT, "no-causal-mask"):
        broken = own_run(fault, trained)
    screen = card(2)
    links = {
        each.proto.label: parse_qs(each.proto.query_string) for each in screen.get("page_link")
    }
    assert links["Attention, with the fault"]["kind"] == ["decoder"]
    attention = opened("attention", run=broken, kind="decoder")
    assert "each earlier token; later ones are masked. That is so when" in page_text(attention)
    walked = opened("walkthrough", run=broken).warning[0].value
    assert "It acted while the run was trained" in walked
    assert links["Attention, with the fault"]["set"] == ["training:1"]
    attention = opened("attention", run=broken, kind="decoder", set="training:1")
    assert "each token, also those after it" in page_text(attention)
    assert "yet to write" in findings(attention)
    assert findings(screen).count("yet to write") == 1  # beside the healthy run's
    shown = page_text(screen)
    assert shown.count("The rows are the correct translation, as in training") == 2
    assert shown.index("Your run with the fault") < shown.index("Our two runs, which ship")


def findings(screen: AppTest) -> str:
    bodies = (str(each.proto.body) for each in screen.get("html"))
    return " ".join(body for body in bodies if "class='finding'" in body)


def test_a_fault_of_inference_is_looked_at_at_once() -> None:
    screen = card(7)
    assert "40 tokens" in page_text(screen)
    assert not screen.get("plotly_chart")
    card(8)


def test_the_link_of_a_fault_says_which_sentence_is_translated_with_it() -> None:
    screen = card(7)
    example = translated(screen)
    screen.text_input(key="lessons sentence").set_value("the cat sleeps").run()
    assert translated(screen) != example
    again = opened("lessons", set=screen.session_state["set"])
    assert again.text_input(key="lessons sentence").value == "the cat sleeps"
    assert translated(again) == translated(screen)


def translated(screen: AppTest) -> list[str]:
    assert not screen.exception
    return [text for each in screen.markdown if ": " in (text := str(each.value))]


def test_every_result_is_in_one_table() -> None:
    (every,) = (each.value for each in card(1).dataframe)
    assert list(every["fault"]) == [row.title.replace("`", "") for row in FAULTS.values()]
    assert every.iloc[0].tolist() == ["Unshifted labels", "exact match", "0.0%", "94.5%"]


def test_a_lower_loss_is_said_to_hide_the_fault_only_where_it_does() -> None:
    results = Have().answer(FaultResults())
    broken, healthy = results.pair("no-causal-mask")
    said = FaultResults("no-causal-mask").finding(results)
    assert "ends lower with the fault, at 0.0038 instead of 0.0155" in said
    worse = results.results | {"trained no-causal-mask": replace(broken, final_loss=1.0)}
    said = FaultResults("no-causal-mask").finding(MeasuredFaults(worse))
    assert said == "With the fault, BLEU is 0.8; in the healthy run, 97.7."
    same = results.results | {"trained no-causal-mask": healthy}
    assert FaultResults("no-causal-mask").finding(MeasuredFaults(same)) == ""
