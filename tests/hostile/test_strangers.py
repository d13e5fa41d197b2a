"""Nobody reads what belongs to another workspace: not by an id, a SPEC, a link, a cache, or at the wrong moment."""

import logging
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from s2s import data, settings
from s2s.config import PRESETS, UserError, asker, shortened
from s2s.data import saved_datasets, uploads
from s2s.jobs import (
    EvaluationRequest,
    GivenScores,
    evaluation_service,
    external,
    run_service,
    test_sets,
    training,
)
from s2s.library import Library
from s2s.library.own import (
    annotate,
    delete_evaluation,
    find_run,
    list_datasets,
    list_evaluations,
    list_runs,
)
from s2s.questions import (
    Evaluate,
    Have,
    Pool,
    PoolOf,
    PoolStates,
    ReferencesOf,
    SameWord,
    SamplesOverTraining,
    validation_pairs,
)
from s2s.runs import Run, Sentences, System
from s2s.ui.data import profiles
from s2s.ui.data import uploads as linked
from s2s.ui.evaluate import files
from s2s.ui.kit import cached, dataset_sentences, gold_alignment, pickers, vocabulary
from s2s.ui.kit.test_sets import available_test_sets
from tests.hostile.home import WORKSPACES, Things, share, things_of, visiting
from tests.screen import opened

SMALL = PRESETS["small"].recipe


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Things]]:
    """No test changes it, but for what is shared of ann's run."""
    path = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S2S_HOME", str(path))
        return path, {owner: things_of(owner) for owner in WORKSPACES}


@pytest.fixture
def things(
    home: tuple[Path, dict[str, Things]], monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Things]]:
    path, made = home
    monkeypatch.setenv("S2S_HOME", str(path))
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    logger = logging.getLogger("streamlit")
    level = logger.level
    logger.setLevel(logging.ERROR)  # it warns of every cached read outside a session
    yield made
    logger.setLevel(level)


def _as_owner(things: Things) -> list[object]:
    """What its owner's screens read, and what is remembered from then on."""
    spec = f"corpus:{things.dataset}"
    return [
        cached.metadata(things.run),
        cached.recipe(things.run),
        cached.curves(things.run),
        Have().answer(SamplesOverTraining(things.run)),
        cached.run_notes(things.run),
        cached.titles(),
        cached.datasets(),
        cached.forecast(spec, SMALL),
        cached.recommended_preset(spec, 5),
        Have().answer(Evaluate(evaluation=things.evaluation)),
        files.chosen(_test_of(spec=spec)),
        *_of_dataset(things),
    ]


def _of_dataset(things: Things) -> list[object]:
    """What screens show of the dataset of a run: only its probe sentences where it is not shared."""
    run = cached.open_run(things.run)
    name = cached.named(run)
    return [
        vocabulary.of(run).sentences,
        dataset_sentences.of(run, 100),
        cached.SCREEN.answer(ReferencesOf(name, f"{things.secret} line 3")),
        cached.SCREEN.answer(ReferencesOf(name, things.probe)),
        gold_alignment.of(run),
        pool_of(run),
        cached.SCREEN.answer(PoolStates(cached.named(run))).positions,
        cached.SCREEN.answer(SameWord(cached.named(run), "1 2", "1 3")),
        validation_pairs(run),
        available_test_sets(things.run),
    ]


def pool_of(run: Run) -> Pool:
    """The sentences that its states are compared with."""
    return cached.SCREEN.answer(PoolOf(cached.named(run)))


def _test_of(**where: str) -> EvaluationRequest:
    return EvaluationRequest((System("beam", uploaded="x"),), Sentences("", n=1, **where), pairs=())


