from pathlib import Path

import pytest
import torch

import s2s
from s2s.cli import main
from s2s.config import Recipe, UserError, override
from s2s.jobs import initialization, training
from s2s.model.weights import weights_path
from s2s.runs import RunFolder
from s2s.training import Validation
from tests.conftest import make_run

MORE = {"valid": "synthetic:reverse#split=valid,rows=20"}


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return make_run(tmp_path / "first", {})


@pytest.mark.slow
def test_a_run_begins_with_the_weights_and_the_vocabulary_of_another(
    first: Path, tiny: Recipe, tmp_path: Path
) -> None:
    recipe = override(tiny, {"train.steps": 2})
    request = training.RunRequest(recipe, "synthetic:copy#rows=60", init_from=f"{first}@20", **MORE)
    started = training.start(request, tmp_path / "second")
    events = list(training.run(started))
    metrics = RunFolder(first).lines("metrics")
    before = next(
        line["loss"] for line in metrics if line["kind"] == "valid" and line["step"] == 20
    )
    now = next(event.loss for event in events if isinstance(event, Validation))
    assert now == pytest.approx(before)  # the same text to validate on, the same weights
    about = RunFolder(tmp_path / "second").about()
    assert about["init_from"] == {"run": str(first), "step": 20}
    assert (
        s2s.load(tmp_path / "second").src_tokenizer.vocab_size
        == s2s.load(first).src_tokenizer.vocab_size
    )
    assert f"--init-from {first}@20" in about["command"]


def test_without_a_step_it_is_the_best_checkpoint(first: Path) -> None:
    assert (
        initialization.parse_checkpoint(str(first)).step == RunFolder(first).status()["best_step"]
    )


def test_the_command_line_takes_the_recipe_of_the_run_it_begins_with(
    first: Path, tmp_path: Path
) -> None:
    out = tmp_path / "second"
    given = [
        "train",
        "--source",
        "synthetic:sort#rows=60",
        "--init-from",
        str(first),
        "--set",
        "train.steps=3",
        "--out",
        str(out),
    ]
    assert main(given) == 0
    recipe = RunFolder(out).recipe()
    assert recipe == override(RunFolder(first).recipe(), {"train.steps": 3})
    before = _flat(first, RunFolder(first).best_or_newest_step())
    after = _flat(out, 3)
    assert torch.nn.functional.cosine_similarity(before, after, 0) > 0.99


def _flat(path: Path, step: int) -> torch.Tensor:
    import safetensors.torch

    tensors = safetensors.torch.load_file(weights_path(path / "checkpoints", step))
    return torch.cat([tensor.flatten() for _, tensor in sorted(tensors.items())])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"model.d_model": 32},
            r"another shape: `model.d_model` 32 where it has 16; use its recipe",
        ),
        ({"tokenizer.kind": "char"}, r"another shape: `tokenizer.kind` char where it has word"),
        (
            {"model.n_layers": 2, "model.d_ff": 64},
            r"`model.encoder.n_layers` 2 where it has 1, `model.encoder.d_ff` 64 .* and 1 more",
        ),
    ],
)
def test_another_shape_is_refused(
    changes: dict[str, object], message: str, first: Path, tiny: Recipe, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        training.start(
            training.RunRequest(
                override(tiny, changes), "synthetic:copy#rows=60", init_from=str(first), **MORE
            ),
            tmp_path / "second",
        )
    assert not (tmp_path / "second" / "recipe.json").exists()


def test_what_is_not_there_is_said_before_anything_waits(first: Path, tiny: Recipe) -> None:
    with pytest.raises(UserError, match="no checkpoint of step 7; it has 10"):
        training.submit(
            training.RunRequest(tiny, "synthetic:copy#rows=60", init_from=f"{first}@7", **MORE)
        )
    with pytest.raises(UserError, match="There is no run `nobody`"):
        training.submit(
            training.RunRequest(tiny, "synthetic:copy#rows=60", init_from="nobody", **MORE)
        )


def test_a_text_that_its_vocabulary_does_not_know_is_refused_and_a_few_words_are_said(
    first: Path, tiny: Recipe, tmp_path: Path
) -> None:
    text = tmp_path / "pairs.tsv"
    text.write_text("".join(f"die {n} Katze\tle {n} chat\n" for n in range(60)))
    with pytest.raises(UserError, match=r"% of this dataset's tokens are not in the vocabulary"):
        training.start(
            training.RunRequest(tiny, str(text), init_from=str(first)), tmp_path / "second"
        )
    word = s2s.load(first).src_tokenizer.tokens([5])[0]
    text.write_text(
        "".join(
            f"{word} {word} {word} {word} x{n}\t{word} {word} {word} {word} y{n}\n"
            for n in range(60)
        )
    )
    notes = training.start(
        training.RunRequest(override(tiny, {"train.steps": 2}), str(text), init_from=str(first)),
        tmp_path / "third",
    ).notes
    assert (
        "20.0% of this dataset's tokens are not in the vocabulary it starts with; they become <unk>."
        in notes
    )


def test_freed_settings_may_differ(first: Path, tiny: Recipe, tmp_path: Path) -> None:
    recipe = override(tiny, {"model.dropout": 0.3, "model.init.kind": "normal", "train.seed": 9})
    started = training.start(
        training.RunRequest(recipe, "synthetic:copy#rows=60", init_from=f"{first}@20", **MORE),
        tmp_path / "second",
    )
    assert (started.initial.run, started.initial.step) == (str(first), 20)
    written = RunFolder(tmp_path / "second").recipe()
    assert written == started.recipe
    assert (written.model.dropout, written.model.init.kind, written.train.seed) == (
        0.3,
        "normal",
        9,
    )
