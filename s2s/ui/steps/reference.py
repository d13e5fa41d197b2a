"""A translation against a reference: where they first differ, which tokens are hard, and what is to blame."""

from __future__ import annotations

import streamlit as st

from s2s.links.share import printable
from s2s.questions import ForcedTarget, validation_pairs
from s2s.questions.views import view_of
from s2s.runs import Run, RunKey
from s2s.ui.kit import address, cached, plain, sentence, shortened, show, target_owner
from s2s.ui.steps.page import AskedSearch
from s2s.ui.steps.view_state import STATE
from s2s.ui.streamlit_parts import DeltaGenerator

N_EXAMPLES = 3
BOX = "reference box"
BOX_OF = f"{BOX} of"  # run and sentence that it belongs to


def keep_reference(run: Run, text: str) -> None:
    """Keep the reference that the address holds as `tgt`, whichever tab is shown."""
    given, owner = address.read("tgt"), target_owner(run.key, text)
    if given is not None:
        st.session_state[BOX] = given
    elif st.session_state.get(BOX_OF, owner) != owner:  # it belongs to its sentence
        st.session_state[BOX] = ""
    st.session_state[BOX_OF] = owner
    address.write("tgt", _reference())


def _reference() -> str:
    typed = str(st.session_state.get(BOX) or "")
    return " ".join(printable(typed).split())[: sentence.MAX_CHARACTERS]


def show_reference(asked: AskedSearch) -> None:
    """Draw the verdict with the loss of every token, and what judges."""
    by_people = next(iter(asked.row.facts.by_people.get(asked.text, ())), "")
    asked.write(cached.SCREEN.answer(asked.question(ForcedTarget).translation).text)
    place = st.container(key="answer", border=True)
    with place:
        st.text_input(
            "Reference",
            key=BOX,
            placeholder=by_people or "The translation that you want",
            help="The model is made to write it, token by token (teacher forcing).",
            persist_state="session",
            icon=":material/rule:",
            label_visibility="collapsed",
            width=380,
        )
    if target := _reference() or by_people:
        _answer(asked, asked.question(ForcedTarget, target=target), place)
    else:
        place.info(
            "Type the translation that you want above: you see how hard each of its tokens is for the model, and"
            " whether search or model is to blame if it wrote another.",
            icon=":material/rule:",
        )
    _examples(asked.run)


def _answer(asked: AskedSearch, question: ForcedTarget, place: DeltaGenerator) -> None:
    answer = cached.SCREEN.answer(question)
    losses, judged, every = view_of(question).pictures(question, answer, asked.model)
    at = answer.first_difference
    with place:
        with st.container(key="losses"):
            show(losses, question, answer)
        if at is not None and at < len(answer.own.ids):
            st.button(
                "See the candidates there",
                key="there",
                icon=":material/arrow_forward:",
                on_click=_show_candidates,
                args=(at,),
            )
    for picture in (judged, every):
        with st.container(border=True):
            show(picture, question, answer)


def _show_candidates(position: int) -> None:
    STATE.show(view="next", at=str(position + 1), forced="")


def _examples(run: Run) -> None:
    """Draw sentences with their references, from the run's own probes."""
    pairs = validation_pairs(run)[:N_EXAMPLES]
    if not pairs:
        return
    with st.container(horizontal=True, gap="xsmall", key="pairs"):
        for number, (source, target) in enumerate(pairs):
            st.button(
                f"{plain(shortened(source))} → {plain(shortened(target))}",
                key=f"pair{number}",
                on_click=_use_example,
                args=(run.key, source, target),
            )


def _use_example(key: RunKey, source: str, target: str) -> None:
    st.session_state["src"] = source
    st.session_state[BOX] = target
    st.session_state[BOX_OF] = target_owner(key, sentence.text_in_box())
