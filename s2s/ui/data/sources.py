"""Where a dataset comes from: built in, uploaded, from the hub, pasted, or saved before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s.config import UserError
from s2s.data import DatasetProfile, Preview, Upload
from s2s.ui.data import hub_dataset, profiles, saved, upload_form, uploads
from s2s.ui.kit import as_markdown, cached, forms, shortened
from s2s.ui.kit.datasets import DEFAULT_DATASET, SHIPPED_DATASETS

BUILT_IN = "Built-in"
SAVED = "Saved"
UPLOAD = "Upload"
PASTE = "Paste"
NOT_SAVED = frozenset({UPLOAD, "Hub", PASTE})  # origins whose dataset is an upload
# where the session has the SPEC that is chosen
SPEC_KEYS: Mapping[str, str] = MappingProxyType({BUILT_IN: "builtin", SAVED: saved.KEY})
MISSING = "missing dataset"  # in the session: what a link names and is not here


@dataclass(frozen=True)
class ChosenDataset:
    """The dataset that the page shows; `spec` is empty while it is an upload."""

    name: str
    preview: Preview
    profile: DatasetProfile
    spec: str = ""
    upload: Upload | None = None

    def save(self) -> str:
        """The SPEC by which a run finds it; an upload is saved first. Raises UserError where that fails."""
        return self.upload.save(self.name) if self.upload else self.spec


class Missing(NamedTuple):
    """A dataset that a link names and that is not here, and the sentence that says so."""

    origin: str
    spec: str
    why: str


class Origin(NamedTuple):
    """One origin: its widgets, which return a dataset or say what is missing."""

    choose: Callable[[], ChosenDataset | None]
    icon: str


def origin_picker() -> str:
    """The origin that is chosen."""
    _follow(str(st.session_state.get("origin", "")))
    chosen = st.segmented_control(
        "Where from",
        list(ORIGINS),
        default=BUILT_IN,
        required=True,
        key="origin",
        format_func=lambda name: f"{ORIGINS[name].icon} {name}",
        persist_state="session",
        label_visibility="collapsed",
    )
    return str(chosen or BUILT_IN)


def _follow(origin: str) -> None:
    """An upload that was saved, here or in another tab, is shown as the saved dataset; one that is gone is missing."""
    if upload := uploads.lost(origin):
        if upload.saved:
            choose_spec(upload.saved)
        else:
            st.session_state[MISSING] = Missing(origin, uploads.address(upload), uploads.GONE)


def chosen(origin: str) -> ChosenDataset | None:
    """The dataset, once there is one."""
    missing: Missing | None = st.session_state.get(MISSING)
    if missing and missing.origin == origin:
        st.warning(as_markdown(missing.why), icon=":material/link_off:")
        st.button(
            f"Open {_short_name(DEFAULT_DATASET)}",
            key="open default dataset",
            icon=":material/folder_open:",
            on_click=choose_spec,
            args=(DEFAULT_DATASET,),
        )
    if deleted := st.session_state.pop(uploads.deleted_key(origin), ""):
        st.info(as_markdown(f"`{deleted}` was deleted."), icon=":material/delete:")
    try:
        found = ORIGINS[origin].choose()
    except UserError as wrong:
        forms.show_error(wrong)
        return None
    if found or uploads.current(origin):
        st.session_state.pop(MISSING, None)
    return found


def linked(origin: str) -> str:
    """What a link says of the dataset that is chosen: a SPEC, `upload:ID`, or only the origin while there is none."""
    missing: Missing | None = st.session_state.get(MISSING)
    key = SPEC_KEYS.get(origin)
    spec = str(st.session_state.get(key) or "") if key else ""
    if upload := uploads.current(origin):
        spec = uploads.address(upload)
    elif missing and missing.origin == origin and not spec:
        spec = missing.spec
    return spec or f"{origin.lower()}:"


def choose_spec(spec: str) -> None:
    """Choose the dataset that a link names, and its origin; where it is gone, none is chosen and the page says why."""
    st.session_state.pop(MISSING, None)
    empty = {f"{origin.lower()}:": origin for origin in ORIGINS}
    if spec in SHIPPED_DATASETS:
        _choose(BUILT_IN, spec)
    elif spec in {dataset.spec for dataset in cached.datasets()}:
        _choose(SAVED, spec)
    elif spec in empty:
        _choose(empty[spec], None)
    elif spec.startswith(uploads.PREFIX):
        _choose_upload(spec)
    else:
        origin = SAVED if spec.startswith("corpus:") else BUILT_IN
        _choose(origin, None)
        why = f"There is no dataset `{shortened(spec, 60)}` here (any more); choose another one."
        st.session_state[MISSING] = Missing(origin, spec, why)


def _choose(origin: str, spec: str | None) -> None:
    st.session_state["origin"] = origin
    if key := SPEC_KEYS.get(origin):
        st.session_state[key] = spec


def _choose_upload(spec: str) -> None:
    try:
        upload = uploads.open_linked(spec)
    except UserError as gone:
        _choose(UPLOAD, None)
        st.session_state[MISSING] = Missing(UPLOAD, spec, str(gone))
        return
    if upload.saved:
        choose_spec(upload.saved)
        return
    _choose(upload.origin, None)
    if upload.origin == PASTE and not st.session_state.get("paste"):
        text = (upload.folder / "files" / upload.files[0]).read_bytes()
        st.session_state["paste"] = text.decode(errors="surrogatepass")
        st.session_state["pasted"] = st.session_state["paste"]


def _built_in() -> ChosenDataset | None:
    spec = st.selectbox(
        "Dataset",
        list(SHIPPED_DATASETS),
        index=list(SHIPPED_DATASETS).index(DEFAULT_DATASET),
        key="builtin",
        persist_state="session",
        format_func=_short_name,
        placeholder="Choose a dataset",
    )
    if spec is None:
        return None
    st.caption(SHIPPED_DATASETS[spec])
    return ChosenDataset(_short_name(spec), cached.preview(spec), profiles.profile(spec), spec)


def _short_name(spec: str) -> str:
    return spec.partition(":")[2]


def _saved() -> ChosenDataset | None:
    found = saved.choose()
    if found is None:
        return None
    spec, name = found
    profile = profiles.profile(spec)
    preview = profiles.section(profile, "preview")
    return ChosenDataset(name, Preview.read(preview), profile, spec) if preview else None


def _upload() -> ChosenDataset | None:
    upload = uploads.current(UPLOAD)
    if upload is None:
        upload_form.files_field()
        return None
    uploads.notice(UPLOAD, upload)
    upload.detect_columns()
    if upload.columns.result("offer") is None and not profiles.is_ready(upload.columns):
        return None
    offer = upload.columns.result("offer") or {}
    if not (spec := upload_form.spec(upload, offer)):
        return None
    upload.read(spec)
    if len(splits := offer.get("splits", ())) > 1:
        st.caption(
            f"The .zip holds the splits {', '.join(splits)}: the model trains on train, and"
            " valid, if present, validates it."
        )
    return _read(upload)


def _hub() -> ChosenDataset | None:
    upload = uploads.current("Hub")
    if upload is None:
        request = hub_dataset.choose()
        if request and st.button(
            "Load these rows", type="primary", icon=":material/cloud_download:", key="load hub"
        ):
            uploads.begin("Hub", request.name, token=request.token).read(request.spec)
            st.rerun()
        return None
    uploads.notice("Hub", upload)
    upload.read(upload.spec)
    return _read(upload)


def _paste() -> ChosenDataset | None:
    text = st.text_area(
        "One pair per line: source, a tab or |||, target",
        key="paste",
        height=180,
        placeholder="the red house ||| la maison rouge\nthe cat sleeps ||| le chat dort",
        persist_state="session",
    )
    if not text or not text.strip():
        uploads.discard(PASTE)
        st.caption(
            "Two columns copied from a spreadsheet can be pasted as they are. Press Ctrl+Enter when done."
        )
        return None
    upload = uploads.current(PASTE)
    if upload is None or st.session_state.get("pasted") != text:
        content = text.encode(errors="surrogatepass")
        upload = uploads.begin(PASTE, "pasted text", [("pasted text", content)])
        st.session_state["pasted"] = text
    upload.read(f"pasted:{upload.files[0]}")
    uploads.notice(PASTE, upload)
    return _read(upload)


def _read(upload: Upload) -> ChosenDataset | None:
    """The dataset once it has a preview, whatever becomes of the other sections of its profile."""
    preview = upload.profile.result("preview")
    if preview is None and profiles.is_ready(upload.profile):
        preview = upload.profile.result("preview")
    if preview is None:
        return None
    return ChosenDataset(upload.name, Preview.read(preview), upload.profile, upload=upload)


ORIGINS: Mapping[str, Origin] = MappingProxyType(
    {
        BUILT_IN: Origin(_built_in, ":material/inventory:"),
        UPLOAD: Origin(_upload, ":material/upload_file:"),
        "Hub": Origin(_hub, ":material/cloud_download:"),
        PASTE: Origin(_paste, ":material/content_paste:"),
        SAVED: Origin(_saved, ":material/bookmark:"),
    }
)
