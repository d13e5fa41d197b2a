"""What stands around every page: title, run, share."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from s2s import share
from s2s.config import UserError
from s2s.runs import Run
from s2s.ui import cached, known, pickers
from s2s.ui.pages import Page
from s2s.ui.text import plain


def header(page: Page) -> tuple[DeltaGenerator, bool]:
    """Title, what the run knows, run picker. Returns the place of Share, filled after the page, and whether a run is open."""
    with st.container(key="header", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        with st.container(width="content", gap=None, key="heading"):
            st.title(page.summary, anchor=False)
            about = st.empty()
        with st.container(horizontal=True, width="content", vertical_alignment="center", key="tools"):
            chosen = pickers.run_picker()
            place = st.container(width="content")
    if chosen is None:
        st.info("There is no trained run here yet: `python -m s2s.demo` makes the ones that ship.", icon=":material/model_training:")
        return place, False
    try:
        run = cached.open_run(chosen)
        about.caption(describe(run))
        if run.notes:
            st.warning(plain(" ".join(run.notes)), icon=":material/warning:")
    except UserError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return place, False
    return place, True


def describe(run: Run) -> str:
    """One line: what the run knows."""
    facts = known.of(run)
    count = f"{len(facts.words):,} " if facts.words else ""
    source = plain(str(run.folder.about().get("source", "its data")))
    task = f"Knows {count}{facts.languages[0]} words, writes {facts.languages[1]}" if facts.languages else f"Trained on {source}"
    return f"{task} · {shape(run)}"


def shape(run: Run) -> str:
    """`2 layers of 4 heads`."""
    decoder = run.recipe.model.decoder
    return f"{decoder.n_layers} layers of {decoder.n_heads} heads"


def arrive() -> None:
    """A visitor's first run: what the address holds is cleaned before a widget takes it."""
    if "arrived" in st.session_state:
        return
    st.session_state["arrived"] = True
    given = {key: st.query_params.get_all(key) for key in st.query_params}
    arrived = share.read(given)
    st.session_state["lost"] = list(arrived.lost)
    for key, value in arrived.view.items():
        if given[key] != [value]:
            st.query_params[key] = value


def lost() -> None:
    """What the address asked for and cannot be shown, once."""
    if sentences := st.session_state.pop("lost", []):
        st.info(" ".join(sentences), icon=":material/link_off:")


def share_button(page: Page) -> None:
    """The full link of what is on the screen."""
    view = {key: share.printable(str(st.session_state[key])) for key in page.keys if st.session_state.get(key) is not None}
    with st.popover("Share", icon=":material/link:"):
        st.caption("This link opens what you see now, on any computer that reaches this server.")
        st.code(share.link(st.context.url or "", view), language=None, wrap_lines=True)


def styled() -> None:
    """The few things that a theme cannot say."""
    st.html(f"<style>{CSS}</style>")


ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#00224e"/>
<rect x="6" y="6" width="9" height="9" rx="2" fill="#fee838"/><rect x="17" y="6" width="9" height="9" rx="2" fill="#575d6d"/>
<rect x="6" y="17" width="9" height="9" rx="2" fill="#575d6d"/><rect x="17" y="17" width="9" height="9" rx="2" fill="#c3b369"/>
</svg>"""
CSS = """
.js-plotly-plot :is(.xtick, .ytick) text, .js-plotly-plot :is(.xtitle, .ytitle) { fill: currentColor !important; }
.st-key-translation p { font-size: 1.4rem; font-weight: 600; line-height: 1.35; user-select: all; margin: 0; }
.st-key-translation p { padding: .6rem 1rem; border-radius: .6rem; background: color-mix(in srgb, currentColor 5%, transparent); }
.st-key-unknown { border-left: 3px solid #E69F00; padding-left: .8rem; }
.st-key-unknown button { min-height: 1.9rem; padding: .05rem .7rem; }
.st-key-chips button { border-radius: 999px; min-height: 2.1rem; padding: .1rem .8rem; }
@media (max-width: 640px) {
  .st-key-header h1 { font-size: 1.35rem; }
  .st-key-translation p { font-size: 1.2rem; }
  .st-key-unknown [data-testid="stHorizontalBlock"], .st-key-unknown .stHorizontalBlock { gap: .2rem; }
  .st-key-unknown p { font-size: .9rem; }
  .st-key-picture { padding: .6rem .4rem .2rem; }
  .st-key-chips { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; }
  .st-key-chips > div { flex-shrink: 0; }
  .st-key-unknown { border-left: 3px solid #E69F00; padding-left: .8rem; }
.st-key-unknown button { min-height: 1.9rem; padding: .05rem .7rem; }
.st-key-chips button { white-space: nowrap; }
}
"""
