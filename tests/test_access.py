"""Who may do what: the table of decisions, and a walk over every public function that takes an id."""

import importlib
import inspect
import itertools
import json
import pkgutil
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from s2s import access, settings
from s2s.access import Sharing, Thing, may
from s2s.config import DataConfig, Recipe, UserError, asker
from s2s.data import Corpus, Pair, saved_datasets, uploads
from s2s.jobs import import_service as imports
from s2s.processes import queue
from s2s.runs import Evaluation, Sentences, System, evaluations, find_run, list_runs, now
from tests.conftest import make_run

OWNER = "ana"
STRANGER = "bob"
RUN = "anas0123456789ab"
IMPORTED = "anasimported1234"
VERBS: tuple[access.Verb, ...] = ("view", "explore", "change", "delete", "list", "download")
GUEST = {"view", "explore"}


@pytest.fixture
def _hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")


@pytest.mark.usefixtures("_hosted")
@pytest.mark.parametrize("verb", VERBS)
def test_only_the_owner_changes_and_a_link_lets_others_look(verb: access.Verb) -> None:
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
def test_one_person_on_their_own_computer_may_do_everything(verb: access.Verb) -> None:
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
    folder = make_run(access.runs_folder() / RUN, {})
    about = json.loads((folder / "recipe.json").read_bytes())
    about |= {"owner": OWNER, "name": "secret name", "source": f"corpus:{hash}"}
    (folder / "recipe.json").write_text(json.dumps(about))
    shutil.copytree(folder, folder.with_name(f".deleted-{RUN}"))
    queue.submit("train", OWNER, RUN, about | {"valid": "", "preset": ""})
    evaluation = evaluations.new_folder()
    systems = (System("one", uploaded="one.txt"),)
    test = Sentences("secret test", n=2)
    evaluation.create(Evaluation(evaluation.id, "e", OWNER, now(), RUN, test, systems))
    upload = uploads.begin("a file", "mine", [("secret.tsv", b"a\tb\n")], owner=OWNER)
    monkeypatch.setenv("S2S_HOSTED", "1")
    runs = dict.fromkeys(("run", "run_id"), RUN)
    return runs | {
        "hash": hash,
        "id": upload.id,
        "evaluation": evaluation.id,
        "spec": f"corpus:{hash}",
    }


PARTS = ("runs", "jobs", "data.saved_datasets", "data.uploads", "data.sources", "ui.kit")
# Functions that take such an id and need not ask, with the reason.
NO_NEED = {
    "s2s.jobs.imports.service.progress": "of imports alone, which it asks about, below",
    "s2s.jobs.imports.service.cancel": "of imports alone, which it asks about, below",
    "s2s.processes.queue": "rows of the queue, which the services ask about before they touch them",
    "s2s.data.saved_datasets.thing": "describes",
    "s2s.data.saved_datasets.opened": "asked as a source, below",
    "s2s.data.sources.parse_spec": "reads text, no dataset",
    "s2s.data.sources.absolute": "reads text, no dataset",
    "s2s.data.sources.is_for_tests": "reads text, no dataset",
    "s2s.data.sources.sampled": "reads text, no dataset",
    "s2s.data.sources.with_sample": "reads text, no dataset",
    "s2s.runs.evaluations.list_evaluations": "filters the workspace's own by a run",
    "s2s.runs.evaluations.shipped": "looks among what ships with the program",
    "s2s.runs.measurements.delete_of_run": "of a run that `run_service.delete` has just deleted",
    "s2s.ui.kit.in_view.add_run": "names what `cached.runs` offers",
    "s2s.ui.kit.pickers.choose_run": "the visitor's session alone",
    "s2s.ui.kit.pickers.remember_label": "the visitor's session alone",
    "s2s.ui.kit.pickers.missing": "says the same of every id",
    "s2s.ui.kit.cached.stored_runs.is_own": "looks among the runs that the visitor sees",
    "s2s.ui.kit.cached.stored_runs.is_untrained": "looks among the runs that the visitor sees",
    "s2s.ui.kit.cached.stored_runs.label": "looks among the runs that the visitor sees",
    "s2s.ui.kit.cached.stored_runs.choose_languages": "the visitor's session alone",
    "s2s.ui.kit.cached.stored_runs.step_name": "looks among the runs that the visitor sees",
    "s2s.ui.kit.cached.stored_runs.title": "looks among the runs that the visitor sees",
    "s2s.ui.kit.cached.dataset_previews.dataset_name": "looks among the visitor's own",
}
# What other parameters get.
FILLED: dict[str, Any] = {
    "owner": STRANGER,
    "workspace": STRANGER,
    "name": "another name",
    "lr": 0.1,
    "steps": 99,
    "split": "train",
    "source": "b",
    "seed": 0,
    "config": DataConfig(),
    "text": "b",
    "data": DataConfig(),
    "verb": "explore",
    "step": 30,
    "minutes": 5.0,
    "metric": "comet",
    "system": 0,
    "given": None,
    "presets": ("small",),
    "preset": "small",
    "label": "x",
    "out": Path("of-a-stranger"),
    "target": "transformers",
    "recipe": Recipe(),
    "files": None,
    "test": "held out",
    "n": 5,
}


