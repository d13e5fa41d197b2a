// Two columns of tokens joined by attention lines. Tokens and head names arrive as data and are set as textContent only.
const addHtml = (tag, parent, text = '') => {
  const element = document.createElement(tag);
  element.textContent = text;
  parent.appendChild(element);
  return element;
};
const addSvg = (tag, parent, attributes) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.appendChild(element);
  return element;
};
const inkOf = (head) => `color-mix(in srgb, ${head.color} 84%, var(--st-text-color))`;
const stroke = (path, head, width) => {
  path.style.cssText = `fill: none; stroke: ${inkOf(head)}; stroke-width: ${width}px; stroke-dasharray: ${head.dash || 'none'}`;
};

export default function({ data, parentElement }) {
  const root = parentElement.querySelector('.lines'), serialized = JSON.stringify(data);
  if (root.serialized !== serialized) fill(root, data);  // else keep what is hovered or held
  root.serialized = serialized;
  const observer = new ResizeObserver(() => root.draw());
  observer.observe(root.querySelector('.between'));
  return () => observer.disconnect();
}

const fill = (root, data) => {
  const [field, legend, status] = root.children;
  const [keyTitle, , rowTitle, left, between, right] = field.children;
  const state = { hovered: null, held: null, hoveredHead: null, heldHead: null };
  const sides = { key: { column: left, tokens: data.keys, boxes: [] }, row: { column: right, tokens: data.rows, boxes: [] } };
  const opposite = { key: 'row', row: 'key' };
  const links = data.heads.flatMap((head) => head.links.map(([row, key, weight]) => ({ head, row, key, weight })));
  links.sort((one, other) => one.weight - other.weight);
  const linksOf = { key: data.keys.map(() => []), row: data.rows.map(() => []) };  // strongest first
  for (const link of links) {
    linksOf.key[link.key].unshift(link);
    linksOf.row[link.row].unshift(link);
  }

  keyTitle.textContent = 'attends to';
  rowTitle.textContent = data.verb;
  between.style.height = `${data.step * Math.max(data.keys.length, data.rows.length)}px`;
  field.style.setProperty('--line', `${data.step - 2}px`);
  field.style.fontSize = data.step < 20 ? '.8rem' : '';
  left.setAttribute('aria-label', 'Attended tokens');
  right.setAttribute('aria-label', data.verb);
  between.replaceChildren();
  root.cached = null;
  const svg = addSvg('svg', between, { role: 'img', 'aria-label': data.alt });

  const middle = (side, at) => (at + 0.5) * between.clientHeight / sides[side].tokens.length;
  const curve = (link, width) => {
    const from = (middle('key', link.key) + link.head.offset).toFixed(1);
    const to = (middle('row', link.row) + link.head.offset).toFixed(1);
    const half = (width / 2).toFixed(1);
    return `M0,${from}C${half},${from} ${half},${to} ${width.toFixed(1)},${to}`;
  };
  const opacity = (weight) => data.faint + (1 - data.faint) * weight;
  const thickness = (head, weight) => data.thin + (head.thick - data.thin) * weight;
  const drawLink = (parent, link, width) => {
    const group = addSvg('g', parent, { opacity: opacity(link.weight) });
    stroke(addSvg('path', group, { d: curve(link, width) }), link.head, thickness(link.head, link.weight));
    if (link.head.marker) drawMarker(group, link, width);
  };
  const drawMarker = (parent, link, width) => {
    const { marker_at: t, offset, marker } = link.head;
    const share = (1 - t) ** 2 * (1 + 2 * t);  // of the left end in the Bezier curve's height
    const x = width * (1.5 * t * (1 - t) + t ** 3);
    const y = offset + share * middle('key', link.key) + (1 - share) * middle('row', link.row);
    addSvg('path', parent, { d: marker, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }).style.fill = inkOf(link.head);
  };
  const drawAll = () => {  // cached: hovering comes back to it again and again
    const width = svg.clientWidth, name = `${width} ${state.head ? state.head.name : ''}`;
    if (root.cached?.name !== name) root.cached = { name, group: allLinks(width) };
    svg.appendChild(root.cached.group);
  };
  const allLinks = (width) => {
    const group = addSvg('g', svg, {}), shown = links.filter((link) => !state.head || link.head === state.head);
    if (links.length <= data.max_marked) {
      shown.forEach((link) => drawLink(group, link, width));
      return group;
    }
    const bands = new Map();  // lines of similar weight share one path, so that thousands of them stay quick
    for (const link of shown) {
      const band = Math.min(9, Math.floor(10 * link.weight)), name = `${band} ${link.head.name}`;
      if (!bands.has(name)) bands.set(name, { head: link.head, weight: (band + 0.5) / 10, curves: [] });
      bands.get(name).curves.push(curve(link, width));
    }
    for (const { head, weight, curves } of bands.values()) {
      stroke(addSvg('path', group, { d: curves.join(''), opacity: opacity(weight) }), head, thickness(head, weight));
    }
    return group;
  };

  const isHeld = (side, at) => Boolean(state.held) && state.held.side === side && state.held.at === at;
  root.draw = () => {
    const token = state.hovered || state.held;
    state.head = state.hoveredHead || state.heldHead;
    svg.replaceChildren();
    const found = token ? linksOf[token.side][token.at].filter((link) => !state.head || link.head === state.head) : [];
    if (token) [...found].reverse().forEach((link) => drawLink(svg, link, svg.clientWidth));
    else drawAll();
    for (const side of ['key', 'row']) sides[side].boxes.forEach((box, at) => {
      const partners = token && side !== token.side ? found.filter((link) => link[side] === at) : [];
      const isToken = side === token?.side && at === token?.at;
      box.button.classList.toggle('other', Boolean(token) && !partners.length && !isToken);
      box.button.setAttribute('aria-pressed', String(isHeld(side, at)));
      box.weights.replaceChildren();
      for (const link of partners.slice(0, data.max_weights)) {
        const weight = addHtml('span', box.weights, link.weight.toFixed(2));
        if (data.heads.length > 1) weight.style.borderBottom = `3px solid ${inkOf(link.head)}`;
      }
    });
    [...legend.children].forEach((button, at) => button.setAttribute('aria-pressed', String(state.heldHead === data.heads[at])));
    describe(token, found);
  };
  const describe = (token, found) => {
    status.replaceChildren();
    if (!token) {
      status.textContent = 'Hover, tap or focus a token to keep only its lines, with their weights.';
      return;
    }
    const bold = (text) => addHtml('bdi', status, text), plain = (text) => status.append(text);
    const gerund = { predicts: 'predicting', reads: 'reading' }[data.verb];
    if (token.side === 'row') plain(`When ${gerund} `);
    bold(sides[token.side].tokens[token.at]);
    if (token.side === 'row') plain(found.length ? ', the model attends to ' : ', the model attends to no token joined here.');
    else plain(found.length ? ` is attended to when ${gerund} ` : ' is attended to by no token joined here.');
    found.slice(0, 12).forEach((link, at) => {
      plain(at ? ', ' : '');
      bold(sides[opposite[token.side]].tokens[link[opposite[token.side]]]);
      plain(` ${link.weight.toFixed(2)}${data.heads.length > 1 ? ` (${link.head.name})` : ''}`);
    });
    if (found.length > 12) plain(` and ${found.length - 12} more`);
  };
  const change = (values) => { Object.assign(state, values); root.draw(); };

  for (const side of ['key', 'row']) {
    const { column, tokens, boxes } = sides[side];
    column.replaceChildren();
    tokens.forEach((text, at) => {
      const box = addHtml('div', column), button = addHtml('button', box), weights = addHtml('output', box);
      const token = { side, at };
      boxes.push({ button, weights });
      button.type = 'button';
      button.title = text;
      button.tabIndex = at ? -1 : 0;
      weights.setAttribute('aria-hidden', 'true');
      addHtml('bdi', button, text).dir = 'auto';
      button.onpointerenter = (event) => event.pointerType === 'mouse' && change({ hovered: token });
      button.onpointerleave = () => change({ hovered: null });
      button.onfocus = () => button.matches(':focus-visible') && change({ hovered: token });
      button.onblur = () => change({ hovered: null });
      button.onclick = () => change({ held: isHeld(side, at) ? null : token, hovered: null });
      button.onkeydown = (event) => {
        const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: tokens.length - 1 }[event.key];
        const across = sides[{ ArrowLeft: 'key', ArrowRight: 'row' }[event.key]]?.boxes;
        const next = across ? across[Math.min(at, across.length - 1)] : boxes[to];
        if (event.key === 'Escape') change({ held: null, hovered: null });
        if (!next) return;
        event.preventDefault();
        next.button.focus();
      };
    });
  }
  legend.replaceChildren();
  if (data.heads.length > 1) for (const head of data.heads) {
    const button = addHtml('button', legend), sample = addSvg('svg', button, { 'aria-hidden': 'true' });
    button.type = 'button';
    stroke(addSvg('path', sample, { d: 'M0,6H42' }), head, 3);
    addSvg('path', sample, { d: head.marker, transform: 'translate(21 6)' }).style.fill = inkOf(head);
    addHtml('span', button, head.name);
    button.onpointerenter = (event) => event.pointerType === 'mouse' && change({ hoveredHead: head });
    button.onpointerleave = () => change({ hoveredHead: null });
    button.onfocus = () => button.matches(':focus-visible') && change({ hoveredHead: head });
    button.onblur = () => change({ hoveredHead: null });
    button.onclick = () => change({ heldHead: state.heldHead === head ? null : head });
  }
  field.onclick = (event) => event.target.closest('button') || change({ held: null });
  root.draw();
};
