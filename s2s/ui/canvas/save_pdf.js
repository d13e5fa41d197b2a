// Writes an SVG that is in the document as a PDF of one page: paths and text stay vectors. Read before save_picture.js, as
// one module with it. What a figure of ours does not use (gradients, filters, masks) is not translated.
const FACES = { sans: ['Helvetica', 'Helvetica-Bold'], serif: ['Times-Roman', 'Times-Bold'], mono: ['Courier', 'Courier-Bold'] };
const POINTS_PER_MM = 72 / 25.4;
// What WinAnsi, the encoding of PDF's own fonts, holds beside Latin-1; its hyphen stands for the minus sign, too.
const WIN_ANSI = { '\u2212': 0x96, '–': 0x96, '—': 0x97, '…': 0x85, '‘': 0x91, '’': 0x92, '“': 0x93, '”': 0x94, '•': 0x95, '€': 0x80,
  'œ': 0x9c, 'Œ': 0x8c, '\u00a0': 0x20 };
const KNOWN = ` -~\u00a0-\u00ff${Object.keys(WIN_ANSI).join('')}`, RUNS = new RegExp(`[${KNOWN}]+|[^${KNOWN}]+`, 'gu');
const byteOf = (character) => WIN_ANSI[character] ?? character.codePointAt(0);
const number = (value) => String(Math.round(value * 1e4) / 1e4);
const numbers = (...values) => values.map(number).join(' ');

// The commands of a path as absolute lines and cubic curves. PDF has no other curves: these become short lines, along points
// that the browser computes.
const curvesOf = (d) => {
  const out = [], parts = d.match(/[a-zA-Z]|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi) || [];
  let at = 0, x = 0, y = 0, startX = 0, startY = 0, command = '';
  const take = () => Number(parts[at++]);
  while (at < parts.length) {
    if (/[a-zA-Z]/.test(parts[at])) command = parts[at++];
    const upper = command.toUpperCase(), [baseX, baseY] = command === upper ? [0, 0] : [x, y], n = { A: 7, Q: 4 }[upper];
    if (upper === 'Z') { out.push('h'); [x, y] = [startX, startY]; continue; }
    if (upper === 'M') {
      [x, y] = [baseX + take(), baseY + take()];
      [startX, startY] = [x, y];
      out.push(`${numbers(x, y)} m`);
      command = command === 'M' ? 'L' : 'l';
    } else if (upper === 'C') {
      const values = [0, 1, 2].flatMap(() => [baseX + take(), baseY + take()]);
      out.push(`${numbers(...values)} c`);
      [x, y] = values.slice(4);
    } else if (n) {
      const points = pointsAlong(`M${x} ${y}${command}${parts.slice(at, at + n).join(' ')}`);
      out.push(...points.map((point) => `${numbers(point.x, point.y)} l`));
      ({ x, y } = points.at(-1));
      at += n;
    } else {
      if (upper !== 'V') x = baseX + take();
      if (upper !== 'H') y = baseY + take();
      out.push(`${numbers(x, y)} l`);
    }
  }
  return out;
};
const pointsAlong = (d) => {  // at most a pixel apart, so that no corner shows
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', d);
  const length = path.getTotalLength(), n = Math.ceil(length) + 8;
  return Array.from({ length: n }, (_, index) => path.getPointAtLength(length * (index + 1) / n));
};
const shapeOf = (element) => {  // as commands of PDF; null for what has no outline
  const value = (name) => element[name].baseVal.value;  // which may be a percentage
  if (element.tagName === 'path') return curvesOf(element.getAttribute('d') || '');
  if (element.tagName === 'rect') {
    const [x, y, width, height, r] = ['x', 'y', 'width', 'height', 'rx'].map(value), corner = `a${r} ${r} 0 0 1 `;
    if (!r) return [`${numbers(x, y, width, height)} re`];
    return curvesOf(`M${x + r} ${y}h${width - 2 * r}${corner}${r} ${r}v${height - 2 * r}${corner}${-r} ${r}`
      + `h${2 * r - width}${corner}${-r} ${-r}v${2 * r - height}${corner}${r} ${-r}Z`);
  }
  if (element.tagName === 'line') return curvesOf(`M${value('x1')} ${value('y1')}L${value('x2')} ${value('y2')}`);
  if (element.tagName === 'circle') {
    const [x, y, r] = ['cx', 'cy', 'r'].map(value);
    return curvesOf(`M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`);
  }
  if (element.tagName === 'polygon') return curvesOf(`M${element.getAttribute('points')}Z`);
  return null;
};
const rgbOf = (color) => {  // red, green, blue and opacity from 0 to 1; null for none
  const found = color.match(/^rgba?\(([^)]*)\)/);
  if (!found) return null;
  const [red, green, blue, alpha = 1] = found[1].split(/[\s,/]+/).map(Number);
  return alpha ? [red / 255, green / 255, blue / 255, alpha] : null;
};

