// All heads in one canvas: labels, choosing a head, enlarging one, hover and keyboard. heads_paint.js comes before it.
const addLabel = (box, tag, text, at, title) => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (title) element.title = title;
  place(element, at);
  box.labels.appendChild(element);
  return element;
};
const addMeanButton = (box, text, at, layer, head, title) => {
  const button = addLabel(box, 'button', text, at, title);
  button.type = 'button';
  button.tabIndex = -1;
  button.setAttribute('aria-label', title);
  Object.assign(button.dataset, { layer, head });
  button.onclick = () => pick(box, layer, head);
  return button;
};
const writeLabels = (box) => {
  box.labels.replaceChildren();
  if (box.enlarged) labelTokens(box);
  else labelHeads(box);
};
const labelTokens = (box) => {
  const { sheet, layout } = box;
  const title = `layer ${box.enlarged[0] + 1} · head ${box.enlarged[1] + 1}`;
  addLabel(box, 'b', title, [0, 0, box.clientWidth - 100, 26]).style.justifyContent = 'flex-start';
  const high = layout.high / sheet.rows.length, wide = layout.wide / sheet.keys.length;
  const every = (size) => Math.ceil(12 / size);  // so that 12-pixel labels do not overlap
  sheet.rows.forEach((token, row) => {
    const at = [0, layout.top + row * high, layout.left, Math.max(high, 12)];
    if (row % every(high) === 0) addLabel(box, 'bdi', token, at, token).className = 'row';
  });
  sheet.keys.forEach((token, key) => {
    const at = [layout.left + key * wide, 28, Math.max(wide, 12), layout.top - 30];
    if (key % every(wide) === 0) addLabel(box, 'bdi', token, at, token).className = 'key';
  });
};
const labelHeads = (box) => {
  const { layout } = box, corner = [0, 0, layout.left - 2, layout.top - 4];
  addMeanButton(box, 'head →\nlayer ↓', corner, -1, -1, 'The mean of all layers and heads').className = 'corner';
  for (const head of layout.heads) {
    const [left, , wide] = tileOf(layout, 0, head);
    addMeanButton(box, head + 1, [left, 4, wide, layout.top - 9], -1, head, `Head ${head + 1}: mean of all layers`);
  }
  for (const layer of layout.layers) {
    const [, top, , high] = tileOf(layout, layer, 0);
    addMeanButton(box, layer + 1, [6, top, layout.left - 12, high], layer, -1, `Layer ${layer + 1}: mean of all heads`);
  }
  if (layout.below) labelRoles(box);
};
const fitting = (role, width) => {  // the role, else its first word, else the beginning of that
  const n = Math.floor(width / 5.8), [first] = role.split(' ');
  if (role.length <= n) return role;
  return first.length <= n ? first : `${first.slice(0, Math.max(3, n - 1))}.`;
};
const labelRoles = (box) => {
  const { sheet, layout } = box;
  for (const layer of layout.layers) for (const head of layout.heads) {
    const [left, top, wide, high] = tileOf(layout, layer, head), role = sheet.roles[layer][head];
    const at = [left - layout.gap / 2, top + high, wide + layout.gap, layout.below];
    addLabel(box, 'span', fitting(role, wide), at, role).className = 'role';
  }
};
const markChosen = (box) => {
  const [layer, head] = box.chosen;
  box.ring.style.display = box.enlarged ? 'none' : 'block';
  if (!box.enlarged) place(box.ring, tileOf(box.layout, layer, head));
  box.back.style.display = box.enlarged ? 'block' : 'none';
  for (const button of box.labels.querySelectorAll('button')) {
    const ofLayer = Number(button.dataset.layer), ofHead = Number(button.dataset.head), isCorner = ofLayer < 0 && ofHead < 0;
    const isChosen = isCorner ? layer < 0 && head < 0 : [-1, layer].includes(ofLayer) && [-1, head].includes(ofHead);
    button.setAttribute('aria-pressed', String(isChosen));
  }
  place(box.cursor, tileOf(box.layout, ...(box.enlarged || box.at)));
  box.canvas.dataset.chosen = box.chosen.map((index) => index < 0 ? 'mean' : index + 1).join('.');
};
const update = (box) => {  // after any change, at most once a frame
  if (box.isWaiting) return;
  box.isWaiting = true;
  requestAnimationFrame(() => {
    box.isWaiting = false;
    if (!box.sheet || !box.chosen || !box.clientWidth) return;
    const { stamp, rows, keys } = box.sheet;
    const needed = [stamp, rows, keys, box.clientWidth, box.enlarged, box.perRow, window.devicePixelRatio].join('|');
    if (needed !== box.painted) {
      box.layout = layOut(box.sheet, box.clientWidth, box.enlarged);
      writeLabels(box);
      paint(box);
    }
    box.painted = needed;
    markChosen(box);
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
  update(box);
  box.trigger('pick', { layer, head });
};
const enlarge = (box, layer, head) => {
  box.enlarged = layer < 0 || head < 0 ? null : [layer, head];
  box.tip.style.display = 'none';
  update(box);
  box.trigger('enlarge', box.enlarged ? { layer, head } : { layer: -1, head: -1 });
};
const cellUnder = (box, event) => {  // the head, row and key under the pointer, if any
  const { layout, sheet } = box, edges = box.canvas.getBoundingClientRect();
  const x = event.clientX - edges.left, y = event.clientY - edges.top;
  const column = Math.floor(x / (layout.wide + layout.gap)), line = Math.floor(y / (layout.high + layout.gap + layout.below));
  const inside = [x - column * (layout.wide + layout.gap), y - line * (layout.high + layout.gap + layout.below)];
  if (inside[0] < 0 || inside[1] < 0 || inside[0] >= layout.wide || inside[1] >= layout.high) return null;
  if (column >= layout.heads.length || line >= layout.layers.length) return null;
  return {
    layer: layout.layers[line],
    head: layout.heads[column],
    row: Math.floor(inside[1] / layout.high * sheet.rows.length),
    key: Math.floor(inside[0] / layout.wide * sheet.keys.length),
  };
};
const hover = (box, event) => {
  const at = box.sheet && box.layout && cellUnder(box, event);
  box.tip.style.display = at ? 'block' : 'none';
  if (!at) return;
  const add = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  const weight = (byteAt(box.sheet, at) / 255) ** 2, gerund = box.sheet.verb === 'predicts' ? 'predicting' : 'reading';
  box.tip.replaceChildren(add('b', nameOf(at.layer, at.head)), `${gerund} `, add('bdi', box.sheet.rows[at.row]),
    ' it attends to ', add('bdi', box.sheet.keys[at.key]), `: ${weight.toFixed(weight < 0.1 ? 3 : 2)}`);
  if (box.sheet.roles.length) box.tip.append(add('div', `role: ${box.sheet.roles[at.layer][at.head]}`));
  const edges = box.getBoundingClientRect(), x = event.clientX - edges.left, y = event.clientY - edges.top;
  const left = x + 16 + box.tip.offsetWidth > box.clientWidth ? Math.max(0, x - 12 - box.tip.offsetWidth) : x + 16;
  Object.assign(box.tip.style, { left: `${left}px`, top: `${Math.max(0, y - box.tip.offsetHeight - 8)}px` });
};
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const onKey = (box, event) => {
  if (!box.sheet || !box.chosen || event.target === box.back) return;
  const step = STEPS[event.key], lowest = box.enlarged ? 0 : -1;
  const from = box.enlarged || box.at;
  if (step) {
    const clamped = (index, n) => Math.min(n - 1, Math.max(lowest, index));
    box.at = [clamped(from[0] + step[0], box.sheet.layers), clamped(from[1] + step[1], box.sheet.heads)];
    if (box.enlarged) enlarge(box, ...box.at);
    const [layer, head] = box.at, role = box.sheet.roles[layer]?.[head];
    box.status.textContent = nameOf(...box.at) + (role ? `, ${role}` : '');
    update(box);
  } else if (event.key === 'Enter') pick(box, ...from);
  else if (event.key === ' ') enlarge(box, ...(box.enlarged ? [-1, -1] : box.at));
  else if (event.key === 'Escape' && box.enlarged) enlarge(box, -1, -1);
  else return;
  event.preventDefault();
};

export default function({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector('.heads'), root = parentElement.getRootNode();
  const container = (root.host || parentElement).closest('[class*="and-chosen"]');
  for (const name of ['labels', 'ring', 'cursor', 'tip', 'status', 'back']) box[name] = box.querySelector(`.${name}`);
  box.canvas = box.querySelector('canvas');
  box.trigger = setTriggerValue;
  box.sheet = unpack(data);
  box.setAttribute('aria-label', `All heads: ${box.sheet.layers} layers down, ${box.sheet.heads} heads across. Arrow keys move,`
    + ' Enter opens a head, Space enlarges it, Escape shows all. The table below has the same data.');
  const onChosen = () => {
    if (!container || !container.dataset.chosen) return;
    const values = JSON.parse(container.dataset.chosen);
    Object.assign(box, values);
    if (String(values.chosen) !== box.lastChosen) box.at = values.chosen;
    box.lastChosen = String(values.chosen);
    update(box);
  };
  box.canvas.onclick = (event) => {
    const at = cellUnder(box, event);
    if (at && !box.enlarged) pick(box, at.layer, at.head);
  };
  box.canvas.ondblclick = (event) => {
    const at = cellUnder(box, event);
    if (at) enlarge(box, ...(box.enlarged ? [-1, -1] : [at.layer, at.head]));
  };
  box.canvas.onpointermove = box.canvas.onpointerdown = (event) => hover(box, event);
  box.canvas.onpointerleave = () => { box.tip.style.display = 'none'; };
  box.back.onclick = () => { enlarge(box, -1, -1); box.focus(); };
  box.onkeydown = (event) => onKey(box, event);
  container?.addEventListener('chosen', onChosen);
  const observer = new ResizeObserver(() => update(box));
  observer.observe(box);
  onChosen();
  update(box);
  return () => { container?.removeEventListener('chosen', onChosen); observer.disconnect(); };
}
