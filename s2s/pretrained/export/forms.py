"""The encoder-decoders of transformers that our model can become: a row each. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Form:
    """How one family of the target library names and stores a model."""

    label: str
    model_type: str  # in config.json
    architecture: str  # the class that loads it
    positions: str
    place: str = "pre"  # of the norms
    after_embeddings: bool = False  # a norm there
    full_span: bool = False  # sinusoids with exponents over d/2 - 1, counted from the padding id on
    stores_sinusoids: bool = False  # in its weights
    unused_rows: int = 0  # of the position table, before the first position
    has_output_bias: bool = True
    has_two_embeddings: bool = False  # one for the source and one for the target


T5 = Form("T5", "t5", "T5ForConditionalGeneration", "relative", has_output_bias=False)
FORMS = (
    Form(
        "Marian",
        "marian",
        "MarianMTModel",
        "sinusoidal",
        place="post",
        has_two_embeddings=True,
    ),
    Form(
        "Pegasus",
        "pegasus",
        "PegasusForConditionalGeneration",
        "sinusoidal",
        stores_sinusoids=True,
    ),
    Form(
        "M2M100",
        "m2m_100",
        "M2M100ForConditionalGeneration",
        "sinusoidal",
        full_span=True,
        has_output_bias=False,
    ),
    Form(
        "BART",
        "bart",
        "BartForConditionalGeneration",
        "learned",
        place="post",
        after_embeddings=True,
        unused_rows=2,
    ),
    Form(
        "mBART",
        "mbart",
        "MBartForConditionalGeneration",
        "learned",
        after_embeddings=True,
        unused_rows=2,
    ),
    Form("Blenderbot", "blenderbot", "BlenderbotForConditionalGeneration", "learned"),
    T5,
)

# Our activations by the names of transformers.
ACTIVATIONS: Mapping[str, str] = MappingProxyType(
    {"relu": "relu", "gelu": "gelu", "gelu_tanh": "gelu_new", "silu": "silu"}
)
# T5's names, by activation and whether it is gated: its `gated-gelu` is the tanh approximation.
T5_ACTIVATIONS: Mapping[tuple[str, bool], str] = MappingProxyType(
    {
        **{(name, False): theirs for name, theirs in ACTIVATIONS.items()},
        ("relu", True): "gated-relu",
        ("gelu_tanh", True): "gated-gelu",
        ("silu", True): "gated-silu",
    }
)
