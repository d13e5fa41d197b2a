"""A diagram of boxes and arrows whose boxes can be chosen by mouse, touch or keyboard. Knows nothing of models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import streamlit as st

DIAGRAM_WIDTH = 440  # pixels at full size


class Box(NamedTuple):
    """A box that can be chosen: two lines of text, its rectangle, and the tone that colors it."""

    name: str
    label: str
    small: str
    x: float
    y: float
    w: float
    h: float
    tone: str


class Arrow(NamedTuple):
    """A line with a head, along these points; `kind` is its style: `stream`, `residual`, `memory` or `position`."""

    kind: str
    points: tuple[tuple[float, float], ...]


class Label(NamedTuple):
    """Text centered at a point."""

    text: str
    x: float
    y: float


@dataclass
class Diagram:
    """All shapes, in pixels from the top left."""

    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    sums: list[tuple[float, float]] = field(default_factory=list)  # centers of the + rings
    frames: list[tuple[float, float, float, float]] = field(default_factory=list)  # x, y, w, h
    height: float = 0.0


class BoxNote(NamedTuple):
    """The lines shown when a box is hovered, and whether the box is marked as different."""

    lines: Sequence[str]
    is_marked: bool = False


def diagram(
    drawing: Diagram,
    notes: Mapping[str, BoxNote],
    chosen: str,
    *,
    key: str,
    on_pick: Callable[[str], None],
) -> None:
    """`notes` by a box's name; choosing a box calls `on_pick` with its name. All texts travel as data only."""

    def picked() -> None:
        name = (st.session_state[key].get("pick") or {}).get("name")
        if name in [box.name for box in drawing.boxes]:
            on_pick(str(name))

    DIAGRAM(key=key, data=diagram_data(drawing, notes, chosen), on_pick_change=picked)


def diagram_data(drawing: Diagram, notes: Mapping[str, BoxNote], chosen: str) -> dict[str, Any]:
    """What the browser draws from."""
    boxes = []
    for box in drawing.boxes:
        note = notes.get(box.name, BoxNote(()))
        boxes.append(box._asdict() | {"lines": list(note.lines), "marked": note.is_marked})
    return {
        "chosen": chosen,
        "size": [DIAGRAM_WIDTH, drawing.height],
        "boxes": boxes,
        "arrows": [
            [arrow.kind, [list(point) for point in arrow.points]] for arrow in drawing.arrows
        ],
        "words": [list(label) for label in drawing.labels],
        "sums": [list(center) for center in drawing.sums],
        "frames": [list(frame) for frame in drawing.frames],
    }


