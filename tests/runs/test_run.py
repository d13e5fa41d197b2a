import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import s2s
from s2s.analysis import HeadSelection, reduced
from s2s.config import Recipe, UserError, override
from s2s.data import Corpus, Pair
from s2s.decode import STRATEGIES
from s2s.jobs import training
from s2s.model.weights import saved_steps, weights_path
from s2s.runs import Run, RunFolder
from s2s.runs.teacher_forcing import reference
from tests.conftest import make_run

SHORT = {  # a model of 16 positions
    "model.positions.kind": "learned",
    "model.positions.max_length": 16,
    "data.max_length": 16,
    "train.steps": 1,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return s2s.load(
        make_run(
            tmp_path_factory.mktemp("run") / "one",
            {"train.steps": 60, "train.lr": 0.01, "train.watch.save_every": 30},
        )
    )


SOURCES = ["1 2 3", "", "9 8 7 6 5", "4", "0 0 zebra"]


@pytest.mark.slow
def test_every_source_has_its_answer_in_its_place(run: Run) -> None:
    found = run.translate(SOURCES, "greedy")
    assert [one.source for one in found] == SOURCES
    assert (found[1].text, found[1].tokens, found[1].hypotheses) == ("", (), ())
    assert [one.unknown for one in found] == [(), (), (), (), ("zebra",)]
    alone = [run.translate([source], "greedy")[0].text for source in SOURCES]
    assert [one.text for one in found] == alone


def test_one_string_is_one_source_and_not_its_characters(run: Run) -> None:
    assert run.translate("a b", "greedy") == run.translate(["a b"], "greedy")
    assert run.score("a b", "x y") == run.score(["a b"], ["x y"])
    assert run.force("a b", "x y") == run.force(["a b"], ["x y"])
    assert run.more_probable("a b", [-1.0], "greedy") == run.more_probable(
        ["a b"], [-1.0], "greedy"
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda run, wrong: run.translate(wrong),
        lambda run, wrong: run.complete(wrong, []),
        lambda run, wrong: run.next_tokens(wrong, []),
        lambda run, wrong: run.score(wrong, "x"),
        lambda run, wrong: run.score("a", wrong),
        lambda run, wrong: run.check_lengths(wrong),
        lambda run, wrong: run.attention(wrong, "x"),
        lambda run, wrong: run.attention("a", wrong),
        lambda run, wrong: run.states("a", wrong),
    ],
)
@pytest.mark.parametrize("wrong", [None, b"a", 5, [["a"]], "a\ud800"])
def test_what_is_no_text_is_refused_by_every_method(
    run: Run, call: Callable[[Run, Any], Any], wrong: Any
) -> None:
    with pytest.raises(UserError, match=r"^(The s|S)ource|^(The t|T)arget"):
        call(run, wrong)


def test_results_show_themselves_in_three_lines(run: Run) -> None:
    source = "a\n" * 300
    (found,) = run.translate([source], "beam", num_beams=5)
    attention = run.attention(source, "x y " * 50)
    shown = [
        run,
        found,
        *found.hypotheses,
        run.tree(found),
        attention,
        attention.view("cross"),
        reduced(attention, HeadSelection("cross")),
        run.states(source, "x y"),
        run.more_probable([source], [-1e9], "greedy")[0],
        run.folder,
        Corpus("a" * 900, "train", (Pair(source, source),) * 900, ("a note",) * 90),
    ]
    for each in shown:
        assert type(each).__name__ in repr(each)
        assert "\n" not in repr(each)
        assert len(repr(each)) <= 300


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_log_probability_of_a_translation_is_what_scoring_says(run: Run, strategy: str) -> None:
    found = [
        one
        for one in run.translate(SOURCES[:1] + SOURCES[2:], strategy)
        if one.tokens[-1] == "</s>"
    ]
    assert found
    scores = run.score([one.source for one in found], [one.text for one in found])
    again = [
        run.tgt_tokenizer.encode(one.text) == run.tgt_tokenizer.encode(" ".join(one.tokens[:-1]))
        for one in found
    ]
    assert [
        score for score, is_same in zip(scores, again, strict=True) if is_same
    ] == pytest.approx(
        [one.log_prob for one, is_same in zip(found, again, strict=True) if is_same], abs=1e-4
    )
    assert any(again)