SLOW: tuple[Callable[[str, str], Any], ...] = (  # twenty milliseconds each
    lambda id, who: run_service.runs(who),
    lambda id, who: (cached.follow_link(id), cached.runs()),
    lambda id, who: pickers._labels_with(id),
)
PROBES: tuple[Callable[[str, str], Any], ...] = (
    lambda id, who: Library().run(id),
    lambda id, who: Library().run(id, "download"),
    find_run,
    lambda id, who: list_runs(who),
    run_service.find,
    run_service.stop,
    run_service.pause,
    run_service.unpause,
    run_service.step_once,
    lambda id, who: run_service.change_lr(id, who, 0.1),
    lambda id, who: run_service.rename(id, who, "mine"),
    run_service.delete,
    run_service.restore,
    lambda id, who: annotate(id, who, comment="mine"),
    training.submit_resume,
    lambda id, who: training.submit(
        training.RunRequest(SMALL, "builtin:mini-en-fr", owner=who, init_from=id)
    ),
    lambda id, who: training.submit(training.RunRequest(SMALL, f"corpus:{id}", owner=who)),
    lambda id, who: training.submit(training.RunRequest(SMALL, id, owner=who)),
    lambda id, who: Library().evaluation(id),
    delete_evaluation,
    lambda id, who: list_evaluations(who, id),
    lambda id, who: evaluation_service.progress(id),
    evaluation_service.stop,
    evaluation_service.resume,
    evaluation_service.delete,
    lambda id, who: external.add(id, GivenScores("COMET", "higher", 0, "a.txt", b"1\n"), who),
    lambda id, who: external.delete(id, "COMET", 0, who),
    lambda id, who: evaluation_service.check(_test_of(run=id)),
    lambda id, who: evaluation_service.check(_test_of(spec=f"corpus:{id}")),
    lambda id, who: test_sets.read(Sentences("", run=id)),
    lambda id, who: test_sets.read(Sentences("", spec=id)),
    lambda id, who: test_sets.splits_of_run(id),
    lambda id, who: list_datasets(who),
    lambda id, who: saved_datasets.rename(Library(who).dataset(id, "change"), "mine"),
    lambda id, who: saved_datasets.delete(Library(who).dataset(id, "delete")),
    lambda id, who: list(saved_datasets.stream(id, "train")[1]),
    lambda id, who: data.load(f"corpus:{id}"),
    lambda id, who: data.load(id),
    lambda id, who: data.splits(id),
    lambda id, who: data.is_searchable(id),
    lambda id, who: data.known_targets("a", f"corpus:{id}", SMALL.data, 0),
    lambda id, who: Library(who).upload(id),
    lambda id, who: linked.open_linked(f"upload:{id}"),
    lambda id, who: cached.metadata(id),
    lambda id, who: cached.recipe(id),
    lambda id, who: cached.open_run(id),
    lambda id, who: cached.curves(id),
    lambda id, who: Have().answer(SamplesOverTraining(id)),
    lambda id, who: cached.run_notes(id),
    lambda id, who: cached.parameter_count(id),
    lambda id, who: cached.is_untrained(id),
    lambda id, who: cached.is_own(id),
    lambda id, who: cached.title(id),
    lambda id, who: cached.label(id),
    lambda id, who: cached.dataset_name(id),
    lambda id, who: cached.preview(f"corpus:{id}"),
    lambda id, who: cached.preview(id),
    lambda id, who: cached.forecast(f"corpus:{id}", SMALL),
    lambda id, who: cached.recommended_preset(f"corpus:{id}", 5),
    lambda id, who: profiles.profile(f"corpus:{id}").result("preview"),
    lambda id, who: files.chosen(_test_of(run=id)),
    lambda id, who: files.chosen(_test_of(spec=f"corpus:{id}")),
    lambda id, who: Have().answer(Evaluate(evaluation=id)),
    lambda id, who: Have().folder(id).lines("samples"),
    lambda id, who: vocabulary.examples(id),
    lambda id, who: vocabulary.can_read(id, "a"),
)


def _forged(id: str, home: Path, draw: random.Random) -> str:
    """The id, or something that a careless program reads as the same."""
    return draw.choice(
        (
            id,
            id,
            id,
            f"{id} ",
            f"./{id}",
            f"../runs/{id}",
            f"../evaluations/{id}",
            f"runs/../{id}",
            f"{id}@30",
            f"{id}\x00",
            f"{id}\n",
            f"{id}/recipe.json",
            id.upper(),
            f".deleted-{id}",
            f"corpus:{id}",
            f"corpus:{id}#split=train",
            f"upload:{id}",
            f"x · {id}",
            "".join(chr(ord(one) + 0xFEE0) for one in id),  # full width, which NFKC folds back
            f"%2e%2e/{id}",
            f"{id}?",
            str(home / "runs" / id),
            f"text:{home}/corpora/{id}/train.src",
            f"{home}/corpora/{id}/train.src,{home}/corpora/{id}/train.tgt",
            f"file:{home}/corpora/{id}/about.json",
            f"pasted:{home}/incoming/{id}/files/a.tsv",
            f"file://{home}/s2s.db",
            "/etc/passwd",
            "text:/etc/passwd",
            f"disk:{home}/corpora/{id}",
            "a" * 300,
            "",
        )
    )


def _everything(screen: AppTest) -> str:
    """All that the browser was told."""
    return "\n".join(str(element.proto) for element in screen._tree if hasattr(element, "proto"))


