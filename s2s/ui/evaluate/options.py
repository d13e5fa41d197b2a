"""How an evaluation counts: several references per source, and the variants of BLEU, chrF and ROUGE."""

from __future__ import annotations

import streamlit as st

from s2s.scores import ROUGE_SCORE
from s2s.ui.evaluate.files import Uploaded
from s2s.ui.evaluate.view_state import ROUGE_LABELS, STATE, TOKENIZER_LABELS, help_of

ABOUT = (
    "Texts are compared in Unicode's composed form (NFC). By the script of the references, BLEU's tokenizer is zh for"
    " Chinese; char for Japanese, Korean, Thai, Lao, Khmer, Burmese and Tibetan; 13a otherwise. Scores compare only"
    " if all of this is equal; the signature of each score names it."
)


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
    return bool(STATE.draw("grouped"))


def scoring() -> None:
    """The variants of BLEU, chrF and ROUGE; signatures name them."""
    with st.expander(
        "How scores are computed", icon=":material/calculate:", key="how scores are computed"
    ):
        st.caption(ABOUT)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            STATE.choice("tokenizer", STATE.label("tokenizer"), TOKENIZER_LABELS, width=270)
            STATE.draw("chrf_words")
            STATE.draw("lowercase")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            rouge = STATE.choice(
                "rouge", STATE.label("rouge"), ROUGE_LABELS, width=270, help=help_of("rouge")
            )
            STATE.draw("stemmer", disabled=rouge != ROUGE_SCORE)
