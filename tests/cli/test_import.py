"""`import NAME`: a model of the Hub becomes a run, or a sentence says why not."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import s2s
from s2s.cli import main
from s2s.runs import RunFolder
from tests.hub.standin import Fault, Hub, Repo, commit
from tests.pretrained.checkpoints import make_checkpoint


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("marian")
    make_checkpoint("marian", folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def served(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    models = {
        "team/opus": Repo({**files, "README.md": b"---\nlicense: mit\n---\n"}),
        "team/private": Repo(files, private=True),
        "team/broken": Repo(files, fault=Fault(match="safetensors", status=503)),
        "team/gpt2": Repo({**files, "config.json": b'{"model_type": "gpt2"}'}),
    }
    with Hub({}, models) as standin:
        monkeypatch.setenv("HF_ENDPOINT", standin.url)
        monkeypatch.setattr("s2s.hub.downloads.PAUSE", 0.01)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        yield standin


def test_a_model_of_the_hub_becomes_a_run_that_its_command_repeats(
    served: Hub,
    files: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "opus"
    assert main(["import", "team/opus", "--out", str(out)]) == 0
    shown = capsys.readouterr()
    assert shown.out == f"The run is in {out}\n"
    assert "to download, license: mit" in shown.err
    assert [path.name for path in tmp_path.iterdir()] == ["opus"]
    about = RunFolder(out).about()
    assert about["name"] == "team/opus"
    words = shlex.split(about["command"])
    assert words[:5] == ["python", "-m", "s2s", "import", "team/opus"]
    assert main(words[3:]) == 0
    again = s2s.load(words[-1])
    assert RunFolder(words[-1]).about()["imported"]["revision"] == commit(
        served.models["team/opus"].files
    )
    text = ["to be or not to be"]
    assert again.translate(text)[0].text == s2s.load(out).translate(text)[0].text


def test_a_private_model_opens_with_the_token_of_the_environment(
    served: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["import", "team/private", "--out", str(tmp_path / "run")]
    assert main(arguments) == 2
    monkeypatch.setenv("HF_TOKEN", "hf_granted")
    assert main(arguments) == 0


REFUSED = {
    "team/nowhere": "There is no model `team/nowhere` on the Hub",
    "team/private": "with an access token that may read it in `HF_TOKEN`",
    "team/gpt2": "`gpt2`",
    "team/broken": "The Hub failed (503)",
    "a b": "`a b` is not a model's name",
    "./nowhere": "There is no file or folder `nowhere`",
    "nowhere.zip": "There is no file or folder `nowhere.zip`",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_opened_is_a_sentence_and_leaves_nothing(
    served: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["import", name, "--out", str(tmp_path / "run")]) == 2
    assert REFUSED[name] in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_folder_that_holds_something_is_refused_before_anything_is_fetched(
    served: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine")
    assert main(["import", "team/opus", "--out", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert served.log == []
