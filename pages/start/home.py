"""Home: a sentence, its translation and its cross-attention."""

import streamlit as st

from s2s.analysis import HeadSelection
from s2s.demo import EVERYDAY
from s2s.questions import AttentionOf
from s2s.ui.home import STATE, candidates, curated_views, doors, translations, way_in
from s2s.ui.kit import cached, examples, pickers, sentence, show_all, target, vocabulary, with_part

HINT = "Type any everyday English sentence"

run_id = st.session_state["run"]
run = cached.open_run(run_id)
facts = vocabulary.of(run)
STATE.from_url()
with st.container(key="ask", horizontal=True, vertical_alignment="center", gap="medium"):
    with st.container():
        box = st.container()
        said = st.container()
        answer = st.container()  # no notice moves it
        with box, st.container(horizontal=True, vertical_alignment="bottom", key="sentence row"):
            text = sentence.sentence_box(facts, HINT if run_id == EVERYDAY else "")
            examples(facts)
        sentences = facts.sentences_of(text)
        with said:
            sentence.notices(run, facts, sentences)
    with st.container(key="way", width="content"):
        way_in()
STATE.belongs_to("text", run.key, text)
with answer:
    asked = translations(run, facts, sentences)

if asked:
    forced = cached.SCREEN.answer(asked.continued).text if asked.forced else ""
    question = AttentionOf(asked.run, asked.text, forced)
    answered = cached.SCREEN.answer(question)
    target.note_unfitting(answered.note, answered.target)
    view = answered.attention.view("cross")
    wide, narrow = st.columns([2, 1], gap="medium")
    with wide, st.container(key="picture"):
        with st.container(horizontal=True, key="controls head"):
            layer = pickers.layer_picker(view)
            head = pickers.head_picker(view)
            which = HeadSelection("cross", layer, head)
            question = with_part(STATE, question.of_head(which, answered), answered)
        show_all(question, answered, cached.model_name(run))
    with narrow:
        candidates(run, asked)

STATE.write_to_url()
doors(run_id, asked.text if asked else "")
curated_views()
