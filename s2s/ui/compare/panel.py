"""The open row of Compare: its settings, its tokens and hypotheses, how its score was computed, and its code."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

import streamlit as st

from s2s.config import Config, UserError, flat, keys
from s2s.decode import STRATEGIES, BeamConfig, explain_score, generate_call
from s2s.faults import why_not_exported
from s2s.links import share
from s2s.links.share import Column
from s2s.questions import ONE_SETTING, Timed, Translate
from s2s.questions.views import view_of
from s2s.runs import Decoded, Run
from s2s.ui.compare import length_penalty, row, rows
from s2s.ui.compare.row import FIRST_KEY, RowChoice
from s2s.ui.kit import (
    as_markdown,
    cached,
    forms,
    pickers,
    plain,
    show,
)
from s2s.ui.shell import PAGES, is_framed, page_link

DRAWN = "widgets of the row"  # in the session: which text they show
TIME_HELP = (
    "on this server, when it was first requested; other load may have slowed it, and one row was decoded after the"
    " other."
)


def controls(key: str, page_run: str) -> str:
    """Draw a row's widgets; returns the row as text for the address."""
    text = rows.texts()[key]
    given = Column.read(text)
    if st.session_state.get(f"{key} {DRAWN}") != text:
        _fill(key, given)
    strategy = str(
        st.segmented_control(
            "Strategy",
            list(STRATEGIES),
            required=True,
            key=f"{key} strategy",
            persist_state="session",
            wrap=True,
        )
        or row.DEFAULT
    )
    st.caption(STRATEGIES[strategy].summary)
    try:
        text = _settings(key, strategy, page_run if key == FIRST_KEY else "")
    except UserError as error:  # the run cannot be opened
        forms.show_error(error)
    rows.change(key, text)
    st.session_state[f"{key} {DRAWN}"] = text
    return text


def _fill(key: str, given: Column) -> None:
    if key != FIRST_KEY:
        st.session_state[f"{key} run"] = given.run
    st.session_state[f"{key} strategy"] = given.strategy
    st.session_state[f"{key} step"] = given.step
    st.session_state[f"{key} step of"] = given.run
    choice = row.read(str(given))
    if choice.run:
        prefix = f"{key} {given.strategy} "
        st.session_state.pop(prefix + forms.START, None)
        starting = flat(choice.run.starting(given.strategy))
        for name, value in (starting | choice.settings).items():
            st.session_state[prefix + name] = value


def _settings(key: str, strategy: str, run_id: str) -> str:
    with st.container(horizontal=True):
        best = cached.open_run(run_id or _run_picker(key))
        step = pickers.checkpoint_picker(best, f"{key} step")
    prefix = f"{key} {strategy} "
    config = best.starting(strategy)
    forms.restart(config, prefix)
    settings = forms.changes(config, list(flat(config)), prefix)
    run = best if step == best.step else cached.open_run(best.folder.id, step)
    _inputs(config, settings, prefix, RowChoice(run, best.folder.id, strategy, settings).error)
    return row.written(best, step, strategy, settings)


def _run_picker(key: str) -> str:
    selected = str(st.session_state[f"{key} run"])
    names = cached.trained_runs() | {selected: cached.label(selected)}
    return str(
        st.selectbox(
            "Run",
            list(names),
            format_func=names.__getitem__,
            key=f"{key} run",
            persist_state="session",
            width=230,
        )
    )


def _inputs(
    config: Config, settings: Collection[str], prefix: str, error: UserError | None
) -> None:
    own = list(row.linked_settings(config))
    changed = [name for name in ONE_SETTING if name in settings and name in own]
    first = changed if len(changed) == 1 else own
    if "seed" in keys(type(config)) and "temperature" in own:
        first = [*first, "seed"]
    others = [name for name in flat(config) if name not in first]
    draw = partial(forms.inputs, config, prefix=prefix, wrong=error)
    with st.grid(4, min_column_width=120, vertical_alignment="bottom"):
        draw(keys=first)
    folded = st.expander(
        "More settings",
        expanded=any(name in settings for name in others),
        icon=":material/rule:",
        key=f"{prefix}rules",
        on_change="rerun",
    )
    if folded.open:  # nine widgets or more, a sixth of what the page costs the server
        with folded, st.grid(4, min_column_width=120, vertical_alignment="bottom"):
            draw(keys=others)


