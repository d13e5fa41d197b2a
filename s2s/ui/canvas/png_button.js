// Draws an SVG on a canvas and downloads it as a PNG: only a browser can.
const MAX_SIDE = 12000;  // pixels; browsers draw nothing at all on a larger canvas
const render = async (svg) => {
  const picture = new Image(), url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    picture.src = url;
    await picture.decode();
    const canvas = document.createElement('canvas'), scale = Math.min(2, MAX_SIDE / Math.max(picture.width, picture.height));
    canvas.width = picture.width * scale;
    canvas.height = picture.height * scale;
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('empty'))), 'image/png'));
  } finally { URL.revokeObjectURL(url); }
};
export default function({ data, parentElement }) {
  const button = parentElement.querySelector('button'), status = parentElement.querySelector('span');
  status.textContent = '';
  button.onclick = async () => {
    try {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(await render(data.svg));
      link.download = data.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    } catch {
      status.textContent = 'This browser cannot make a PNG: save the SVG instead.';
    }
  };
}
