// Before paper: what has the width of the screen is made to fit the page, and a dark theme is noted; the style does the rest.
const PAGE = 700;  // CSS pixels of an A4 page between its margins, at least
const WIDE = '[data-testid="stDataFrame"], [data-testid^="stBidiComponent"]';
const fitPaper = () => {
  const root = document.documentElement, figures = () => document.querySelectorAll('.js-plotly-plot .main-svg');
  const begin = () => {
    for (const svg of figures()) svg.setAttribute('viewBox', `0 0 ${svg.getAttribute('width')} ${svg.getAttribute('height')}`);
    for (const each of document.querySelectorAll(WIDE)) each.style.setProperty('--fit', Math.min(1, PAGE / Math.max(1, each.offsetWidth)));
    const shades = getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor.match(/\d+/g).slice(0, 3);
    root.toggleAttribute('data-dark', shades.every((shade) => Number(shade) < 128));
  };
  const end = () => {
    for (const svg of figures()) svg.removeAttribute('viewBox');
    root.removeAttribute('data-dark');
  };
  addEventListener('beforeprint', begin);
  addEventListener('afterprint', end);
  return () => { removeEventListener('beforeprint', begin); removeEventListener('afterprint', end); end(); };
};
