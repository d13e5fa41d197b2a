// A chart whose points can be clicked catches every finger, and the page would not scroll. A tap is a click all the same.
export default function({ parentElement }) {
  const root = parentElement.getRootNode();
  const container = (root.host || parentElement).closest('[class*="and-touch"]');
  if (!container) return;
  const stop = (event) => event.stopPropagation();
  container.addEventListener('touchstart', stop, { capture: true, passive: true });
  return () => container.removeEventListener('touchstart', stop, { capture: true });
}