def test_words_in_settings_are_read_by_the_runs_own_tokenizer(run: Run) -> None:
    (found,) = run.translate(["1 2 3"], "constrained", force_words="7 7,9", prefix="5")
    assert found.text.startswith("5")
    assert "7 7" in found.text
    assert "9" in found.text
    assert not any(
        "1" in one.text for one in run.translate(["1 2 3"], "beam", bad_words="1")[0].hypotheses
    )
    with pytest.raises(
        UserError, match="`force_words`: `zebra` is not in this model's target vocabulary"
    ):
        run.translate(["1 2 3"], "constrained", force_words="zebra")


def test_rounding_the_output_matrix_changes_little(run: Run) -> None:
    exact, fast = (
        run.translate(["1 2 3", "9 8 7 6 5"], "greedy", precision=precision)
        for precision in ("exact", "fast")
    )
    assert [one.log_prob for one in fast] != [one.log_prob for one in exact]
    assert [one.log_prob for one in fast] == pytest.approx([one.log_prob for one in exact], abs=0.2)


def test_a_first_token_that_is_given_to_the_model_does_not_count(run: Run) -> None:
    (one,) = run.tgt_tokenizer.encode("1")
    given = replace(run, recipe=override(run.recipe, {"model.ids.tgt_first": one}))
    (forced,) = given.force(["1 2 3"], ["3 2 1"])
    (whole,) = run.force(["1 2 3"], ["1 3 2 1"])
    src = torch.tensor([[*run.src_tokenizer.encode("1 2 3"), 2]])
    with torch.inference_mode():
        first = run.model(src, torch.tensor([[1]]))[0, 0]  # (vocab,)
    assert (forced.n_tokens, whole.n_tokens) == (4, 5)
    assert forced.n_correct == whole.n_correct - int(first.argmax() == one)
    assert forced.log_prob == pytest.approx(
        whole.log_prob - float(first.log_softmax(-1)[one]), abs=1e-4
    )


def test_a_first_token_that_the_model_does_not_choose_is_certain(run: Run) -> None:
    (one,) = run.tgt_tokenizer.encode("1")
    given = replace(run, recipe=override(run.recipe, {"model.ids.tgt_first": one}))
    (found,) = given.translate(["1 2 3"])
    assert found.hypotheses[0].ids[0] == one
    rows = given.next_tokens("1 2 3", found.hypotheses[0].ids[:-1])
    assert rows[0].exp().tolist() == [float(token == one) for token in range(rows.shape[1])]
    assert rows[1:].equal(run.next_tokens("1 2 3", found.hypotheses[0].ids[:-1])[1:])
    forced = reference(given, "1 2 3", "3 2 1")
    assert (forced.log_probs[0], forced.ranks[0], forced.predicted[0]) == (0.0, 1, "1")
    assert forced.n_predicted == len(forced.ids) - 1 == 4
    assert forced.per_token == pytest.approx(sum(forced.log_probs[1:]) / 4)
    tree = given.tree(found)
    assert {node.reason for node in tree.nodes if node.step == 1} == {"the model's first token"}


def test_a_score_is_a_sum_over_tokens_and_the_end_counts(run: Run) -> None:
    (forced,) = run.force(["1 2 3"], ["3 2 1"])
    src = torch.tensor([[*run.src_tokenizer.encode("1 2 3"), 2]])
    tgt = torch.tensor([[1, *run.tgt_tokenizer.encode("3 2 1"), 2]])
    with torch.inference_mode():
        log_probs = run.model(src, tgt[:, :-1]).log_softmax(-1)[0]
    assert forced.n_tokens == 4
    assert forced.log_prob == pytest.approx(
        float(log_probs.gather(1, tgt[0, 1:, None]).sum()), abs=1e-4
    )
    assert forced.log_prob < 0


