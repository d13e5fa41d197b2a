"""Who may look at whom: padding, causal and cross, for the sentence at hand and a second one beside it in the batch."""

from __future__ import annotations

import html
import io
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st
import torch

from s2s import plots
from s2s.model import masks
from s2s.runs import Run
from s2s.ui.architecture import request
from s2s.ui.architecture.request import Asked
from s2s.ui.kit import cached, sentence, vocabulary
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.kit.vocabulary import Known

Allowed = npt.NDArray[np.bool_]


class Batch(NamedTuple):
    """Two sentences, padded: tokens of the sources and of what is read of the targets, (2, longest) each."""

    src: tuple[tuple[str, ...], ...]
    tgt: tuple[tuple[str, ...], ...]
    src_lengths: tuple[int, ...]  # without padding


class Masks(NamedTuple):
    """Of one sentence of the batch, but for the first, which is of both: rows look, columns are looked at."""

    padding: Allowed  # (2, src_len)
    causal: Allowed  # (tgt_len, tgt_len)
    cross: Allowed  # (tgt_len, src_len)


def show(asked: Asked) -> None:
    """Three pictures."""
    facts = vocabulary.of(asked.run)
    text = sentence.sentence_box(facts)
    if not text:
        st.info(
            "Type a sentence above: who may look at whom in it appears here.",
            icon=":material/edit:",
        )
        return
    other = second(asked.run, facts, text)
    batch = together(asked.run, text, other)
    options = {"yours": "Your sentence", "second": "The second sentence"}
    row = list(options).index(request.choice("masks", "Masks of", options, is_list=False))
    st.html("<p>Sentences of one batch must be equally long, so the shorter one is filled up with <code>&lt;pad&gt;</code>,"
            f" at which nobody may look. The second one here is <em><bdi>{html.escape(other)}</bdi></em>.</p>")  # fmt: skip
    found = made(batch, row)
    _picture(
        found.padding,
        batch.src[row],
        ("your sentence", "the second"),
        "Padding mask of the source, (batch, src_len)",
        "padding",
    )
    left, right = st.columns(2)
    with left:
        _picture(
            found.causal,
            batch.tgt[row],
            batch.tgt[row],
            "Causal mask of the target, (tgt_len, tgt_len)",
            "causal",
        )
        st.caption(
            "In the decoder each token looks at itself and back. Padding stands at the end, where this already hides it."
        )
    with right:
        _picture(
            found.cross, batch.src[row], batch.tgt[row], "Cross mask, (tgt_len, src_len)", "cross"
        )
        st.caption(
            "Every target token may look at every source token that is real: the source's padding mask, once for each row."
        )
    st.caption(plots.PLOTS["mask"].reading)


def second(run: Run, facts: Known, text: str) -> str:
    """An example of another length in tokens, the shortest of them, so that one of the two is padded; else any other."""
    own = _length(run, text)
    others = [example for example in (*facts.examples, *facts.sentences[:10]) if example != text]
    return min(
        others,
        key=lambda example: (_length(run, example) == own, _length(run, example)),
        default=text,
    )


def _length(run: Run, text: str) -> int:
    return len(run.src_tokenizer.encode(text))


def together(run: Run, *texts: str) -> Batch:
    """The sentences with what the run writes for them."""
    seen = [cached.translation(run, text).seen for text in texts]
    sources = [tuple(each.src_tokens) for each in seen]
    return Batch(
        _padded(sources),
        _padded([tuple(each.tgt_inputs) for each in seen]),
        tuple(map(len, sources)),
    )


def _padded(rows: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    longest = max(map(len, rows))
    return tuple((*row, *("<pad>",) * (longest - len(row))) for row in rows)


def made(batch: Batch, row: int) -> Masks:
    """By the model's own functions: padding (batch, 1, 1, src_len), causal (1, 1, tgt_len, tgt_len)."""
    places = torch.arange(len(batch.src[0]))
    is_real = places < torch.tensor(batch.src_lengths)[:, None]  # (batch, src_len)
    padding = masks.padding(is_real.long(), 0)  # as if 0 were the id of padding, and 1 of all else
    tgt_len = len(batch.tgt[row])
    cross = padding[row, 0].expand(tgt_len, -1)
    return Masks(padding[:, 0, 0].numpy(), masks.causal(tgt_len)[0, 0].numpy(), cross.numpy())


def _picture(
    allowed: Allowed, keys: tuple[str, ...], rows: tuple[str, ...], title: str, name: str
) -> None:
    figure = plots.mask(allowed, keys, rows, title=title)
    said = f"{int(allowed.sum())} of {allowed.size} pairs may look"
    chart(figure, alt=f"{title}: {said}", file_name=file_name(title))
    table = pd.DataFrame(
        allowed.astype(int),
        columns=[plots.csv_cell(key) for key in keys],
        index=[plots.csv_cell(row) for row in rows],
    )
    out = io.StringIO()
    table.to_csv(out)
    st.download_button(
        "Mask (CSV)",
        out.getvalue(),
        f"{name}-mask.csv",
        "text/csv",
        key=f"csv {name}",
        on_click="ignore",
        icon=":material/download:",
    )
