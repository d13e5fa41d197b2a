"""What a config.json says of a model before its weights are here."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.config import ModelConfig, UserError, override
from s2s.pretrained.families import family_of
from s2s.pretrained.family import Family, Json
from s2s.pretrained.model import CONFIG, naming

MULTILINGUAL = ("mbart", "m2m_100")  # they need to know from which language to which


@dataclass(frozen=True)
class PublishedShape:
    """A published model's shape without its weights, as far as config.json tells."""

    family: Family
    config: ModelConfig
    src_vocab_size: int
    tgt_vocab_size: int
    is_multilingual: bool


def read_shape(config: Json) -> PublishedShape:
    """The shape of a model by its config.json.

    Raises UserError for a model that is not opened, with the list of those that are, and for settings that are missing
    or of the wrong kind.
    """
    family = family_of(config)
    with naming(CONFIG):
        tables = {
            "embeddings.shared": config.get("share_encoder_decoder_embeddings") is not False,
            "output.tied": config.get("tie_word_embeddings") is not False,
        }
        src_size = config["vocab_size"]
        tgt_size = config.get("decoder_vocab_size") or src_size
        sizes = (src_size, tgt_size)
        if not all(type(size) is int and size > 0 for size in sizes):
            raise UserError(
                f"{CONFIG} has a `vocab_size` that is no number above 0; give the original one."
            )
        model_config = override(family.config(config), tables)
        is_multilingual = config["model_type"] in MULTILINGUAL
        return PublishedShape(family, model_config, *sizes, is_multilingual)
