"""A picture of attention to take away: as SVG, PNG or a page of its own, and its numbers as CSV and JSON."""

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
from s2s.plots import standalone
from s2s.ui.attention.request import Asked
from s2s.ui.kit import captions
from s2s.ui.shell import page, page_url

Draw = Callable[..., str]  # given title and caption, makes the SVG
ICON = ":material/download:"


@dataclass(frozen=True)
class Kept:
    """What is written into the files, all of it known before one of them is asked for."""

    about: Mapping[str, Any]  # what JSON says before the pictures
    pictures: Mapping[HeadSelection, AttentionMap]
    draw: Draw
    title: str
    caption: str
    link: str

    @property
    def verb(self) -> str:
        """The same in all of the pictures."""
        return next(iter(self.pictures.values())).verb

    def svg(self) -> str:
        """For papers."""
        return self.draw(title=self.title, caption=self.caption)

    def html(self) -> str:
        """For a mail."""
        tables = [
            standalone.WeightsTable(picture.name, picture.weights, picture.rows, picture.keys)
            for picture in self.pictures.values()
        ]
        return standalone.page(self.svg(), tables, title=self.title, verb=self.verb, link=self.link)

    def csv(self) -> str:
        """The matrix; of several heads each below the other, with its name in a first column."""
        tables = [
            plots.attention_csv(each.weights, each.keys, each.rows, each.verb)
            for each in self.pictures.values()
        ]
        if len(tables) == 1:
            return tables[0]
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        for at, (which, table) in enumerate(zip(self.pictures, tables, strict=True)):
            head, *body = csv.reader(io.StringIO(table))
            rows.writerows([["head", *head]] if at == 0 else [])
            rows.writerows([short(which), *cells] for cells in body)
        return out.getvalue()

    def json(self) -> str:
        """All that is needed to draw it again; layers and heads are counted from 1, null is all of them."""
        pictures = [_told(which, picture) for which, picture in self.pictures.items()]
        return json.dumps({**self.about, "pictures": pictures}, ensure_ascii=False, indent=1)


def offer(
    asked: Asked,
    draw: Draw,
    pictures: Mapping[HeadSelection, AttentionMap] | None = None,
    *,
    note: str = "",
) -> None:
    """The button, and what it opens. `draw(title=, caption=)` gives the SVG; `pictures` are its numbers (by default what is shown).

    `note` says what the picture leaves out, beside what `asked.note` says.
    """
    with st.popover(
        "Save", icon=ICON, key="save attention", on_change="rerun", width="content"
    ) as box:
        if not box.open:
            return
        kept = keep(asked, draw, pictures or {asked.which: asked.shown}, note)
        name = captions.file_name(
            f"{captions.heatmap_title(asked.run, asked.which.kind, place(kept.pictures))}"
        )
        st.caption(
            "The picture with its caption, for papers (SVG, PNG) or as a page of its own; its numbers."
        )
        with st.container(horizontal=True, width=440, gap="xsmall"):
            _button("SVG", kept.svg, f"{name}.svg", "image/svg+xml")
            PNG(
                key="save png",
                data={"svg": kept.svg(), "name": f"{name}.png"},
                width="content",
                height="content",
            )
            _button("HTML", kept.html, f"{name}.html", "text/html")
            _button("CSV", kept.csv, f"{name}.csv", "text/csv")
            _button("JSON", kept.json, f"{name}.json", "application/json")


def keep(
    asked: Asked, draw: Draw, pictures: Mapping[HeadSelection, AttentionMap], note: str = ""
) -> Kept:
    """What the files say, from what the page shows."""
    run = asked.run
    kind = asked.which.kind
    whose, what = captions.heatmap_title(run, kind, place(pictures)).split("\n")
    tidying = asked.note.replace("`", "")
    about = {
        "run": run.folder.id,
        "step": run.step,
        "kind": kind,
        "reduction": asked.reduction,
        "tidying": tidying,
        "source": asked.text,
        "target": asked.target,
    }
    said = [
        f"{whose} · {REDUCTIONS[asked.reduction].label.lower()}",
        f"{asked.text} → {asked.target}",
        f"{tidying} {note}".strip(),
    ]
    return Kept(about, pictures, draw, what, "\n".join(filter(None, said)), _link())


def place(pictures: Mapping[HeadSelection, AttentionMap]) -> str:
    """What the pictures are in words: the name of the only one, or `heads 1.2, 2.3 (layer.head)`."""
    if len(pictures) == 1:
        return next(iter(pictures.values())).name
    return f"heads {', '.join(map(short, pictures))} (layer.head)"


def short(which: HeadSelection) -> str:
    """`2.3`, the third head of layer 2."""
    return ".".join(
        "mean" if index is None else str(index + 1) for index in (which.layer, which.head)
    )


def _told(which: HeadSelection, picture: AttentionMap) -> dict[str, Any]:
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
    """The view's own, as Share writes it; nothing where the page has none."""
    if st.session_state.get("no link") or not st.context.url:
        return ""
    return page_url(page("attention"))


_button = partial(st.download_button, on_click="ignore", icon=ICON)

PNG = st.components.v2.component(
    "svg_as_png",
    html="""<button type="button">
<svg viewBox="0 -960 960 960" aria-hidden="true"><path d="M480-320 280-520l56-58 104 104v-326h80v326l104-104 56 58-200 200ZM240-160q-33
 0-56.5-23.5T160-240v-120h80v120h480v-120h80v120q0 33-23.5 56.5T720-160H240Z"/></svg>PNG</button>
<span role="status"></span>
""",
    css="""
svg { width: 1.15rem; fill: currentColor; vertical-align: -.25rem; margin-right: .5rem; }
button { font: .875rem var(--st-font); color: var(--st-text-color); background: var(--st-background-color); cursor: pointer;
  min-height: 2.5rem; padding: .25rem .75rem; border: 1px solid var(--st-border-color, gray);
  border-radius: var(--st-button-radius, .6rem); }
button:hover { border-color: var(--st-primary-color); }
button:focus-visible { outline: 3px solid var(--st-primary-color); outline-offset: 1px; }
span { font: .85rem var(--st-font); color: var(--st-text-color); }
""",
    js="""
const LARGEST = 12000;  // pixels of a side; browsers draw nothing at all on a larger canvas
const drawn = async (svg) => {
  const picture = new Image(), url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    picture.src = url;
    await picture.decode();
    const canvas = document.createElement('canvas'), scale = Math.min(2, LARGEST / Math.max(picture.width, picture.height));
    canvas.width = picture.width * scale;
    canvas.height = picture.height * scale;
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('empty'))), 'image/png'));
  } finally { URL.revokeObjectURL(url); }
};
export default function({ data, parentElement }) {
  const button = parentElement.querySelector('button'), said = parentElement.querySelector('span');
  said.textContent = '';
  button.onclick = async () => {
    try {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(await drawn(data.svg));
      link.download = data.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    } catch {
      said.textContent = 'This browser cannot draw it as PNG: take the SVG.';
    }
  };
}
""",
)
