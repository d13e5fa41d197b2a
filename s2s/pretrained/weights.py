"""Published tensors as the weights of our model, strictly: each becomes one of ours, and none of ours is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from s2s.config import ModelConfig, UserError, override
from s2s.model import Transformer
from s2s.pretrained.family import Family, Json

SRC = "encoder.embed.tokens.weight"
TGT = "decoder.embed.tokens.weight"
OUTPUT = "output.weight"
BIAS = "output.bias"


@dataclass(frozen=True)
class Weights:
    """A model's config, its vocabulary sizes, and each parameter by our name."""

    config: ModelConfig
    src_vocab_size: int
    tgt_vocab_size: int
    tensors: Mapping[str, Tensor]


def fit(
    family: Family, config: Json, model_config: ModelConfig, given: Mapping[str, Tensor]
) -> Weights:
    """The weights of a family's tensors under our names, float32; the tensors decide what is shared and tied.

    Raises UserError that names a tensor which is unexpected or missing, or whose shape does not fit.
    """
    found, theirs = _renamed(family, given)
    model_config = override(model_config, _tables(found, config))
    src_size = _rows(found[SRC])
    tgt_size = _rows(found.get(TGT, found[SRC]))
    with torch.device("meta"):
        model = Transformer(model_config, src_size, tgt_size)
    expected = {name: parameter.shape for name, parameter in model.named_parameters()}
    for name, tensor in found.items():
        shown = theirs.get(name, name)
        if name not in expected:
            raise UserError(
                f"The tensor `{shown}` is unexpected: the model of this config.json has none; give the files that"
                " belong together."
            )
        if tensor.shape != expected[name]:
            raise UserError(
                f"The tensor `{shown}` has the shape {_text(tensor.shape)}, where config.json means"
                f" {_text(expected[name])}; give the files that belong together."
            )
    if missing := [name for name in expected if name not in found]:
        raise _missing(missing[0])
    tensors = {name: _plain(found[name], theirs.get(name, name)) for name in expected}
    return Weights(model_config, src_size, tgt_size, tensors)


def _renamed(
    family: Family, given: Mapping[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, str]]:
    found: dict[str, Tensor] = {}
    theirs: dict[str, str] = {}
    for name, tensor in given.items():
        if family.drops(name):
            continue
        ours = family.our_name(name)
        if ours in found and not torch.equal(found[ours], tensor):
            raise UserError(
                f"The tensors `{theirs[ours]}` and `{name}` should be equal copies of one; give the files that belong"
                " together."
            )
        found[ours] = tensor
        theirs[ours] = name
    return found, theirs


def _tables(found: dict[str, Tensor], config: Json) -> dict[str, bool]:
    """What the tensors say of the embeddings and the output; copies of tables, and a bias of zeros, are removed.

    Raises UserError where a table is missing that config.json calls separate.
    """
    is_separate = config.get("share_encoder_decoder_embeddings") is False
    has_own_output = config.get("tie_word_embeddings") is False
    if SRC not in found and TGT in found and not is_separate:
        found[SRC] = found.pop(TGT)
    for name, is_needed in ((SRC, True), (TGT, is_separate), (OUTPUT, has_own_output)):
        if is_needed and name not in found:
            raise _missing(name)
    is_shared = _is_copy(found, TGT, of=SRC)
    is_tied = _is_copy(found, OUTPUT, of=SRC if is_shared else TGT)
    if BIAS in found:
        found[BIAS] = found[BIAS].flatten()  # (1, vocab) -> (vocab,)
        if not found[BIAS].any():
            del found[BIAS]
    return {"embeddings.shared": is_shared, "output.tied": is_tied, "output.bias": BIAS in found}


def _is_copy(found: dict[str, Tensor], name: str, *, of: str) -> bool:
    is_copy = name not in found or torch.equal(found[name], found[of])
    if is_copy:
        found.pop(name, None)
    return is_copy


def _rows(table: Tensor) -> int:
    return len(table) if table.dim() else 1


def _plain(tensor: Tensor, name: str) -> Tensor:
    if not tensor.is_floating_point():
        raise UserError(
            f"The tensor `{name}` holds {tensor.dtype} numbers, as quantized checkpoints do; give one in float32 or"
            " float16."
        )
    plain = tensor.float().contiguous()
    if plain.isnan().any():
        raise UserError(
            f"The tensor `{name}` holds NaN, as after a training that diverged; give another checkpoint."
        )
    return plain


def _missing(name: str) -> UserError:
    return UserError(
        f"The tensor that becomes our `{name}` is missing; give the complete files of an encoder-decoder."
    )


def _text(shape: torch.Size) -> str:
    return " x ".join(map(str, shape)) or "()"
