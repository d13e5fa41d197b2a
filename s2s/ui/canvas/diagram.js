// A diagram of boxes and arrows. All texts arrive as data and are set as textContent only.
const SVG = 'http://www.w3.org/2000/svg';
const add = (tag, attributes, parent) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.appendChild(element);
  return element;
};
const addText = (text, x, y, kind, parent) => { add('text', { x, y, class: kind }, parent).textContent = text; };

export default function({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.diagram'), svg = root.querySelector('svg');
  const { chosen, ...shapes } = data, serialized = JSON.stringify(shapes);
  root.trigger = setTriggerValue;
  if (root.serialized !== serialized) draw(root, svg, shapes);  // else keep what is hovered or focused
  root.serialized = serialized;
  svg.querySelectorAll('.box').forEach((box) => {
    const isChosen = box.dataset.name === chosen;
    box.setAttribute('aria-pressed', String(isChosen));
    box.setAttribute('tabindex', isChosen ? '0' : '-1');
  });
  if (!svg.querySelector('[tabindex="0"]')) svg.querySelector('.box')?.setAttribute('tabindex', '0');
}

const draw = (root, svg, { size, frames, arrows, sums, labels, boxes }) => {
  const active = svg.getRootNode().activeElement, name = active?.dataset?.name;
  const hadFocus = active && svg.contains(active);
  svg.replaceChildren();
  svg.setAttribute('viewBox', `0 0 ${size[0]} ${size[1]}`);
  for (const [x, y, width, height] of frames) add('rect', { x, y, width, height, class: 'frame' }, svg);
  for (const [kind, points] of arrows) drawArrow(kind, points, svg);
  for (const [x, y] of sums) {
    add('circle', { cx: x, cy: y, r: 8, class: 'sum' }, svg);
    addText('+', x, y + 4.5, 'plus', svg);
  }
  for (const [text, x, y] of labels) addText(text, x, y, 'label', svg);
  boxes.forEach((box) => drawBox(root, svg, box));
  if (hadFocus) svg.querySelector(`[data-name="${name}"]`)?.focus();
};
const drawArrow = (kind, points, svg) => {
  add('path', { d: 'M' + points.map((point) => point.join(' ')).join('L'), class: 'arrow ' + kind }, svg);
  const [x, y] = points[points.length - 1], [fromX, fromY] = points[points.length - 2];
  const angle = Math.atan2(y - fromY, x - fromX) * 180 / Math.PI;
  add('path', { d: 'M0 0L-6 3.2L-6 -3.2Z', transform: `translate(${x} ${y}) rotate(${angle})`, class: 'head' }, svg);
};
const drawBox = (root, svg, box) => {
  const label = [box.label, box.small, ...box.lines, box.marked ? 'differs' : ''].filter(Boolean).join(', ');
  const kind = `box ${box.tone}${box.marked ? ' marked' : ''}`;
  const group = add('g', { class: kind, role: 'button', tabindex: '-1', 'aria-label': label }, svg);
  group.dataset.name = box.name;
  group.center = [box.x + box.w / 2, box.y + box.h / 2];
  add('rect', { x: box.x, y: box.y, width: box.w, height: box.h, rx: 6 }, group);
  const [x, y] = group.center;
  addText(box.label, x, box.small ? y - 3 : y + 4.5, 'name', group);
  if (box.small) addText(box.small, x, y + 12, 'small', group);
  if (box.marked) {
    add('circle', { cx: box.x + box.w - 3, cy: box.y + 3, r: 7 }, group);
    addText('\u2260', box.x + box.w - 3, box.y + 7, 'mark', group);
  }
  const pick = () => root.trigger('pick', { name: box.name });
  group.addEventListener('click', pick);
  group.addEventListener('pointerenter', () => showTip(root, group, box));
  group.addEventListener('focus', () => showTip(root, group, box));
  for (const kind of ['pointerleave', 'blur']) group.addEventListener(kind, () => { root.querySelector('.tip').style.display = 'none'; });
  group.addEventListener('keydown', (event) => {
    const direction = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (event.key === 'Enter' || event.key === ' ') pick();
    else if (direction) focusNearest(svg, group, direction);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
};
const focusNearest = (svg, from, [right, down]) => {
  const [x, y] = from.center;
  let nearest = null, shortest = Infinity;
  svg.querySelectorAll('.box').forEach((box) => {
    const dx = box.center[0] - x, dy = box.center[1] - y, ahead = dx * right + dy * down;
    const distance = ahead + 3 * Math.abs(dx * down + dy * right);
    if (box !== from && ahead > 1 && distance < shortest) [nearest, shortest] = [box, distance];
  });
  nearest?.focus();
};
const showTip = (root, group, box) => {
  const tip = root.querySelector('.tip'), lines = [box.label, ...box.lines];
  tip.replaceChildren(...lines.map((line) => Object.assign(document.createElement('div'), { textContent: line })));
  tip.style.display = 'block';
  const outer = root.getBoundingClientRect(), inner = group.getBoundingClientRect();
  const left = inner.left - outer.left;
  const below = inner.bottom - outer.top + 6, above = inner.top - outer.top - tip.offsetHeight - 6;
  const isLow = below + tip.offsetHeight > outer.height && above > 0;
  tip.style.left = Math.max(0, Math.min(left, outer.width - tip.offsetWidth)) + 'px';
  tip.style.top = (isLow ? above : below) + 'px';
};
