"""Many small pictures in one canvas, layers down and heads across, to click and to walk through. Knows nothing of models."""

from __future__ import annotations

import functools
import json
import math
import zlib
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import streamlit as st
from plotly.colors import sample_colorscale, unlabel_rgb

from s2s.plots import theme
from s2s.ui.canvas.heads_paint import PAINT

MOST = (
    8_000_000  # bytes of pixels; more are put together, the largest of neighbours standing for them
)
MEAN = -1  # in place of a layer or head: all of them
Place = tuple[int | None, int | None]  # layer and head, 0-based; None: the mean


def packed(
    weights: npt.NDArray[np.float32], rows: Sequence[str], keys: Sequence[str], doing: str
) -> bytes:
    """What `heads_canvas` draws: (layers, heads, rows, keys) in 0 to 1 with its tokens; `doing` says what a row does: predicting.

    A byte holds 255 times the root of a weight, so that a small one is told to the third decimal, a large one to the second.
    """
    together = block(weights.shape)
    pixels = (
        (np.sqrt(_pooled(weights, together)) * np.float32(255) + np.float32(0.5))
        .astype(np.uint8)
        .tobytes()
    )
    layers, heads = weights.shape[:2]
    told = {
        "layers": layers,
        "heads": heads,
        "rows": _named(rows, together),
        "keys": _named(keys, together),
        "doing": doing,
    }
    head = json.dumps(told | {"stamp": f"{zlib.crc32(pixels):08x}"}).encode()
    return len(head).to_bytes(4, "little") + _palette() + head + pixels


def block(shape: Sequence[int]) -> int:
    """How many neighbouring rows, and keys, one pixel stands for: 1 unless there are very many."""
    return max(1, math.ceil(math.sqrt(math.prod(shape) / MOST)))


def heads_canvas(
    pixels: bytes,
    shown: tuple[Place, tuple[int, int] | None],
    *,
    per_row: bool,
    key: str,
    on_pick: Callable[[int | None, int | None], None],
    on_alone: Callable[[int | None, int | None], None],
) -> None:
    """`shown` is the chosen place, which is outlined, and the head that fills the canvas alone, or None.

    A click calls `on_pick` with layer and head, None for the mean; `on_alone` is given the head to show alone, or two None for all.
    What is chosen travels apart from the pixels, which the browser therefore keeps. Visitors' text travels as data only.
    """

    def told(name: str, then: Callable[[int | None, int | None], None]) -> Callable[[], None]:
        def tell() -> None:
            given = st.session_state[key].get(name) or {}
            layer = given.get("layer")
            head = given.get("head")
            if isinstance(layer, int) and isinstance(head, int):
                then(*(None if index == MEAN else index for index in (layer, head)))

        return tell

    (layer, head), alone = shown
    chosen = [MEAN if index is None else index for index in (layer, head)]
    with st.container(key=f"{key} and chosen", gap=None):
        CANVAS(
            key=key,
            data=pixels,
            on_pick_change=told("pick", on_pick),
            on_alone_change=told("alone", on_alone),
        )
        CHOSEN(
            key=f"{key} chosen",
            data={"chosen": chosen, "alone": alone, "perRow": per_row},
            height=1,
        )


def _pooled(weights: npt.NDArray[np.float32], together: int) -> npt.NDArray[np.float32]:
    """The largest of each block of so many rows and keys; the last blocks may be smaller."""
    for axis in (-1, -2) if together > 1 else ():
        weights = np.maximum.reduceat(weights, range(0, weights.shape[axis], together), axis)
    return weights


def _named(tokens: Sequence[str], together: int) -> list[str]:
    blocks = [tokens[start : start + together] for start in range(0, len(tokens), together)]
    return [block[0] if len(block) == 1 else f"{block[0]} … {block[-1]}" for block in blocks]


@functools.cache
def _palette() -> bytes:
    """(256, 3) uint8 of the sequential scale."""
    colours = sample_colorscale(theme.SEQUENTIAL, np.linspace(0, 1, 256).tolist())
    return np.array([unlabel_rgb(colour) for colour in colours]).round().astype(np.uint8).tobytes()


