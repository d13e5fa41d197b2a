"""Save an attention map: as SVG, PNG, PDF or an HTML page, and its data as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from s2s import plots
from s2s.analysis import REDUCTIONS, AttentionMap, HeadSelection
from s2s.files import csv_writer
from s2s.plots import standalone
from s2s.ui.attention.request import AttentionRequest
from s2s.ui.canvas import picture_button
from s2s.ui.kit import captions
from s2s.ui.shell import page, page_url

Draw = Callable[..., str]  # draw(title=..., caption=...) returns an SVG
Maps = Mapping[HeadSelection, AttentionMap]
ICON = ":material/download:"


@dataclass(frozen=True)
class AttentionExport:
    """The contents of the files, each written only when it is downloaded."""

    about: Mapping[str, Any]  # what the JSON says before the maps
    pictures: Maps
    draw: Draw
    title: str
    caption: str
    link: str

    @property
    def verb(self) -> str:
        """The same in all maps."""
        return next(iter(self.pictures.values())).verb

    def svg(self) -> str:
        """The picture with title and caption, for papers."""
        return self.draw(title=self.title, caption=self.caption)

    def html(self) -> str:
        """A page of its own, with the picture, tables and a link."""
        tables = [
            standalone.WeightsTable(picture.name, picture.weights, picture.rows, picture.keys)
            for picture in self.pictures.values()
        ]
        return standalone.page(self.svg(), tables, title=self.title, verb=self.verb, link=self.link)

    def csv(self) -> str:
        """The matrix; several heads one below the other, named in a first column."""
        tables = [
            plots.attention_csv(picture.weights, picture.keys, picture.rows, picture.verb)
            for picture in self.pictures.values()
        ]
        if len(tables) == 1:
            return tables[0]
        out = io.StringIO()
        rows = csv_writer(out)
        for number, (which, table) in enumerate(zip(self.pictures, tables, strict=True)):
            header, *body = csv.reader(io.StringIO(table))
            if number == 0:
                rows.writerow(["head", *header])
            rows.writerows([layer_head(which), *cells] for cells in body)
        return out.getvalue()

    def json(self) -> str:
        """All that is needed to draw it again; layers and heads are counted from 1, null means all."""
        pictures = [_map_json(which, picture) for which, picture in self.pictures.items()]
        return json.dumps({**self.about, "pictures": pictures}, ensure_ascii=False, indent=1)


def save_button(
    request: AttentionRequest,
    draw: Draw,
    pictures: Maps | None = None,
    *,
    note: str = "",
    label: str = "Save",
    name: str = "",
) -> None:
    """The button and its popover. `draw(title=, caption=)` returns the SVG; `pictures` are its data.

    `note` says what the picture leaves out, in addition to `request.note`; `name` stands for the names of `pictures`.
    """
    key = f"{label} attention".lower()
    with st.popover(label, icon=ICON, key=key, on_change="rerun", width="content") as box:
        if not box.open:
            return
        pictures = pictures or {request.which: request.shown}
        name = name or maps_name(pictures)
        export = make_export(request, draw, pictures, note, name)
        file = captions.file_name(captions.heatmap_title(request.run, request.which.kind, name))
        st.caption(
            "The picture with its caption, for papers (SVG; PNG and PDF in a chosen width and font) or as a page of its"
            " own (HTML), and its data (CSV, JSON)."
        )
        with st.container(horizontal=True, width=440, gap="xsmall"):
            _button("SVG", export.svg, f"{file}.svg", "image/svg+xml", key=f"{key} svg")
            picture_button(export.svg(), file, label="PNG, PDF", key=f"{key} picture")
            _button("HTML", export.html, f"{file}.html", "text/html", key=f"{key} html")
            _button("CSV", export.csv, f"{file}.csv", "text/csv", key=f"{key} csv")
            _button("JSON", export.json, f"{file}.json", "application/json", key=f"{key} json")


def make_export(
    request: AttentionRequest, draw: Draw, pictures: Maps, note: str, name: str
) -> AttentionExport:
    """The files of what the page shows; `name` says which heads."""
    run = request.run
    kind = request.which.kind
    run_name, title = captions.heatmap_title(run, kind, name).split("\n")
    simplifying = request.note.replace("`", "")
    about = {
        "run": run.folder.id,
        "step": run.step,
        "kind": kind,
        "reduction": request.reduction,
        "tidying": simplifying,
        "source": request.text,
        "target": request.target,
    }
    caption = [
        f"{run_name} · {REDUCTIONS[request.reduction].label.lower()}",
        f"{request.text} → {request.target}",
        f"{simplifying} {note}".strip(),
    ]
    return AttentionExport(about, pictures, draw, title, "\n".join(filter(None, caption)), _link())


def maps_name(pictures: Maps) -> str:
    """The name of the only map, or `heads 1.2, 2.3 (layer.head)`."""
    if len(pictures) == 1:
        return next(iter(pictures.values())).name
    return f"heads {', '.join(map(layer_head, pictures))} (layer.head)"


def layer_head(which: HeadSelection) -> str:
    """`2.3`, the third head of layer 2."""
    indices = (which.layer, which.head)
    return ".".join("mean" if index is None else str(index + 1) for index in indices)


def _map_json(which: HeadSelection, picture: AttentionMap) -> dict[str, Any]:
    layer, head = (None if index is None else index + 1 for index in (which.layer, which.head))
    tokens = {"verb": picture.verb, "rows": picture.rows, "keys": picture.keys}
    return {
        "name": picture.name,
        "layer": layer,
        "head": head,
        **tokens,
        "weights": picture.weights.tolist(),
    }


def _link() -> str:
    """The link that Share writes; empty where the page has none."""
    if st.session_state.get("no link") or not st.context.url:
        return ""
    return page_url(page("attention"))


_button = partial(st.download_button, on_click="ignore", icon=ICON)
