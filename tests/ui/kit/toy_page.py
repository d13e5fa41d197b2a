"""A page of a few widgets, for the tests of the view state."""

from dataclasses import dataclass

import streamlit as st

from s2s.ui.kit.state import ViewState, between, field, one_of


@dataclass(frozen=True)
class Toy:
    view: str = field("map", one_of("map", "lens"))
    layer: int = field(2, between(1, 6))
    color: str = field("word", one_of("word", "rank"), link="colour")
    word: str = field("", scope="sentence")
    is_log: bool = field(False)
    result: str = field("", is_alone=True)
    sort: str = field("", is_part=True)
    names: str = field("a b")
    unit: str = field("")  # empty: the last of those that there are
    note: str = field("")


STATE = ViewState("toy", Toy)

rest = STATE.from_url()
if rest is not None:
    st.session_state["strategy"] = rest.get("strategy", "beam")
st.session_state.setdefault("strategy", "beam")
sentence = st.text_input("Sentence", "the cat", key="sentence")
STATE.belongs_to("sentence", sentence)
STATE.choice("view", "View", {"map": "Map", "lens": "Lens"})
STATE.slider("layer", "Layer", 1, 6)
STATE.toggle("is_log", "Log scale")
STATE.choices("names", "Names", {name: name for name in "abc"})
STATE.choice("unit", "Unit", {"1": "one", "2": "two"}, default="2")
STATE.text("note", "Note")
STATE.choice("sort", "Sort by", {"number": "Number", "loss": "Loss"}, default="number")
st.button("Last layer", key="last layer", on_click=STATE.show, kwargs={"layer": 6})
st.button("Result", key="result", on_click=STATE.remember, kwargs={"result": "x1"})
STATE.write_to_url({"strategy": st.session_state["strategy"]}, {"strategy": "beam"})
now = STATE.now
st.markdown(f"{now.view} {now.layer} {now.color} {now.word} {now.is_log}")
