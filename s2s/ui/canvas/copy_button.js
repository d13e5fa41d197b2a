// Copies a text. Browsers offer `navigator.clipboard` on https and localhost only; elsewhere a selected field is copied.
const copySelected = (text) => {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.appendChild(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (!isCopied) throw new Error('refused');
};
const copy = (text) => navigator.clipboard?.writeText(text).catch(() => copySelected(text)) ?? copySelected(text);
export default function({ data, parentElement }) {
  const button = parentElement.querySelector('button'), status = parentElement.querySelector('span');
  button.textContent = data.label;
  button.className = data.kind;
  status.textContent = '';
  button.onclick = async () => {
    try {
      await copy(data.text);
      status.textContent = 'Copied';
    } catch {
      status.textContent = 'This browser does not allow it: select the link and copy it.';
    }
  };
}
