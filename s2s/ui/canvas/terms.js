// Marks technical words without touching the page, whose text nodes are React's: ranges of the CSS Custom Highlight API
// are underlined, and one listener asks which of them the pointer is on. Where a browser has no highlights nothing is
// underlined, and all else works. The keyboard and screen readers have the list behind the button.
const NAME = 's2s-term', HOVER = 300, LEAVE = 400, SETTLE = 200;  // milliseconds
const WORD = /<\/?\w+>|[\p{L}\p{N}_]+/gu, INSIDE = /[\p{L}\p{N}_]/u;
const OWN = new Set(['svg', 'style', 'script', 'pre', 'canvas', 'textarea', 'input', 'select', 'bdi', 'em', 'ins', 'del', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'th', 'iframe']);
const PRESSED = new Set(['button', 'a', 'summary']);
const TEXT = new Set(['stPlotlyChart', 'stCode', 'stIconMaterial', 'stJson', 'stException']);
const CLASSES = /(^|\s)(katex|tokens|static-heatmap|glossary|lesson-heading|st-key-chips)(\s|$)/;

let words = null, asked = '', found = new WeakMap(), here = '';  // found: text node -> [text, matches]
let shown = new Map(), holders = new WeakSet();  // text node -> its marked words; the elements that hold such

const load = async (address) => {
  if (asked === address) return;
  asked = address;
  const { terms, forms, all, places } = await (await fetch(new URL(address, document.baseURI))).json();
  const byFirst = new Map();
  for (const [text, term, pages] of forms) {
    const first = text.toLowerCase().match(WORD)[0], isExact = text !== text.toLowerCase();
    byFirst.set(first, [...(byFirst.get(first) ?? []), { text, lower: text.toLowerCase(), term, pages, isExact }]);
  }
  for (const each of byFirst.values()) each.sort((one, other) => other.text.length - one.text.length);
  words = { terms, byFirst, all, places };
  found = new WeakMap();
};
const matchAt = (text, lower, at, first) => {  // the longest form that begins there; a compound is another word
  const before = text[at - 1], singular = first.endsWith('s') ? words.byFirst.get(first.slice(0, -1)) : null;
  if (before && (INSIDE.test(before) || before === '_' || (before === '-' && INSIDE.test(text[at - 2] ?? '')))) return null;
  for (const form of [...(words.byFirst.get(first) ?? []), ...(singular ?? [])]) {
    if (form.pages?.length && !form.pages.includes(here)) continue;
    if (!(form.isExact ? text : lower).startsWith(form.isExact ? form.text : form.lower, at)) continue;
    let end = at + form.text.length;
    if (lower[end] === 's') end += 1;
    const after = text[end] ?? '';
    if (INSIDE.test(after) || (after === '-' && INSIDE.test(text[end + 1] ?? ''))) continue;
    return { start: at, end, term: form.term };
  }
  return null;
};
const matches = (text) => {
  const lower = text.toLowerCase(), all = [];
  let end = 0;
  for (const { 0: first, index } of lower.matchAll(WORD)) {
    if (index < end) continue;
    const match = matchAt(text, lower, index, first);
    if (!match) continue;
    end = match.end;
    if (match.term >= 0) all.push(match);
  }
  return all;
};
const isPassed = (element, all) => {  // what is no text of ours, or is there to be pressed
  const tag = element.localName, kind = element.dataset?.testid;
  if (OWN.has(tag) || TEXT.has(kind) || element.getAttribute('dir') === 'auto' || CLASSES.test(element.getAttribute('class') ?? '')) return true;
  if (tag === 'strong') return !element.closest('.st-key-lesson');  // elsewhere a token or a name
  if (tag === 'code') return !/^<?\/?[\w-]+>?$/.test(element.textContent);
  if (kind === 'stWidgetLabel') return false;
  if (all) return tag === 'label' && !element.textContent;
  return PRESSED.has(tag) || kind === 'stDataFrame' || element.getAttribute('role') === 'tab';
};
const ROOTS = '[data-testid="stMain"], [data-testid="stPopoverBody"], [data-testid="stDialog"]';
const texts = function* (all = false) {
  const check = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT;
    return isPassed(node, all) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
  };
  for (const root of document.querySelectorAll(ROOTS)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, check);
    while (walker.nextNode()) yield walker.currentNode;
  }
};
const matchesOf = (node) => {
  const known = found.get(node);
  if (known?.[0] === node.data && known[1] === here) return known[2];
  const all = node.data.length > 1 ? matches(node.data) : [];
  found.set(node, [node.data, here, all]);
  return all;
};
const scan = () => {
  if (!words) return;
  const start = performance.now(), ranges = [];
  const said = new Set();  // each term once per screen
  shown = new Map();
  holders = new WeakSet();
  for (const node of texts()) {
    const all = matchesOf(node);
    if (!all.length) continue;
    if (all.every(({ term }) => said.has(term)) || !(node.parentElement.checkVisibility?.() ?? true)) continue;
    const fresh = all.filter(({ term }) => !said.has(term) && said.add(term));
    if (!fresh.length) continue;
    shown.set(node, fresh);
    holders.add(node.parentElement);
    for (const { start: from, end } of fresh) ranges.push(new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: end }));
  }
  if (globalThis.CSS?.highlights) CSS.highlights.set(NAME, new Highlight(...ranges));
  performance.measure(NAME, { start, end: performance.now() });
};
let settling = 0;
const idle = globalThis.requestIdleCallback ?? setTimeout;
const later = () => { settling ||= setTimeout(() => idle(() => { settling = 0; scan(); }), SETTLE); };

