"""The scores of all validation pairs: what translating and scoring them gives, once per checkpoint."""

from pathlib import Path

import pytest

import s2s
from s2s.config import UserError, asker
from s2s.data import load_pairs_for_training
from s2s.jobs import run_export, validation
from s2s.jobs.evaluation import service
from s2s.jobs.registry import JOBS
from s2s.library.own import list_evaluations
from s2s.processes import queue
from s2s.runs import RunFolder, runs_folder
from s2s.scores import score_all
from tests.conftest import make_run
from tests.jobs.context import FakeContext


@pytest.fixture
def run(tmp_path: Path) -> s2s.Run:
    return s2s.load(make_run(tmp_path / "one", {"train.steps": 20, "train.watch.save_every": 10}))


def test_they_are_of_every_pair_and_computed_once(
    run: s2s.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert validation.known(run) is None
    seen: list[tuple[int, int]] = []
    found = validation.compute(run, lambda done, n: seen.append((done, n)))
    about = run.folder.about()
    pairs = load_pairs_for_training(
        about["source"], about["valid"], run.recipe.train.seed, run.recipe.data
    ).valid.pairs
    assert seen[-1] == (len(pairs), len(pairs))
    texts = [one.text for one in run.translate([pair.src for pair in pairs])]
    for key, score in score_all(texts, [[pair.tgt] for pair in pairs]).items():
        assert found.scores["scores"][key]["value"] == pytest.approx(score.value)
    assert found.described == (
        f"all {len(pairs)} validation pairs, beam (num_beams 5, length_penalty 1.0)"
    )
    monkeypatch.setattr(service, "evaluate", None)
    assert validation.compute(run).evaluation == found.evaluation


def test_other_weights_and_another_step_are_scored_anew(run: s2s.Run) -> None:
    validation.compute(run)
    other = next(step for step in run.folder.steps_by_choice() if step != run.step)
    assert validation.known(s2s.load(run.folder.path, other)) is None
    RunFolder(run.folder.path).amend(
        lambda about: {"data": {**about["data"], "train_hash": "0" * 64}}
    )
    assert validation.known(run) is None


def test_a_card_says_what_it_lacks_where_that_takes_too_long(
    run: s2s.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validation, "seconds", lambda run: 700.0)
    told: list[str] = []
    run_export.export_run(run, "transformers", tmp_path / "out", tell=told.append)
    assert "takes about 12 min, which Evaluate does as a job" in told[0]
    card = (tmp_path / "out" / "README.md").read_text()
    (row,) = [line for line in card.splitlines() if line.startswith("| Validation |")]
    assert "while training: loss" in row
    assert "of all 20 validation pairs" in row
    assert "of 20 of 20, greedy" in row
    assert list_evaluations(asker.current()) == []


def test_without_a_worker_a_page_waits_for_none(
    run: s2s.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    with pytest.raises(UserError, match="No worker runs"):
        validation.wait(run)
    assert list_evaluations(asker.current()) == []


def test_who_may_store_nothing_is_promised_no_scores(run: s2s.Run) -> None:
    assert validation.note(run).startswith("All validation pairs are scored for the card")
    with asker.acting_as(asker.NOBODY):
        assert "Nothing can be stored without a workspace" in validation.note(run)


def test_a_failed_evaluation_is_not_kept(run: s2s.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        validation.compute(run, fail)
    assert list_evaluations(asker.current()) == []


def test_a_run_of_the_dashboard_is_named_by_its_id(tmp_path: Path) -> None:
    own = s2s.load(make_run(runs_folder() / "one", {}))
    assert validation.compute(own).evaluation.run == "one"
    assert validation.run_reference(s2s.load("demo-en-fr")) == "demo-en-fr"
    assert validation.run_reference(s2s.load(make_run(tmp_path / "x", {}))) == str(tmp_path / "x")


def test_the_card_of_a_run_has_them_with_their_signatures(run: s2s.Run, tmp_path: Path) -> None:
    run_export.export_run(run, "transformers", tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    described = r"all 20 validation pairs, beam \(num\_beams 5, length\_penalty 1.0\)"
    assert f"| Validation | {described}: BLEU " in card
    assert f"\n## Scores of {described}\n" in card
    scores = validation.compute(run).scores
    for key in ("bleu", "perplexity"):
        assert scores["signature"][key].replace("|", r"\|") in card
    assert str(tmp_path) not in card


def test_a_page_has_a_worker_do_it_once(run: s2s.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> None:  # in place of the worker
        (what,) = list_evaluations(asker.current())
        job = queue.latest(what.id)
        assert job is not None
        claimed = queue.claim("w", "h", job.slot, 600.0)
        assert claimed is not None
        list(JOBS[job.kind].work(claimed, FakeContext()))
        queue.finish(claimed.id, claimed.worker, "done")

    monkeypatch.setattr(validation.worker, "ensure", work)
    found = validation.wait(run)
    assert found.scores["scores"] == validation.compute(run).scores["scores"]
    assert validation.wait(run).evaluation == found.evaluation
    assert len(list_evaluations(asker.current())) == 1
