"""Every token's vector after every layer, with the tokens they belong to. Knows nothing of text or screens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from torch import Tensor, nn

from s2s.analysis.alignment import Ints, places
from s2s.model import Transformer, inference
from s2s.model.transformer import Decoder, Encoder
from s2s.tokenizers import SPACE

Vectors = npt.NDArray[np.float32]
SIDES = ("encoder", "decoder")


@dataclass(frozen=True)
class Side:
    """One stack: (n_layers + 1, len, d_model) and its tokens; the decoder's are those it reads."""

    vectors: Vectors
    tokens: tuple[str, ...]

    @property
    def n_layers(self) -> int:
        """Of the stack; `vectors` has one entry more."""
        return len(self.vectors) - 1


@dataclass(frozen=True)
class States:
    """What stands at each position before the first layer and after each: (n_layers + 1, len, d_model), float32.

    0 is what enters layer 1: token vectors with whatever positions add to them. The last is taken after the stack's final norm,
    where it has one, since that is what the next part reads: the decoder's cross-attention, or the output projection.
    Row i of `decoder` reads `tgt_inputs[i]` and predicts `tgt_tokens[i]`. `src_tokens` end in `</s>`.
    """

    src_tokens: tuple[str, ...]
    tgt_inputs: tuple[str, ...]
    tgt_tokens: tuple[str, ...]
    encoder: Vectors
    decoder: Vectors

    def side(self, name: str) -> Side:
        """One of `SIDES`."""
        if name == "encoder":
            return Side(self.encoder, self.src_tokens)
        if name == "decoder":
            return Side(self.decoder, self.tgt_inputs)
        raise ValueError(f"there are no states of `{name}`; there are those of {', '.join(SIDES)}")


@dataclass
class Streams:
    """What ran inside `watched`: a tensor (batch, len, d_model) a layer, the embeddings first."""

    encoder: list[Tensor] = field(default_factory=list)
    decoder: list[Tensor] = field(default_factory=list)


@contextlib.contextmanager
def watched(model: Transformer) -> Iterator[Streams]:
    """Record the residual stream while the model runs, in inference mode; it is held meanwhile."""
    streams = Streams()
    with inference(model), contextlib.ExitStack() as hooks:
        for stack, into in ((model.encoder, streams.encoder), (model.decoder, streams.decoder)):
            for module in _seams(stack):
                hooks.callback(
                    module.register_forward_hook(
                        lambda _, given, output, into=into: into.append(output)
                    ).remove
                )
        yield streams


def _seams(stack: Encoder | Decoder) -> list[nn.Module]:
    """The modules whose outputs are the states; the last layer's is read after the final norm."""
    return [stack.embed, *list(stack.layers)[:-1], stack.final_norm]


@dataclass(frozen=True)
class Words:
    """The words of one text: (..., words, d_model), each the mean over its pieces; what belongs to no word is left out."""

    vectors: Vectors
    words: tuple[str, ...]

    @property
    def mean(self) -> Vectors:
        """Over all words: (..., d_model)."""
        mean: Vectors = self.vectors.mean(-2)
        return mean


def in_words(vectors: Vectors, tokens: Sequence[str], *, is_whole: bool) -> Words:
    """From tokens, of which the last is `</s>`, to words: (..., len, d_model); `is_whole` where each token is a word.

    >>> in_words(np.ones((3, 2), np.float32), ("▁cat", "s", "</s>"), is_whole=False).words
    ('cats',)
    """
    where = places(tokens, is_whole=is_whole)
    n_words = int(where.max(initial=-1)) + 1
    texts = tuple(
        "".join(token for token, place in zip(tokens, where, strict=True) if place == word)
        for word in range(n_words)
    )
    return Words(
        _merged(vectors, where, n_words), tuple(text.strip(SPACE) or text for text in texts)
    )


def _merged(vectors: Vectors, where: Ints, n_words: int) -> Vectors:
    belongs = (np.arange(n_words)[:, None] == where).astype(np.float32)  # (words, len)
    means: Vectors = (belongs / belongs.sum(1, keepdims=True)) @ vectors
    return means