def test_attention_says_which_row_predicts_what(run: Run) -> None:
    attention = run.attention("1 2 3", "3 2")
    assert attention.src_tokens == ("1", "2", "3", "</s>")
    assert (attention.tgt_inputs, attention.tgt_tokens) == (("<s>", "3", "2"), ("3", "2", "</s>"))
    assert (attention.cross.shape, attention.encoder.shape, attention.decoder.shape) == (
        (1, 4, 3, 4),
        (1, 4, 4, 4),
        (1, 4, 3, 3),
    )
    for weights in (attention.cross, attention.encoder, attention.decoder):
        assert weights.dtype == np.float32
        np.testing.assert_allclose(weights.sum(-1), 1.0, atol=1e-5)
    assert np.triu(attention.decoder[0, 0], 1).max() == 0.0


def test_capturing_attention_changes_no_output(run: Run) -> None:
    before = run.translate(["1 2 3"])[0]
    run.attention("1 2 3", "3 2 1")
    assert run.translate(["1 2 3"])[0] == before
    assert not any(module._forward_hooks for module in run.model.modules())


def test_a_run_opens_by_folder_by_id_and_at_a_step(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "runs").mkdir(parents=True)
    (home / "runs" / "3f9c").symlink_to(run.folder.path)
    monkeypatch.setenv("S2S_HOME", str(home))
    assert s2s.load("3f9c", step=30).step == 30
    with pytest.raises(UserError, match=r"has no checkpoint of step 11; it has 10, .*, 60"):
        s2s.load("3f9c", step=11)
    with pytest.raises(
        UserError, match=r"There is no run `4f9c`: neither the folder nor the id of a run"
    ):
        s2s.load("4f9c")
    with pytest.raises(UserError, match="There is no run"):
        s2s.load("../../etc")


def test_the_best_checkpoint_is_opened_and_the_newest_where_it_is_gone(run: Run) -> None:
    folder = run.folder
    before = folder.status()
    folder.set_status("done", step=60, steps=60, best_step=30)
    assert folder.best_or_newest_step() == 30
    folder.set_status("done", step=60, steps=60, best_step=35)
    assert folder.best_or_newest_step() == 60
    folder.set_status(
        **{key: value for key, value in before.items() if key not in ("format", "updated")}
    )


def test_a_line_longer_than_the_models_positions_is_named(tmp_path: Path) -> None:
    run = s2s.load(make_run(tmp_path / "short", SHORT))
    with pytest.raises(
        UserError,
        match=r"Line 2 of the source has 21 tokens and this model has 16 positions; shorten it to at most 15",
    ):
        run.translate(["1 2", "1 " * 20])
    assert len(run.translate(["1 2"], "greedy")[0].tokens) <= 16


def test_a_translation_that_fills_the_models_positions_is_looked_into(tmp_path: Path) -> None:
    run = s2s.load(make_run(tmp_path / "short", SHORT))
    full = tuple(run.tgt_tokenizer.encode("1 2 3 4 " * 4))
    assert len(full) == 16
    assert run.target_ids(full) == full
    assert run.attention("1 2", full).view("cross").weights.shape[-2] == 16
    assert run.target_ids(full[:15]) == (*full[:15], run.recipe.model.ids.eos)


def test_going_on_writes_no_step_twice(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {"train.steps": 20})
    folder = RunFolder(path)
    for line in (
        {"kind": "train", "step": 21, "loss": 1.0},
        {"kind": "train", "step": 22, "loss": 1.0},
    ):
        folder.log("metrics", line)
    list(training.run(training.resume(path, training.Continuation(steps=24))))
    steps = [line["step"] for line in folder.lines("metrics") if line["kind"] == "train"]
    assert steps == list(range(1, 25))
    assert folder.status()["state"] == "done"
    assert folder.recipe().train.steps == 24


def test_a_log_with_broken_lines_is_read_without_them_and_gone_on_with(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {"train.steps": 20})
    folder = RunFolder(path)
    log = path / "metrics.jsonl"
    content = log.read_bytes()
    whole = folder.lines("metrics")
    log.write_bytes(
        b'{"kind": "tra{"kind": "valid"}\n[]\n{"step": "x"}\n{"kind": "train"}\n' + content
    )
    assert folder.lines("metrics") == [{"step": "x"}, {"kind": "train"}, *whole]
    list(training.run(training.resume(path, training.Continuation(steps=22))))
    assert [line["step"] for line in folder.lines("metrics") if line["kind"] == "train"] == list(
        range(1, 23)
    )


