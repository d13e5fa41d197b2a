"""Where a dataset comes from: built in, uploaded, from the hub, pasted, or saved before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s import settings
from s2s.config import UserError
from s2s.data import DatasetProfile, Preview, saved_datasets
from s2s.ui.data import hub_dataset, profiles, saved, upload_form, uploads
from s2s.ui.data.uploads import Upload
from s2s.ui.kit import cached, forms, pickers
from s2s.ui.kit.datasets import DEFAULT_DATASET, SHIPPED_DATASETS

BUILT_IN = "Built-in"
SAVED = "Saved"
NOT_SAVED = frozenset({"Upload", "Hub", "Paste"})  # origins whose dataset is an upload


@dataclass(frozen=True)
class ChosenDataset:
    """The dataset that the page shows. `spec` is empty while it is an upload."""

    name: str
    preview: Preview
    profile: DatasetProfile
    spec: str = ""

    def save(self, origin: str) -> str:
        """The SPEC by which a run finds it; an upload is saved first. Raises UserError where that fails."""
        if self.spec:
            return self.spec
        self.profile.stop()
        folder = self.profile.folder
        hash = saved_datasets.keep_upload(folder, name=self.name, owner=settings.OWNER)
        uploads.discard(origin)
        self.profile.delete()  # `discard` deletes the visit's upload, which may be another one by now
        return f"corpus:{hash}"


class Origin(NamedTuple):
    """One origin: its widgets, which return a dataset or say what is missing."""

    choose: Callable[[], ChosenDataset | None]
    icon: str


def origin_picker() -> str:
    """The origin that is chosen."""
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
    return str(chosen)


def chosen(origin: str) -> ChosenDataset | None:
    """The dataset, once there is one."""
    try:
        return ORIGINS[origin].choose()
    except UserError as wrong:
        forms.show_error(wrong)
        return None


def choose_spec(spec: str) -> str:
    """Choose the dataset that a link names, and its origin. Returns the default one's SPEC where it is gone."""
    if spec in {dataset.spec for dataset in cached.datasets()}:
        st.session_state["origin"] = SAVED
        st.session_state[saved.KEY] = spec
        return spec
    if spec not in SHIPPED_DATASETS:
        pickers.notify(
            f"There is no dataset {spec[:60]} here (any more); {DEFAULT_DATASET} is shown instead."
        )
        spec = DEFAULT_DATASET
    st.session_state["origin"] = BUILT_IN
    st.session_state["builtin"] = spec
    return spec


def _built_in() -> ChosenDataset:
    spec = st.selectbox(
        "Dataset",
        list(SHIPPED_DATASETS),
        index=list(SHIPPED_DATASETS).index(DEFAULT_DATASET),
        key="builtin",
        persist_state="session",
        format_func=_short_name,
    )
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
    return ChosenDataset(name, Preview.from_json(preview), profile, spec) if preview else None


def _upload() -> ChosenDataset | None:
    upload = uploads.current("Upload")
    if upload is None:
        upload_form.files_field()
        return None
    uploads.notice("Upload", upload)
    upload.detect_columns()
    if upload.profile.result("offer") is None and not profiles.is_ready(upload.profile):
        return None
    offer = upload.profile.result("offer") or {}
    upload.read(upload_form.spec(upload, offer))
    if len(splits := offer.get("splits", ())) > 1:
        st.caption(
            f"The .zip holds the splits {', '.join(splits)}: train is trained on, and valid, if present, validates."
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
        uploads.discard("Paste")
        st.caption(
            "Two columns copied from a spreadsheet can be pasted as they are. Press Ctrl+Enter when done."
        )
        return None
    upload = uploads.current("Paste")
    if upload is None or st.session_state.get("pasted") != text:
        content = text.encode(errors="surrogatepass")
        upload = uploads.begin("Paste", "pasted text", [("pasted text", content)])
        st.session_state["pasted"] = text
    upload.read(f"pasted:{upload.files[0]}")
    uploads.notice("Paste", upload)
    return _read(upload)


def _read(upload: Upload) -> ChosenDataset | None:
    """The dataset once it has a preview, whatever becomes of the other sections of its profile."""
    preview = upload.profile.result("preview")
    if preview is None and profiles.is_ready(upload.profile):
        preview = upload.profile.result("preview")
    if preview is None:
        return None
    return ChosenDataset(upload.name, Preview.from_json(preview), upload.profile)


ORIGINS: Mapping[str, Origin] = MappingProxyType(
    {
        BUILT_IN: Origin(_built_in, ":material/inventory:"),
        "Upload": Origin(_upload, ":material/upload_file:"),
        "Hub": Origin(_hub, ":material/cloud_download:"),
        "Paste": Origin(_paste, ":material/content_paste:"),
        SAVED: Origin(_saved, ":material/bookmark:"),
    }
)
