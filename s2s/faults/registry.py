"""The faults that can be made on purpose, and the mistakes in the code of tutorials, a row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from torch import Tensor

from s2s.config import SpecialIds, shipped
from s2s.faults import changes
from s2s.faults.fault import Fault

_VASWANI = "Vaswani et al. 2017"


def unshifted(tgt: Tensor) -> tuple[Tensor, Tensor]:
    """Split targets without a shift: each position has to predict the token that it reads."""
    return tgt[:, :-1], tgt[:, :-1]


def without_end(ids: SpecialIds) -> SpecialIds:
    """The special tokens with which `</s>` is never written."""
    suppressed = ",".join(filter(None, [ids.suppressed, str(ids.eos)]))
    return replace(ids, suppressed=suppressed)


class _WithoutSourceEnd(SpecialIds):
    """Special tokens with which no source has its `</s>`, unless it would be empty."""

    def source(self, ids: Sequence[int]) -> list[int]:
        whole = super().source(ids)
        return [id for id in whole if id != self.eos] or whole


def without_source_end(ids: SpecialIds) -> SpecialIds:
    """The special tokens with which `</s>` is never read."""
    return _WithoutSourceEnd(**vars(ids))


# A key is stored in recipes and links: if you rename one, keep reading the old one.
FAULTS: Mapping[str, Fault] = MappingProxyType(
    {
        "unshifted-labels": Fault(
            "Unshifted labels",
            "The loss falls to almost 0 within a few dozen steps. Translations are empty or nonsense.",
            "The labels are the decoder's own input, not shifted by one position. Every position reads the token that"
            " it has to predict, so the decoder learns to copy. Alone, after `<s>`, it copies `<s>`.",
            when="training",
            source=f"{_VASWANI}, section 3.1",
            teach=unshifted,
        ),
        "no-causal-mask": Fault(
            "No causal mask",
            "Training and validation loss fall as in a healthy run at first, then far below it. Translations are much"
            " worse than the loss promises.",
            "The decoder's self-attention sees later target tokens while it trains, the next one among them. When it"
            " translates, there are no later tokens to look at.",
            when="training",
            source=f"{_VASWANI}, section 3.2.3",
            apply=changes.see_later_tokens,
            attention="decoder",
            beside_picture="That is so when it translates: while this run was trained, its fault, made on purpose, also"
            " let each position see the later ones.",
        ),
        "no-padding-mask": Fault(
            "No padding mask",
            "The loss looks almost normal. The same sentence gets another translation when it is in a batch with a"
            " longer one.",
            "Shorter sentences of a batch are padded, and attention also looks at the padding. How much of it there is"
            " depends on the other sentences of the batch.",
            when="both",
            source="Rush 2018, The Annotated Transformer, Batches and Masking",
            apply=changes.see_padding,
        ),
        "no-positions": Fault(
            "No positions",
            "The loss stops falling far too high. Translations have the right words in the wrong order.",
            "No positional encoding is added. Attention treats the source as a set of words: any order of the same"
            " words gives the same encoder states, in that order.",
            when="both",
            source=f"{_VASWANI}, section 3.5",
            apply=changes.forget_order,
        ),
        "no-scale": Fault(
            "No 1/√d_k",
            "Training is slower or less stable, most of all with wide heads. Attention puts nearly all weight on one"
            " token from the start.",
            "Scores are not divided by the square root of the head's width. Their variance grows with it, the softmax"
            " saturates, and its gradients become small.",
            when="both",
            source=f"{_VASWANI}, section 3.2.1",
            apply=changes.leave_scores_unscaled,
        ),
        "no-residual": Fault(
            "No residual connections",
            "The loss falls slowly and stops high. Outputs repeat frequent words, whatever the source says.",
            "Each sublayer's output replaces its input. What a sublayer does not pass on is lost, gradients have no"
            " direct way back, and attention alone makes all positions similar.",
            when="both",
            source="He et al. 2016; Dong et al. 2021, Attention is not all you need",
            apply=changes.drop_residuals,
        ),
        "no-end": Fault(
            "`</s>` missing at inference",
            "The translation begins well and never ends: it runs on, or repeats itself, up to the length limit.",
            "`</s>` cannot be written, for example because its id is suppressed or wrong. The model has no other way"
            " to end a target.",
            when="inference",
            source="Newman et al. 2020, The EOS Decision and Length Extrapolation",
            ids=without_end,
        ),
        "dropout-on": Fault(
            "Dropout left on",
            "Asked twice, the model gives another probability each time, and now and then another translation. The loss"
            " is higher than the validation said.",
            "The model is still in training mode when it translates: dropout sets random values to 0 in every layer.",
            when="inference",
            source="Srivastava et al. 2014",
            apply=changes.leave_dropout_on,
        ),
        "no-source-end": Fault(
            "Source without `</s>` at inference",
            "Half of the translations are right. The others begin well, and then say their last words again, once or"
            " several times.",
            "In training every source ended in `</s>`, and the encoder learned to count on it. The function that"
            " prepares a text for translation forgets to append it.",
            when="inference",
            source="Sutskever et al. 2014, section 2",
            ids=without_source_end,
        ),
    }
)


class Mistake(NamedTuple):
    """A mistake in code: what it looks like, and the cure; `fault` is the row of FAULTS that makes it, if any."""

    title: str
    symptom: str
    cure: str
    fault: str = ""


MISTAKES = tuple(Mistake(title, **row) for title, row in shipped(__file__, "mistakes.toml").items())
