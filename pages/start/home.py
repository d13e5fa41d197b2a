"""Home: a sentence, its translation, and where the model looked while it wrote."""

import streamlit as st

from s2s import plots
from s2s.ui import cached, known, pickers, reading, sentence
from s2s.ui.charts import chart

run = cached.open_run(st.session_state["run"])
facts = known.of(run)
with st.container():  # whatever is said about the sentence, the elements below keep their places
    text = sentence.sentence_box(facts)
    sentence.unknown_words(run, facts, text)
sentence.chips(facts)

if not text:
    st.info("Type a sentence above, or press an example: its translation and its attention appear here.", icon=":material/edit:")
else:
    made = cached.translation(run, text)
    seen = made.seen
    reading.translation(made.decoded)
    wide, narrow = st.columns([2, 1], gap="medium")
    with wide, st.container(border=True, key="picture"):
        with st.container(horizontal=True):
            layer = pickers.layer_picker(seen.cross.shape[0])
            head = pickers.head_picker(seen.cross.shape[1])
        weights = seen.cross[layer].mean(0) if head is None else seen.cross[layer, head]
        shown = reading.name(run, layer, head)
        chart(plots.heatmap(weights, seen.src_tokens, seen.tgt_tokens, title=shown), alt=f"Cross-attention, {shown}", file_name="attention")
    with narrow:
        st.subheader("How to read it", anchor=False)
        reading.how(weights, seen)
        reading.certainty(made.decoded)
        reading.download(weights, seen, shown)