def functions(ids: dict[str, str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public functions with a parameter of such a name."""
    for part in PARTS:
        package = importlib.import_module(f"s2s.{part}")
        path = getattr(package, "__path__", [])
        names = [each.name for each in pkgutil.walk_packages(path, f"{package.__name__}.")]
        for module in map(importlib.import_module, [package.__name__, *names]):
            for name, each in vars(module).items():
                is_its_own = inspect.isfunction(each) and each.__module__ == module.__name__
                if name.startswith("_") or not is_its_own:
                    continue
                parameters = inspect.signature(each).parameters.values()
                texts = {each.name for each in parameters if "str" in str(each.annotation)}
                if texts & ids.keys():
                    yield f"{module.__name__}.{name}", each


def test_every_public_function_that_takes_an_id_asks(
    things: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    def spying(workspace: str, verb: access.Verb, thing: Thing) -> bool:
        asked.append((workspace, thing.owner))
        return may(workspace, verb, thing)

    monkeypatch.setattr(access, "may", spying)
    silent = []
    n_asked = 0
    for name, function in functions(things):
        if any(name == known or name.startswith(f"{known}.") for known in NO_NEED):
            continue
        arguments = {}
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name in things or parameter.name in FILLED:
                arguments[parameter.name] = (things | FILLED)[parameter.name]
            else:
                assert parameter.default is not parameter.empty, f"{name}: say what {parameter} is"
        asked.clear()
        answer = None
        with asker.acting_as(STRANGER), suppress(UserError):
            answer = function(**arguments)
            if inspect.isgenerator(answer):
                answer = list(answer)
        if (STRANGER, OWNER) not in asked:
            silent.append(name)
        assert "secret" not in str(answer), name
        n_asked += 1
    assert not silent, f"{silent}: these take an id and never ask whose it is"
    assert n_asked >= 30


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
            access.run_folder(run)
        return str(error.value).replace(run, "")

    with asker.acting_as(STRANGER):
        assert heard(RUN) == heard("zzzz0123456789ab")
        for path in (access.runs_folder() / RUN, Path("..") / RUN):
            assert "that you may open" in heard(str(path))
        assert not list_runs(STRANGER)
    refusals.clear()  # of a path that was given


def test_a_link_gives_view_and_never_change_and_can_be_revoked(things: dict[str, str]) -> None:
    run = Thing("run", RUN, OWNER)
    with asker.acting_as(STRANGER), pytest.raises(access.DeniedError):
        access.share(run, Sharing(link=True))
    with asker.acting_as(OWNER):
        assert not access.is_decided(run)
        access.share(run, Sharing(link=True))
    with asker.acting_as(STRANGER):
        folder = access.run_folder(RUN)
        assert find_run(RUN, STRANGER)
        assert not list_runs(STRANGER)
        for verb in ("change", "delete", "download"):
            with pytest.raises(access.DeniedError, match="belongs to somebody else"):
                access.run_folder(RUN, verb)  # type: ignore[arg-type]
        assert not may(STRANGER, "view", access.training_data_in(folder))
    with asker.acting_as(OWNER):
        access.share(run, Sharing(link=True, data=True))
        assert may(STRANGER, "view", access.training_data_in(folder))
        access.share(run, Sharing(link=False, data=True))
        assert not may(STRANGER, "view", access.training_data_in(folder))
        assert access.is_decided(run)
    with asker.acting_as(STRANGER), pytest.raises(access.DeniedError, match="that you may open"):
        access.run_folder(RUN)


@pytest.mark.parametrize(
    ("valid", "is_public"),
    [("", True), ("builtin:en-fr#split=valid", True), ("hub:ana/private", False)],
)
def test_a_dataset_ships_only_if_its_validation_pairs_do(
    things: dict[str, str], valid: str, is_public: bool
) -> None:
    path = access.runs_folder() / RUN / "recipe.json"
    about = json.loads(path.read_bytes()) | {"source": "builtin:en-fr", "valid": valid}
    path.write_text(json.dumps(about))
    with asker.acting_as(OWNER):
        access.share(Thing("run", RUN, OWNER), Sharing(link=True))
    with asker.acting_as(STRANGER):
        assert access.may_see_data(path.parent) is is_public


def test_whose_a_shared_thing_is_its_files_say_and_not_the_caller(things: dict[str, str]) -> None:
    for kind, id in (("run", RUN), ("evaluation", things["evaluation"])):
        with asker.acting_as(STRANGER), pytest.raises(access.DeniedError):
            access.share(Thing(kind, id, STRANGER), Sharing(link=True))
        assert access.sharing(kind, id) == Sharing()
        with asker.acting_as(OWNER):
            access.share(Thing(kind, id, STRANGER), Sharing(link=True))
        assert access.sharing(kind, id) == Sharing(link=True)
    for kind, id in (("evaluation", "none"), ("run", "../runs/x")):
        with asker.acting_as(STRANGER), pytest.raises(access.DeniedError, match="There is no"):
            access.share(Thing(kind, id, STRANGER), Sharing(link=True))


def test_a_broken_note_of_sharing_shares_nothing(things: dict[str, str]) -> None:
    path = settings.home() / "sharing" / f"run-{RUN}.json"
    path.parent.mkdir()
    nested = "[" * 100_000
    for content in ("", "{", "[]", '{"link": 1, "data": 1}', '{"link": "true"}', nested, "null"):
        path.write_text(content)
        assert access.sharing("run", RUN) == Sharing()
    assert access.sharing("run", "../../x") == Sharing()


@pytest.mark.usefixtures("_hosted")
def test_visitors_name_no_files_of_the_server(tmp_path: Path) -> None:
    from s2s.data import load

    (tmp_path / "secret.tsv").write_text("a\tb\n")
    prefixes = ("", "file:", "text:", "pasted:", "disk:")
    places = (str(tmp_path / "secret.tsv"), "/etc/passwd", f"{tmp_path}/secret.tsv#rows=1")
    for who, prefix, place in itertools.product((STRANGER, asker.NOBODY), prefixes, places):
        with asker.acting_as(who), pytest.raises(access.DeniedError, match="files of the server"):
            load(f"{prefix}{place}")
    with (
        asker.acting_as(STRANGER),
        access.reading_upload(),
        pytest.raises(access.DeniedError, match="files of the server"),
    ):
        load(f"disk:{tmp_path}")
    with asker.acting_as(asker.LOCAL):
        assert len(load(str(tmp_path / "secret.tsv"))) == 1