def buttons(key: str, once: Callable[..., None]) -> None:
    """Draw the buttons that copy and remove a row."""
    n_rows = len(rows.shown())
    is_full = n_rows == len(rows.KEYS)
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Copy this row",
            icon=":material/content_copy:",
            key=f"clone {key}",
            help=rows.FULL if is_full else "To change one setting",
            disabled=is_full,
            on_click=once,
            args=(rows.clone, n_rows, key),
        )
        if n_rows > 1:
            st.button(
                "Remove this row",
                icon=":material/close:",
                key=f"remove {key}",
                on_click=once,
                args=(rows.remove, n_rows, key),
            )


def results(key: str, choice: RowChoice, question: Translate, found: Timed, wanted: str) -> None:
    """Draw a row's translation; `wanted` is the reference."""
    run, decoded = choice.run, found.value
    if run is None:
        return
    (picture,) = view_of(question).pictures(question, decoded, cached.model_name(run))
    show(picture, question, decoded)
    st.caption(f"{_score(choice, decoded)} Decoded in {found.seconds:.3f} s {TIME_HELP}")
    if isinstance(config := choice.config, BeamConfig):

        def decode(penalty: float) -> None:
            rows.change(key, row.with_settings(rows.texts()[key], length_penalty=penalty))

        length_penalty.show(config, decoded, key, decode)
    with st.expander("The same in transformers", icon=":material/code:"):
        _call(run, choice, decoded.source)
    with st.container(horizontal=True, vertical_alignment="center"):
        _link("attention", "What it attends to", run, src=decoded.source, tgt=decoded.text)
        search = {"strategy": choice.strategy} | forms.to_address(choice.settings)
        known = {"tgt": wanted} if wanted else {}
        view = {"src": decoded.source, "set": share.pack(search), **known}
        _link("steps", "Why each word", run, **view)


def _score(choice: RowChoice, decoded: Decoded) -> str:
    if not decoded.hypotheses:
        return ""
    best = decoded.hypotheses[0]
    config = choice.config
    definition = STRATEGIES[choice.strategy].summary.partition("Score: ")[2]
    if isinstance(config, BeamConfig) and config.length_formula == "gnmt":
        definition = "log-probability / ((5 + length) / 6)^length_penalty."
    explained = explain_score(config, best.log_prob, best.score, len(best.tokens))
    return as_markdown(f"Score: {explained}. What {choice.strategy} ranks by: {definition}")


def _call(run: Run, choice: RowChoice, source: str) -> None:
    own = cached.open_as_saved(run.folder.id).key.languages
    snippet = generate_call(
        choice.strategy,
        choice.config,
        choice.settings,
        source=source,
        run=run.folder.id,
        step=run.step,
        languages=() if run.key.languages == own else run.key.languages,
        starting=run.starting_settings,
        why_not_exported=why_not_exported(run.recipe.train.fault),
    )
    st.caption(snippet.about)
    st.code(snippet.code, language="python", wrap_lines=True)


def _link(url_path: str, label: str, of: Run, **params: str) -> None:
    """Draw a link to the same translation on another page; for a run other than the page's, in a new tab, so that this
    page keeps its run.
    """
    view = {"step": str(of.step), **params}
    run = of.folder.id
    if run == st.session_state["run"]:
        page_link(url_path, label, **view)
        return
    address = url_path + share.link("", {"run": run, **view})[1:]
    icon = next(page.icon for page in PAGES if page.url_path == url_path)
    st.link_button(
        label,
        address,
        icon=icon,
        type="tertiary",
        help=plain(cached.title(run)) + ("" if is_framed() else ", in a new tab"),
    )
