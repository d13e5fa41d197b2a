"""The README of an exported run: data, recipe, scores and a license to fill in; anybody's text stays text."""

import io
import json
import zipfile
from pathlib import Path, PurePosixPath

import pytest

import s2s
from s2s import settings
from s2s.config import DeniedError, UserError, asker, override
from s2s.jobs import run_export
from s2s.pretrained import export
from s2s.pretrained.export import ctranslate2_folder
from s2s.runs import RunFolder
from tests.conftest import make_run

NASTY = "*a* | <b>x</b> `c` [d](http://e.f) $g$\n# h"


@pytest.fixture
def own_run(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("S2S_WORKER", "elsewhere")  # none starts for the scores of a card
    return make_run(settings.home() / "runs" / ("a" * 16), {}).name


def test_the_card_has_data_scores_and_recipe(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {"data.prefix": "```\n# no"})
    said = {"limits": [NASTY], "good": [[NASTY, "out", "by a person"]], "bad": []}
    RunFolder(path).amend(
        lambda about: {"name": NASTY, "source": NASTY, "attribution": NASTY, "card": said}
    )
    run = s2s.load(path)
    verdict = run_export.export_run(run, "transformers", tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    assert verdict.form is not None
    assert verdict.form.architecture in card
    front, _, text = card.removeprefix("---\n").partition("---\n")
    assert front.splitlines()[0] == "license: unknown"
    assert f"# {export.as_text(NASTY)}\n" in text
    assert f"| Dataset | {export.as_text(NASTY)} |" in text
    assert f"| Attribution | {export.as_text(NASTY)} |" in text
    assert f"\n{export.as_text(NASTY)}\n" in text
    assert f"| {export.as_text(NASTY)} | out | by a person |" in text
    assert "## Bad outputs" not in text
    assert "<b>" not in text
    assert f"| Parameters | {run.n_parameters:,} |" in text
    assert f"| Checkpoint | step {run.step} |" in text
    assert "| Task | translate |" in text
    assert "| Validation | while training: loss" in text  # NASTY is no dataset
    assert str(tmp_path) not in text
    written = text.partition("```json\n")[2].partition("\n```")[0]
    assert json.loads(written) == override(run.recipe, {"data.task": "translate"}).to_json()


def test_as_text_leaves_no_markup() -> None:
    assert export.as_text("a *b*\n| c <d> `e`") == r"a \*b\* \| c \<d\> \`e\`"


def test_somebody_elses_run_is_not_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_run(settings.home() / "runs" / ("a" * 16), {})
    RunFolder(path).amend(lambda about: {"owner": "somebody"})
    run = s2s.load(path)
    monkeypatch.setenv("S2S_HOSTED", "1")
    with asker.acting_as("another"), pytest.raises(DeniedError):
        run_export.export_run(run, "transformers", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_page_hands_over_one_zip(own_run: str) -> None:
    offers = run_export.offers(own_run)
    assert all(offer.is_possible for offer in offers.values())
    content = run_export.download(own_run, "transformers", "é" * 200)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = {PurePosixPath(name) for name in archive.namelist()}
        assert {name.parent.as_posix() for name in names} == {"é" * 200}
        assert {"README.md", "translate.py", "config.json", "model.safetensors"} <= {
            name.name for name in names
        }


def test_what_is_not_installed_here_is_said(own_run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctranslate2_folder, "find_spec", lambda name: None)
    offers = run_export.offers(own_run)
    assert offers["transformers"].is_possible
    assert "pip install ctranslate2" in offers["ctranslate2"].reason


def test_what_is_too_large_for_a_page_is_not_handed_over(
    own_run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_export, "MAX_DOWNLOAD", 1000)
    assert "`python -m s2s export` writes it" in run_export.offers(own_run)["transformers"].reason
    with pytest.raises(UserError, match="not handed over: it has 0 MB, more than"):
        run_export.download(own_run, "transformers", "x")


def test_a_guest_is_offered_nothing(own_run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    for ask in (run_export.offers, lambda run: run_export.download(run, "transformers", "x")):
        with asker.acting_as("another"), pytest.raises(DeniedError):
            ask(own_run)
