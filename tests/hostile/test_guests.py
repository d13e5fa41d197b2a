"""Who opens a shared link learns nothing that names the private dataset behind it."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from s2s import files, settings
from s2s.config import PRESETS, UserError, asker, override
from s2s.data import Corpus, Pair, saved_datasets
from s2s.files import as_text
from s2s.jobs import provenance, run_service, test_sets, training
from s2s.lessons import Lesson, Step, View
from s2s.library import Library, guests, sharing
from s2s.plots.evaluation_files import scores_latex
from s2s.questions import Evaluate, Have
from s2s.reports import lesson_handout
from s2s.runs import Evaluation, RunFolder, Sentences, System, evaluations
from s2s.ui.kit import cached
from s2s.ui.kit.recipe_link import recipe_of_run
from s2s.ui.shell import visitors
from tests.conftest import TINY
from tests.hostile.home import visiting
from tests.hostile.test_strangers import _everything
from tests.screen import opened

NAME = "ward diaries"
FILE = "diaries.csv"
PAGES = ("", "compare", "steps", "attention", "states", "runs", "train", "evaluate", "architecture")
PAGES_WITH_DATA = ("attention", "states", "train", "evaluate")  # which read the dataset if they may


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A home with Ann's things, to copy."""
    path = tmp_path_factory.mktemp("guests") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S2S_HOME", str(path))
        return path, _things_of_ann()