# It reaches the canvas through the container around both: a component's data cannot hold bytes and a small thing beside them.
CHOSEN = st.components.v2.component(
    "heads_chosen",
    html="<i></i>",
    js="""
export default function({ data, parentElement }) {
  const root = parentElement.getRootNode(), around = (root.host || parentElement).closest('[class*="and-chosen"]');
  if (!around) return;
  around.dataset.chosen = JSON.stringify(data);
  around.dispatchEvent(new Event('chosen'));
}
""",
)
CANVAS = st.components.v2.component(
    "heads_canvas",
    html="""<div class="heads" tabindex="0" role="application">
<canvas aria-hidden="true"></canvas><div class="labels"></div><div class="ring"></div><div class="cursor"></div>
<div class="tip" aria-hidden="true"></div><div class="said" aria-live="polite"></div>
<button type="button" class="back">All heads</button>
</div>""",
    css="""
.heads { position: relative; width: 100%; outline: none; font: 12px var(--st-font); color: var(--st-text-color);
  touch-action: manipulation; user-select: none; -webkit-user-select: none; }
canvas { position: absolute; display: block; cursor: pointer; }
.labels > * { position: absolute; box-sizing: border-box; display: flex; align-items: center; justify-content: center;
  padding: 0; margin: 0; overflow: hidden; white-space: nowrap;
  font: inherit; font-variant-numeric: tabular-nums; color: inherit; background: none; border: 0; border-radius: 4px; }
.labels > button { cursor: pointer; }
.labels > button:hover { background: color-mix(in srgb, currentColor 15%, transparent); }
.labels > [aria-pressed="true"] { font-weight: 700; text-decoration: underline 2px; text-underline-offset: 3px; }
.labels > .corner { font-size: 10px; line-height: 1.2; white-space: pre; opacity: .8; }
.labels > .row { justify-content: flex-end; padding-right: 6px; }
.labels > .key { writing-mode: vertical-rl; transform: rotate(180deg); justify-content: flex-start; padding-top: 4px; }
.ring, .cursor { position: absolute; display: none; pointer-events: none; border-radius: 2px; }
.ring { box-shadow: 0 0 0 1px var(--st-background-color), 0 0 0 4px var(--st-text-color); }
.cursor { outline: 3px dashed #E69F00; outline-offset: 2px; }
.heads:focus-visible .cursor { display: block; }
.heads:focus-visible { box-shadow: 0 0 0 3px var(--st-primary-color); border-radius: 4px; }
.tip { position: absolute; z-index: 9; display: none; pointer-events: none; max-width: 230px; padding: .3rem .55rem; line-height: 1.35;
  border-radius: .4rem; color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid color-mix(in srgb, currentColor 35%, transparent);
  box-shadow: 0 3px 12px rgba(0, 0, 0, .3); overflow-wrap: anywhere; }
.tip b { display: block; font-weight: 600; }
.said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.back { position: absolute; display: none; right: 0; top: 0; font: inherit; color: inherit; cursor: pointer; padding: .15rem .6rem;
  min-height: 28px; background: var(--st-background-color); border-radius: .4rem;
  border: 1px solid color-mix(in srgb, currentColor 35%, transparent); }
.back:hover, .back:focus-visible { border-color: currentColor; outline: 2px solid var(--st-primary-color); }
""",
    js=PAINT
    + """
const label = (box, tag, text, at, title) => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (title) element.title = title;
  place(element, at);
  box.labels.appendChild(element);
  return element;
};
const mean = (box, text, at, layer, head, title) => {
  const button = label(box, 'button', text, at, title);
  button.type = 'button';
  button.tabIndex = -1;
  button.setAttribute('aria-label', title);
  Object.assign(button.dataset, { layer, head });
  button.onclick = () => pick(box, layer, head);
  return button;
};
const write = (box) => {
  const { sheet, plan } = box;
  box.labels.replaceChildren();
  if (box.alone) {
    const name = label(box, 'b', `layer ${box.alone[0] + 1} · head ${box.alone[1] + 1}`, [0, 0, box.clientWidth - 100, 26]);
    name.style.justifyContent = 'flex-start';
    const high = plan.high / sheet.rows.length, wide = plan.wide / sheet.keys.length;
    const each = (size) => Math.ceil(12 / size);
    sheet.rows.forEach((token, row) => {
      const at = [0, plan.top + row * high, plan.left, Math.max(high, 12)];
      if (row % each(high) === 0) label(box, 'bdi', token, at, token).className = 'row';
    });
    sheet.keys.forEach((token, key) => {
      const at = [plan.left + key * wide, 28, Math.max(wide, 12), plan.top - 30];
      if (key % each(wide) === 0) label(box, 'bdi', token, at, token).className = 'key';
    });
    return;
  }
  mean(box, 'head →\\nlayer ↓', [0, 0, plan.left - 2, plan.top - 4], -1, -1, 'The mean of all layers and heads').className = 'corner';
  for (const head of plan.across) {
    const [left, , wide] = boxOf(plan, 0, head);
    mean(box, head + 1, [left, 4, wide, plan.top - 9], -1, head, `Head ${head + 1}: mean of all layers`);
  }
  for (const layer of plan.down) {
    const [, top, , high] = boxOf(plan, layer, 0);
    mean(box, layer + 1, [6, top, plan.left - 12, high], layer, -1, `Layer ${layer + 1}: mean of all heads`);
  }
};
const marked = (box) => {
  const [layer, head] = box.chosen;
  box.ring.style.display = box.alone ? 'none' : 'block';
  if (!box.alone) place(box.ring, boxOf(box.plan, layer, head));
  box.back.style.display = box.alone ? 'block' : 'none';
  for (const button of box.labels.querySelectorAll('button')) {
    const [down, across] = [Number(button.dataset.layer), Number(button.dataset.head)], isCorner = down < 0 && across < 0;
    const isChosen = isCorner ? layer < 0 && head < 0 : [-1, layer].includes(down) && [-1, head].includes(across);
    button.setAttribute('aria-pressed', String(isChosen));
  }
  place(box.cursor, boxOf(box.plan, ...(box.alone || box.at)));
  box.canvas.dataset.chosen = box.chosen.map((index) => index < 0 ? 'mean' : index + 1).join('.');
};
const settle = (box) => {  // after whatever has changed, once a frame
  if (box.waits) return;
  box.waits = true;
  requestAnimationFrame(() => {
    box.waits = false;
    if (!box.sheet || !box.chosen || !box.clientWidth) return;
    const { stamp, rows, keys } = box.sheet;
    const need = [stamp, rows, keys, box.clientWidth, box.alone, box.perRow, window.devicePixelRatio].join('|');
    if (need !== box.painted) {
      box.plan = planned(box.sheet, box.clientWidth, box.alone);
      write(box);
      paint(box);
    }
    box.painted = need;
    marked(box);
  });
};

const nameOf = (layer, head) => {
  if (layer < 0 && head < 0) return 'mean of all layers and heads';
  return `${layer < 0 ? 'mean of all layers' : `layer ${layer + 1}`} · ${head < 0 ? 'mean of all heads' : `head ${head + 1}`}`;
};
const pick = (box, layer, head) => {
  box.at = [layer, head];
  if (box.chosen[0] === layer && box.chosen[1] === head) return;
  box.chosen = [layer, head];
  settle(box);
  box.tell('pick', { layer, head });
};
const isolate = (box, layer, head) => {
  box.alone = layer < 0 || head < 0 ? null : [layer, head];
  box.tip.style.display = 'none';
  settle(box);
  box.tell('alone', box.alone ? { layer, head } : { layer: -1, head: -1 });
};
const under = (box, event) => {  // the head, row and key below a finger, if any
  const { plan, sheet } = box, edges = box.canvas.getBoundingClientRect();
  const x = event.clientX - edges.left, y = event.clientY - edges.top;
  const column = Math.floor(x / (plan.wide + plan.gap)), line = Math.floor(y / (plan.high + plan.gap));
  const inside = [x - column * (plan.wide + plan.gap), y - line * (plan.high + plan.gap)];
  if (inside[0] < 0 || inside[1] < 0 || inside[0] >= plan.wide || inside[1] >= plan.high) return null;
  if (column >= plan.across.length || line >= plan.down.length) return null;
  return { layer: plan.down[line], head: plan.across[column],
    row: Math.floor(inside[1] / plan.high * sheet.rows.length), key: Math.floor(inside[0] / plan.wide * sheet.keys.length) };
};
const hover = (box, event) => {
  const at = box.sheet && box.plan && under(box, event);
  box.tip.style.display = at ? 'block' : 'none';
  if (!at) return;
  const weight = (byteAt(box.sheet, at) / 255) ** 2, part = (tag, text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  };
  box.tip.replaceChildren(part('b', nameOf(at.layer, at.head)), `${box.sheet.doing} `, part('bdi', box.sheet.rows[at.row]),
    ' it looks at ', part('bdi', box.sheet.keys[at.key]), `: ${weight.toFixed(weight < 0.1 ? 3 : 2)}`);
  const edges = box.getBoundingClientRect(), x = event.clientX - edges.left, y = event.clientY - edges.top;
  const left = x + 16 + box.tip.offsetWidth > box.clientWidth ? Math.max(0, x - 12 - box.tip.offsetWidth) : x + 16;
  Object.assign(box.tip.style, { left: `${left}px`, top: `${Math.max(0, y - box.tip.offsetHeight - 8)}px` });
};
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const pressed = (box, event) => {
  if (!box.sheet || !box.chosen || event.target === box.back) return;
  const step = STEPS[event.key], low = box.alone ? 0 : -1;
  const from = box.alone || box.at;
  if (step) {
    const within = (index, n) => Math.min(n - 1, Math.max(low, index));
    box.at = [within(from[0] + step[0], box.sheet.layers), within(from[1] + step[1], box.sheet.heads)];
    if (box.alone) isolate(box, ...box.at);
    box.said.textContent = nameOf(...box.at);
    settle(box);
  } else if (event.key === 'Enter') pick(box, ...from);
  else if (event.key === ' ') isolate(box, ...(box.alone ? [-1, -1] : box.at));
  else if (event.key === 'Escape' && box.alone) isolate(box, -1, -1);
  else return;
  event.preventDefault();
};

export default function({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector('.heads'), root = parentElement.getRootNode();
  const around = (root.host || parentElement).closest('[class*="and-chosen"]');
  for (const name of ['labels', 'ring', 'cursor', 'tip', 'said', 'back']) box[name] = box.querySelector(`.${name}`);
  box.canvas = box.querySelector('canvas');
  box.tell = setTriggerValue;
  box.sheet = unpacked(data);
  box.setAttribute('aria-label', `All heads: ${box.sheet.layers} layers down, ${box.sheet.heads} heads across. Arrow keys walk,`
    + ' Enter opens a head, Space shows it alone, Escape shows all. The table below says the same in numbers.');
  const heard = () => {
    if (!around || !around.dataset.chosen) return;
    const told = JSON.parse(around.dataset.chosen);
    Object.assign(box, { chosen: told.chosen, alone: told.alone, perRow: told.perRow });
    if (String(told.chosen) !== box.heardLast) box.at = told.chosen;
    box.heardLast = String(told.chosen);
    settle(box);
  };
  box.canvas.onclick = (event) => {
    const at = under(box, event);
    if (at && !box.alone) pick(box, at.layer, at.head);
  };
  box.canvas.ondblclick = (event) => {
    const at = under(box, event);
    if (at) isolate(box, ...(box.alone ? [-1, -1] : [at.layer, at.head]));
  };
  box.canvas.onpointermove = box.canvas.onpointerdown = (event) => hover(box, event);
  box.canvas.onpointerleave = () => { box.tip.style.display = 'none'; };
  box.back.onclick = () => { isolate(box, -1, -1); box.focus(); };
  box.onkeydown = (event) => pressed(box, event);
  around?.addEventListener('chosen', heard);
  const watch = new ResizeObserver(() => settle(box));
  watch.observe(box);
  heard();
  settle(box);
  return () => { around?.removeEventListener('chosen', heard); watch.disconnect(); };
}
""",
)