def test_a_closed_run_keeps_its_last_step_and_can_be_resumed(tmp_path: Path, tiny: Recipe) -> None:
    request = training.RunRequest(override(tiny, {"train.steps": 15}), "synthetic:copy#rows=60")
    events = training.run(training.start(request, tmp_path / "run"))
    next(event for event in events if event.step == 13)
    events.close()
    folder = RunFolder(tmp_path / "run")
    assert folder.status()["state"] == "stopped"
    assert 13 in saved_steps(folder.checkpoints)
    list(training.run(training.resume(folder.path)))
    assert [line["step"] for line in folder.lines("metrics") if line["kind"] == "train"] == list(
        range(1, 16)
    )
    with pytest.raises(
        UserError, match=r"has reached step 15 of 15; request more than 15 steps to continue"
    ):
        training.resume(folder.path)


def test_starting_again_where_nothing_was_saved_starts_afresh(tmp_path: Path, tiny: Recipe) -> None:
    path = tmp_path / "run"
    events = training.run(training.start(training.RunRequest(tiny, "synthetic:copy#rows=60"), path))
    next(events)
    events.close()
    other = override(
        tiny, {"train.steps": 5, "tokenizer.shared": False, "model.embeddings.shared": False}
    )
    list(training.run(training.start(training.RunRequest(other, "synthetic:copy#rows=60"), path)))
    assert not (path / "tokenizer.json").exists()
    assert [
        line["step"] for line in RunFolder(path).lines("metrics") if line["kind"] == "train"
    ] == list(range(1, 6))
    assert s2s.load(path).step


