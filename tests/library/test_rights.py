"""Who may do what: the table of decisions, and every opener of the library by whoever asks."""

import ast
import itertools
import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from s2s import lessons, settings
from s2s.cli import main
from s2s.config import DeniedError, UserError, asker
from s2s.data import Corpus, Pair, load, saved_datasets, uploads
from s2s.data.server_files import reading_upload
from s2s.files import stored
from s2s.jobs import import_service as imports
from s2s.jobs import registry
from s2s.lessons import class_results, taught_lesson
from s2s.library import Library, Sharing, Thing, Verb, rights, sharing
from s2s.library.opener import JOBS, TABLES
from s2s.library.own import find_run, list_runs
from s2s.library.rights import may
from s2s.processes import queue
from s2s.runs import Evaluation, RunFolder, Sentences, System, evaluations, runs_folder
from tests.conftest import make_run

OWNER = "ana"
STRANGER = "bob"
RUN = "anas0123456789ab"
IMPORTED = "anasimported1234"
MEASURED = "0123456789abcdef" * 2
VERBS: tuple[Verb, ...] = ("view", "explore", "change", "delete", "list", "download")
GUEST = {"view", "explore"}


@pytest.fixture
def _hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")


@pytest.mark.usefixtures("_hosted")
@pytest.mark.parametrize("verb", VERBS)
def test_only_the_owner_changes_and_a_link_lets_others_look(verb: Verb) -> None:
    private = Thing("run", RUN, OWNER)
    shared = Thing("run", RUN, OWNER, is_shared=True)
    shipped = Thing("run", "demo", asker.EVERYBODY)
    assert may(OWNER, verb, private)
    for other in (STRANGER, asker.LOCAL, asker.NOBODY, asker.EVERYBODY, "An", f"{OWNER} "):
        assert not may(other, verb, private)
        assert may(other, verb, shared) is (verb in GUEST)
        assert may(other, verb, shipped) is (verb not in ("change", "delete"))
    assert not may(
        asker.NOBODY, verb, Thing("run", RUN, asker.NOBODY)
    )  # damaged: nobody owns nothing


@pytest.mark.parametrize("verb", VERBS)
def test_one_person_on_their_own_computer_may_do_everything(verb: Verb) -> None:
    assert asker.current() == asker.LOCAL
    assert may(asker.LOCAL, verb, Thing("run", RUN, OWNER))
    assert not may(STRANGER, verb, Thing("run", RUN, OWNER))


@pytest.mark.usefixtures("_hosted")
def test_a_request_works_for_the_visitor_the_owner_of_the_job_or_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asker, "_visitor", [])
    assert asker.current() == asker.NOBODY
    asker.identify_visitors(lambda: STRANGER)
    assert asker.current() == STRANGER
    with asker.acting_as(OWNER):
        assert asker.current() == OWNER
        later = asker.for_this_visitor(asker.current)
    assert (asker.current(), later()) == (STRANGER, OWNER)