const paragraph = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
const withNames = (tag, text) => {  // names of settings, such as num_beams, as code
  const element = document.createElement(tag);
  element.append(...text.split(/([a-z][\w.]*_\w+)/).map((part, at) => (at % 2 ? paragraph('code', part) : part)));
  return element;
};
const heading = (title, close) => {
  const head = document.createElement('header'), button = paragraph('button', '✕');
  Object.assign(button, { type: 'button', ariaLabel: 'Close', onclick: close });
  head.append(title, button);
  return head;
};
// A page of ours is opened as Back and Forward open one: nothing is loaded again.
const open = (event, link) => {
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const address = new URL(link.href), lesson = new URLSearchParams(location.search).get('lesson');
  if (lesson) address.searchParams.set('lesson', lesson);
  history.pushState(null, '', address);
  dispatchEvent(new PopStateEvent('popstate'));
};
const KEPT = { data: [], lessons: [], train: ['run'], runs: ['run'], evaluate: ['run'] };  // of the address; others: also the sentence
const go = (event, link) => { open(event, link); document.dispatchEvent(new CustomEvent(NAME)); };
const linkTo = (label, address) => {
  const link = Object.assign(paragraph('a', label), { href: new URL(address, document.baseURI) });
  link.onclick = (event) => go(event, link);
  return link;
};
const keeping = (page, view) => {  // an address with the run and the sentence of this page
  const address = new URL(`${page || './'}?${view}`, document.baseURI), now = new URLSearchParams(location.search);
  for (const key of KEPT[page] ?? ['run', 'src']) if (now.get(key)) address.searchParams.set(key, now.get(key));
  return address;
};
const titleOf = (page) => words.places.find(({ kind, link }) => kind === 'page' && link === (page || './')).title;
const entry = (row) => {
  const all = [withNames('p', row.plain), document.createElement('p')];
  all[1].append(withNames('small', row.expert + (row.source ? ` (${row.source})` : '')));
  const last = document.createElement('p');
  last.append(row.page === here && !row.view ? paragraph('small', 'It is on this page.') : linkTo(`See it on ${row.page === here ? 'this page' : titleOf(row.page)}`, keeping(row.page, row.view)), ' · ', linkTo('Glossary', row.link));
  return [...all, last];
};
const rankOf = ({ term, also, plain, expert }, query) => {  // 0: the name itself; -1: not found
  const names = [term, ...also].map((name) => name.toLowerCase());
  const ranks = [names.some((name) => name === query || name === `${query}s`), names[0].startsWith(query), names.some((name) => name.startsWith(query)),
    names.some((name) => name.includes(query)), `${plain} ${expert}`.toLowerCase().includes(query)];
  return ranks.indexOf(true);
};
const searched = (query, onPage) => {  // the best match first; of equals, the page's words
  const all = [...new Set([...onPage, ...words.terms.keys()])].map((term) => [term, rankOf(words.terms[term], query)]);
  return all.filter(([, rank]) => rank >= 0).sort((one, other) => one[1] - other[1]).map(([term]) => term);
};
const MOST = 8;  // places listed
const searchedPlaces = (query) => {  // those that have all its words, in the title if possible
  const asked = query.split(/\s+/), has = (text) => asked.every((word) => text.toLowerCase().includes(word));
  const rank = ({ title, about, also }) => [title.toLowerCase().startsWith(query), has(title), has(`${title} ${about} ${also}`)].indexOf(true);
  return words.places.map((each) => [each, rank(each)]).filter(([, at]) => at >= 0).sort((one, other) => one[1] - other[1])
    .slice(0, MOST).map(([each]) => each);
};
const placeRow = ({ title, kind, link }) => {
  const row = document.createElement('p');
  row.append(linkTo(title.replaceAll('*', ''), kind === 'page' ? keeping(link.replace('./', ''), '') : link), ' ', paragraph('small', kind));
  return row;
};
const fillList = (list, takesFocus) => {
  const known = new Set();
  if (words) for (const node of texts(true)) if (node.parentElement.checkVisibility?.() ?? true) matchesOf(node).forEach(({ term }) => known.add(term));
  const onPage = [...known].sort((one, other) => one - other);
  const title = paragraph('h2', ''), search = document.createElement('input'), entries = document.createElement('div');
  title.setAttribute('aria-live', 'polite');
  Object.assign(search, { type: 'search', autofocus: takesFocus, placeholder: 'Pages, lessons, words', ariaLabel: 'Search pages, lessons and words' });
  search.onkeydown = (event) => {
    if (event.key !== 'Escape') event.stopPropagation();  // a letter is no shortcut of the page
    if (event.key === 'Enter') entries.querySelector('a')?.click();
  };
  const fill = () => {
    const query = search.value.trim().toLowerCase(), all = query ? searched(query, onPage) : onPage;
    const found = query && words ? searchedPlaces(query) : [];
    const said = `${all.length || 'no'} ${query ? '' : 'technical '}word${all.length === 1 ? '' : 's'}`;
    title.textContent = query ? `${found.length || 'No'} page${found.length === 1 ? '' : 's'} or lesson${found.length === 1 ? '' : 's'}, ${said}` : `${said} on this page`.replace(/^n/, 'N');
    entries.replaceChildren(...found.map(placeRow), ...all.map((term, rank) => {
      const each = document.createElement('details'), row = words.terms[term];
      each.name = 'term';
      each.open = query !== '' && rank === 0;  // the best match
      each.append(paragraph('summary', row.term), ...entry(row));
      return each;
    }));
  };
  search.oninput = () => { fill(); place(list, list.previousElementSibling.getBoundingClientRect()); };
  list.replaceChildren(heading(title, () => list.hidePopover()), ...(words ? [search, entries, document.createElement('footer')] : []));
  fill();
  if (words) list.lastChild.append(linkTo(`All ${words.terms.length} words`, words.all));
};
const place = (box, rect) => {  // below, or above where there is no room; a lesson that stands at the edge stays free
  const { width, height } = box.getBoundingClientRect(), room = innerHeight - rect.bottom - 8;
  const lesson = document.querySelector('.st-key-lesson');
  const edge = lesson && getComputedStyle(lesson).position === 'fixed' ? lesson.getBoundingClientRect().left : innerWidth;
  box.style.left = `${Math.max(8, Math.min(rect.left, edge - width - 8))}px`;
  if (rect.left >= edge) {  // a word of the lesson: beside it
    box.style.top = `${Math.max(8, Math.min(rect.top - 12, innerHeight - height - 8))}px`;
    return;
  }
  box.style.top = `${room >= height || room > rect.top ? Math.min(rect.bottom + 4, innerHeight - height - 8) : Math.max(8, rect.top - height - 4)}px`;
};
const caret = (x, y) => {
  const at = document.caretPositionFromPoint?.(x, y);
  if (at) return [at.offsetNode, at.offset];
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? [range.startContainer, range.startOffset] : [null, 0];
};
const wordAt = (event) => {
  if (!holders.has(event.target)) return null;
  const [node, offset] = caret(event.clientX, event.clientY);
  const match = shown.get(node)?.find(({ start, end }) => start <= offset && offset <= end);
  if (!match || match.end > node.length) return null;
  const range = document.createRange();
  range.setStart(node, match.start);
  range.setEnd(node, match.end);
  const rect = [...range.getClientRects()].find(({ left, right, top, bottom }) => event.clientX >= left - 1 && event.clientX <= right + 1
    && event.clientY >= top - 2 && event.clientY <= bottom + 2);
  return rect ? { node, match, rect } : null;
};

