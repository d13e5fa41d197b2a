"""Word alignment from cross-attention: the link method, the links, and sentences whose gold alignment is known."""

from __future__ import annotations

import streamlit as st

from s2s.links import share
from s2s.questions import Aligned, Alignment, GoldOf
from s2s.ui.attention.asked import Asked
from s2s.ui.attention.lines import share_slider
from s2s.ui.attention.page import select
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import cached, lessons_run, plain, show_all, show_pair, show_table
from s2s.ui.shell import page_link

MAX_EXAMPLES = 12  # sentences with a gold alignment that are offered
ROWS = "links rows"
EXAMPLE = "attention gold example"


def show(asked: Asked) -> None:
    """Draw the links; beside them the method, below them sentences to try."""
    if asked.question.kind != "cross":
        st.info("Only cross-attention links words of the source with words of the target.")
        st.button(
            "Show cross-attention",
            on_click=lambda: st.session_state.update(kind="cross"),
            icon=":material/swap_horiz:",
        )
        return
    with asked.beside, st.container(horizontal=True, vertical_alignment="bottom"):
        if STATE.draw("links", width=210) == "share":
            share_slider()
        of_best = st.container(width="content")
        lessons_run.show_without_gold(asked.run)
    question = STATE.question(Alignment, **asked.question.shared_with(Alignment))
    answer = cached.SCREEN.answer(question)
    show_all(question, answer, asked.model)
    with of_best:
        _best_head(asked, answer)
    rows = st.expander("Links as a table", icon=":material/table:", key=ROWS, on_change="rerun")
    if rows.open:
        with rows:
            show_table(question.table(answer), key="table of links", alt="Links between words")
            st.caption("Positions are counted from 0.")
    _examples(asked, answer)
    page_link(
        "heads",
        "Alignment error over many sentences",
        set=share.pack({"view": "alignment", "links": question.links}),
    )


def _best_head(asked: Asked, answer: Aligned) -> None:
    which = asked.question.which(asked.answer)
    is_better = answer.errors is not None and answer.least < 1
    if is_better and (which.layer, which.head) != answer.best:
        st.button(
            "Show that head",
            on_click=select,
            args=answer.best,
            icon=":material/center_focus_strong:",
            help=f"The {answer.best_name} matches the gold alignment best.",
        )


def _examples(asked: Asked, answer: Aligned) -> None:
    gold = cached.SCREEN.answer(GoldOf(cached.named(asked.run))).targets
    if not gold:
        st.caption(
            "This run's dataset has no gold alignment to compare with; `builtin:en-fr` and `builtin:en-es` do."
        )
        return
    text, key = asked.question.text, asked.run.key
    if answer.gold is None and (targets := gold.get(text)):
        st.caption(
            f"There is a gold alignment of this source with another target: *{plain(targets[0].tgt)}*"
        )
        st.button(
            "Show that target",
            on_click=show_pair,
            args=(key, text, targets[0].tgt),
            icon=":material/edit_note:",
        )

    def picked() -> None:
        if src := st.session_state[EXAMPLE]:
            show_pair(key, src, gold[src][0].tgt)

    sources = list(gold)[:MAX_EXAMPLES]
    is_example = text in sources and answer.gold is not None
    st.session_state[EXAMPLE] = text if is_example else None
    st.selectbox(
        "A sentence with a gold alignment",
        sources,
        key=EXAMPLE,
        placeholder="Choose one",
        on_change=picked,
    )
