"""A run for other libraries on the page Runs: a button for each that can load it, the reason for the rest."""

import pytest
from streamlit.testing.v1 import AppTest

from s2s.jobs import run_export
from s2s.pretrained.export import ctranslate2_folder
from s2s.ui.kit import as_markdown
from tests.screen import opened

DEMO = "demo-tasks"


def exported(run: str) -> AppTest:
    """The page with the popover open."""
    screen = opened("runs", run=run)
    screen.session_state[f"export {run}"] = True
    screen.run()
    assert not screen.exception
    return screen


def labels(screen: AppTest) -> dict[str, str]:
    return {each.key: each.label for each in screen.get("download_button") if each.key}


def test_a_button_for_each_library(own_run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctranslate2_folder, "find_spec", lambda name: True)
    assert not {"export transformers", "export ctranslate2"} & set(
        labels(opened("runs", run=own_run))
    )
    found = labels(exported(own_run))
    assert found["export transformers"] == "For Hugging Face transformers (Pegasus)"
    assert found["export ctranslate2"] == "For CTranslate2"


def test_the_reason_where_there_is_none(own_run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_export, "MAX_DOWNLOAD", 1000)
    screen = exported(own_run)
    assert not {"export transformers", "export ctranslate2"} & set(labels(screen))
    said = {caption.value for caption in screen.caption}
    reason = (
        "it has 0 MB, more than the 0 MB that a page hands over. `python -m s2s export` writes it."
    )
    assert as_markdown(f"Not for CTranslate2: {reason}") in said
    said = {caption.value for caption in exported(DEMO).caption}
    assert any("Not for CTranslate2" in each and "in other spellings" in each for each in said)
