// Back takes back one change that a person made. Streamlit adds a step for every address that it writes: several for one
// change of the page, and none for a choice that is bound to the address.
(() => {
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let hasActed = false;  // since the last step
  const act = () => { hasActed = true; };
  for (const kind of ['pointerdown', 'keydown', 'input', 'change']) addEventListener(kind, act, true);
  addEventListener('popstate', () => { hasActed = false; }, true);
  const write = (state, unused, url) => {
    const isOther = url != null && new URL(url, location.href).href !== location.href;
    const isStep = hasActed && isOther;
    if (isStep) hasActed = false;
    (isStep ? push : replace)(state, unused, url);
  };
  history.pushState = write;
  history.replaceState = write;
})();
