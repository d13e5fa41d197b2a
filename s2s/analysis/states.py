"""Hidden states: every token's vector after every layer. Knows nothing of screens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from torch import Tensor, nn

from s2s.analysis.alignment import Ints, word_indices, word_texts
from s2s.analysis.attention import shown_tokens
from s2s.model import Decoder, Encoder, Transformer, inference

Vectors = npt.NDArray[np.float32]
SIDES = ("encoder", "decoder")


@dataclass(frozen=True)
class Side:
    """The states of one stack, (n_layers + 1, len, d_model), and the tokens that it reads."""

    vectors: Vectors
    tokens: tuple[str, ...]

    @property
    def n_layers(self) -> int:
        return len(self.vectors) - 1


@dataclass(frozen=True)
class States:
    """The state at each position before the first layer and after each: (n_layers + 1, len, d_model), float32.

    Index 0 is the input of layer 1: token vectors plus whatever positions add. The last is taken after the stack's
    final norm, if it has one, because the next module reads that: cross-attention or the output projection.
    Row i of `decoder` reads `tgt_inputs[i]` and predicts `tgt_tokens[i]`. `src_tokens` end in `</s>`.
    """

    src_tokens: tuple[str, ...]
    tgt_inputs: tuple[str, ...]
    tgt_tokens: tuple[str, ...]
    encoder: Vectors
    decoder: Vectors

    def __repr__(self) -> str:
        tokens = f"{shown_tokens(self.src_tokens)} -> {shown_tokens(self.tgt_tokens)}"
        shapes = f"encoder {self.encoder.shape}, decoder {self.decoder.shape}"
        return f"States({tokens}: (states, tokens, d_model) of {shapes})"

    def side(self, name: str) -> Side:
        if name == "encoder":
            return Side(self.encoder, self.src_tokens)
        if name == "decoder":
            return Side(self.decoder, self.tgt_inputs)
        raise ValueError(f"there are no states of `{name}`; there are those of {', '.join(SIDES)}")


@dataclass
class ResidualStreams:
    """One tensor (batch, len, d_model) per layer, the embeddings first."""

    encoder: list[Tensor] = field(default_factory=list)
    decoder: list[Tensor] = field(default_factory=list)


@contextlib.contextmanager
def recorded_states(model: Transformer) -> Iterator[ResidualStreams]:
    """Record the residual streams while the model runs, in inference mode and holding its lock."""
    streams = ResidualStreams()
    with inference(model), contextlib.ExitStack() as hooks:
        for stack, outputs in ((model.encoder, streams.encoder), (model.decoder, streams.decoder)):
            for module in state_modules(stack):

                def record(
                    _: nn.Module, inputs: object, output: Tensor, outputs: list[Tensor] = outputs
                ) -> None:
                    outputs.append(output)

                hooks.callback(module.register_forward_hook(record).remove)
        yield streams


def state_modules(stack: Encoder | Decoder) -> list[nn.Module]:
    """The modules whose outputs are the states; the last layer's state is read after the final norm."""
    return [stack.embed, *list(stack.layers)[:-1], stack.final_norm]


@dataclass(frozen=True)
class WordStates:
    """One vector per word, (..., words, d_model): the mean over its tokens. Tokens of no word are left out."""

    vectors: Vectors
    words: tuple[str, ...]

    @property
    def mean(self) -> Vectors:
        """Over all words: (..., d_model)."""
        mean: Vectors = self.vectors.mean(-2)
        return mean


def word_states(vectors: Vectors, tokens: Sequence[str], *, is_whole: bool) -> WordStates:
    """From tokens, the last of which is `</s>`, to words: (..., len, d_model) -> (..., words, d_model).

    `is_whole`: each token is a word.

    >>> word_states(np.ones((3, 2), np.float32), ("▁cat", "s", "</s>"), is_whole=False).words
    ('cats',)
    """
    indices = word_indices(tokens, is_whole=is_whole)
    texts = word_texts(tokens, indices)
    return WordStates(_means(vectors, indices, len(texts)), texts)


def _means(vectors: Vectors, indices: Ints, n_words: int) -> Vectors:
    """(..., len, d_model) -> (..., words, d_model)."""
    membership = (np.arange(n_words)[:, None] == indices).astype(np.float32)  # (words, len)
    means: Vectors = (membership / membership.sum(1, keepdims=True)) @ vectors
    return means
