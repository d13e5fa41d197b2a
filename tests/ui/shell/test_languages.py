"""The languages of a multilingual model: chosen in the frame, followed by every page, and in the link."""

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

import s2s
from s2s.files import to_json
from s2s.jobs import head_service, model_import
from s2s.library.own import list_evaluations
from s2s.links.share import unpack
from s2s.runs import Measurement, Run, Sentences, runs_folder
from s2s.runs.decoder import DecodeRequest, work
from s2s.ui.kit import address, cached
from s2s.ui.shell import pages
from tests.pretrained.checkpoints import make_checkpoint
from tests.screen import html_table, link, lost, opened, page_text, picture, translation

TEXT = "to be or not to be"
TARGET = "frame tgt_lang"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("m2m100")
    make_checkpoint("m2m100", folder, is_tied=False)  # a tied one writes its language only
    return model_import.import_folder(folder, tmp_path_factory.mktemp("runs") / "opened").path


@pytest.fixture
def run(imported: Path) -> Run:
    folder = shutil.copytree(imported, runs_folder() / "opened")
    cached.refresh_runs()
    return s2s.load(folder)


def test_a_chosen_language_is_what_pages_translate_into_and_links_say(run: Run) -> None:
    (dutch,) = run.in_languages(tgt="nl").translate([TEXT])
    (german,) = run.translate([TEXT])
    assert dutch.text != german.text
    screen = opened(run="opened", src=TEXT)
    assert screen.selectbox(key=TARGET).value == "de"
    assert screen.selectbox(key="frame src_lang").value == "fr"
    assert translation(screen) == german.text
    assert "set" not in screen.query_params
    screen.selectbox(key=TARGET).select("nl").run()
    assert translation(screen) == dutch.text
    assert "set=tgt_lang%3Anl" in link(screen)
    assert not screen.exception
    screen.selectbox(key="run").select("demo-en-fr").run()
    assert not screen.exception
    assert TARGET not in [each.key for each in screen.selectbox]
    assert "set" not in screen.query_params


@pytest.mark.parametrize("page", ["compare", "steps", "attention", "walkthrough"])
def test_a_link_opens_a_sentence_in_its_languages(page: str, run: Run) -> None:
    strategy = "greedy" if page == "walkthrough" else "beam"
    (found,) = run.in_languages("en", "nl").translate([TEXT], strategy)
    screen = opened(page, run="opened", src=TEXT, set="src_lang:en,tgt_lang:nl")
    assert not screen.exception
    assert not screen.error
    assert not lost(screen)
    assert screen.selectbox(key=TARGET).value == "nl"
    assert unpack(screen.session_state["set"]).items() >= {"tgt_lang": "nl"}.items()
    if page == "compare":
        assert html_table(screen, "translation")[0]["translation"] == found.text
        code = [block.value for block in screen.code if "import s2s" in block.value]
        assert any('s2s.load("opened", 0).in_languages("en", "nl")' in each for each in code)
    elif page == "steps":
        assert found.tokens[0] == "__nl__"
        assert "__nl__" in str(screen.get("plotly_chart")[0].proto.spec)
    else:
        if page == "attention":  # its own tokens, which its text would not be tokenized into again
            assert len(picture(screen)[1]) == len(run.target_ids(found.hypotheses[0].ids))
            assert len(run.target_ids(found.text)) != len(found.hypotheses[0].ids)
        assert found.text in [each.placeholder for each in screen.text_input]


def test_heads_are_measured_in_the_chosen_languages(run: Run) -> None:
    sentences = Sentences("", spec="synthetic:reverse", split="valid", n=10)
    own = Measurement("opened", run.step, "roles", sentences)
    dutch = replace(own, languages=("en", "nl"))
    assert own.id != dutch.id
    assert head_service.measure(own) != head_service.measure(dutch)
    offered = []
    for packed in ("view:roles", "view:roles,tgt_lang:nl"):
        screen = opened("heads", run="opened", set=packed)
        assert not screen.exception
        offered.append([each.key for each in screen.button if str(each.key).startswith("measure ")])
    assert len(offered[0]) == len(offered[1]) == 1
    assert offered[0] != offered[1]


def test_a_language_that_the_model_lacks_is_said(run: Run) -> None:
    screen = opened("attention", run="opened", src=TEXT, set="tgt_lang:xx,view:lines")
    assert len(lost(screen)) == 1
    assert (
        "the target language xx, which this model doesn't have; de is shown instead"
        in page_text(screen)
    )
    assert not screen.exception
    assert screen.selectbox(key=TARGET).value == "de"


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({}, {"view": "lines", "tgt_lang": "nl"}),
        ({"run": "model · opened"}, {"view": "lines", "tgt_lang": "nl"}),
        ({"run": "other"}, {"view": "lines"}),
    ],
)
def test_a_link_to_another_run_keeps_that_runs_languages(
    monkeypatch: pytest.MonkeyPatch, named: dict[str, str], said: dict[str, str]
) -> None:
    links: list[dict[str, str]] = []
    monkeypatch.setattr(st, "session_state", {"run": "opened"})
    monkeypatch.setattr(st, "page_link", lambda *_, query_params, **__: links.append(query_params))
    monkeypatch.setattr(pages.Page, "screen", lambda row: row.file)
    address.add_to_set({"tgt_lang": "nl"})
    pages.page_link("attention", "Open", set="view:lines", **named)
    assert [unpack(link["set"]) for link in links] == [said]


def test_the_decoder_process_writes_in_them_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work.torch, "set_num_threads", lambda n: None)
    chosen = run.in_languages("en", "nl")
    folder, step, languages = chosen.key
    request = DecodeRequest("decoded", folder, step, (TEXT,), "greedy", languages=languages)
    expected = chosen.translate([TEXT], "greedy")[0].text
    unwatched: Any = SimpleNamespace(tell=lambda **progress: None)
    (answer,) = work.decode(to_json(request), unwatched)
    assert answer["result"]["hypotheses"][0]["text"] == expected
    assert expected != run.translate([TEXT], "greedy")[0].text


def test_an_evaluation_is_in_the_languages_of_the_page(run: Run) -> None:
    screen = opened("evaluate", run="opened", set="tgt_lang:nl")
    assert not lost(screen)
    screen.button(key="evaluate").click().run()
    assert not screen.exception
    (one,) = list_evaluations("local")
    assert {system.model[2:] for system in one.systems} == {("fr", "nl")}


def test_a_chosen_language_stays_when_another_page_opens(run: Run) -> None:
    screen = opened("compare", run="opened", src=TEXT)
    screen.selectbox(key=TARGET).select("nl").run()
    screen.switch_page("pages/inspect/attention.py").run()
    assert not screen.exception
    assert screen.selectbox(key=TARGET).value == "nl"
    assert unpack(screen.session_state["set"])["tgt_lang"] == "nl"