class PdfWriter {
  constructor(face) { this.face = face; this.content = []; this.images = []; this.states = new Map(); }

  state(fill, stroke) {
    const key = `${number(fill)} ${number(stroke)}`;
    if (!this.states.has(key)) this.states.set(key, `G${this.states.size}`);
    this.content.push(`/${this.states.get(key)} gs`);
  }

  async element(element, opacity) {
    const tag = element.tagName, style = getComputedStyle(element);
    if (['defs', 'clipPath', 'title', 'desc', 'style', 'metadata'].includes(tag) || style.display === 'none') return;
    const shown = opacity * Number(style.opacity);
    if (!shown) return;
    this.content.push('q');
    const matrix = element.transform?.baseVal.consolidate()?.matrix;
    if (matrix) this.content.push(`${numbers(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)} cm`);
    this.clip(element);
    if (tag === 'text') await this.text(element, shown);
    else if (tag === 'image') await this.image(element, shown);
    else if (shapeOf(element)) this.shape(shapeOf(element), style, shown);
    else for (const child of element.children) await this.element(child, shown);
    this.content.push('Q');
  }

  clip(element) {
    const id = (element.getAttribute('clip-path') || '').match(/#([^'")]+)/)?.[1];
    const shapes = id && element.ownerSVGElement?.querySelector(`[id="${id}"]`)?.children;
    if (shapes?.length) this.content.push(...[...shapes].flatMap((each) => shapeOf(each) || []), 'W n');
  }

  shape(path, style, opacity) {
    if (style.visibility === 'hidden' || !path.length) return;
    const fill = rgbOf(style.fill) || (style.fill.startsWith('url') ? [0.6, 0.6, 0.6, 1] : null);
    const width = Number.parseFloat(style.strokeWidth), stroke = width ? rgbOf(style.stroke) : null;
    if (!fill && !stroke) return;
    this.state((fill?.[3] ?? 1) * style.fillOpacity * opacity, (stroke?.[3] ?? 1) * style.strokeOpacity * opacity);
    if (fill) this.content.push(`${numbers(...fill.slice(0, 3))} rg`);
    if (stroke) {
      const dash = style.strokeDasharray === 'none' ? '' : style.strokeDasharray.split(/[\s,]+/).map(Number.parseFloat).map(number).join(' ');
      this.content.push(`${numbers(...stroke.slice(0, 3))} RG ${number(width)} w [${dash}] 0 d`);
    }
    this.content.push(...path, fill && stroke ? 'B' : fill ? 'f' : 'S');
  }

  async text(element, opacity) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let at = 0;  // the character's number within the element
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (['title', 'desc'].includes(node.parentElement.tagName)) continue;
      const style = getComputedStyle(node.parentElement), words = node.data;
      if (at + words.length > element.getNumberOfChars()) return;  // spaces that the browser leaves out
      for (const run of words.match(RUNS) || []) {
        if (run.trim() && style.visibility !== 'hidden') await this.words(element, at, run, style, opacity);
        at += run.length;
      }
    }
  }

  async words(element, at, words, style, opacity) {
    const size = Number.parseFloat(style.fontSize), start = element.getStartPositionOfChar(at);
    const color = rgbOf(style.fill), turn = element.getRotationOfChar(at) * Math.PI / 180;
    if (!color || !size) return;
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)], bytes = [...words].map(byteOf);
    if (bytes.some((byte) => byte > 255)) {
      await this.drawnWords(words, style, start, [cos, sin], element.getSubStringLength(at, words.length));
      return;
    }
    this.state(color[3] * style.fillOpacity * opacity, 1);
    const coded = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const bold = Number(style.fontWeight) >= 600 ? 1 : 0;
    this.content.push(`BT ${numbers(...color.slice(0, 3))} rg /F${bold} ${number(size)} Tf`
      + ` ${numbers(cos, sin, sin, -cos, start.x, start.y)} Tm <${coded}> Tj ET`);
  }

  async drawnWords(words, style, start, [cos, sin], length) {  // letters that PDF's own fonts lack, as a picture
    const size = Number.parseFloat(style.fontSize), scale = 6, canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.ceil((length + 2) * scale), Math.ceil(size * 1.6 * scale)];
    const context = canvas.getContext('2d');
    context.font = `${style.fontWeight} ${size * scale}px ${style.fontFamily}`;
    context.fillStyle = style.fill;
    context.fillText(words, 0, size * 1.2 * scale);
    const name = await this.picture(canvas), [wide, high] = [canvas.width / scale, canvas.height / scale];
    this.content.push('q', `${numbers(cos, sin, -sin, cos, start.x, start.y)} cm`,
      `${numbers(wide, 0, 0, -high, 0, size * 0.4)} cm /${name} Do`, 'Q');
  }

  async image(element, opacity) {
    const picture = new Image();
    picture.src = element.href.baseVal;
    await picture.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [picture.naturalWidth, picture.naturalHeight];
    canvas.getContext('2d').drawImage(picture, 0, 0);
    const name = await this.picture(canvas), size = (key) => element[key].baseVal.value;
    this.state(opacity, opacity);
    this.content.push(`${numbers(size('width'), 0, 0, -size('height'), size('x'), size('y') + size('height'))} cm /${name} Do`);
  }

  async picture(canvas) {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height), n = data.length / 4;
    const colors = new Uint8Array(3 * n), alpha = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      colors.set(data.subarray(4 * i, 4 * i + 3), 3 * i);
      alpha[i] = data[4 * i + 3];
    }
    const name = `I${this.images.length}`;
    this.images.push({ name, width: canvas.width, height: canvas.height, colors: await deflated(colors), alpha: await deflated(alpha) });
    return name;
  }
}
const deflated = async (bytes) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))).arrayBuffer());

