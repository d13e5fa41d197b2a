// A row of tokens with their probabilities. Tokens arrive as data and are set as textContent only.
const add = (tag, text, parent) => {
  const element = document.createElement(tag);
  element.textContent = text;
  parent.appendChild(element);
  return element;
};

export default function({ data, parentElement, setTriggerValue }) {
  const strip = parentElement.querySelector('.strip'), serialized = JSON.stringify(data.tokens);
  strip.pick = (position) => data.chosen !== null && setTriggerValue('pick', position);
  strip.replace = (position, token) => setTriggerValue('alternative', { position, token });
  if (strip.serialized !== serialized) fill(strip, data.tokens);  // else keep what is hovered or focused
  strip.serialized = serialized;
  if (data.chosen === null) return;
  [...strip.children].forEach((box, position) => box.firstChild.setAttribute('aria-pressed', String(position === data.chosen)));
}

const openOnly = (strip, box) => {
  for (const each of strip.children) {
    each.classList.toggle('open', each === box);
    each.firstChild.setAttribute('aria-expanded', String(each === box));
  }
};

const fill = (strip, tokens) => {
  const focused = [...strip.children].findIndex((box) => box.contains(strip.getRootNode().activeElement));
  strip.replaceChildren();
  tokens.forEach((token, position) => {
    const box = add('div', '', strip), button = add('button', '', box);
    button.type = 'button';
    button.setAttribute('aria-label', token.label);
    button.setAttribute('aria-expanded', 'false');
    button.dataset.note = token.note;
    button.style.background = `color-mix(in srgb, #0072B2 ${token.fill}, transparent)`;
    add('bdi', token.text, add('b', '', button));
    add('small', token.note ? `${token.probability} · ${token.note}` : token.probability, button);
    addAlternatives(strip, box, token, position);
    box.onpointerenter = box.onfocusin = (event) => {
      box.classList.toggle('right', box.offsetLeft > strip.clientWidth / 2);
      if (event.pointerType === 'mouse') openOnly(strip, null);
    };
    button.onclick = (event) => {  // a mouse opens it by hovering
      openOnly(strip, event.pointerType === 'mouse' || box.classList.contains('open') ? null : box);
      strip.pick(position);
    };
    box.onfocusout = ({ relatedTarget }) => { if (!box.contains(relatedTarget)) openOnly(strip, null); };
    box.onkeydown = (event) => move(strip, box, event);
    if (position === focused) button.focus();
  });
};

// Arrows go through the candidates of a token, Escape closes them.
const move = (strip, box, event) => {
  const buttons = [...box.querySelectorAll('button')], at = buttons.indexOf(strip.getRootNode().activeElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Escape: 0 }[event.key];
  if (next === undefined) return;
  openOnly(strip, event.key === 'Escape' ? null : box);
  buttons.at(next % buttons.length).focus();
  event.preventDefault();
};

const addAlternatives = (strip, box, token, position) => {
  const list = add('ol', '', box);
  list.className = 'alternatives';
  list.setAttribute('aria-label', token.of);
  for (const [id, text, probability] of token.alternatives) {
    const button = add('button', '', add('li', '', list));
    button.type = 'button';
    button.setAttribute('aria-label', `${text}, ${probability}`);
    add('bdi', text, button);
    add('span', probability, button);
    button.onclick = () => strip.replace(position, id);
  }
};
