// Every picture's camera button opens a dialog that saves it as SVG, PNG or PDF in a chosen width and font. save_pdf.js
// comes before it. A Plotly figure is laid out anew, on white, by a second Plotly that is loaded when it is first needed.
const FAMILIES = { sans: 'Helvetica, Arial, sans-serif', serif: "Times, 'Times New Roman', serif", mono: "Courier, 'Courier New', monospace" };
const INK = '#0C131D', GRID = '#E1E5EA', MARGIN = 8, BASE = 13;  // pixels of a figure's ordinary text
const DPI = 300, MAX_SIDE = 12000;  // pixels of a PNG: per inch, and at most; browsers draw nothing on a larger canvas
const loadPlotly = () => window.s2sPlotly ||= new Promise((done, fail) => {
  const script = document.createElement('script');
  script.src = new URL('plotly.min.js', document.baseURI).href;
  script.onload = () => done(window.Plotly);
  script.onerror = () => { window.s2sPlotly = null; fail(new Error('Plotly')); };
  document.head.appendChild(script);
});
const paperLayout = (given, colorway, family) => {
  const axis = { title: { font: { size: BASE } }, gridcolor: GRID, linecolor: INK, zerolinecolor: GRID, tickcolor: INK, automargin: true };
  const template = { layout: { colorway, font: { color: INK, family, size: BASE }, xaxis: axis, yaxis: axis, title: { font: { color: INK } } } };
  const { width, autosize, updatemenus, sliders, ...rest } = structuredClone(given);
  return { ...rest, template, paper_bgcolor: '#ffffff', plot_bgcolor: '#ffffff',
    font: { ...rest.font, color: INK, family }, legend: { ...rest.legend, font: { ...rest.legend?.font, color: INK, family }, bgcolor: 'rgba(0,0,0,0)' },
    title: typeof rest.title === 'object' ? { ...rest.title, font: { ...rest.title.font, color: INK, family } } : rest.title };
};
const svgOfPlot = async (plot, { mm, points, family }) => {
  const Plotly = await loadPlotly(), full = plot._fullLayout;
  const own = plot.layout.width && plot.closest('[class*="and-touch"]') ? plot.layout.width : null;  // one that scrolls
  const width = own || Math.round(mm * 72 / 25.4 * BASE / points), height = Math.round(full.height);
  const layout = paperLayout(plot.layout, full.colorway, family);
  const address = await Plotly.toImage({ data: structuredClone(plot.data), layout, config: { staticPlot: true } }, { format: 'svg', width, height });
  return decodeURIComponent(address.slice(address.indexOf(',') + 1));
};
const widen = (svg, margin) => {  // Plotly draws titles up to the very edge
  const { width, height } = svg.viewBox.baseVal, place = [-margin, -margin, width + 2 * margin, height + 2 * margin];
  svg.setAttribute('viewBox', place.join(' '));
  const white = document.createElementNS(svg.namespaceURI, 'rect');
  ['x', 'y', 'width', 'height'].forEach((name, at) => white.setAttribute(name, place[at]));
  white.setAttribute('fill', '#ffffff');
  svg.prepend(white);
};
const standing = (text, family, margin) => {  // the SVG in the document, out of sight, without what a picture must not bring
  const svg = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  if (svg.tagName !== 'svg') throw new Error('no SVG');
  svg.querySelectorAll('script, foreignObject').forEach((each) => each.remove());
  const width = Number.parseFloat(svg.getAttribute('width')), height = Number.parseFloat(svg.getAttribute('height'));
  if (!svg.getAttribute('viewBox')) svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('font-family', family);
  if (margin) widen(svg, margin);
  svg.querySelectorAll('text').forEach((each) => { each.style.fontFamily = family; });
  const host = document.createElement('div');
  host.style.cssText = 'position:fixed;left:-99999px;top:0;';
  host.attachShadow({ mode: 'open' }).appendChild(svg);  // no style of the page applies
  document.body.appendChild(host);
  return { svg, remove: () => host.remove() };
};
const sized = (svg, mm) => {
  const { width, height } = svg.viewBox.baseVal, copy = svg.cloneNode(true);
  copy.setAttribute('width', `${mm}mm`);
  copy.setAttribute('height', `${(mm * height / width).toFixed(3)}mm`);
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' });
};
const pngOf = async (svg, mm) => {
  const { width, height } = svg.viewBox.baseVal, picture = new Image(), copy = svg.cloneNode(true);
  const wide = Math.min(mm / 25.4 * DPI, MAX_SIDE, MAX_SIDE * width / height), canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [Math.round(wide), Math.round(wide * height / width)];
  copy.setAttribute('width', canvas.width);
  copy.setAttribute('height', canvas.height);
  const address = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' }));
  try {
    picture.src = address;
    await picture.decode();
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('empty'))), 'image/png'));
  } finally { URL.revokeObjectURL(address); }
};
const download = (blob, name) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
const save = async (source, { format, mm, points, face }) => {
  const family = FAMILIES[face], text = source.svg ?? await svgOfPlot(source.plot, { mm, points, family });
  const { svg, remove } = standing(text, family, source.plot ? MARGIN : 0);
  try {
    await document.fonts.ready;
    const make = { svg: () => sized(svg, mm), png: () => pngOf(svg, mm), pdf: () => pdfOf(svg, mm, face) };
    download(await make[format](), `${source.name}.${format}`);
  } finally { remove(); }
};

export default function({ parentElement }) {
  const dialog = parentElement.querySelector('dialog'), form = dialog.querySelector('form'), status = dialog.querySelector('[role=status]');
  let source = null;
  const open = (asked) => {
    source = asked;
    status.textContent = '';
    form.elements.points.disabled = Boolean(asked.svg);  // drawn already: its text grows with its width
    dialog.showModal();
  };
  const onClick = (event) => {
    const button = event.composedPath().find((each) => each.classList?.contains('modebar-btn')), plot = button?.closest('.js-plotly-plot');
    if (!plot) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    open({ plot, name: plot._context.toImageButtonOptions.filename || 'picture' });
  };
  const onAsked = (event) => open(event.detail);
  form.onsubmit = async (event) => {
    event.preventDefault();
    const { format, width, points, face, save: button } = form.elements;
    status.textContent = 'Drawing …';
    button.disabled = true;
    try {
      await save(source, { format: format.value, mm: 10 * Number(width.value), points: Number(points.value), face: face.value });
      dialog.close();
    } catch {
      status.textContent = 'This browser could not draw the file; try another format.';
    } finally { button.disabled = false; }
  };
  dialog.querySelector('[value=cancel]').onclick = () => dialog.close();
  document.addEventListener('click', onClick, true);
  document.addEventListener('s2s save picture', onAsked);
  const unfit = fitPaper();
  return () => {
    unfit();
    document.removeEventListener('click', onClick, true);
    document.removeEventListener('s2s save picture', onAsked);
  };
}
