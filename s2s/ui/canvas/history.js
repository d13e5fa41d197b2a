// Back takes back one change that a person made. Streamlit adds a step for every address that it writes: several for one
// change of the page, and none for a choice that is bound to the address. An address that the server completes by its
// run stays one step: without the run it would mean another one.
(() => {
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let hasActed = false;  // since the last step
  let made = '';  // the address of the last step, while it is shown
  const act = () => { hasActed = true; };
  for (const kind of ['pointerdown', 'keydown', 'input', 'change']) addEventListener(kind, act, true);
  addEventListener('popstate', () => { hasActed = false; made = ''; }, true);
  const withoutRun = (address) => {
    const url = new URL(address);
    url.searchParams.delete('run');
    url.searchParams.sort();
    return url.href;
  };
  const completes = (href) => made === location.href && !new URL(made).searchParams.has('run')
    && withoutRun(href) === withoutRun(made);
  const write = (state, unused, url) => {
    const href = url == null ? location.href : new URL(url, location.href).href;
    const isStep = hasActed && href !== location.href && !completes(href);
    if (isStep) hasActed = false;
    (isStep ? push : replace)(state, unused, url);
    if (isStep) made = location.href;
  };
  history.pushState = write;
  history.replaceState = write;
})();
