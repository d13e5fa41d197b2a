"""Compare: one sentence, decoded as one chooses, with the probability of every token."""

import streamlit as st

from s2s.ui import cached, column, hypotheses, known, reading, sentence
from s2s.ui.pages import link

run_id = st.session_state["run"]
facts = known.of(cached.open_run(run_id))
with st.container():
    text = sentence.sentence_box(facts)
    sentence.unknown_words(cached.open_run(run_id), facts, text)
sentence.chips(facts)

with st.container(border=True):
    chosen = column.controls(run_id)

if not text:
    st.info("Type a sentence above, or press an example: what the model makes of it appears here.", icon=":material/edit:")
elif not chosen.wrong:
    found = cached.decoded(chosen.run, text, chosen.strategy, chosen.knobs)
    with st.container(border=True):
        reading.translation(found)
        hypotheses.best(found)
        with st.container(horizontal=True, vertical_alignment="center"):
            there = {"step": str(chosen.run.step), "src": text, "tgt": found.text}
            link("attention", "Where it looked", **there)
            hypotheses.download(found)
    if len(found.hypotheses) > 1:
        with st.container(border=True):
            st.subheader("The other hypotheses, best first", anchor=False)
            hypotheses.others(found)
