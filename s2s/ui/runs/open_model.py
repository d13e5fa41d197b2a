"""Open a published model as a run: its name, and what is known of it before its weights are fetched."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import streamlit as st

from s2s import hub
from s2s.config import UserError, asker
from s2s.data import format_size
from s2s.jobs import ImportForecast, ImportRequest, import_forecasts, import_service, short_count
from s2s.pretrained import FAMILIES, MODELS
from s2s.processes import worker
from s2s.ui.kit import Card, action_button, cards, duration, forms, plain, shortened
from s2s.ui.runs import import_progress, model_gallery
from s2s.ui.runs.view_state import STATE

NAME = "open model name"
CACHED_SECONDS = 300.0  # of the Hub's answers
FOLDER = re.compile(r"(/|~|\.{1,2}(?=[/\\]|$)|[A-Za-z]:[/\\]|\\\\).*", re.S)
MAX_FACT = 80  # characters of what a card says
SOURCE = "Source language"
TARGET = "Target language"
TWO = 2  # languages of an ordinary Marian
FEW = 8  # languages of a card that are listed


@dataclass(frozen=True)
class FoundModel:
    """A published model that was looked up. License and languages are what its owner says."""

    request: ImportRequest
    forecast: ImportForecast
    license: str = ""
    languages: tuple[str, ...] = ()


def tab(run_id: str) -> None:
    """Draw the field for a model's name, its card and button, running imports and the gallery."""
    import_progress.panel()
    name = _name().strip()
    if name:
        try:
            _chosen(name)
        except UserError as wrong:
            forms.show_error(wrong)
            st.button(
                "Look it up again",
                key="look up again",
                icon=":material/refresh:",
                on_click=looked_up.clear,
            )
    model_gallery.gallery(_choose, is_open=not name)


def _name() -> str:
    is_own_computer = not asker.is_hosted()
    return st.text_input(
        "Model of the Hugging Face Hub, or a folder"
        if is_own_computer
        else "Model of the Hugging Face Hub",
        key=NAME,
        placeholder="Helsinki-NLP/opus-mt-en-de, t5-small"
        + (", /home/me/my-model" if is_own_computer else ""),
        help="An encoder-decoder: T5, mT5, Marian, BART, mBART, Pegasus, M2M100 or NLLB. At first only its list of"
        " files and its settings are read; its weights are fetched when you open it. It becomes a run of yours.",
        max_chars=1000,
        persist_state="session",
    )


def _choose(name: str) -> None:
    st.session_state[NAME] = name


def _chosen(name: str) -> None:
    found = forms.or_raise(_found(name))
    _about(found)
    _costs(found.forecast)
    request = found.request
    if sides := _sides(found):
        request = _with_languages(request, sides)
    wrong = _why_not(request, found.forecast)
    if wrong:
        forms.show_error(wrong)
    click = action_button(
        "Open this model",
        key="open model",
        type="primary",
        icon=":material/download:",
        disabled=wrong is not None,
    )
    if click.is_waiting:
        opened = "" if wrong else _submit(request, found.forecast)
        click.done()
        if opened:
            STATE.remember(opening=opened)
            st.rerun()


def _submit(request: ImportRequest, forecast: ImportForecast) -> str:
    try:
        run_id = import_service.submit(request, forecast)
        worker.ensure()
    except UserError as wrong:
        forms.show_error(wrong)
        return ""
    return run_id


def _about(found: FoundModel) -> None:
    request = found.request
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(shortened(request.name, 60)), anchor=False, width="content")
        st.badge(plain(found.forecast.family), color="blue", icon=":material/model_training:")
    if request.folder:
        st.caption("A folder of this computer; its files stay as they are.")
        return
    license_ = shortened(found.license, MAX_FACT) or "none stated"
    listed = ", ".join(found.languages[:FEW])
    more = f" and {len(found.languages) - FEW} more" if len(found.languages) > FEW else ""
    languages = f"{shortened(listed, MAX_FACT)}{more}" if listed else "none stated"
    facts = f"license: {license_} · languages: {languages} · revision {request.sha[:7]}"
    st.caption(plain(facts))
    if row := MODELS.get(request.name):
        st.caption(row.summary)


def _costs(forecast: ImportForecast) -> None:
    in_use = f"while it opens; {format_size(forecast.model_bytes)} afterwards"
    rows = [
        Card("Parameters", short_count(forecast.parameters), "by its config.json"),
        Card("Memory", format_size(forecast.memory), in_use),
    ]
    if forecast.download_bytes:
        size = format_size(forecast.download_bytes)
        rows.insert(1, Card("Download", size, "only the files that are needed"))
        to_open = duration(forecast.open_seconds)
        rows.append(
            Card(
                "Time",
                duration(forecast.download_seconds + forecast.open_seconds),
                f"to download at 10 MB per second, then {to_open} to open",
            )
        )
    else:
        rows.append(Card("Time", duration(forecast.open_seconds), "to open"))
    cards(rows)


def _sides(found: FoundModel) -> tuple[str, ...]:
    if found.forecast.is_multilingual:
        return (SOURCE, TARGET)
    is_marian = found.forecast.family == FAMILIES["marian"].label
    return (TARGET,) if is_marian and len(found.languages) > TWO else ()


def _with_languages(request: ImportRequest, sides: tuple[str, ...]) -> ImportRequest:
    row = MODELS.get(request.name)
    suggested = {SOURCE: row.src_language, TARGET: row.tgt_language} if row else {}
    codes = {}
    with st.container(horizontal=True):
        for side in sides:
            code = st.text_input(
                side,
                suggested.get(side, ""),
                key=f"open model {side} {request.name}",
                max_chars=import_service.LONGEST_LANGUAGE,
                width=180,
                help="The code that the model's tokenizer has for it: en (M2M100), eng_Latn (NLLB), en_XX (mBART); of a"
                " Marian with several target languages, deu for `>>deu<<`, or nothing.",
            )
            codes[side] = code.strip()
    return replace(request, src_language=codes.get(SOURCE, ""), tgt_language=codes.get(TARGET, ""))


def _why_not(request: ImportRequest, forecast: ImportForecast) -> UserError | None:
    try:
        import_service.check_languages(request, forecast)
        import_forecasts.check(forecast)
    except UserError as wrong:
        return wrong
    return None


def _found(name: str) -> FoundModel | str:
    if not FOLDER.fullmatch(name):
        return looked_up(name)
    config = import_service.folder_config(name)
    return FoundModel(
        ImportRequest(re.split(r"[/\\]", name.rstrip("/\\"))[-1] or name, folder=name),
        import_forecasts.forecast(config),
    )


@st.cache_resource(
    ttl=CACHED_SECONDS, max_entries=16, scope="session", show_spinner="Asking the Hub ..."
)
def looked_up(name: str) -> FoundModel | str:
    """What the Hub says of a model, or the error."""
    try:
        model = hub.preflight_model(name)
        return FoundModel(
            ImportRequest(model.id, sha=model.sha),
            import_forecasts.forecast(model.config, model.size),
            model.license,
            model.languages,
        )
    except UserError as wrong:
        return str(wrong)
