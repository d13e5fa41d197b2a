import json
import secrets
import time
import zipfile
from dataclasses import replace

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from s2s import lessons, settings
from s2s.config import UserError, asker
from s2s.data import uploads
from s2s.hosted import ROUTES, Visits, exports, keys
from s2s.links import short as short_links
from tests.conftest import full_disk
from tests.hosted import acting
from tests.storing import store_dataset, store_evaluation, store_run

FIRST = lessons.LESSONS["five-minutes"]
OTHER = "somebody-else"  # so long that no random id or weight spells it


def exported(workspace: str) -> zipfile.ZipFile:
    path = exports.find_export(acting.write_export(workspace, "cookie"), "cookie")
    assert path
    return zipfile.ZipFile(path)


def test_everything_of_one_workspace_is_in_it_and_nothing_of_another() -> None:
    folder = store_run("r1", "ann")
    about = json.loads((folder / "recipe.json").read_bytes())
    about |= {"name": "../../<b>x", "where": str(settings.home().resolve() / "x")}
    (folder / "recipe.json").write_text(json.dumps(about))
    (folder / "outside").symlink_to("/etc/passwd")
    hash = store_dataset("ann", 3, "Köln")
    store_evaluation("ann")
    uploads.begin("file", "x", [("a b.txt", b"hello")], owner="ann")
    store_run("r2", OTHER)
    for workspace, step in (("ann", 1), (OTHER, 2)):
        with asker.acting_as(workspace):
            lessons.note_step("five-minutes", step, "right")
            lessons.add_lesson(replace(FIRST, title=f"Of {workspace}"))
            view = short_links.Content("steps", {"src": "ça va"}, f"Link of {workspace}", "*note*")
            short_links.make(view, record={"run": "r1"}, now=0)
    other = store_dataset(OTHER, 4, "secret")
    gone = store_run("r3", "ann")
    gone.rename(gone.with_name(".deleted-r3"))
    with exported("ann") as archive:
        names = archive.namelist()
        assert archive.testzip() is None
        content = {name: archive.read(name) for name in names}
    assert content["README.md"].startswith(b"# My workspace in seq2seq-lab")
    (lesson,) = [name for name in names if name.startswith("lessons/Of-")]
    kept = lessons.lesson_file.from_json(json.loads(content[lesson]), id=FIRST.id)
    assert kept == replace(FIRST, title="Of ann")
    assert json.loads(content["lessons.json"]) == {"five-minutes": {"1": "right"}}
    (link,) = json.loads(content["short-links.json"])
    assert link == {
        "letters": link["letters"],
        "title": "Link of ann",
        "note": "*note*",
        "created": "1970-01-01T00:00:00+00:00",
        "link": "/steps?v=1&src=%C3%A7a+va",
        "run": {"run": "r1"},
    }
    with asker.acting_as("ann"):
        assert [short_links.written(own.letters) for own in short_links.own()] == [link["letters"]]
    assert b"runs: 1, datasets: 1, evaluations: 1, uploads: 1" in content["README.md"]
    assert f"datasets/K-ln-{hash}/train.src" in names
    assert "runs/b-x-r1/checkpoints/step-00000002.safetensors" in names
    found = json.loads(content["runs/b-x-r1/recipe.json"])
    assert (found["owner"], found["where"]) == ("local", "S2S_HOME/x")
    everything = b"".join(content.values())
    assert b"hello" in everything
    for foreign in (
        b"root:",
        OTHER.encode(),
        other.encode(),
        b"secret",
        str(settings.home()).encode(),
    ):
        assert foreign not in everything
    for name in names:
        assert not name.startswith("/")
        assert ".." not in name.split("/")


def test_a_browser_downloads_its_own_export_alone_for_an_hour() -> None:
    store_run("r1", "ann")
    app = Starlette(routes=[*ROUTES], middleware=[Middleware(Visits)])
    mine, other = (TestClient(app) for _ in range(2))
    for visitor in (mine, other):
        visitor.get("/recover", headers={"accept": "text/html"})
    key = keys.key_of(dict(mine.cookies))
    assert key
    name = acting.write_export("ann", key.signed)
    answer = mine.get(f"/export/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/zip"
    assert 'attachment; filename="my-workspace.zip"' in answer.headers["content-disposition"]
    assert answer.headers["cache-control"] == "no-store"
    for visitor, path in (
        (other, name),
        (TestClient(app), name),
        (mine, name[:-1]),
        (mine, f"..%2F..%2F{name}"),
        (mine, name.replace("-", "/")),
    ):
        assert visitor.get(f"/export/{path}").status_code == 404
    exports.delete_old_exports(time.time())
    assert mine.get(f"/export/{name}").status_code == 200
    exports.delete_old_exports(time.time() + 2 * exports.LIFETIME)
    assert "exports are kept for an hour" in mine.get(f"/export/{name}").text


def test_an_empty_workspace_and_nobody_have_nothing_to_export() -> None:
    store_run("r1", "")
    for workspace, said in (("ann", "nothing to export"), ("", "There is no workspace")):
        with pytest.raises(UserError, match=said):
            acting.write_export(workspace, "cookie")


def test_lessons_and_links_alone_are_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "token_urlsafe", lambda n_bytes: "-" * (n_bytes * 4 // 3))
    with asker.acting_as("ann"):
        own = lessons.add_lesson(FIRST)
        lessons.note_step("five-minutes", 1, "right")
        short_links.make(short_links.Content("", {"src": "a"}))
    names = exported("ann").namelist()
    assert {"lessons.json", "short-links.json"} <= {*names}
    assert any(name.startswith("lessons/") and name.endswith(f"-{own.id}.json") for name in names)


def test_what_stops_an_export_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    store_run("r1", "ann")

    def fail(*_: object) -> None:
        raise UserError("The database is away.")

    with monkeypatch.context() as patch:
        patch.setattr(exports, "_add", fail)
        with pytest.raises(UserError, match="is away"):
            acting.write_export("ann", "cookie")
    folder = settings.home() / "exports"
    assert not [path for path in folder.rglob("*") if path.is_file()]
    left = folder / "ann" / ".unfinished"  # by a killed server
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(b"PK")
    exports.delete_old_exports(time.time())
    assert left.exists()
    exports.delete_old_exports(time.time() + 2 * exports.LIFETIME)
    assert not left.exists()


def test_a_full_disk_is_a_sentence_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    store_run("r1", "ann")
    with full_disk(20_000), pytest.raises(UserError, match="The export cannot be written"):
        acting.write_export("ann", "cookie")
    assert list((settings.home() / "exports").rglob("*")) == []
    with monkeypatch.context() as patch:
        patch.setenv("S2S_MAX_TOTAL_BYTES", "150_000")
        with pytest.raises(UserError, match="This server is full"):
            acting.write_export("ann", "cookie")
    monkeypatch.setattr(exports.shutil, "disk_usage", lambda path: type("", (), {"free": 0}))
    with pytest.raises(UserError, match="which has no room for it now"):
        acting.write_export("ann", "cookie")
