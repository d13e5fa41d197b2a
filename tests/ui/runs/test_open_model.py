"""The view that opens a published model: what is known before anything is fetched, its progress, the way to the run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from s2s.config import asker
from s2s.jobs import import_service
from s2s.jobs.registry import JOBS
from s2s.library.own import delete_run, list_runs
from s2s.pretrained import MODELS
from s2s.processes import queue
from s2s.ui.kit import cached
from s2s.ui.runs import open_model
from tests.hostile.home import visiting
from tests.hostile.markup import interpreted
from tests.hub.standin import Fault, Hub, Repo
from tests.jobs.context import FakeContext
from tests.pretrained.checkpoints import make_checkpoint
from tests.screen import ROOT, opened, page_text

NAME = "team/opus"
EVIL = "<img/src=x/onerror=alert(1)> [a](http://evil.example) :material/bug_report: $x^2$ **b**"
QUOTED = "[a](http://evil.example) :material/bug_report: $x^2$ **b**"  # a page quotes a name in backticks
CARD = f"---\nlicense: '{EVIL}'\nlanguage: ['{EVIL}', ':red[de]']\n---\n".encode()


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folders = {name: tmp_path_factory.mktemp(name) for name in ("marian", "m2m100")}
    for name, folder in folders.items():
        make_checkpoint(name, folder)
    return folders


@pytest.fixture
def served(checkpoints: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    files = {
        name: {path.name: path.read_bytes() for path in folder.iterdir()}
        for name, folder in checkpoints.items()
    }
    models = {
        NAME: Repo({**files["marian"], "README.md": CARD}),
        "facebook/m2m100_418M": Repo(files["m2m100"]),
        "team/broken": Repo(files["marian"], fault=Fault(status=503, times=1)),
        "team/gpt2": Repo({**files["marian"], "config.json": b'{"model_type": "gpt2"}'}),
    }
    with Hub({}, models) as standin:
        monkeypatch.setenv("HF_ENDPOINT", standin.url)
        yield standin


def page() -> AppTest:
    screen = opened("runs", set="tab:open-a-model")
    assert not screen.exception
    return screen


def typed(name: str) -> AppTest:
    """The page with this name in its field."""
    screen = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=30)
    screen._page_hash = calc_hash("runs")
    screen.query_params["set"] = "tab:open-a-model"
    screen.session_state[open_model.NAME] = name
    screen.run()
    assert not screen.exception
    return screen


def has_button(screen: AppTest) -> bool:
    return any(button.key == "open model" for button in screen.button)


def test_it_asks_nobody_before_a_name_is_given_and_shows_well_known_models(
    served: Hub,
) -> None:
    screen = page()
    text = page_text(screen)
    for row in MODELS.values():
        assert row.name in text
        assert row.summary.replace("`", "") in text
    assert served.log == []
    assert not has_button(screen)


def test_a_model_is_looked_up_opened_and_explored(served: Hub) -> None:
    screen = typed(NAME)
    metrics = {each.label: each.value for each in screen.metric}
    assert metrics.keys() == {"Parameters", "Download", "Memory", "Time"}
    assert len(served.log) == 2
    screen = screen.button(key="open model").click().run()
    assert not screen.exception
    assert "Queued: next to start." in page_text(screen) or screen.get("progress")
    job = queue.claim("w", "h", "express", 600.0)
    assert job is not None
    assert job.spec["name"] == NAME
    list(JOBS["import"].work(job, FakeContext()))
    queue.finish(job.id, job.worker, "done")
    cached.refresh_runs()
    screen.run()
    assert f"{NAME} is open." in " ".join(
        str(each.value).replace("\\", "").replace("*", "") for each in screen.success
    )
    (row,) = list_runs(asker.LOCAL)
    links = [each.proto for each in screen.get("page_link")]
    assert {"Compare strategies", "Attention"} <= {link.label for link in links}
    assert any(row.id in link.query_string for link in links)
    delete_run(row.id, asker.LOCAL)
    cached.refresh_runs()
    screen.run()
    assert not screen.success, "a run that was deleted is not offered"


def test_an_import_can_be_canceled(served: Hub) -> None:
    screen = typed(NAME).button(key="open model").click().run()
    (live,) = import_service.imports(asker.LOCAL)
    screen = screen.button(key=f"cancel {live.run}").click().run()
    assert not screen.exception
    assert "was canceled; nothing of it is kept." in page_text(screen).replace("*", "")
    assert queue.live_jobs() == []


def test_what_a_card_says_is_text_and_a_failed_import_says_why(served: Hub) -> None:
    screen = typed(NAME)
    assert "license: <img/src=x" in page_text(screen)  # of its card, as text
    assert interpreted(screen) == []
    screen.button(key="open model").click().run()
    job = queue.claim("w", "h", "express", 600.0)
    assert job is not None
    queue.finish(job.id, job.worker, "failed", f"`{QUOTED}` is {QUOTED}.")
    screen.run()
    assert "was not opened" in page_text(screen)
    assert interpreted(screen) == []


@pytest.mark.parametrize("name", ["`x` [a](http://evil.example)", "x" * 900])
def test_an_odd_name_is_a_sentence_that_shows_it_as_it_is(served: Hub, name: str) -> None:
    screen = typed(name)
    assert "is not a model's name" in page_text(screen)
    assert interpreted(screen) == []
    assert served.log == []


def test_a_model_that_does_not_open_is_a_sentence_and_the_hub_can_be_asked_again(
    served: Hub,
) -> None:
    screen = page().text_input(key=open_model.NAME).set_value("team/gpt2").run()
    assert "`model_type` gpt2" in page_text(screen) or "gpt2" in page_text(screen)
    assert not has_button(screen)
    screen = typed("team/broken")
    assert "The Hub failed (503)" in page_text(screen)
    screen = screen.button(key="look up again").click().run()
    assert has_button(screen)


def test_a_multilingual_model_of_the_gallery_comes_with_two_languages(served: Hub) -> None:
    screen = page().button(key="choose facebook/m2m100_418M").click().run()
    assert not screen.exception
    assert screen.text_input(key="open model Source language facebook/m2m100_418M").value == "en"
    assert not screen.button(key="open model").disabled
    target = screen.text_input(key="open model Target language facebook/m2m100_418M")
    screen = target.set_value("").run()
    assert screen.button(key="open model").disabled
    assert "give the codes of the source and the target language" in page_text(screen)


def test_a_marian_of_several_languages_may_be_told_one(served: Hub) -> None:
    card = b"---\nlanguage: [en, fr, es, it]\n---\n"
    served.models["team/romance"] = Repo({**served.models[NAME].files, "README.md": card})
    screen = typed("team/romance")
    field = screen.text_input(key="open model Target language team/romance")
    assert not screen.button(key="open model").disabled
    field.set_value("fra").run().button(key="open model").click().run()
    (job,) = queue.live_jobs()
    assert (job.spec["src_language"], job.spec["tgt_language"]) == ("", "fra")


def test_a_folder_is_opened_on_ones_own_computer_only(
    checkpoints: dict[str, Path], served: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    screen = typed(str(checkpoints["marian"]))
    assert "A folder of this computer" in page_text(screen)
    assert "Download" not in {each.label for each in screen.metric}
    screen.button(key="open model").click().run()
    (job,) = queue.live_jobs()
    assert job.spec["folder"] == str(checkpoints["marian"])
    assert "has no config.json that can be read" in page_text(typed(str(tmp_path)))
    assert "has no config.json that can be read" in page_text(typed("~nobody-of-that-name/model"))
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    with visiting(monkeypatch, "eve"):
        text = page_text(typed(str(checkpoints["marian"])))
    assert "cannot be opened by its visitors" in text
    assert served.log == []


def test_a_machine_without_the_hub_says_so_in_a_sentence(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "The Hub is disabled on this server" in page_text(typed(NAME))
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert "The Hub cannot be reached from this server" in page_text(typed("team/other"))
    assert served.log == []


def test_too_large_models_of_the_gallery_cannot_be_chosen_on_a_hosted_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_MAX_MODEL_PARAMETERS", "100000000")
    screen = page()
    assert screen.button(key="choose google/pegasus-xsum").disabled
    assert not screen.button(key="choose google-t5/t5-small").disabled
