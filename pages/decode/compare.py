"""Compare: one sentence, decoded by any run, checkpoint and strategy in columns side by side. One column is plain translation."""

import streamlit as st

from s2s.ui import basis, cached, columns, comparison, known, sentence

run_id = st.session_state["run"]
run = cached.open_run(run_id)
facts = known.of(run)
with st.container():
    text = sentence.sentence_box(facts)
    sentence.unknown_words(run, facts, text)
sentence.chips(facts)

keys = columns.arrive(run_id)
with st.container(horizontal=True, vertical_alignment="bottom"):
    comparison.toolbar(run_id)
    wanted = basis.ask(text, len(keys))
if wanted.against != basis.NOTHING:
    basis.legend(wanted)
if not text:
    st.info(
        "Type a sentence above, or press an example: what the model makes of it appears here.",
        icon=":material/edit:",
    )
cards = comparison.cards(run_id)
if text:
    comparison.results(cards, text, wanted)
