"""How an evaluation counts: several references per source, and the variants of BLEU and chrF."""

from __future__ import annotations

import streamlit as st

from s2s.scores import Scoring
from s2s.ui.evaluate.files import Uploaded
from s2s.ui.evaluate.view_state import STATE, TOKENIZER_LABELS


def group_toggle(uploaded: Uploaded | None) -> bool:
    """Whether pairs of the same source are one sentence; for a table that repeats sources they are, unless told
    otherwise.
    """
    if uploaded and uploaded.repeats:
        return not STATE.toggle(
            "apart",
            "Keep equal sources apart",
            help="Each row of the table is a sentence of its own, with its own references.",
        )
    return STATE.toggle(
        "grouped",
        "Group equal sources",
        help="Pairs of the same source become one sentence with several references, as in data-to-text.",
    )


def scoring() -> Scoring:
    """The variants of BLEU and chrF; signatures name them."""
    with st.expander(
        "How scores are computed", icon=":material/calculate:", key="how scores are computed"
    ):
        st.caption(
            "Scores compare only where these are equal; the signature of each score names them."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            tokenizer = STATE.choice("tokenizer", "Tokenizer of BLEU", TOKENIZER_LABELS, width=230)
            has_words = STATE.toggle(
                "chrf_words",
                "chrF++",
                help="chrF with words and word pairs besides characters (Popović 2017).",
            )
            lowercase = STATE.toggle(
                "lowercase", "Ignore case", help="In BLEU and chrF; TER and ROUGE always do."
            )
    return Scoring(tokenizer, lowercase, 2 if has_words else 0)
