"""Compare: one sentence, decoded with any run, checkpoint and strategy, in columns. One column is plain translation."""

import streamlit as st

from s2s.reports.differences import legend
from s2s.ui.compare import cards as compare_cards
from s2s.ui.compare import columns, find_one, reference
from s2s.ui.kit import cached, sentence, vocabulary

find_one.FIND_ONE.take_found()
run_id = st.session_state["run"]
run = cached.open_run(run_id)
facts = vocabulary.of(run)
with st.container():  # a notice about the sentence moves no element below
    text = sentence.sentence_box(facts)
    sentence.unknown_words(run, facts, text)
sentence.example_chips(facts, find_one.FIND_ONE.button)
found = st.container()

keys = columns.read_from_url(run_id)
with st.container(horizontal=True, vertical_alignment="bottom", key="controls-compare"):
    compare_cards.toolbar(run_id)
    comparison = reference.controls(run, text, len(keys))
if comparison.against != reference.NOTHING:
    st.html(legend("the column", comparison.name))
if not text:
    st.info(
        "Type a sentence above or choose an example to see its translation here.",
        icon=":material/edit:",
    )
cards = compare_cards.cards(run_id)
with found:
    find_one.show(run, text, cards)
if text:
    compare_cards.results(cards, text, comparison)