const pdfOf = async (svg, widthMm, face) => {
  const { x, y, width, height } = svg.viewBox.baseVal, scale = widthMm * POINTS_PER_MM / width;
  const writer = new PdfWriter(face);
  writer.content.push(`${numbers(scale, 0, 0, -scale, -x * scale, (height + y) * scale)} cm`);
  for (const child of svg.children) await writer.element(child, 1);
  const chunks = [], offsets = [], encoder = new TextEncoder();
  let length = 0;
  const add = (part) => { const bytes = typeof part === 'string' ? encoder.encode(part) : part; chunks.push(bytes); length += bytes.length; };
  const object = (head, body) => {
    offsets.push(length);
    add(`${offsets.length} 0 obj\n<<${head}${body ? `/Length ${body.length}` : ''}>>\n`);
    if (body) { add('stream\n'); add(body); add('\nendstream\n'); }
    add('endobj\n');
  };
  add('%PDF-1.4\n');
  const first = 6, states = [...writer.states];
  const named = writer.images.map(({ name }, at) => `/${name} ${first + 2 * at} 0 R`).join('');
  const graphics = states.map(([key, name]) => `/${name}<</ca ${key.split(' ')[0]}/CA ${key.split(' ')[1]}>>`).join('');
  object('/Type/Catalog/Pages 2 0 R');
  object('/Type/Pages/Kids[3 0 R]/Count 1');
  object(`/Type/Page/Parent 2 0 R/MediaBox[0 0 ${numbers(width * scale, height * scale)}]/Contents 5 0 R/Resources 4 0 R`);
  const fonts = FACES[face].map((name, at) => `/F${at}<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`).join('');
  object(`/Font<<${fonts}>>/ExtGState<<${graphics}>>/XObject<<${named}>>`);
  object('/Filter/FlateDecode', await deflated(encoder.encode(writer.content.join('\n'))));
  writer.images.forEach(({ width: wide, height: high, colors, alpha }, at) => {
    const shape = `/Type/XObject/Subtype/Image/Width ${wide}/Height ${high}/BitsPerComponent 8/Filter/FlateDecode`;
    object(`${shape}/ColorSpace/DeviceRGB/SMask ${first + 2 * at + 1} 0 R`, colors);
    object(`${shape}/ColorSpace/DeviceGray`, alpha);
  });
  const start = length;
  add(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n`);
  for (const offset of offsets) add(`${String(offset).padStart(10, '0')} 00000 n \n`);
  add(`trailer\n<</Size ${offsets.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`);
  return new Blob(chunks, { type: 'application/pdf' });
};