DIAGRAM = st.components.v2.component(
    "machine",
    html="""<div class="machine"><svg role="group"
  aria-label="The model, from token ids at the bottom to logits at the top; choose a component">
</svg><div class="tip" aria-hidden="true"></div></div>""",
    css="""
.machine { position: relative; max-width: 540px; margin: 0 auto; font-family: var(--st-font); color: var(--st-text-color); }
svg { display: block; width: 100%; height: auto; }
text { fill: currentColor; text-anchor: middle; font-size: 12.5px; pointer-events: none; }
.box text { font-weight: 600; }
.box text.small { font-weight: 400; font-size: 11px; }
text.words { font-size: 11.5px; font-style: italic; }
.box { cursor: pointer; outline: none; }
.box rect { stroke: color-mix(in srgb, currentColor 45%, transparent); stroke-width: 1; --tone: transparent;
  fill: color-mix(in srgb, var(--tone) 24%, var(--st-background-color)); }
.attention rect { --tone: #E69F00; }
.forward rect { --tone: #56B4E9; }
.norm rect { --tone: #F0E442; }
.embedding rect { --tone: #CC79A7; }
.output rect { --tone: #009E73; }
.group rect { --tone: gray; stroke-dasharray: 1 0; }
.box:hover rect { stroke: currentColor; stroke-width: 2; }
.box.marked rect { stroke: #D55E00; stroke-width: 2; stroke-dasharray: 5 2.5; }
.box[aria-pressed="true"] rect { stroke: var(--st-primary-color); stroke-width: 3.5; stroke-dasharray: none; }
.box:focus-visible rect { stroke: var(--st-primary-color); stroke-width: 3.5; stroke-dasharray: 6 3; }
.box circle { fill: var(--st-background-color); stroke: #D55E00; stroke-width: 1.6; pointer-events: none; }
.box text.mark { font-weight: 700; font-size: 12px; }
.frame { fill: color-mix(in srgb, currentColor 4%, transparent); stroke: color-mix(in srgb, currentColor 35%, transparent); rx: 10px; }
.arrow { fill: none; stroke: color-mix(in srgb, currentColor 65%, transparent); stroke-width: 1.4; }
.arrow.residual { stroke-dasharray: 4 3; }
.arrow.memory { stroke: #D55E00; stroke-width: 2.4; }
.arrow.position { stroke: #CC79A7; stroke-width: 1.8; stroke-dasharray: 1.5 3; }
.head { fill: color-mix(in srgb, currentColor 65%, var(--st-background-color)); }
.sum { fill: var(--st-background-color); stroke: currentColor; }
.tip { display: none; position: absolute; z-index: 9; padding: .4rem .6rem; max-width: 17rem; font-size: .85rem; line-height: 1.35;
  pointer-events: none; border-radius: .45rem; background: var(--st-background-color);
  border: 1px solid var(--st-border-color, gray); box-shadow: 0 4px 14px rgba(0, 0, 0, .25); }
.tip div:first-child { font-weight: 600; }
""",
    js="""
const NS = 'http://www.w3.org/2000/svg';
const made = (tag, values, into) => {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, value);
  into.appendChild(element);
  return element;
};
const written = (text, x, y, kind, into) => { made('text', { x, y, class: kind }, into).textContent = text; };
export default function({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.machine'), svg = root.querySelector('svg');
  const { chosen, ...rest } = data, text = JSON.stringify(rest);
  root.tell = setTriggerValue;
  if (root.drawn !== text) draw(root, svg, data);  // else what is hovered or focused stays so
  root.drawn = text;
  svg.querySelectorAll('.box').forEach((box) => {
    const is = box.dataset.name === chosen;
    box.setAttribute('aria-pressed', String(is));
    box.setAttribute('tabindex', is ? '0' : '-1');
  });
  if (!svg.querySelector('[tabindex="0"]')) svg.querySelector('.box')?.setAttribute('tabindex', '0');
}
const draw = (root, svg, data) => {
  const active = svg.getRootNode().activeElement, held = active?.dataset?.name;
  const focused = active && svg.contains(active);
  svg.replaceChildren();
  svg.setAttribute('viewBox', `0 0 ${data.size[0]} ${data.size[1]}`);
  for (const [x, y, width, height] of data.frames) made('rect', { x, y, width, height, class: 'frame' }, svg);
  for (const [kind, points] of data.arrows) arrow(kind, points, svg);
  for (const [x, y] of data.sums) {
    made('circle', { cx: x, cy: y, r: 8, class: 'sum' }, svg);
    written('+', x, y + 4.5, 'plus', svg);
  }
  for (const [text, x, y] of data.words) written(text, x, y, 'words', svg);
  data.boxes.forEach((box) => put(root, svg, box));
  if (focused) svg.querySelector(`[data-name="${held}"]`)?.focus();
};
const arrow = (kind, points, svg) => {
  made('path', { d: 'M' + points.map((point) => point.join(' ')).join('L'), class: 'arrow ' + kind }, svg);
  const [x, y] = points[points.length - 1], [px, py] = points[points.length - 2];
  const turn = Math.atan2(y - py, x - px) * 180 / Math.PI;
  made('path', { d: 'M0 0L-6 3.2L-6 -3.2Z', transform: `translate(${x} ${y}) rotate(${turn})`, class: 'head' }, svg);
};
const put = (root, svg, box) => {
  const label = [box.label, box.small, ...box.lines, box.marked ? 'differs' : ''].filter(Boolean).join(', ');
  const look = `box ${box.tone}${box.marked ? ' marked' : ''}`;
  const group = made('g', { class: look, role: 'button', tabindex: '-1', 'aria-label': label }, svg);
  group.dataset.name = box.name;
  group.place = [box.x + box.w / 2, box.y + box.h / 2];
  made('rect', { x: box.x, y: box.y, width: box.w, height: box.h, rx: 6 }, group);
  const [x, y] = group.place;
  written(box.label, x, box.small ? y - 3 : y + 4.5, 'label', group);
  if (box.small) written(box.small, x, y + 12, 'small', group);
  if (box.marked) {
    made('circle', { cx: box.x + box.w - 3, cy: box.y + 3, r: 7 }, group);
    written('\\u2260', box.x + box.w - 3, box.y + 7, 'mark', group);
  }
  const pick = () => root.tell('pick', { name: box.name });
  group.addEventListener('click', pick);
  group.addEventListener('pointerenter', () => tip(root, group, box));
  group.addEventListener('focus', () => tip(root, group, box));
  for (const kind of ['pointerleave', 'blur']) group.addEventListener(kind, () => { root.querySelector('.tip').style.display = 'none'; });
  group.addEventListener('keydown', (event) => {
    const way = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (event.key === 'Enter' || event.key === ' ') pick();
    else if (way) step(svg, group, way);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
};
const step = (svg, from, [right, down]) => {
  const [x, y] = from.place;
  let best = null, least = Infinity;
  svg.querySelectorAll('.box').forEach((box) => {
    const dx = box.place[0] - x, dy = box.place[1] - y, ahead = dx * right + dy * down;
    const far = ahead + 3 * Math.abs(dx * down + dy * right);
    if (box !== from && ahead > 1 && far < least) { best = box; least = far; }
  });
  best?.focus();
};
const tip = (root, group, box) => {
  const shown = root.querySelector('.tip'), lines = [box.label, ...box.lines];
  shown.replaceChildren(...lines.map((line) => Object.assign(document.createElement('div'), { textContent: line })));
  shown.style.display = 'block';
  const outer = root.getBoundingClientRect(), inner = group.getBoundingClientRect();
  const top = inner.bottom - outer.top + 6, left = inner.left - outer.left;
  shown.style.left = Math.max(0, Math.min(left, outer.width - shown.offsetWidth)) + 'px';
  const above = inner.top - outer.top - shown.offsetHeight - 6;
  shown.style.top = (top + shown.offsetHeight > outer.height && above > 0 ? above : top) + 'px';
};
""",
)