def test_a_failure_is_a_failure(
    tmp_path: Path, tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("s2s.training.loop.Trainer.update", broken)
    with pytest.raises(RuntimeError):
        list(
            training.run(
                training.start(
                    training.RunRequest(tiny, "synthetic:copy#rows=60"), tmp_path / "run"
                )
            )
        )
    assert RunFolder(tmp_path / "run").status()["state"] == "failed"


def test_one_process_a_run(tmp_path: Path, tiny: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s2s.jobs.training.preparation.LOCK_SECONDS", 0.05)
    short = override(tiny, {"train.steps": 5})
    started = training.start(training.RunRequest(short, "synthetic:copy#rows=60"), tmp_path / "run")
    first = training.run(started)
    next(first)
    with pytest.raises(
        UserError, match="Another process is training the run `run`; wait for it, or stop it first"
    ):
        next(training.run(started))
    before = {path.name for path in (tmp_path / "run").iterdir()}
    with pytest.raises(UserError, match="Another process is training the run"):
        training.start(training.RunRequest(tiny, "synthetic:reverse#rows=60"), tmp_path / "run")
    assert {path.name for path in (tmp_path / "run").iterdir()} == before
    first.close()
    list(training.run(started))


def test_a_broken_newest_checkpoint_is_passed_over_and_named(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {"train.steps": 20})
    newest = weights_path(path / "checkpoints", RunFolder(path).best_or_newest_step())
    newest.write_bytes(newest.read_bytes()[:100])
    run = s2s.load(path)
    assert run.step == 10
    assert run.notes[-1] == "Step 10 was opened instead."
    assert newest.name in run.notes[-2]


def test_n_grams_of_the_source_need_a_vocabulary_that_both_sides_share() -> None:
    demo = s2s.load("demo-en-fr")
    with pytest.raises(UserError, match=r"`encoder_no_repeat_ngram_size` .* vocabularies of their"):
        demo.translate(["the cat is black"], encoder_no_repeat_ngram_size=1)


def test_a_run_knows_its_data_from_every_folder(
    tmp_path: Path, tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pairs.tsv").write_text("".join(f"{n} a\t{n} b\n" for n in range(60)))
    monkeypatch.chdir(tmp_path)
    list(
        training.run(
            training.start(
                training.RunRequest(override(tiny, {"train.steps": 5}), "pairs.tsv#rows=50"),
                Path("run"),
            )
        )
    )
    monkeypatch.chdir("/")
    list(training.run(training.resume(tmp_path / "run", training.Continuation(steps=6))))
    (tmp_path / "pairs.tsv").rename(tmp_path / "moved.tsv")
    with pytest.raises(UserError, match="There is no file"):
        training.resume(tmp_path / "run", training.Continuation(steps=7))
    list(
        training.run(
            training.resume(
                tmp_path / "run",
                training.Continuation(steps=7, source=f"{tmp_path}/moved.tsv#rows=50"),
            )
        )
    )


def test_bad_runs_are_refused_in_a_sentence(tmp_path: Path, tiny: Recipe) -> None:
    path = make_run(tmp_path / "run", {"train.steps": 1})
    with pytest.raises(
        UserError, match=r"^`run` already holds a trained run; resume that one, or start another\.$"
    ):
        training.start(training.RunRequest(tiny, "synthetic:copy"), path)
    (path / "recipe.json").write_text('{"format": 99}')
    with pytest.raises(
        UserError, match="has format 99, newer than the 1 known here; update this program"
    ):
        s2s.load(path)
    (path / "recipe.json").write_text("{")
    with pytest.raises(UserError, match=r"is not a run: its recipe.json cannot be read"):
        s2s.load(path)


def test_changed_data_is_noticed_when_going_on(tmp_path: Path, tiny: Recipe) -> None:
    table = tmp_path / "pairs.tsv"
    table.write_text("".join(f"{n} a\t{n} b\n" for n in range(60)))
    training_run = training.start(
        training.RunRequest(override(tiny, {"train.steps": 10}), str(table)), tmp_path / "run"
    )
    list(training.run(training_run))
    table.write_text("".join(f"{n} a\t{n} c\n" for n in range(60)))
    with pytest.raises(
        UserError, match=r"pairs.tsv` does not have the pairs this run was started with"
    ):
        training.resume(tmp_path / "run", training.Continuation(steps=20))


def test_numbers_in_the_files_are_finite(run: Run) -> None:
    for line in run.folder.lines("metrics"):
        assert all(math.isfinite(value) for value in line.values() if isinstance(value, float))
    assert run.folder.about()["owner"] == "local"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_node_of_a_search_tree_has_the_log_probability_that_forcing_its_prefix_gives(
    run: Run, strategy: str
) -> None:
    settings = {"num_return_sequences": 5} if strategy == "sample" else {}
    (found,) = run.translate(
        ["1 2 3"], strategy, max_new_tokens=6, repetition_penalty=1.2, **settings
    )
    tree = run.tree(found, strategy, max_new_tokens=6, repetition_penalty=1.2, **settings)
    for number, node in enumerate(tree.nodes):
        ids = tree.ids(number)
        steps = run.next_tokens("1 2 3", ids)[:-1].gather(
            1, torch.tensor(ids, dtype=torch.long)[:, None]
        )
        assert node.log_prob == pytest.approx(float(steps.sum()), abs=1e-4)
    assert {one.ids for one in found.hypotheses} <= {tree.ids(number) for number in tree.finished}


def test_a_name_may_say_the_checkpoint(run: Run, tmp_path: Path) -> None:
    folder = run.folder.path
    assert [s2s.load(f"{folder}@{step}").step for step in (30, "030", "last")] == [30, 30, 60]
    assert s2s.load(f"{folder}@best").step == s2s.load(folder).step
    assert s2s.load(Path(f"{folder}@30"), 30).step == 30
    own = tmp_path / "mine@30"  # the run's own name
    shutil.copytree(folder, own)
    assert [s2s.load(own).folder.path, s2s.load(f"{own}@60").folder.path] == [own, own]


@pytest.mark.parametrize(
    ("after", "step", "sentence"),
    [
        ("@7", None, "has no checkpoint of step 7; it has .*60"),
        ("@new", None, "`new` is not a checkpoint; give a step such as 1500"),
        ("@", None, "`@` is not a checkpoint"),
        ("@30", 60, "is step 30 and the checkpoint 60 is step 60; give one of them"),
        ("", -1, "`-1` is not a checkpoint"),
        ("x@30", None, "There is no run `.*x`"),
        ("x@new", None, "There is no run `.*x@new`"),
    ],
)
def test_a_wrong_checkpoint_is_named_with_what_there_is(
    run: Run, after: str, step: int | None, sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        s2s.load(f"{run.folder.path}{after}", step)
