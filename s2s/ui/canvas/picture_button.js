// Hands an SVG to the dialog of save_picture.js.
export default function({ data, parentElement }) {
  parentElement.querySelector('span').textContent = data.label;
  parentElement.querySelector('button').onclick = () => {
    document.dispatchEvent(new CustomEvent('s2s save picture', { detail: data }));
  };
}