@pytest.fixture
def things(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """One of each of Ana's: the id of each by the name that parameters have."""
    pairs = (Pair("a secret", "un secret"), Pair("b", "c"))
    hash = saved_datasets.save(Corpus("x", "train", pairs), name="anas", owner=OWNER)
    folder = make_run(runs_folder() / RUN, {})
    about = json.loads((folder / "recipe.json").read_bytes())
    about |= {"owner": OWNER, "name": "secret name", "source": f"corpus:{hash}"}
    (folder / "recipe.json").write_text(json.dumps(about))
    shutil.copytree(folder, folder.with_name(f".deleted-{RUN}"))
    queue.submit("train", OWNER, RUN, about | {"valid": "", "preset": ""})
    evaluation = evaluations.new_folder()
    systems = (System("one", uploaded="one.txt"),)
    test = Sentences("secret test", n=2)
    evaluation.create(Evaluation(evaluation.id, "e", OWNER, stored.now(), RUN, test, systems))
    upload = uploads.begin("a file", "mine", [("secret.tsv", b"a\tb\n")], owner=OWNER)
    monkeypatch.setenv("S2S_HOSTED", "1")
    runs = dict.fromkeys(("run", "run_id"), RUN)
    return runs | {
        "hash": hash,
        "id": upload.id,
        "evaluation": evaluation.id,
        "spec": f"corpus:{hash}",
    }


@pytest.mark.parametrize("of_import", [imports.progress, imports.cancel])
def test_an_import_is_its_workspace_s_alone(
    things: dict[str, str], of_import: Callable[[str, str], object]
) -> None:
    queue.submit(imports.KIND, OWNER, IMPORTED, {"name": "secret/model"}, express=True)
    with pytest.raises(UserError) as refused:
        of_import(IMPORTED, STRANGER)
    with pytest.raises(UserError) as unknown:
        of_import(IMPORTED[::-1], STRANGER)
    assert str(refused.value).replace(IMPORTED, "") == str(unknown.value).replace(
        IMPORTED[::-1], ""
    )
    of_import(IMPORTED, OWNER)


def test_a_stranger_hears_the_same_of_a_private_run_as_of_none(
    things: dict[str, str], refusals: list[str]
) -> None:
    def heard(run: str) -> str:
        with pytest.raises(UserError) as error:
            Library().run(run)
        return str(error.value).replace(run, "")

    with asker.acting_as(STRANGER):
        assert heard(RUN) == heard("zzzz0123456789ab")
        for path in (runs_folder() / RUN, Path("..") / RUN):
            assert "that you may open" in heard(str(path))
        assert not list_runs(STRANGER)
    refusals.clear()  # of a path that was given


def test_a_link_gives_view_and_never_change_and_can_be_revoked(things: dict[str, str]) -> None:
    run = Thing("run", RUN, OWNER)
    with asker.acting_as(STRANGER), pytest.raises(DeniedError):
        sharing.share(run, Sharing(link=True))
    with asker.acting_as(OWNER):
        assert not sharing.is_decided(run)
        sharing.share(run, Sharing(link=True))
    with asker.acting_as(STRANGER):
        folder = Library().run(RUN)
        assert find_run(RUN, STRANGER)
        assert not list_runs(STRANGER)
        for verb in ("change", "delete", "download"):
            with pytest.raises(DeniedError, match="belongs to somebody else"):
                Library().run(RUN, verb)  # type: ignore[arg-type]
        assert not may(STRANGER, "view", sharing.training_data_in(folder))
    with asker.acting_as(OWNER):
        sharing.share(run, Sharing(link=True, data=True))
        assert may(STRANGER, "view", sharing.training_data_in(folder))
        sharing.share(run, Sharing(link=False, data=True))
        assert not may(STRANGER, "view", sharing.training_data_in(folder))
        assert sharing.is_decided(run)
    with asker.acting_as(STRANGER), pytest.raises(DeniedError, match="that you may open"):
        Library().run(RUN)


@pytest.mark.parametrize(
    ("valid", "is_public"),
    [("", True), ("builtin:en-fr#split=valid", True), ("hub:ana/private", False)],
)
def test_a_dataset_ships_only_if_its_validation_pairs_do(
    things: dict[str, str], valid: str, is_public: bool
) -> None:
    path = runs_folder() / RUN / "recipe.json"
    about = json.loads(path.read_bytes()) | {"source": "builtin:en-fr", "valid": valid}
    path.write_text(json.dumps(about))
    with asker.acting_as(OWNER):
        sharing.share(Thing("run", RUN, OWNER), Sharing(link=True))
    with asker.acting_as(STRANGER):
        assert sharing.may_see_data(RunFolder(path.parent)) is is_public


def test_whose_a_shared_thing_is_its_files_say_and_not_the_caller(things: dict[str, str]) -> None:
    for kind, id in (("run", RUN), ("evaluation", things["evaluation"])):
        with asker.acting_as(STRANGER), pytest.raises(DeniedError):
            sharing.share(Thing(kind, id, STRANGER), Sharing(link=True))
        assert sharing.sharing(kind, id) == Sharing()
        with asker.acting_as(OWNER):
            sharing.share(Thing(kind, id, STRANGER), Sharing(link=True))
        assert sharing.sharing(kind, id) == Sharing(link=True)
    for kind, id in (("evaluation", "none"), ("run", "../runs/x")):
        with asker.acting_as(STRANGER), pytest.raises(DeniedError, match="There is no"):
            sharing.share(Thing(kind, id, STRANGER), Sharing(link=True))


def test_a_broken_note_of_sharing_shares_nothing(things: dict[str, str]) -> None:
    path = settings.home() / "sharing" / f"run-{RUN}.json"
    path.parent.mkdir()
    nested = "[" * 100_000
    for content in ("", "{", "[]", '{"link": 1, "data": 1}', '{"link": "true"}', nested, "null"):
        path.write_text(content)
        assert sharing.sharing("run", RUN) == Sharing()
    assert sharing.sharing("run", "../../x") == Sharing()


@pytest.mark.usefixtures("_hosted")
def test_visitors_name_no_files_of_the_server(tmp_path: Path) -> None:
    (tmp_path / "secret.tsv").write_text("a\tb\n")
    prefixes = ("", "file:", "text:", "pasted:", "disk:")
    places = (str(tmp_path / "secret.tsv"), "/etc/passwd", f"{tmp_path}/secret.tsv#rows=1")
    for who, prefix, place in itertools.product((STRANGER, asker.NOBODY), prefixes, places):
        with asker.acting_as(who), pytest.raises(DeniedError, match="files of the server"):
            load(f"{prefix}{place}")
    with (
        asker.acting_as(STRANGER),
        reading_upload(),
        pytest.raises(DeniedError, match="files of the server"),
    ):
        load(f"disk:{tmp_path}")
    with asker.acting_as(asker.LOCAL):
        assert len(load(str(tmp_path / "secret.tsv"))) == 1


def test_every_kind_of_thing_has_its_row_of_rights() -> None:
    """Whatever is asked about stands in the table: what it does not say, a hosted server refuses."""
    asked = {
        str(call.args[0].value)
        for path in (Path(__file__).parents[2] / "s2s").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "Thing"
        and isinstance(call.args[0], ast.Constant)
    }
    assert asked <= rights.RIGHTS.keys()
    assert {*JOBS, *sharing.SHARED, *TABLES} <= rights.RIGHTS.keys()
    assert {*JOBS.values()} == {*registry.JOBS}


@pytest.mark.usefixtures("_hosted")
@pytest.mark.parametrize("verb", VERBS)
def test_what_the_table_does_not_say_nobody_may(verb: Verb) -> None:
    assert not may(OWNER, verb, Thing("diary", "x", OWNER, is_shared=True))
    assert not may(OWNER, "read", Thing("run", RUN, OWNER, is_shared=True))  # type: ignore[arg-type]


def test_a_hosted_server_without_rights_does_not_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sharing.why_not_loaded() == ""
    folder = settings.home() / "sharing"
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("no folder")
    assert sharing.why_not_loaded() == ""
    monkeypatch.setenv("S2S_HOSTED", "1")
    assert "does not start without that" in sharing.why_not_loaded()
    monkeypatch.setattr("s2s.processes.worker.serve", lambda *given: pytest.fail("it started"))
    assert main(["worker"]) == 2
    assert "does not start without that" in capsys.readouterr().err
    folder.unlink()
    broken = {**rights.RIGHTS, "run": rights.Rights(guests=frozenset({"veiw"}))}
    monkeypatch.setattr(sharing, "RIGHTS", broken)
    assert "another verb for run" in sharing.why_not_loaded()


def test_a_hosted_server_starts_while_somebody_ends_a_sharing(
    monkeypatch: pytest.MonkeyPatch, things: dict[str, str]
) -> None:
    with asker.acting_as(OWNER):
        sharing.share(Thing("run", RUN, OWNER), Sharing(link=True))
    path = settings.home() / "sharing" / f"run-{RUN}.json"
    monkeypatch.setattr("os.access", lambda *given: path.unlink())
    assert sharing.why_not_loaded() == ""


# What each opener opens of Ana's, and what a guest may do with it who knows its link.
OPENERS: Mapping[str, tuple[Callable[[Library, Mapping[str, str], Verb], object], set[str]]] = {
    "run": (lambda library, ids, verb: library.run(ids["run"], verb), GUEST),
    "dataset": (lambda library, ids, verb: library.dataset(ids["hash"], verb), set()),
    "upload": (lambda library, ids, verb: library.upload(ids["id"], verb), set()),
    "evaluation": (lambda library, ids, verb: library.evaluation(ids["evaluation"], verb), GUEST),
    "job of the run": (lambda library, ids, verb: library.job(ids["run"], verb), GUEST),
    "job of the evaluation": (
        lambda library, ids, verb: library.job(ids["evaluation"], verb, "evaluation"),
        GUEST,
    ),
    "import": (lambda library, ids, verb: library.job(IMPORTED, verb, "import"), set()),
    "measurement": (lambda library, ids, verb: library.job(MEASURED, verb, "measurement"), set()),
    "job": (lambda library, ids, verb: library.job(ids["job"], verb, "job"), set()),
    "lesson": (lambda library, ids, verb: opened_row(library, ids["lesson"], verb), GUEST),
    "class": (lambda library, ids, verb: opened_row(library, ids["class"], verb, "class"), set()),
    "answers of the lesson": (lambda library, ids, verb: taught_lesson(ids["lesson"]), set()),
    "answers of the class": (
        lambda library, ids, verb: taught_lesson(ids["class"], "class"),
        set(),
    ),
    "results of the class": (lambda library, ids, verb: class_results(ids["class"]), set()),
    "dataset of the run": (
        lambda library, ids, verb: rights.require(
            verb, sharing.training_data_in(RunFolder(runs_folder() / ids["run"])), library.workspace
        ),
        set(),
    ),
    "test set of the evaluation": (
        lambda library, ids, verb: rights.require(
            verb, sharing.sentences_of(ids["evaluation"], OWNER), library.workspace
        ),
        set(),
    ),
}
WITH_DATA = {"dataset of the run", "test set of the evaluation"}
ASKERS = (OWNER, STRANGER, asker.NOBODY, asker.OPERATOR, asker.LOCAL)


def opened_row(library: Library, id: str, verb: Verb, of: str = "lesson") -> object:
    with queue.begin() as connection:
        return library.lesson(id, verb, connection, of=of)


def is_open(name: str, workspace: str, ids: Mapping[str, str], verb: Verb) -> bool:
    """Whether it opens; a refusal says nothing of what is private."""
    with asker.acting_as(workspace), suppress(UserError):
        return OPENERS[name][0](Library(), ids, verb) is not None or name in WITH_DATA
    return False


@pytest.mark.parametrize("is_hosted", [True, False])
def test_every_opener_says_yes_to_its_owner_and_to_guests_what_is_shared(
    things: dict[str, str], monkeypatch: pytest.MonkeyPatch, is_hosted: bool
) -> None:
    if not is_hosted:
        monkeypatch.delenv("S2S_HOSTED")
    queue.submit(imports.KIND, OWNER, IMPORTED, {"name": "secret/model"}, express=True)
    queue.submit("heads", OWNER, MEASURED, {"name": "secret"})
    job = queue.submit("evaluate", OWNER, things["evaluation"], {"name": "secret"})
    with asker.acting_as(OWNER):
        lesson = lessons.add_lesson(replace(lessons.find_lesson("five-minutes"), title="secret"))
        ids = {**things, "job": job, "lesson": lesson.id, "class": lessons.open_class(lesson.id).id}
    for said in (Sharing(), Sharing(link=True), Sharing(link=True, data=True)):
        with asker.acting_as(OWNER):
            sharing.share(Thing("run", RUN, OWNER), said)
            sharing.share(Thing("evaluation", things["evaluation"], OWNER), said)
            lessons.share_lesson(lesson.id, is_shared=said.link)
        for name, workspace, verb in itertools.product(OPENERS, ASKERS, VERBS):
            guests = OPENERS[name][1] if said.link else set()
            if name in WITH_DATA and said.data:
                guests = GUEST
            if name == "class":  # whoever has its link may join
                guests = {"view"}
            expected = verb in guests
            if workspace == asker.OPERATOR:
                expected = name == "job" and verb in ("list", "change")
            if name == "measurement" and verb == "view":  # of whoever may ask for it
                expected = True
            if workspace == OWNER or (workspace == asker.LOCAL and not is_hosted):
                expected = True
            found = is_open(name, workspace, ids, verb)
            assert found is expected, (name, workspace, verb, said)
