"""Home: a sentence, its translation, and where the model looked while it wrote."""

import streamlit as st

from s2s.analysis import Which, reduced
from s2s.ui import cached, known, pickers, reading, sentence
from s2s.ui.pages import link

run = cached.open_run(st.session_state["run"])
facts = known.of(run)
with st.container():  # whatever is said about the sentence, the elements below keep their places
    text = sentence.sentence_box(facts)
    sentence.unknown_words(run, facts, text)
sentence.chips(facts)

if not text:
    st.info(
        "Type a sentence above, or press an example: its translation and its attention appear here.",
        icon=":material/edit:",
    )
else:
    made = cached.translation(run, text)
    view = made.seen.view("cross")
    reading.translation(made.decoded)
    wide, narrow = st.columns([2, 1], gap="medium")
    with wide, st.container(border=True, key="picture"):
        with st.container(horizontal=True):
            layer = pickers.layer_picker(view)
            head = pickers.head_picker(view)
        picture = reduced(made.seen, Which("cross", layer, head))
        title = reading.picture(run, "cross", picture)
    with narrow:
        st.subheader("How to read it", anchor=False)
        reading.how("cross", picture)
        reading.certainty(made.decoded)
        reading.download(picture, title)

with st.container(key="doors", horizontal=True, gap="medium"):
    link("data", "Bring your own text")
    link("train", "Train a model of your own")
    link("compare", "See how it decodes", src=text)
