"""How an evaluation counts: several references per source, and the variants of BLEU, chrF and ROUGE."""

from __future__ import annotations

import streamlit as st

from s2s.scores import ROUGE_SCORE, Scoring
from s2s.ui.evaluate.files import Uploaded
from s2s.ui.evaluate.view_state import ROUGE_LABELS, STATE, TOKENIZER_LABELS

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
    return STATE.toggle(
        "grouped",
        "Group equal sources",
        help="Pairs of the same source become one sentence with several references, as in data-to-text.",
    )


def scoring() -> Scoring:
    """The variants of BLEU, chrF and ROUGE; signatures name them."""
    with st.expander(
        "How scores are computed", icon=":material/calculate:", key="how scores are computed"
    ):
        st.caption(ABOUT)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            tokenizer = STATE.choice("tokenizer", "Tokenizer of BLEU", TOKENIZER_LABELS, width=270)
            has_words = STATE.toggle(
                "chrf_words",
                "chrF++",
                help="chrF with words and word pairs besides characters (Popović 2017).",
            )
            lowercase = STATE.toggle(
                "lowercase", "Ignore case", help="In BLEU and chrF; TER and ROUGE always do."
            )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            rouge = STATE.choice(
                "rouge",
                "Words of ROUGE",
                ROUGE_LABELS,
                width=270,
                help="rouge_score is the default of the package of that name, which papers on English summaries use."
                " It drops all but the letters a to z and digits, so choose it for English references only.",
            )
            is_stemmed = STATE.toggle(
                "stemmer",
                "Stemmer",
                help="Compares the stems of English words (Porter 1980). Only with rouge_score.",
                disabled=rouge != ROUGE_SCORE,
            )
    stemmer = is_stemmed and rouge == ROUGE_SCORE
    return Scoring(tokenizer, lowercase, 2 if has_words else 0, rouge, stemmer)