let stop = () => {};
const listen = (list, card) => {
  let current = null, timer = 0, isOpen = false, isTapped = false;
  const close = () => { clearTimeout(timer); if (isOpen) card.hidePopover(); isOpen = isTapped = false; current = null; document.body.style.cursor = ''; };
  const show = ({ match, rect }) => {
    const row = words.terms[match.term], title = paragraph('h2', row.term);
    title.id = 'term';
    card.replaceChildren(heading(title, close), ...entry(row));
    if (!isOpen) card.showPopover();
    isOpen = true;
    card.scrollTop = 0;
    place(card, rect);
  };
  const same = (one, other) => one?.node === other?.node && one?.match === other?.match;
  const onMove = (event) => {
    if (event.pointerType !== 'mouse' || event.buttons) return;
    const word = wordAt(event);
    if (same(word, current)) return;
    if (event.composedPath().includes(card)) { clearTimeout(timer); current = { card }; return; }
    current = word;
    document.body.style.cursor = word ? 'help' : '';
    clearTimeout(timer);
    if (isTapped) return;
    timer = word ? setTimeout(show, HOVER, word) : setTimeout(close, LEAVE);
  };
  const onClick = (event) => {
    const link = event.target.closest?.('.glossary a.in-app');
    if (link) open(event, link);
    const word = wordAt(event);
    if (!word || event.defaultPrevented || event.target.closest('label, [data-testid="stWidgetLabel"]') || !getSelection().isCollapsed) return;
    clearTimeout(timer);
    current = word;
    show(word);
    isTapped = true;
  };
  const onDown = (event) => { if (isOpen && !event.composedPath().includes(card)) close(); };
  const onKey = (event) => { if (event.key === 'Escape' && isOpen) close(); };
  const button = list.previousElementSibling, root = list.getRootNode();
  let hadFocus = false, isTouched = false;  // a touch must not open the keyboard on the screen
  const onPress = ({ pointerType }) => { isTouched = pointerType === 'touch'; };
  const onToggle = ({ newState }) => {
    hadFocus = newState === 'closed' && list.contains(root.activeElement);
    if (newState === 'open') { close(); fillList(list, !isTouched); }
  };
  const onToggled = ({ newState }) => {
    if (newState === 'open') place(list, button.getBoundingClientRect());
    else if (hadFocus && (document.activeElement === document.body || list.contains(root.activeElement))) button.focus({ preventScroll: true });
  };
  const onScroll = (event) => { if (event.target !== card) close(); };
  const onOpened = () => { close(); if (list.matches(':popover-open')) list.hidePopover(); };
  const changes = new MutationObserver(later);
  changes.observe(document.body, { childList: true, characterData: true, subtree: true });
  const all = [[document, 'pointermove', onMove], [document, 'click', onClick], [document, 'pointerdown', onDown], [document, 'keydown', onKey],
    [document, 'scroll', onScroll, true], [document, NAME, onOpened], [button, 'pointerdown', onPress], [button, 'keydown', onPress],
    [list, 'beforetoggle', onToggle], [list, 'toggle', onToggled]];
  for (const [target, kind, act, capture] of all) target.addEventListener(kind, act, capture ?? false);
  return () => {
    changes.disconnect();
    close();
    for (const [target, kind, act, capture] of all) target.removeEventListener(kind, act, capture ?? false);
    globalThis.CSS?.highlights?.delete(NAME);
  };
};
export default function({ data, parentElement }) {
  here = data.here;
  stop();
  const end = stop = listen(parentElement.querySelector('#list'), parentElement.querySelector('#card'));
  load(data.searched).then(later, () => { asked = ''; });
  return () => { end(); };
}
