"""Two columns of tokens, joined by lines: hover, tap or focus one and only its lines are left. Knows nothing of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from s2s.plots import svg

AT_ONCE = 3  # numbers beside a token; the line below says all


def canvas(
    heads: Mapping[str, svg.Links],
    keys: Sequence[str],
    rows: Sequence[str],
    *,
    verb: str,
    alt: str,
    key: str,
) -> None:
    """The links of each head by its name, in the looks of `svg.lines`. Visitors' text travels as data only."""
    step = svg.step_of(keys, rows)
    looks = svg.line_styles(len(heads), step)
    told = [
        {
            "name": name,
            "links": [[row, key, round(weight, 4)] for row, key, weight in links],
            **look._asdict(),
        }
        for (name, links), look in zip(heads.items(), looks, strict=True)
    ]
    doing = {"predicts": "Predicting", "reads": "Reading"}[verb]
    data = {
        "keys": [*keys],
        "rows": [*rows],
        "verb": verb,
        "doing": doing,
        "alt": alt,
        "step": step,
        "heads": told,
        "marked": svg.MARKED,
    }
    LINES(key=key, data={**data, "faint": svg.FAINT, "thin": svg.THIN, "at_once": AT_ONCE})


LINES = st.components.v2.component(
    "attention_lines",
    html="""<div class="lines">
<div class="field">
<small aria-hidden="true"></small><i></i><small aria-hidden="true"></small>
<div class="side" role="group"></div><div class="between"></div><div class="side" role="group"></div>
</div>
<div class="legend" role="group" aria-label="Heads"></div>
<p class="told" role="status"></p>
</div>
""",
    css="""
.lines { font-family: var(--st-font); color: var(--st-text-color); max-width: 56rem; margin: 0 auto; font-size: .95rem; }
.field { display: grid; grid-template: auto 1fr / fit-content(32%) minmax(90px, 26rem) fit-content(32%); justify-content: center; }
.field small { font-size: .82rem; opacity: .8; padding: 0 .6rem .2rem; white-space: nowrap; justify-self: start; }
.field small:first-child { justify-self: end; }
.side { display: flex; flex-direction: column; min-width: 0; }
.side:has(+ .between) { align-items: flex-end; }
.side > div { flex: 1; display: flex; align-items: center; max-width: 100%; position: relative; }
button { font: inherit; color: inherit; background: none; border: 0; cursor: pointer; border-radius: .4rem; }
.side button { max-width: 100%; padding: 0 .6rem; line-height: var(--line); overflow: hidden; text-overflow: ellipsis; white-space: pre; }
.side button:hover, .side button[aria-pressed="true"] { background: color-mix(in srgb, currentColor 12%, transparent); font-weight: 600; }
button:focus-visible { outline: 3px solid var(--st-primary-color); outline-offset: -2px; }
.side .other { opacity: .35; }
.side output { position: absolute; z-index: 1; display: none; gap: .35rem; left: 100%; padding: 0 .3rem; line-height: 1.3;
  font-size: .82rem; font-variant-numeric: tabular-nums; background: var(--st-background-color); border-radius: .3rem;
  pointer-events: none; }
.side:last-child output { left: auto; right: 100%; }
.side output:not(:empty) { display: flex; }
.between { position: relative; }
svg { display: block; position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; pointer-events: none; }
.legend { display: flex; flex-wrap: wrap; justify-content: center; gap: .1rem .6rem; margin-top: .6rem; }
.legend:empty { display: none; }
.legend button { display: inline-flex; align-items: center; gap: .45rem; min-height: 32px; padding: 0 .5rem; font-size: .85rem; }
.legend button:is(:hover, [aria-pressed="true"]) { background: color-mix(in srgb, currentColor 12%, transparent); }
.legend svg { position: static; width: 42px; height: 12px; flex: none; }
.told { margin: .6rem auto 0; min-height: 1.4em; line-height: 1.4; text-align: center; font-size: .9rem; max-width: 44rem; }
.told bdi { font-weight: 600; }
""",
    js="""
const made = (tag, into, text = '') => {
  const element = document.createElement(tag);
  element.textContent = text;
  into.appendChild(element);
  return element;
};
const drawn = (tag, into, given) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(given)) element.setAttribute(name, value);
  into.appendChild(element);
  return element;
};
const ink = (head) => `color-mix(in srgb, ${head.colour} 84%, var(--st-text-color))`;
const stroked = (path, head, width) => {
  path.style.cssText = `fill: none; stroke: ${ink(head)}; stroke-width: ${width}px; stroke-dasharray: ${head.dash || 'none'}`;
};

export default function({ data, parentElement }) {
  const root = parentElement.querySelector('.lines'), written = JSON.stringify(data);
  if (root.written !== written) fill(root, data);  // else what is hovered or held stays so
  root.written = written;
  const watch = new ResizeObserver(() => root.draw());
  watch.observe(root.querySelector('.between'));
  return () => watch.disconnect();
}

const fill = (root, data) => {
  const [field, legend, told] = root.children, [across, , down, left, between, right] = field.children;
  const state = { over: null, held: null, head: null, heldHead: null };
  const sides = { key: { box: left, tokens: data.keys, boxes: [] }, row: { box: right, tokens: data.rows, boxes: [] } };
  const links = data.heads.flatMap((head) => head.links.map(([row, key, weight]) => ({ head, row, key, weight })));
  links.sort((one, other) => one.weight - other.weight);
  const other = { key: 'row', row: 'key' };
  const of = { key: data.keys.map(() => []), row: data.rows.map(() => []) };
  for (const link of links) { of.key[link.key].unshift(link); of.row[link.row].unshift(link); }

  across.textContent = 'looks at';
  down.textContent = data.verb;
  between.style.height = `${data.step * Math.max(data.keys.length, data.rows.length)}px`;
  field.style.setProperty('--line', `${data.step - 2}px`);
  field.style.fontSize = data.step < 20 ? '.8rem' : '';
  left.setAttribute('aria-label', 'What is looked at');
  right.setAttribute('aria-label', data.verb);
  between.replaceChildren();
  root.all = null;
  const svg = drawn('svg', between, { role: 'img', 'aria-label': data.alt });

  const middle = (side, at) => (at + 0.5) * between.clientHeight / sides[side].tokens.length;
  const curve = (link, width) => {
    const up = middle('key', link.key) + link.head.aside, down = middle('row', link.row) + link.head.aside, half = (width / 2).toFixed(1);
    return `M0,${up.toFixed(1)}C${half},${up.toFixed(1)} ${half},${down.toFixed(1)} ${width.toFixed(1)},${down.toFixed(1)}`;
  };
  const line = (into, link, width) => {
    const group = drawn('g', into, { opacity: data.faint + (1 - data.faint) * link.weight });
    stroked(drawn('path', group, { d: curve(link, width) }), link.head, data.thin + (link.head.thick - data.thin) * link.weight);
    if (link.head.marker) mark(group, link, width);
  };
  const mark = (into, link, width) => {
    const { spot: t, aside, marker } = link.head, before = (1 - t) ** 2 * (1 + 2 * t);
    const x = width * (1.5 * t * (1 - t) + t ** 3), y = aside + before * middle('key', link.key) + (1 - before) * middle('row', link.row);
    drawn('path', into, { d: marker, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }).style.fill = ink(link.head);
  };
  const all = () => {  // kept, since hovering comes back to it again and again
    const width = svg.clientWidth, name = `${width} ${state.now ? state.now.name : ''}`;
    if (root.all?.name !== name) root.all = { name, group: whole(width) };
    svg.appendChild(root.all.group);
  };
  const whole = (width) => {
    const group = drawn('g', svg, {}), shown = links.filter((link) => !state.now || link.head === state.now);
    if (links.length <= data.marked) { shown.forEach((link) => line(group, link, width)); return group; }
    const bands = new Map();  // lines of about the same weight are one path: some thousand of them stay quick
    for (const link of shown) {
      const band = Math.min(9, Math.floor(10 * link.weight)), name = `${band} ${link.head.name}`;
      if (!bands.has(name)) bands.set(name, { head: link.head, weight: (band + 0.5) / 10, curves: [] });
      bands.get(name).curves.push(curve(link, width));
    }
    for (const { head, weight, curves } of bands.values()) {
      const path = drawn('path', group, { d: curves.join(''), opacity: data.faint + (1 - data.faint) * weight });
      stroked(path, head, data.thin + (head.thick - data.thin) * weight);
    }
    return group;
  };
  root.draw = () => {
    const token = state.over || state.held;
    state.now = state.head || state.heldHead;
    svg.replaceChildren();
    const found = token ? of[token.side][token.at].filter((link) => !state.now || link.head === state.now) : [];
    if (token) [...found].reverse().forEach((link) => line(svg, link, svg.clientWidth));
    else all();
    for (const side of ['key', 'row']) sides[side].boxes.forEach((box, at) => {
      const own = token && side !== token.side ? found.filter((link) => link[side] === at) : [];
      box.button.classList.toggle('other', Boolean(token) && !own.length && !(side === token.side && at === token.at));
      box.button.setAttribute('aria-pressed', String(Boolean(state.held) && state.held.side === side && state.held.at === at));
      box.numbers.replaceChildren();
      for (const link of own.slice(0, data.at_once)) {
        const number = made('span', box.numbers, link.weight.toFixed(2));
        if (data.heads.length > 1) number.style.borderBottom = `3px solid ${ink(link.head)}`;
      }
    });
    [...legend.children].forEach((button, at) => button.setAttribute('aria-pressed', String(state.heldHead === data.heads[at])));
    tell(token, found);
  };
  const tell = (token, found) => {
    told.replaceChildren();
    if (!token) { told.textContent = 'Hover, tap or focus a token: only its lines stay, with their weights.'; return; }
    const bold = (text) => made('bdi', told, text), plain = (text) => told.append(text);
    if (token.side === 'row') plain(`${data.doing} `);
    bold(sides[token.side].tokens[token.at]);
    if (token.side === 'row') plain(found.length ? ' it looks at: ' : ' it looks at nothing that is drawn.');
    else plain(found.length ? ' is looked at for: ' : ' has no line that is drawn.');
    found.slice(0, 12).forEach((link, at) => {
      plain(at ? ', ' : '');
      bold(sides[other[token.side]].tokens[link[other[token.side]]]);
      plain(` ${link.weight.toFixed(2)}${data.heads.length > 1 ? ` (${link.head.name})` : ''}`);
    });
    if (found.length > 12) plain(` and ${found.length - 12} more`);
  };
  const change = (what) => { Object.assign(state, what); root.draw(); };

  for (const side of ['key', 'row']) {
    const column = sides[side];
    column.box.replaceChildren();
    column.tokens.forEach((text, at) => {
      const box = made('div', column.box), button = made('button', box), numbers = made('output', box), me = { side, at };
      column.boxes.push({ button, numbers });
      button.type = 'button';
      button.title = text;
      button.tabIndex = at ? -1 : 0;
      numbers.setAttribute('aria-hidden', 'true');
      made('bdi', button, text).dir = 'auto';
      button.onpointerenter = (event) => event.pointerType === 'mouse' && change({ over: me });
      button.onpointerleave = () => change({ over: null });
      button.onfocus = () => button.matches(':focus-visible') && change({ over: me });
      button.onblur = () => change({ over: null });
      button.onclick = () => change({ held: state.held && state.held.side === side && state.held.at === at ? null : me, over: null });
      button.onkeydown = (event) => {
        const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: column.tokens.length - 1 }[event.key];
        const across = { ArrowLeft: 'key', ArrowRight: 'row' }[event.key];
        const next = across ? sides[across].boxes[Math.min(at, sides[across].boxes.length - 1)] : column.boxes[to];
        if (event.key === 'Escape') change({ held: null, over: null });
        if (!next) return;
        event.preventDefault();
        next.button.focus();
      };
    });
  }
  legend.replaceChildren();
  if (data.heads.length > 1) for (const head of data.heads) {
    const button = made('button', legend), sample = drawn('svg', button, { 'aria-hidden': 'true' });
    button.type = 'button';
    stroked(drawn('path', sample, { d: 'M0,6H42' }), head, 3);
    drawn('path', sample, { d: head.marker, transform: 'translate(21 6)' }).style.fill = ink(head);
    made('span', button, head.name);
    button.onpointerenter = (event) => event.pointerType === 'mouse' && change({ head });
    button.onpointerleave = () => change({ head: null });
    button.onfocus = () => button.matches(':focus-visible') && change({ head });
    button.onblur = () => change({ head: null });
    button.onclick = () => change({ heldHead: state.heldHead === head ? null : head });
  }
  field.onclick = (event) => event.target.closest('button') || change({ held: null });
  root.draw();
};
""",
)
