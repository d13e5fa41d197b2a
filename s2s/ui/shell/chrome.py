"""What stands around every page: title, run, share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from s2s import share
from s2s.config import UserError
from s2s.jobs import board
from s2s.runs import Run
from s2s.ui.kit import cached, pickers, vocabulary
from s2s.ui.kit.text import as_markdown, plain
from s2s.ui.shell.pages import Page, page_link


def header(page: Page) -> tuple[DeltaGenerator, bool]:
    """Title, run, Share. Returns the place of Share, filled after the page, and whether the page has what it needs."""
    with st.container(
        key="header",
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
    ):
        with st.container(width="content", gap=None, key="heading"):
            st.title(page.title if page.url_path else page.summary, anchor=False)
            about = st.empty()
        with st.container(
            horizontal=True, width="content", vertical_alignment="center", key="tools"
        ):
            chosen = pickers.run_picker() if page.run else ""
            place = st.container(width="content")
    if page.url_path:
        about.caption(page.summary)
    if page.run == "open":
        return place, _opened(chosen, about if page.describes_run else None)
    if page.run and (why := board.trouble()):
        st.warning(as_markdown(why), icon=":material/warning:")
    return place, True


def _opened(chosen: str | None, about: DeltaGenerator | None) -> bool:
    """Whether there is a model to look at; if not, what to do. `about` is filled with the run's description."""
    if chosen is None:
        st.info(
            "There is no trained run here yet: `python -m s2s.demo` makes the ones that ship.",
            icon=":material/model_training:",
        )
        return False
    try:
        run = cached.open_run(chosen)
    except UserError as error:
        if cached.is_untrained(chosen):
            st.info(
                f"{plain(cached.title(chosen))} has no checkpoint to look into yet.",
                icon=":material/hourglass_top:",
            )
            page_link("train", "See how its training goes")
        else:
            st.error(as_markdown(str(error)), icon=":material/error:")
        return False
    if about:
        about.caption(describe(run))
    if run.notes:
        st.warning(as_markdown(" ".join(run.notes)), icon=":material/warning:")
    return True


def describe(run: Run) -> str:
    """One line: what the run knows."""
    facts = vocabulary.of(run)
    count = f"{len(facts.words):,} " if facts.words else ""
    if facts.languages:
        tasks = f" · begin with {_one_of(facts.prefixes)}" if facts.prefixes else ""
        return f"Knows {count}{facts.languages[0]} words, writes {facts.languages[1]}{tasks} · {shape(run)}"
    text = cached.dataset_name(str(run.folder.about().get("source", "its data")))
    return f"Trained on {plain(text)} · {shape(run)}"


def _one_of(prefixes: Sequence[str]) -> str:
    """`*a*, *b* or *c*`."""
    shown = [f"*{plain(prefix)}*" for prefix in prefixes]
    return " or ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]


def shape(run: Run) -> str:
    """`2 layers of 4 heads`."""
    decoder = run.recipe.model.decoder
    layers, heads = ("s" * (n > 1) for n in (decoder.n_layers, decoder.n_heads))
    return f"{decoder.n_layers} layer{layers} of {decoder.n_heads} head{heads}"


def arrive() -> None:
    """A visitor's first run: what the address holds is cleaned before a widget takes it."""
    if "arrived" in st.session_state:
        return
    st.session_state["arrived"] = True
    given = {key: st.query_params.get_all(key) for key in st.query_params}
    arrived = share.read(given)
    st.session_state["lost"] = list(arrived.lost)
    view = dict(arrived.view)
    run = share.Column.read(view.get("c1", "")).run or pickers.run_id_of(view.get("run", ""))
    if run in cached.runs():
        st.session_state["run"] = run
        if view.pop("run", "") != cached.label(run):
            st.session_state["run to write"] = run
    for key, value in view.items():
        if given.get(key) != [value]:
            st.query_params[key] = value


def lost() -> list[str]:
    """What the address asked for and cannot be shown, once."""
    sentences: list[str] = st.session_state.pop("lost", [])
    if sentences:
        st.info(as_markdown(" ".join(sentences)), icon=":material/link_off:")
    return sentences


def settle(sentences: list[str]) -> None:
    """A link names a run by its id, the picker with its name too: once the page stands, the address follows.

    A bound widget takes from a first address only what it would have written itself, and writes what is set by hand in a
    later run only, one that the browser asks for (`st.rerun` is still the same to it).
    """
    if st.session_state.pop("run to write", None):
        st.session_state["lost"] = sentences
        st.fragment(_ask_again, run_every=0.2)()


def _ask_again() -> None:
    if st.session_state.get("run again"):
        st.rerun()
    st.session_state["run again"] = True


def share_button(page: Page) -> None:
    """The full link of what is on the screen."""
    with st.popover("Share", icon=":material/link:"):
        if why := st.session_state.get("no link"):
            st.caption(why)
            return
        st.caption("This link opens what you see now, on any computer that reaches this server.")
        st.code(link_of(page), language=None, wrap_lines=True)


def link_of(page: Page) -> str:
    """What the screen shows as an address, every value written out."""
    held = {key: share.printable(str(st.session_state.get(key) or "")) for key in page.keys}
    return share.link(
        st.context.url or "", {key: value for key, value in held.items() if value or key == "src"}
    )


def styled() -> None:
    """The few things that a theme cannot say."""
    st.html(f"<style>{LOOK}</style>")


LOOK = (Path(__file__).parent / "look.css").read_text()
ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#00224e"/>
<rect x="6" y="6" width="9" height="9" rx="2" fill="#fee838"/><rect x="17" y="6" width="9" height="9" rx="2" fill="#575d6d"/>
<rect x="6" y="17" width="9" height="9" rx="2" fill="#575d6d"/><rect x="17" y="17" width="9" height="9" rx="2" fill="#c3b369"/>
</svg>"""
