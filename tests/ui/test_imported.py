"""Every page on a published checkpoint: relative positions, gated feed-forward, RMS norms, no biases, other ids."""

from pathlib import Path

import pytest

from s2s.jobs import model_import
from s2s.runs import runs_folder
from tests.pretrained.checkpoints import make_checkpoint
from tests.screen import PAGES, opened, page_text


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("t5")
    make_checkpoint("t5", folder)
    return folder


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("data", "lessons")])
def test_a_page_opens_with_an_imported_run(page: str, checkpoint: Path) -> None:
    model_import.import_folder(checkpoint, runs_folder() / "opened")
    screen = opened(page, run="opened", src="to be or not to be")
    assert not screen.exception
    assert not screen.error
    if page in ("", "compare", "steps", "attention", "heads", "evaluate", "walkthrough"):
        assert "Imported T5 checkpoint" in page_text(screen)
    if page == "compare":
        assert screen.number_input(key="c1 beam num_beams").value == 3  # as the checkpoint says
