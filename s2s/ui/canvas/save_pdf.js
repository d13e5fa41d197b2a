// Writes an SVG that is in the document as a PDF of one page: paths and text stay vectors. Read before save_picture.js, as
// one module with it. What a figure of ours does not use (gradients, filters, masks) is not translated.
const FACES = { sans: ['Helvetica', 'Helvetica-Bold'], serif: ['Times-Roman', 'Times-Bold'], mono: ['Courier', 'Courier-Bold'] };
const POINTS_PER_MM = 72 / 25.4;
const WIN_ANSI = { '\u2212': 0x96, '–': 0x96, '—': 0x97, '…': 0x85, '‘': 0x91, '’': 0x92, '“': 0x93, '”': 0x94, '•': 0x95, '€': 0x80,
  'œ': 0x9c, 'Œ': 0x8c, '\u00a0': 0x20 };
const byteOf = (character) => {
  const code = character.codePointAt(0);
  return WIN_ANSI[character] ?? ((code >= 32 && code < 127) || (code >= 160 && code < 256) ? code : null);
};
const number = (value) => String(Math.round(value * 1e4) / 1e4);
const numbers = (...values) => values.map(number).join(' ');

// The commands of a path as absolute M, L, C and Z; arcs become curves (SVG 1.1, appendix F.6).
const curvesOf = (d) => {
  const out = [], parts = d.match(/[a-zA-Z]|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi) || [];
  let at = 0, x = 0, y = 0, startX = 0, startY = 0, command = '';
  const take = () => Number(parts[at++]);
  const flag = () => {  // two flags may stand together: `01`
    const text = parts[at];
    if (text.length > 1) { parts[at] = text.slice(1); return Number(text[0]); }
    return take();
  };
  while (at < parts.length) {
    if (/[a-zA-Z]/.test(parts[at])) command = parts[at++];
    const upper = command.toUpperCase(), [baseX, baseY] = command === upper ? [0, 0] : [x, y];
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
    } else if (upper === 'Q') {
      const [controlX, controlY, toX, toY] = [baseX + take(), baseY + take(), baseX + take(), baseY + take()];
      out.push(`${numbers(x + 2 / 3 * (controlX - x), y + 2 / 3 * (controlY - y),
        toX + 2 / 3 * (controlX - toX), toY + 2 / 3 * (controlY - toY), toX, toY)} c`);
      [x, y] = [toX, toY];
    } else if (upper === 'A') {
      const [rx, ry, turn, large, sweep, toX, toY] = [take(), take(), take(), flag(), flag(), baseX + take(), baseY + take()];
      out.push(...arc(x, y, Math.abs(rx), Math.abs(ry), turn * Math.PI / 180, large, sweep, toX, toY));
      [x, y] = [toX, toY];
    } else {
      if (upper !== 'V') x = baseX + take();
      if (upper !== 'H') y = baseY + take();
      out.push(`${numbers(x, y)} l`);
    }
  }
  return out;
};
const arc = (x1, y1, rx, ry, turn, large, sweep, x2, y2) => {
  if (!rx || !ry) return [`${numbers(x2, y2)} l`];
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)], [dx, dy] = [(x1 - x2) / 2, (y1 - y2) / 2];
  const [px, py] = [cos * dx + sin * dy, cos * dy - sin * dx];
  const grow = Math.sqrt(Math.max(1, (px / rx) ** 2 + (py / ry) ** 2));
  [rx, ry] = [rx * grow, ry * grow];
  const under = (rx * ry) ** 2 - (rx * py) ** 2 - (ry * px) ** 2;
  const factor = Math.sqrt(Math.max(0, under / ((rx * py) ** 2 + (ry * px) ** 2))) * (large === sweep ? -1 : 1);
  const [cx, cy] = [factor * rx * py / ry, -factor * ry * px / rx];
  const from = Math.atan2((py - cy) / ry, (px - cx) / rx);
  let angle = Math.atan2((-py - cy) / ry, (-px - cx) / rx) - from;
  if (sweep && angle < 0) angle += 2 * Math.PI;
  if (!sweep && angle > 0) angle -= 2 * Math.PI;
  const n = Math.max(1, Math.ceil(Math.abs(angle) / (Math.PI / 2) - 1e-9)), step = angle / n, handle = 4 / 3 * Math.tan(step / 4);
  const place = (a, b) => [cos * rx * a - sin * ry * b + cos * cx - sin * cy + (x1 + x2) / 2,
    sin * rx * a + cos * ry * b + sin * cx + cos * cy + (y1 + y2) / 2];
  return Array.from({ length: n }, (_, index) => {
    const [a, b] = [from + index * step, from + (index + 1) * step];
    const ends = [place(Math.cos(a) - handle * Math.sin(a), Math.sin(a) + handle * Math.cos(a)),
      place(Math.cos(b) + handle * Math.sin(b), Math.sin(b) - handle * Math.cos(b)), place(Math.cos(b), Math.sin(b))];
    return `${numbers(...ends.flat())} c`;
  });
};
const rectangle = (x, y, width, height) => [`${numbers(x, y, width, height)} re`];
const shapeOf = (element) => {
  const value = (name) => Number.parseFloat(element.getAttribute(name) || '0');
  if (element.tagName === 'path') return curvesOf(element.getAttribute('d') || '');
  if (element.tagName === 'rect') {
    const size = (name) => element[name].baseVal.value;  // which may be a percentage
    return rectangle(size('x'), size('y'), size('width'), size('height'));
  }
  if (element.tagName === 'line') return curvesOf(`M${value('x1')},${value('y1')}L${value('x2')},${value('y2')}`);
  if (element.tagName === 'circle') {
    const [x, y, r] = [value('cx'), value('cy'), value('r')];
    return curvesOf(`M${x - r},${y}A${r},${r} 0 1 0 ${x + r},${y}A${r},${r} 0 1 0 ${x - r},${y}Z`);
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
      if (words.trim() && style.visibility !== 'hidden') await this.words(element, at, words, style, opacity);
      at += words.length;
    }
  }

  async words(element, at, words, style, opacity) {
    const size = Number.parseFloat(style.fontSize), start = element.getStartPositionOfChar(at);
    const color = rgbOf(style.fill), turn = element.getRotationOfChar(at) * Math.PI / 180;
    if (!color || !size) return;
    const bytes = [...words].map(byteOf), [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    if (bytes.includes(null)) {
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
