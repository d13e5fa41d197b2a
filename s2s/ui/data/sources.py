"""Where a dataset comes from: built in, uploaded, from the hub, pasted, or saved before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s.config import UserError
from s2s.data import Preview, ProfileFolder, Upload
from s2s.ui.data import hub_dataset, profiles, saved, upload_form, uploads
from s2s.ui.kit import as_markdown, cached, forms, shortened
from s2s.ui.kit.recipe_state import DEFAULT_DATASET, SHIPPED_DATASETS
from s2s.ui.streamlit_parts import DeltaGenerator

BUILT_IN = "Built-in"
SAVED = "Saved"
HUB = "Hub"
UPLOAD = uploads.UPLOAD  # uploaded or pasted
START = "upload:"  # what a link says of no dataset
NOT_SAVED = frozenset({UPLOAD, HUB})  # origins whose dataset is an upload
# where the session has the SPEC that is chosen
SPEC_KEYS: Mapping[str, str] = MappingProxyType({BUILT_IN: "builtin", SAVED: saved.KEY})
MISSING = "missing dataset"  # in the session: what a link names and is not here


@dataclass(frozen=True)
class ChosenDataset:
    """The dataset that the page shows; `spec` is empty while it is an upload."""

    name: str
    preview: Preview
    profile: ProfileFolder
    spec: str = ""
    upload: Upload | None = None
    about: str = ""

    @property
    def address(self) -> str:
        """What questions call the dataset: its SPEC, or that of an upload as it was read."""
        return f"{uploads.PREFIX}{self.upload.id}/{self.upload.spec}" if self.upload else self.spec

    def save(self) -> str:
        """Save an upload; returns the SPEC by which a run finds the dataset. Raises UserError where that fails."""
        return self.upload.save(self.name) if self.upload else self.spec


class Missing(NamedTuple):
    """A dataset that a link names and that is not here, and the sentence that says so."""

    origin: str
    spec: str
    why: str


class Origin(NamedTuple):
    """One way to get a dataset; `choose` draws its widgets, common ones in a row, and returns the dataset."""

    label: str
    choose: Callable[[DeltaGenerator], ChosenDataset | None]
    icon: str


def origin_picker() -> str:
    """Draw the choice of where a dataset comes from."""
    _follow(str(st.session_state.get("origin", "")))
    chosen = st.segmented_control(
        "Where from",
        list(ORIGINS),
        default=UPLOAD,
        required=True,
        key="origin",
        format_func=lambda name: f"{ORIGINS[name].icon} {ORIGINS[name].label}",
        persist_state="session",
        label_visibility="collapsed",
    )
    return str(chosen or UPLOAD)


def _follow(origin: str) -> None:
    if upload := uploads.lost(origin):
        if upload.saved:
            choose_spec(upload.saved)
        else:
            st.session_state[MISSING] = Missing(origin, uploads.address(upload), uploads.GONE)


def chosen(origin: str, row: DeltaGenerator) -> ChosenDataset | None:
    """Draw the widgets of an origin in `row`; returns the dataset, None until there is one."""
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
        found = ORIGINS[origin].choose(row)
    except UserError as wrong:
        forms.show_error(wrong)
        return None
    if found or uploads.current(origin):
        st.session_state.pop(MISSING, None)
    return found


def linked(origin: str) -> str:
    """The value of a link that names the chosen dataset: a SPEC, `upload:ID`, or its origin alone."""
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
    empty = {f"{origin.lower()}:": origin for origin in ORIGINS} | {"paste:": UPLOAD}
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
    _choose(HUB if upload.origin == HUB else UPLOAD, None)
    if upload.origin == uploads.PASTE and not st.session_state.get("paste"):
        text = (upload.folder / "files" / upload.files[0]).read_bytes()
        st.session_state["paste"] = text.decode(errors="surrogatepass")
        st.session_state["pasted"] = st.session_state["paste"]


def _built_in(row: DeltaGenerator) -> ChosenDataset | None:
    spec = row.selectbox(
        "Dataset",
        list(SHIPPED_DATASETS),
        index=list(SHIPPED_DATASETS).index(DEFAULT_DATASET),
        key="builtin",
        persist_state="session",
        format_func=_short_name,
        placeholder="Choose a dataset",
        label_visibility="collapsed",
        width=260,
    )
    if spec is None:
        return None
    name, about = _short_name(spec), SHIPPED_DATASETS[spec]
    preview = cached.preview(spec)
    return ChosenDataset(name, preview, profiles.profile(spec), spec, about=about)


def _short_name(spec: str) -> str:
    return spec.partition(":")[2]


def _saved(row: DeltaGenerator) -> ChosenDataset | None:
    found = saved.choose(row)
    if found is None:
        return None
    spec, name = found
    profile = profiles.profile(spec)
    preview = profiles.section(profile, "preview")
    return ChosenDataset(name, preview, profile, spec) if preview else None


def _own(row: DeltaGenerator) -> ChosenDataset | None:
    upload = uploads.current(UPLOAD)
    found = _read_files(row, upload) if upload else None
    if upload is None or profiles.has_failed(upload.columns, upload.profile):
        with st.container(border=True, key="answer"):
            upload_form.fields()
        _shipped()
    return found


def _shipped() -> None:
    st.pills(
        "Or a built-in one",
        list(SHIPPED_DATASETS),
        format_func=_short_name,
        key="shipped",
        on_change=_choose_shipped,
    )


def _choose_shipped() -> None:
    if spec := st.session_state["shipped"]:
        choose_spec(spec)


def _read_files(row: DeltaGenerator, upload: Upload) -> ChosenDataset | None:
    if upload.origin == uploads.PASTE:
        upload.read(f"pasted:{upload.files[0]}")
        return _read(upload)
    upload.detect_columns()
    if upload.columns.result("offer") is None and not profiles.is_ready(upload.columns):
        return None
    offer = upload.columns.result("offer") or {}
    if not (spec := upload_form.spec(upload, offer, row)):
        return None
    upload.read(spec)
    if len(splits := offer.get("splits", ())) > 1:
        st.caption(
            f"The .zip holds the splits {', '.join(splits)}: the model trains on train, and"
            " valid, if present, validates it."
        )
    return _read(upload)


def _hub(row: DeltaGenerator) -> ChosenDataset | None:
    upload = uploads.current(HUB)
    if upload is None:
        with st.container(border=True, key="answer"):
            request = hub_dataset.choose()
            if request and st.button(
                "Load these rows", type="primary", icon=":material/cloud_download:", key="load hub"
            ):
                uploads.begin(HUB, request.name, token=request.token).read(request.spec)
                st.rerun()
        return None
    upload.read(upload.spec)
    return _read(upload)


def _read(upload: Upload) -> ChosenDataset | None:
    preview = upload.profile.result("preview")
    if preview is None and profiles.is_ready(upload.profile):
        preview = upload.profile.result("preview")
    if preview is None:
        return None
    return ChosenDataset(upload.name, Preview.read(preview), upload.profile, upload=upload)


def last_actions(origin: str, chosen: ChosenDataset) -> None:
    """Draw the buttons that start another upload or delete this dataset."""
    if origin == UPLOAD:
        with st.popover(
            "Another file or text", icon=":material/upload_file:", on_change="rerun"
        ) as box:
            if box.open:
                upload_form.fields()
    if chosen.upload:
        uploads.notice(origin, chosen.upload)
    elif origin == SAVED:
        saved.change(chosen.spec)


ORIGINS: Mapping[str, Origin] = MappingProxyType(
    {
        UPLOAD: Origin("File or text", _own, ":material/upload_file:"),
        BUILT_IN: Origin("Built-in", _built_in, ":material/inventory:"),
        HUB: Origin("Hub", _hub, ":material/cloud_download:"),
        SAVED: Origin("Saved", _saved, ":material/bookmark:"),
    }
)
