"""Every page on a published checkpoint: relative positions, gated feed-forward, RMS norms, no biases, other ids."""

import shutil
from pathlib import Path

import pytest

from s2s.config import Recipe, asker
from s2s.jobs import model_import
from s2s.links.share import pack
from s2s.processes import queue
from s2s.runs import RunFolder, runs_folder
from s2s.tokenizers.byte import CharTokenizer
from s2s.ui.kit import cached, vocabulary
from s2s.ui.walkthrough.step import verbatim
from tests.pretrained.checkpoints import make_checkpoint
from tests.screen import PAGES, box, opened, page_text, picture


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that a checkpoint becomes."""
    checkpoint = tmp_path_factory.mktemp("t5")
    make_checkpoint("t5", checkpoint)
    return model_import.import_folder(checkpoint, tmp_path_factory.mktemp("run") / "opened").path


@pytest.fixture
def folder(imported: Path) -> RunFolder:
    """The same run in the visitor's home."""
    path = runs_folder() / "opened"
    shutil.copytree(imported, path)
    cached.refresh_runs()
    return RunFolder(path)


ELSEWHERE = ("", "attention", "train", "walkthrough")  # opened below
TASKS = "Imported T5 checkpoint · start with *summarize:* or *translate English to German:*"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in (*ELSEWHERE, "data", "lessons")]
)
@pytest.mark.usefixtures("folder")
def test_a_page_opens_with_an_imported_run(page: str) -> None:
    screen = opened(page, run="opened", src="to be or not to be")
    assert not screen.exception
    assert not screen.error
    if page in ("compare", "steps", "heads", "evaluate"):
        assert TASKS in page_text(screen)
    if page == "compare":
        assert screen.number_input(key="c1 beam num_beams").value == 4  # as the checkpoint says


def test_an_imported_run_fills_the_form_of_train_with_what_fine_tuning_needs(
    folder: RunFolder,
) -> None:
    start = {"source": "synthetic:reverse", "preset": "small", "start from": "opened"}
    screen = opened("train", set=pack(start))
    screen.session_state["from a run"] = True
    screen.button(key="take origin").click().run()
    assert not screen.exception
    assert not screen.error
    assert screen.number_input(key="set train.lr").value == folder.recipe().train.lr
    assert screen.toggle(key="with a control run opened").disabled
    screen.button(key="train").click().run()
    (job,) = queue.jobs(asker.LOCAL)
    recipe = Recipe.from_json(job.spec["recipe"])
    assert recipe.model == folder.recipe().model
    assert recipe.tokenizer == folder.recipe().tokenizer


def test_train_says_what_a_published_model_is_and_fine_tunes_it(folder: RunFolder) -> None:
    screen = opened("train", run="opened")
    assert not screen.exception
    assert not screen.error
    assert "A published T5 model, opened on 20" in page_text(screen)
    assert "was not trained here, so there are no curves" in page_text(screen)
    assert "Starting" not in page_text(screen)
    screen.button(key="fine-tune").click().run()
    assert not screen.exception
    assert not screen.error
    assert screen.session_state["start from"] == "opened"
    assert screen.number_input(key="set train.lr").value == folder.recipe().train.lr
    assert "can be exported to Hugging Face transformers (T5)" in page_text(screen)


@pytest.mark.usefixtures("folder")
def test_its_only_checkpoint_is_called_as_published() -> None:
    screen = opened("attention", run="opened", src="to be")
    assert not screen.exception
    assert not screen.error
    assert TASKS in page_text(screen)
    assert screen.selectbox(key="step box").options == ["as published"]
    title, _ = picture(screen)
    assert "· as published<br>" in title


@pytest.mark.usefixtures("folder")
def test_task_prefixes_are_examples_to_press() -> None:
    screen = opened(run="opened")
    assert not screen.exception
    assert not screen.error
    assert TASKS in page_text(screen)
    assert box(screen).startswith("summarize: The tower")
    screen.button(key="chip1").click().run()
    assert not screen.exception
    assert box(screen) == "translate English to German: The house is wonderful."
    assert "encoder: 2 layers, 3 heads each; decoder: 3 layers, 3 heads" in page_text(screen)
    assert "surprise" not in [button.key for button in screen.button]  # there is no dataset


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("he_IL", "הבית נפלא."), ("arb_Arab", "البيت رائع."), ("en", "The house is wonderful.")],
)
def test_a_known_language_has_a_sentence_to_try(language: str, sentence: str) -> None:
    tokenizer = CharTokenizer.fit(["a"], None)
    assert vocabulary.for_published(tokenizer) == ()
    tokenizer.language = language
    assert vocabulary.for_published(tokenizer) == (sentence,)


@pytest.mark.usefixtures("folder")
def test_the_walkthrough_names_the_start_that_the_model_has() -> None:
    screen = opened("walkthrough", run="opened", src="to be", set="step:shifted")
    assert not screen.exception
    assert not screen.error
    assert TASKS in page_text(screen)
    (formula,) = screen.get("latex")
    assert r"\texttt{<pad>}, y_1" in formula.value
    assert r"y_{n-1}, \texttt{</s>}" in formula.value
    assert verbatim("en_XX") == r"\texttt{en\_XX}"
