"""What can be exported, in a sentence."""

import pytest

from s2s.config import PRESETS
from s2s.ui.train.export_targets import sentence


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
