"""Which tokens may attend to which: padding, causal and cross masks, for a sentence and a second one in its batch."""

from __future__ import annotations

import html
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st
import torch

from s2s import plots
from s2s.model import masks
from s2s.questions import AttentionOf
from s2s.runs import Run
from s2s.ui.architecture.request import STATE, ArchitectureRequest
from s2s.ui.kit import RunVocabulary, cached, chart, file_name, sentence, vocabulary
from s2s.ui.kit.tables import frame_csv

Allowed = npt.NDArray[np.bool_]
WHOSE = {"yours": "Your sentence", "second": "The second sentence"}


class PaddedPair(NamedTuple):
    """A batch of two sentences: tokens of the sources and of the decoder's inputs, each padded to the longer one."""

    src: tuple[tuple[str, ...], ...]
    tgt: tuple[tuple[str, ...], ...]
    src_lengths: tuple[int, ...]  # without padding


class SentenceMasks(NamedTuple):
    """Masks of one sentence of the pair; `padding` has a row for each of the two. True = may attend."""

    padding: Allowed  # (2, src_len)
    causal: Allowed  # (tgt_len, tgt_len)
    cross: Allowed  # (tgt_len, src_len)


def show(request: ArchitectureRequest) -> None:
    """Three masks of the sentence in the box, or of the second one."""
    facts = vocabulary.of(request.run)
    text = sentence.sentence_box(facts)
    sentence.notices(request.run, facts, [text])
    if not text:
        st.info("Type a sentence above to see its masks.", icon=":material/edit:")
        return
    second = second_sentence(request.run, facts, text)
    pair = padded_pair(request.run, text, second)
    whose = STATE.segments("masks", "Masks of", WHOSE, label_visibility="collapsed")
    row = list(WHOSE).index(whose)
    st.html(
        "<p>All sentences in a batch have the same length, so the shorter one is padded with"
        " <code>&lt;pad&gt;</code>, which no token may attend to. The second sentence here is"
        f" <em><bdi>{html.escape(second)}</bdi></em>.</p>"
    )
    _show_masks(masks_of(pair, row), pair.src[row], pair.tgt[row])


def _show_masks(found: SentenceMasks, src: tuple[str, ...], tgt: tuple[str, ...]) -> None:
    rows = ("your sentence", "the second")
    _picture(found.padding, src, rows, "Padding mask of the source, (batch, src_len)")
    left, right = st.columns(2)
    with left:
        _picture(found.causal, tgt, tgt, "Causal mask of the target, (tgt_len, tgt_len)")
        st.caption(
            "In the decoder, each token attends to itself and to earlier tokens. Padding comes last, so this mask"
            " already hides it."
        )
    with right:
        _picture(found.cross, src, tgt, "Cross mask, (tgt_len, src_len)")
        st.caption(
            "Every target token may attend to every source token except padding: the source's padding mask, repeated"
            " in each row."
        )
    st.caption(plots.PLOTS["mask"].caption)


def second_sentence(run: Run, facts: RunVocabulary, text: str) -> str:
    """The shortest example of another length in tokens, so that one of the two is padded; else any other example."""
    length = _length(run, text)
    others = [example for example in (*facts.examples, *facts.sentences[:10]) if example != text]
    return min(
        others,
        key=lambda example: (_length(run, example) == length, _length(run, example)),
        default=text,
    )


def _length(run: Run, text: str) -> int:
    return len(run.src_tokenizer.encode(text))


def padded_pair(run: Run, *texts: str) -> PaddedPair:
    """The sentences with the model's own translations."""
    name = cached.named(run)
    attentions = [cached.SCREEN.answer(AttentionOf(name, text)).attention for text in texts]
    sources = [tuple(attention.src_tokens) for attention in attentions]
    targets = [tuple(attention.tgt_inputs) for attention in attentions]
    return PaddedPair(_padded(sources), _padded(targets), tuple(map(len, sources)))


def _padded(rows: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    longest = max(map(len, rows))
    return tuple((*row, *("<pad>",) * (longest - len(row))) for row in rows)


def masks_of(pair: PaddedPair, row: int) -> SentenceMasks:
    """From the model's own mask functions."""
    positions = torch.arange(len(pair.src[0]))
    is_token = positions < torch.tensor(pair.src_lengths)[:, None]  # (batch, src_len)
    padding = masks.padding(
        is_token.long(), 0
    )  # (batch, 1, 1, src_len); 0 stands for the id of padding
    tgt_len = len(pair.tgt[row])
    causal = masks.causal(tgt_len)  # (1, 1, tgt_len, tgt_len)
    cross = padding[row, 0].expand(tgt_len, -1)  # (tgt_len, src_len)
    return SentenceMasks(padding[:, 0, 0].numpy(), causal[0, 0].numpy(), cross.numpy())


def _picture(allowed: Allowed, keys: tuple[str, ...], rows: tuple[str, ...], title: str) -> None:
    figure = plots.mask(allowed, keys, rows, title=title)
    alt = f"{title}: attention allowed for {int(allowed.sum())} of {allowed.size} pairs"
    chart(figure, alt=alt, file_name=file_name(title))
    table = pd.DataFrame(
        allowed.astype(int),
        columns=[*keys],
        index=[*rows],
    )
    st.download_button(
        "Mask (CSV)",
        frame_csv(table, index=True),
        f"{file_name(title.partition(',')[0])}.csv",
        "text/csv",
        key=f"download {title}",
        on_click="ignore",
        icon=":material/download:",
    )