@pytest.fixture
def secrets(home: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Ann's run and evaluation on a saved dataset; what must not be told, by what it is."""
    path, told = home
    shutil.copytree(path, settings.home())
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    monkeypatch.setattr(visitors, "cookies", dict)
    return dict(told)  # a test may take some out


def _things_of_ann() -> dict[str, str]:
    """A run, of one update, an evaluation and their dataset."""
    pairs = tuple(Pair(f"{n % 7} {n % 5} {n}", f"{n} {n % 5} {n % 7}") for n in range(80))
    corpus = Corpus("upload", "train", pairs, (f"`{FILE}` has 80 pairs.",))
    dataset = saved_datasets.save(corpus, name=NAME, owner="ann")
    with asker.acting_as("ann"):
        spec = f"corpus:{dataset}"
        name = f"small on {NAME}"
        recipe = override(PRESETS["small"].recipe, TINY | {"train.steps": 1})
        request = training.RunRequest(
            recipe, spec, valid=spec, name=name, owner="ann", preset="small"
        )
        prepared = training.start(request, settings.home() / "runs" / "anns-run")
        list(training.run(prepared))
    folder = RunFolder(prepared.folder.path)
    about = folder.about()
    folder.amend(lambda about: {"init_from": {"run": "anns-other-run", "step": 3}})
    place = evaluations.new_folder()
    test = Sentences(
        NAME,
        spec,
        run="anns-run",
        n=1,
        n_all=1,
        hash="f" * 16,
        notes=(f"From {FILE}.",),
        files=(FILE,),
    )
    run = {"run": "anns-run", "step": 1, "strategy": "greedy"}
    systems = [
        System(f"{title} · greedy", **run)
        for title in (name, f"{name[:15]}… · 9abc", f"mine: {NAME}")
    ]
    systems.append(System(f"{name} · greedy", run="gone", step=3, strategy="greedy"))
    systems.append(System("demo-en-fr · greedy", run="demo-en-fr", step=3, strategy="greedy"))
    place.create(
        Evaluation(
            place.id, NAME, "ann", "2026-01-01T00:00:00+00:00", "anns-run", test, (*systems,)
        )
    )
    made = provenance.describe(place.evaluation(), {}, n_references={1}, n_sources=2, threads=1)
    made["systems"][0]["train_hash"] = about["data"]["train_hash"]
    place.set_provenance(made)
    scores = {
        "scores": {"bleu": {"value": 1.0, "low": 0.0, "high": 2.0}},
        "signature": {},
        "paired": {},
        "n": 1,
    }
    place.set_scores({"n": 1, "is_final": True, "systems": [scores] * len(systems)})
    place.set_status("done", done=1, n=1)
    return {
        "dataset": dataset,
        "hash of the dataset": about["data"]["train_hash"],
        "its short form": about["data"]["train_hash"][:16],
        "hash of the test set": "f" * 16,
        "name": NAME,
        "file": FILE,
        "run": "anns-other-run",
        "evaluation": place.id,
    }


def _share(kind: str, id: str, *, data: bool) -> None:
    path = settings.home() / "sharing" / f"{kind}-{id}.json"
    files.write_json(path, {"format": 1, "link": True, "data": data})


def _visit(monkeypatch: pytest.MonkeyPatch, workspace: str, page: str, **params: str) -> AppTest:
    with visiting(monkeypatch, workspace):
        return opened(page, **params)


def _leaked(told: str, secrets: dict[str, str], *but: str) -> list[str]:
    return [what for what, word in secrets.items() if word in told and what not in but]


@pytest.mark.slow
@pytest.mark.parametrize("data", [False, True])
def test_a_guest_of_a_run_is_not_told_which_dataset_it_was_trained_on(
    secrets: dict[str, str], monkeypatch: pytest.MonkeyPatch, data: bool
) -> None:
    _share("run", "anns-run", data=data)
    assert secrets["name"] in _everything(_visit(monkeypatch, "ann", "runs", run="anns-run"))
    for page in PAGES_WITH_DATA if data else PAGES:
        screen = _visit(monkeypatch, "eve", page, run="anns-run")
        assert not screen.exception
        told = _everything(screen)
        assert "anns-run" in told
        assert not _leaked(told, secrets), page
        if page == "attention":
            assert f"Trained on {guests.PRIVATE}" in told
    with visiting(monkeypatch, "eve"):
        assert cached.follow_link("anns-run")
        files_and_links = json.dumps(
            [
                dict(cached.metadata("anns-run")),  # the download of the recipe
                recipe_of_run("anns-run"),
                dataclasses.asdict(run_service.find("anns-run", "eve")),
                cached.run_notes("anns-run"),
                cached.labels(),
                provenance.of_run(cached.open_run("anns-run")),  # of an evaluation of hers
            ]
        )
    assert not _leaked(files_and_links, secrets)
    assert guests.PRIVATE in files_and_links
    assert f"--source {guests.ONES_OWN} --valid {guests.ONES_OWN}" in files_and_links


def test_a_handout_of_a_guest_names_no_private_dataset(
    secrets: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _share("run", "anns-run", data=False)
    view = View("attention", {"run": "anns-run", "src": "1 2 3"})
    lesson = Lesson("mine", "Mine", "One view.", 1, (Step("One", "", view),))
    with asker.acting_as("ann"):
        assert NAME in lesson_handout(lesson, "https://host/")
    with asker.acting_as("eve"):
        made = lesson_handout(lesson, "https://host/")
    assert "<figure" in made
    assert not _leaked(made, secrets)


def test_a_guest_is_not_told_the_dataset_either_where_it_cannot_be_read(
    secrets: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _share("run", "anns-run", data=True)
    with visiting(monkeypatch, "eve"):
        assert test_sets.read(Sentences("", run="anns-run")).pairs
        for split in ("no such split", "../../x"):
            with pytest.raises(UserError) as told:
                test_sets.read(Sentences("", run="anns-run", split=split))
            assert not _leaked(str(told.value), secrets)
    with asker.acting_as("ann"):
        saved_datasets.delete(Library("ann").dataset(secrets["dataset"], "delete"))
        with pytest.raises(UserError, match=secrets["dataset"]):
            test_sets.read(Sentences("", run="anns-run"))
    with visiting(monkeypatch, "eve"):
        with pytest.raises(UserError, match="ask the owner of the run") as told:
            test_sets.read(Sentences("", run="anns-run"))
        assert not _leaked(str(told.value), secrets)
        assert not _leaked(repr(cached.metadata("anns-run")), secrets)


def test_another_workspace_neither_takes_back_a_deletion_nor_what_was_shared(
    secrets: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _share("run", "anns-run", data=True)
    with visiting(monkeypatch, "ann"):
        run_service.delete("anns-run", "ann")
    with visiting(monkeypatch, "eve"):
        for run in ("anns-run", ".deleted-anns-run", "../runs/anns-run"):
            for act in (run_service.restore, run_service.delete, run_service.find):
                with pytest.raises(UserError) as told:
                    act(run, "eve")
                assert not _leaked(str(told.value), secrets)
            with pytest.raises(UserError):
                sharing.share(sharing.thing("run", run, "ann"), sharing.Sharing(link=True))
        assert not sharing.sharing("run", "anns-run").link
    with visiting(monkeypatch, "ann"):
        run_service.restore("anns-run", "ann")
    assert sharing.sharing("run", "anns-run") == sharing.Sharing(link=True, data=True)


def test_a_private_validation_set_is_not_told_where_the_dataset_is_a_shipped_one(
    secrets: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = [f"The 40 validation pairs are those of `{FILE}`."]
    data = {"train_hash": "a" * 64, "valid_hash": "b" * 64, "notes": notes}
    RunFolder(settings.home() / "runs" / "anns-run").amend(
        lambda about: {"source": "builtin:mini-en-fr", "valid": FILE, "data": data}
    )
    _share("run", "anns-run", data=False)
    with visiting(monkeypatch, "eve"):
        told = json.dumps([dict(cached.metadata("anns-run")), cached.run_notes("anns-run")])
    assert "builtin:mini-en-fr" in told
    assert FILE not in told
    assert "b" * 64 not in told


def test_a_guest_of_a_run_on_a_shipped_dataset_is_told_which(
    secrets: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    RunFolder(settings.home() / "runs" / "anns-run").amend(
        lambda about: {"source": "builtin:mini-en-fr", "valid": None}
    )
    _share("run", "anns-run", data=False)
    with visiting(monkeypatch, "eve"):
        assert cached.metadata("anns-run")["source"] == "builtin:mini-en-fr"
        assert cached.metadata("anns-run")["data"]["train_hash"] == secrets["hash of the dataset"]
    RunFolder(settings.home() / "runs" / "anns-run").amend(lambda about: {"source": "hub:a/b"})
    for data, named in ((False, guests.PRIVATE), (True, "hub:a/b")):
        _share("run", "anns-run", data=data)
        with visiting(monkeypatch, "eve"):
            assert cached.metadata("anns-run")["source"] == named


def test_a_guest_of_an_evaluation_is_not_told_what_its_test_set_is(
    secrets: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = secrets.pop("evaluation")
    _share("evaluation", own, data=False)
    link = {"set": f"evaluation:{own}"}
    assert NAME in _everything(_visit(monkeypatch, "ann", "evaluate", **link))
    screen = _visit(monkeypatch, "eve", "evaluate", **link)
    assert not screen.exception
    told = _everything(screen)
    assert f"1 sentences · {guests.PRIVATE}" in told
    assert not _leaked(told, secrets)
    with visiting(monkeypatch, "eve"):
        question = Evaluate(evaluation=own)
        answer = Have().answer(question)
        tables = [question.table(answer).csv(), as_text(answer), scores_latex(answer)]
        shown, made = answer.evaluation, answer.provenance
    assert not _leaked("".join(tables), secrets)
    hidden = f"small on {guests.PRIVATE} · greedy"
    names = [system.name for system in shown.systems]
    assert names[:1] + names[3:] == [hidden, f"{hidden} · 4", "demo-en-fr · greedy"]
    assert names[2] == f"mine: {guests.PRIVATE} · greedy"
    assert [own["name"] for own in made["systems"]] == names
    _share("evaluation", own, data=True)  # who may read its sentences may know what they are
    assert NAME in _everything(_visit(monkeypatch, "eve", "evaluate", **link))
