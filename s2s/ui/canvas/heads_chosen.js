// Hands the small values that change often to the canvas, through the container around both components: a component's data
// cannot hold bytes and a small object beside them.
export default function({ data, parentElement }) {
  const root = parentElement.getRootNode();
  const container = (root.host || parentElement).closest('[class*="and-chosen"]');
  if (!container) return;
  container.dataset.chosen = JSON.stringify(data);
  container.dispatchEvent(new Event('chosen'));
}
