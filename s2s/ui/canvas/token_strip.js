// A row of tokens with their probabilities. Tokens arrive as data and are set as textContent only.
const add = (tag, text, parent) => {
  const element = document.createElement(tag);
  element.textContent = text;
  parent.appendChild(element);
  return element;
};

export default function({ data, parentElement, setTriggerValue }) {
  const strip = parentElement.querySelector('.strip'), serialized = JSON.stringify(data.tokens);
  strip.trigger = setTriggerValue;
  if (strip.serialized !== serialized) fill(strip, data.tokens);  // else keep what is hovered or focused
  strip.serialized = serialized;
  const buttons = strip.querySelectorAll(':scope > div > button');
  buttons.forEach((button, position) => button.setAttribute('aria-pressed', String(position === data.chosen)));
}

const fill = (strip, tokens) => {
  const focused = [...strip.querySelectorAll(':scope > div > button')].indexOf(strip.getRootNode().activeElement);
  strip.replaceChildren();
  tokens.forEach((token, position) => {
    const box = add('div', '', strip), button = add('button', '', box);
    button.type = 'button';
    button.setAttribute('aria-label', token.label);
    button.dataset.note = token.note;
    button.style.background = `color-mix(in srgb, #0072B2 ${token.fill}, transparent)`;
    add('bdi', token.text, add('b', '', button));
    add('small', token.note ? `${token.probability} · ${token.note}` : token.probability, button);
    addAlternatives(strip, box, token, position);
    const align = () => box.classList.toggle('right', box.offsetLeft > strip.clientWidth / 2);
    box.onpointerenter = box.onfocusin = align;
    button.onclick = (event) => {
      const isOpen = event.pointerType === 'touch' && !box.classList.contains('open');  // a finger cannot hover
      for (const other of strip.children) other.classList.toggle('open', isOpen && other === box);
      strip.trigger('pick', position);
    };
    box.onfocusout = ({ relatedTarget }) => { if (!box.contains(relatedTarget)) box.classList.remove('open'); };
    if (position === focused) button.focus();
  });
};
const addAlternatives = (strip, box, token, position) => {
  const list = add('ol', '', box);
  list.className = 'alternatives';
  list.setAttribute('aria-hidden', 'true');  // the page has these as buttons of its own
  for (const [id, text, probability] of token.alternatives) {
    const button = add('button', '', add('li', '', list));
    button.type = 'button';
    button.tabIndex = -1;
    add('bdi', text, button);
    add('span', probability, button);
    button.onclick = () => strip.trigger('alternative', { position, token: id });
  }
};
