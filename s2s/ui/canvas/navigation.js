// Streamlit keeps the scroll position of the page before.
const showTop = () => document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0, behavior: 'instant' });
// It leaves its sidebar open after a page was chosen, too, and on a phone the sidebar covers the page.
const PHONE = 640;  // pixels
const beginPage = (page) => {
  const before = document.body.dataset.shownPage;
  document.body.dataset.shownPage = page;
  if (before === undefined || before === page) return;
  showTop();
  if (window.innerWidth > PHONE) return;
  document.querySelector('[data-testid="stSidebarCollapseButton"] button[aria-expanded="true"]')?.click();
};
// A lesson's panel keeps its scroll position at the link to the next step, and the focus is lost with the link.
const beginStep = (step) => {
  const before = document.body.dataset.shownStep;
  document.body.dataset.shownStep = step;
  const heading = document.querySelector('.lesson-heading');
  if (before === undefined || before === step || !heading) return;
  showTop();
  heading.closest('.st-key-lesson').scrollTop = 0;
  if (!document.activeElement?.matches('body, a')) return;  // the visitor is elsewhere already
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
};
// What is said of an answer appears below it and moves the way to the next step down, often out of the window. Its text
// and its icon are laid out a moment later.
const LAID_OUT = 1000;  // milliseconds
const bringVerdict = () => {
  for (const key of ['ways', 'verdict']) document.querySelector(`.st-key-lesson-${key}`)?.scrollIntoView({ block: 'nearest' });
};
const growing = new ResizeObserver(bringVerdict);
let verdict = '', timer = 0;
// After a right answer, the way on has the focus, unless the visitor is elsewhere on the page.
const focusNext = (verdict) => {
  if (!verdict.querySelector('[data-testid^="stAlertContent"][data-testid$="Success"]')) return;
  if (!document.activeElement?.matches('body, .st-key-lesson *, .st-key-src *')) return;
  document.querySelector('.st-key-lesson-next a')?.focus({ preventScroll: true });
};
const showVerdict = () => {
  const found = document.querySelector('.st-key-lesson-verdict'), text = found?.textContent ?? '';
  if (text && text !== verdict) {
    bringVerdict();
    focusNext(found);
    for (const part of found.closest('.st-key-lesson').children) growing.observe(part);
    clearTimeout(timer);
    timer = setTimeout(() => growing.disconnect(), LAID_OUT);
  }
  verdict = text;
};
// Tab enters a group of buttons at the first one; a keyboard's user expects the selected one.
const enterAtSelected = ({ target, relatedTarget }) => {
  const group = target.closest?.('[role="radiogroup"]');
  if (!group || group.contains(relatedTarget) || !target.matches(':focus-visible')) return;
  group.querySelector('[role="radio"][aria-checked="true"]')?.focus();
};
// An open panel, such as Share's, stands at the end of the document, where Tab from its button does not lead.
const enterPanel = ({ key, shiftKey, target }) => {
  const panel = document.querySelector('[data-testid="stPopoverBody"]');
  if (!panel || key !== 'Tab' || shiftKey || !target.matches?.('[data-testid="stPopoverButton"][aria-expanded="true"]')) return;
  panel.tabIndex = -1;
  panel.focus({ preventScroll: true });  // from where Tab goes on to the first control in it
};
// A menu that is opened by keyboard marks its first entry, but the focus stays on the button.
const enterMenu = () => {
  if (!document.activeElement?.matches('[data-testid="stMenuButtonButton"][aria-expanded="true"]:focus-visible')) return;
  document.querySelector('[data-testid="stMenuButtonBody"] [role="menuitem"]')?.focus();
};
// Streamlit does not say which of the links of a page is the page's own.
let shownPage = '';
const markTab = () => {
  for (const link of document.querySelectorAll('.st-key-tabs a')) {
    if (link.pathname.split('/').pop() === shownPage) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
};
const observer = new MutationObserver(() => { showVerdict(); enterMenu(); markTab(); });
// Streamlit's links do not say what a click on them keeps: another tab would open without this run and sentence.
let kept = {};
const seen = new WeakMap();  // by link, the query that Streamlit gave it, and what was made of it
const writeKept = ({ target }) => {
  const link = target.closest?.('a[data-testid="stPageLink-NavLink"], a[data-testid="stSidebarNavLink"]');
  if (!link || link.origin !== location.origin) return;
  const before = seen.get(link);
  const given = link.search === before?.written ? before.given : link.search;
  const query = new URLSearchParams(given);
  for (const [key, value] of Object.entries(kept[link.pathname.split('/').pop()] ?? {})) {
    if (!query.has(key)) query.set(key, value);
  }
  link.search = query;
  seen.set(link, { given, written: link.search });
};
export default function({ data }) {
  beginPage(data.page);
  shownPage = data.page;
  markTab();
  beginStep(data.step);
  kept = data.kept;
  for (const kind of ['pointerdown', 'contextmenu', 'focusin']) document.addEventListener(kind, writeKept, true);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener('keydown', enterPanel, true);
  document.addEventListener('focusin', enterAtSelected);  // one and the same function is added once
}
