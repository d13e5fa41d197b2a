"""Compare: one sentence, decoded with any run, checkpoint and strategy, in columns. One column is plain translation."""

import streamlit as st

from s2s.ui.compare import cards as compare_cards
from s2s.ui.compare import columns, reference
from s2s.ui.kit import cached, sentence, vocabulary

run_id = st.session_state["run"]
run = cached.open_run(run_id)
facts = vocabulary.of(run)
with st.container():  # a notice about the sentence moves no element below
    text = sentence.sentence_box(facts)
    sentence.unknown_words(run, facts, text)
sentence.example_chips(facts)

keys = columns.read_from_url(run_id)
with st.container(horizontal=True, vertical_alignment="bottom"):
    compare_cards.toolbar(run_id)
    comparison = reference.controls(text, len(keys))
if comparison.against != reference.NOTHING:
    reference.legend(comparison)
if not text:
    st.info(
        "Type a sentence above or choose an example to see its translation here.",
        icon=":material/edit:",
    )
cards = compare_cards.cards(run_id)
if text:
    compare_cards.results(cards, text, comparison)
