"""Which tokens may attend to which: padding, causal and cross masks, of a sentence and a second one in its batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from s2s.demo import EXAMPLES
from s2s.model import masks
from s2s.questions.attention_of import AttentionOf
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.pool import other_sentences, probe_sentences, source_as_it_is
from s2s.questions.question import AboutText, view
from s2s.questions.table import Table
from s2s.runs import Run

Allowed = npt.NDArray[np.bool_]
WHOSE = {"yours": "Your sentence", "second": "The second sentence"}
N_OTHERS = 10  # sentences among which the second one is looked for, beside the examples
PAD = "<pad>"


@dataclass(frozen=True)
class PaddedPair:
    """Two sentences as one padded batch, with their masks (True = may attend)."""

    texts: tuple[str, str]
    src: tuple[tuple[str, ...], ...]
    tgt: tuple[tuple[str, ...], ...]
    padding: Allowed  # (2, src_len)
    causal: Allowed  # (tgt_len, tgt_len)

    def cross(self, row: int) -> Allowed:
        """The cross-attention mask, (tgt_len, src_len): the padding mask of a source, for every target token."""
        return np.broadcast_to(self.padding[row], (len(self.causal), self.padding.shape[1]))


class MaskFacts(NamedTuple):
    """The facts in the sentence about masks."""

    answer: PaddedPair

    @property
    def missing(self) -> list[int]:
        return [*map(int, (~self.answer.padding).sum(1))]

    @property
    def n_padded(self) -> int:
        return max(self.missing)

    @property
    def shorter(self) -> str:
        return self.answer.texts[int(np.argmax(self.missing))]

    @property
    def hidden(self) -> int:
        return int((~self.answer.causal).sum())

    @property
    def pairs(self) -> int:
        return self.answer.causal.size


CAUSAL = (
    "The causal mask hides {hidden} of {pairs} pairs, all in which a token would see a later one"
)
FINDINGS = (
    Finding(
        lambda of: of.n_padded == 1,
        f"{CAUSAL}; “{{shorter}}” is one token shorter than the other, so one column of its cross mask is padding.",
    ),
    Finding(
        lambda of: of.n_padded > 1,
        f"{CAUSAL}; “{{shorter}}” is {{n_padded}} tokens shorter than the other, so as many columns of its cross mask"
        " are padding.",
    ),
    Finding(lambda of: True, f"{CAUSAL}; both sentences are equally long, so nothing is padding."),
)


@dataclass(frozen=True)
class Masks(AboutText[PaddedPair]):
    """The three masks of a sentence in a batch with a second one, by default the run's shortest example of another
    length.
    """

    masks: str = view("yours", choices=WHOSE, label="Masks of")

    def ask(self, have: Have) -> PaddedPair:
        texts = self.text, second_sentence(have.run(self.run), self.text)
        attentions = [have.answer(AttentionOf(self.run, text)).attention for text in texts]
        sources = [attention.src_tokens for attention in attentions]
        targets = [attention.tgt_inputs for attention in attentions]
        src, tgt = _padded(sources), _padded(targets)
        lengths = torch.tensor([*map(len, sources)])
        is_token = torch.arange(len(src[0])) < lengths[:, None]  # (2, src_len)
        padding = masks.padding(is_token.long(), 0)  # (2, 1, 1, src_len); 0 is the id of padding
        causal = masks.causal(len(tgt[0]))  # (1, 1, tgt_len, tgt_len)
        return PaddedPair(texts, src, tgt, padding[:, 0, 0].numpy(), causal[0, 0].numpy())

    @property
    def row(self) -> int:
        return [*WHOSE].index(self.masks)

    def table(self, answer: PaddedPair) -> Table:
        return mask_table(answer.cross(self.row), answer.src[self.row], answer.tgt[self.row])

    def finding(self, answer: PaddedPair) -> str:
        return first(FINDINGS, MaskFacts(answer))


def mask_table(allowed: Allowed, keys: Sequence[str], rows: Sequence[str]) -> Table:
    """A mask as a table: a row per query, a column per key."""
    lines = zip(rows, allowed.astype(int).tolist(), strict=True)
    return Table(("query", *keys), [[token, *line] for token, line in lines])


def second_sentence(run: Run, text: str) -> str:
    """The shortest example of another length in tokens, so that one of the two is padded; else any other example."""

    def length(sentence: str) -> int:
        return len(run.src_tokenizer.encode(sentence))

    examples = EXAMPLES.get(source_as_it_is(run)) or probe_sentences(run)[:5]
    others = [each for each in (*examples, *other_sentences(run)[:N_OTHERS]) if each != text]
    own = length(text)
    return min(others, key=lambda each: (length(each) == own, length(each)), default=text)


def _padded(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    longest = max(map(len, rows))
    return tuple((*row, *(PAD,) * (longest - len(row))) for row in rows)
