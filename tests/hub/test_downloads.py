"""Downloads of a model: whole or not at all, as large as was said, and right."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from s2s import hub
from s2s.config import UserError
from tests.hub.checkpoints import FILES, NEEDED, WEIGHTS
from tests.hub.standin import Fault, Hub, Repo, commit


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub({}, {"team/model": Repo(FILES)}) as standin:
        monkeypatch.setenv("HF_ENDPOINT", standin.url)
        monkeypatch.setattr("s2s.hub.downloads.PAUSE", 0.01)
        yield standin


def fetched(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_needed_files_of_the_revision_arrive_with_progress(served: Hub, tmp_path: Path) -> None:
    model = hub.preflight_model("team/model")
    served.models["team/model"] = Repo({"config.json": b"{}"}, branches={"old": FILES})
    folder = tmp_path / "model"
    n_bytes = list(hub.download(model, folder))
    assert n_bytes == sorted(n_bytes)
    assert n_bytes[-1] == model.size
    assert len(n_bytes) > len(NEEDED), "a large file is reported more than once"
    assert fetched(folder) == {path: FILES[path] for path in NEEDED}
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert all(commit(FILES) in request.path for request in served.log[2:])


def test_a_canceled_download_leaves_nothing(served: Hub, tmp_path: Path) -> None:
    parts = hub.download(hub.preflight_model("team/model"), tmp_path / "model")
    assert list(itertools.islice(parts, 3))
    assert list(tmp_path.iterdir())
    parts.close()  # type: ignore[attr-defined]
    assert not list(tmp_path.iterdir())


def test_a_connection_that_breaks_resumes_where_it_broke(served: Hub, tmp_path: Path) -> None:
    fault = Fault(match=r"resolve.*safetensors", truncate=100_000, times=4)
    model = hub.preflight_model("team/model")
    served.models["team/model"] = Repo(FILES, fault=fault)
    before = served.sent
    list(hub.download(model, tmp_path / "model"))
    assert (tmp_path / "model" / "model.safetensors").read_bytes() == WEIGHTS
    assert served.sent - before == model.size, "nothing is fetched twice"


FAULTS = {
    "cut": (Fault(match="safetensors", truncate=0), "interrupted"),
    "dropped": (Fault(match="safetensors", reset=True), "interrupted"),
    "failing": (Fault(match="safetensors", status=500), r"The Hub failed \(500\)"),
    "gone": (Fault(match="safetensors", status=404), "404|gone"),
    "slow": (Fault(match="safetensors", delay=1.0), "too slow"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_download_that_fails_is_a_sentence_and_leaves_nothing(
    served: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    if fault == "slow":
        monkeypatch.setattr("s2s.hub.downloads.TIMEOUT", 0.1)
    model = hub.preflight_model("team/model")
    served.models["team/model"] = Repo(FILES, fault=FAULTS[fault][0])
    with pytest.raises(UserError, match=FAULTS[fault][1]):
        list(hub.download(model, tmp_path / "model"))
    assert not list(tmp_path.iterdir())
    asked = [request for request in served.log if request.path.endswith("safetensors")]
    assert len(asked) <= 3


def test_other_bytes_than_listed_are_refused(served: Hub, tmp_path: Path) -> None:
    model = hub.preflight_model("team/model")
    by_path = {file.path: file for file in model.files}
    weights = by_path["model.safetensors"]
    changes = {
        "more": weights._replace(size=weights.size - 1),
        "damaged": weights._replace(size=weights.size + 1),
        "arrived damaged": weights._replace(sha256="0" * 64),
    }
    for said, changed in changes.items():
        files = tuple({**by_path, "model.safetensors": changed}.values())
        with pytest.raises(UserError, match=said):
            list(hub.download(replace(model, files=files), tmp_path / "model"))
        assert not list(tmp_path.iterdir())


def test_a_disk_that_takes_no_more_is_a_sentence(served: Hub, tmp_path: Path) -> None:
    model = hub.preflight_model("team/model")
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(UserError, match="cannot be written"):
        list(hub.download(model, tmp_path / "file" / "model"))


def test_a_token_reaches_a_gated_model(served: Hub, tmp_path: Path) -> None:
    served.models["team/model"] = Repo(FILES, gated=True)
    model = hub.preflight_model("team/model", "hf_granted")
    with pytest.raises(UserError, match="is gated"):
        list(hub.download(model, tmp_path / "model"))
    list(hub.download(model, tmp_path / "model", token="hf_granted"))
    assert (tmp_path / "model" / "config.json").exists()