@pytest.mark.system
def test_thousands_of_probes_show_nothing_of_another_workspace(
    things: dict[str, Things], monkeypatch: pytest.MonkeyPatch, refusals: list[str]
) -> None:
    draw = random.Random(0)
    home = settings.home()
    with visiting(monkeypatch, "ann"):
        assert things["ann"].secret in repr(_as_owner(things["ann"]))
    n_refused = 0
    for who in ("eve", asker.NOBODY):
        others = [things[owner] for owner in WORKSPACES if owner != who]
        ids = [id for other in others for id in other.ids]
        secrets = [word for other in others for word in (other.secret, other.probe)]
        with visiting(monkeypatch, who):
            tried = [(probe, id) for probe in PROBES for id in ids]
            tried += [
                (draw.choice(PROBES), _forged(draw.choice(ids), home, draw)) for _ in range(600)
            ]
            tried += [(probe, _forged(draw.choice(ids), home, draw)) for probe in SLOW * 3]
            for probe, forged in tried:
                try:
                    answer = repr(probe(forged, who))
                except UserError as error:
                    n_refused += 1
                    answer = str(error).replace(forged, "").replace(shortened(forged), "")
                    assert str(home) in forged or str(home) not in answer
                leaked = [word for word in secrets if word in answer]
                assert not leaked, (leaked, forged, answer)
    assert n_refused > 1000
    refusals.clear()  # of paths that were given, as above
    with visiting(monkeypatch, "ann"):  # and nobody changed anything
        assert {*things["ann"].ids} <= {*_all_ids("ann")}


def _all_ids(owner: str) -> list[str]:
    upload = Path(settings.home() / "incoming")
    return [
        *(row.id for row in run_service.runs(owner)),
        *(row.hash for row in list_datasets(owner)),
        *(row.id for row in list_evaluations(owner)),
        *(
            folder.name
            for folder in upload.iterdir()
            if (found := uploads.opened(folder)) and found.owner == owner
        ),
    ]


@pytest.mark.system
def test_a_guest_of_a_shared_run_sees_its_dataset_only_where_the_owner_allows_that(
    things: dict[str, Things], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = things["ann"]
    with visiting(monkeypatch, "ann"):
        assert ann.secret in repr(_of_dataset(ann))
    share(ann, data=False)
    with visiting(monkeypatch, "eve"):
        seen = repr(_of_dataset(ann))
        assert ann.probe in seen
        assert ann.secret not in seen
        for refused in (test_sets.read, lambda test: files.chosen(_test_of(run=test.run))):
            with pytest.raises(UserError, match="that you may open"):
                refused(Sentences("", run=ann.run, n=1))
        with pytest.raises(UserError, match="belongs to somebody else"):
            training.submit(
                training.RunRequest(SMALL, "builtin:mini-en-fr", owner="eve", init_from=ann.run)
            )
        assert cached.follow_link(ann.run)
    share(ann, data=True)
    with visiting(monkeypatch, "eve"):
        shown = _of_dataset(ann)
        assert ann.secret in repr(shown[1])
        assert ann.secret in repr(test_sets.read(Sentences("", run=ann.run, n=1)))
        with pytest.raises(UserError, match="no saved dataset"):
            data.load(f"corpus:{ann.dataset}")
    (settings.home() / "sharing" / f"run-{ann.run}.json").unlink()
    with visiting(monkeypatch, "eve"), pytest.raises(UserError, match="that you may open"):
        cached.open_run(ann.run)


def test_what_is_unshared_or_deleted_while_a_page_is_made_is_not_read_any_more(
    things: dict[str, Things], monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = things["bob"]
    share(bob, data=True)
    with visiting(monkeypatch, "eve"):
        run = cached.open_run(bob.run)
        assert bob.secret in repr(dataset_sentences.of(run, 100))
        share(bob, data=False)
        assert bob.secret not in repr((dataset_sentences.of(run, 100), pool_of(run)))
        share(bob, data=True)
        known = ReferencesOf(cached.named(run), "never asked")
        hidden = run.folder.path.with_name(".deleted-by-its-owner")
        run.folder.path.rename(hidden)
        for read in (gold_alignment.of, pool_of, lambda run: cached.SCREEN.answer(known)):
            try:
                answer = repr(read(run))
            except UserError as error:
                answer = str(error)
            assert bob.secret not in answer
        hidden.rename(run.folder.path)
        (settings.home() / "sharing" / f"run-{bob.run}.json").unlink()


LINKS = (
    ("", {"run": "x · {run}"}),
    ("compare", {"c1": "{run}@30!beam!", "c2": "{queued}!greedy!"}),
    ("steps", {"run": "secret · {run}"}),
    ("evaluate", {"set": "evaluation:{evaluation}"}),
    ("evaluate", {"set": "test:corpus%3A{dataset},runs:{run}"}),
    ("runs", {"run": "{queued}", "set": "tab:side-by-side,compared:{run} {queued}"}),
    ("data", {"set": "source:corpus%3A{dataset}"}),
    ("data", {"set": "source:upload%3A{upload}#src=1"}),
    ("train", {"set": "source:corpus%3A{dataset},preset:small,init_from:{run}"}),
)


def test_a_link_to_anothers_things_shows_a_sentence_and_nothing_of_them(
    things: dict[str, Things], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = things["ann"]
    for page, query in LINKS:
        given = {key: value.format(**vars(ann)) for key, value in query.items()}
        with visiting(monkeypatch, "eve"):
            screen = opened(page, **given)
        assert not screen.exception
        told = _everything(screen)
        assert screen.title
        assert not [word for word in (ann.secret, ann.probe, str(settings.home())) if word in told]
