"""What can be exported, in a sentence."""

from pathlib import Path

import pytest

from s2s.config import PRESETS
from s2s.jobs.model_import import import_folder
from s2s.pretrained import export
from s2s.ui.train.export_targets import sentence
from tests.pretrained.checkpoints import make_checkpoint


@pytest.mark.parametrize(
    ("preset", "said"),
    [
        (
            "modern-small",
            "This recipe can be exported to CTranslate2. Not to Hugging Face transformers:"
            " `model.positions.kind` is rotary;",
        ),
        (
            "blocks",
            "This recipe cannot be exported. Not to Hugging Face transformers: `tokenizer.shared` is"
            " false; a model of transformers has one vocabulary, for source and target. Not to"
            " CTranslate2: `model.encoder.final_norm` is true; CTranslate2 needs false after",
        ),
    ],
)
def test_the_setting_in_the_way_is_named(preset: str, said: str) -> None:
    assert sentence(PRESETS[preset].recipe).startswith(said)


def test_a_fine_tuned_model_can_be_exported_to_what_its_own_tokenizers_allow(
    tmp_path: Path,
) -> None:
    """A Marian with two vocabularies: transformers takes its files, but would take no two tokenizers of ours."""
    make_checkpoint("marian_separate", tmp_path / "theirs")
    run = import_folder(tmp_path / "theirs", tmp_path / "run")
    recipe = run.recipe()
    found = export.verdicts_of(recipe.model, *run.tokenizers())
    labels = " and ".join(verdict.label for verdict in found.values())
    assert all(verdict.is_possible for verdict in found.values())
    assert sentence(recipe, keeps_tokenizer=True) == f"This recipe can be exported to {labels}."
    assert "one vocabulary" in sentence(recipe)
