"""The part of the heads' canvas that draws, as the text of a script: bytes in, pixels out. Knows nothing of clicks."""

PAINT = """
const unpacked = (data) => {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data.buffer ?? data);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true), rgb = bytes.subarray(4, 772);
  const sheet = JSON.parse(new TextDecoder().decode(bytes.subarray(772, 772 + length)));
  sheet.pixels = bytes.subarray(772 + length);
  sheet.colours = Uint32Array.from({ length: 256 }, (_, byte) => {
    const at = 3 * Math.round(byte * byte / 255);  // a byte is the root of a weight
    return 0xff000000 | rgb[at + 2] << 16 | rgb[at + 1] << 8 | rgb[at];
  });
  return sheet;
};
const byteAt = (sheet, at) => sheet.pixels[((at.layer * sheet.heads + at.head) * sheet.rows.length + at.row) * sheet.keys.length + at.key];
const place = (element, [left, top, width, height]) => {
  Object.assign(element.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
};

// Where everything stands, in pixels of the page: one box for a head, or for one alone.
const planned = (sheet, width, alone) => {
  const rows = sheet.rows.length, keys = sheet.keys.length;
  if (alone) {
    const longest = Math.max(...sheet.rows.map((token) => token.length));
    const left = Math.min(96, width / 4, 14 + 7 * longest), top = 78, cell = Math.min(40, (width - left) / keys);
    const wide = Math.floor(cell * keys), high = Math.round(Math.min(1.2 * width, Math.max(cell, 3) * rows));
    return { left, top, gap: 0, wide, high, down: [alone[0]], across: [alone[1]] };
  }
  const gap = sheet.heads > 12 ? 3 : 6, left = 34, top = 30;
  const wide = Math.max(6, Math.min(200, Math.floor((width - left - 5) / sheet.heads) - gap));
  const high = Math.round(wide * Math.min(1.4, Math.max(0.7, rows / keys)));
  return { left, top, gap, wide, high, down: [...Array(sheet.layers).keys()], across: [...Array(sheet.heads).keys()] };
};
const boxOf = (plan, layer, head) => {  // -1 stands for all of them
  const from = [Math.max(0, plan.down.indexOf(layer)), Math.max(0, plan.across.indexOf(head))];
  const n = [layer < 0 ? plan.down.length : 1, head < 0 ? plan.across.length : 1];
  return [plan.left + from[1] * (plan.wide + plan.gap), plan.top + from[0] * (plan.high + plan.gap),
    n[1] * (plan.wide + plan.gap) - plan.gap, n[0] * (plan.high + plan.gap) - plan.gap];
};

// Where a pixel stands for several weights it has the largest of them: a thin diagonal must not fall between two.
const spans = (n, size) => Array.from({ length: size }, (_, at) => {
  const start = Math.floor(at * n / size);
  return [start, size >= n ? start + 1 : Math.max(start + 1, Math.ceil((at + 1) * n / size))];
});
const drawn = (sheet, out, stride, [left, top, width, height], head, perRow) => {
  const n = sheet.keys.length, rows = sheet.rows.length, line = new Uint8Array(n);
  const down = spans(rows, height), across = spans(n, width);
  const first = head * rows * n, pixels = sheet.pixels;
  for (let y = 0; y < height; y++) {
    const to = (top + y) * stride + left, [start, end] = down[y];
    if (y && start === down[y - 1][0] && end === down[y - 1][1]) { out.copyWithin(to, to - stride, to - stride + width); continue; }
    line.fill(0);
    for (let row = start; row < end; row++) {
      const from = first + row * n;
      let most = 255;
      if (perRow) { most = 1; for (let key = 0; key < n; key++) if (pixels[from + key] > most) most = pixels[from + key]; }
      for (let key = 0; key < n; key++) {
        const value = most === 255 ? pixels[from + key] : Math.round(255 * pixels[from + key] / most);
        if (value > line[key]) line[key] = value;
      }
    }
    for (let x = 0; x < width; x++) {
      let value = line[across[x][0]];
      for (let key = across[x][0] + 1; key < across[x][1]; key++) if (line[key] > value) value = line[key];
      out[to + x] = sheet.colours[value];
    }
  }
};
const paint = (box) => {
  const { sheet, plan, canvas, perRow } = box, ratio = Math.min(2, window.devicePixelRatio || 1);
  const [left, top, width, height] = boxOf(plan, -1, -1);
  place(canvas, [left, top, width, height]);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d'), image = context.createImageData(canvas.width, canvas.height);
  const out = new Uint32Array(image.data.buffer);
  for (const layer of plan.down) for (const head of plan.across) {
    const [x, y, wide, high] = boxOf(plan, layer, head);
    const tile = [x - left, y - top].map((value) => Math.round(value * ratio));
    const size = [Math.min(Math.round(wide * ratio), canvas.width - tile[0]), Math.min(Math.round(high * ratio), canvas.height - tile[1])];
    drawn(sheet, out, canvas.width, [...tile, ...size], layer * sheet.heads + head, perRow);
  }
  context.putImageData(image, 0, 0);
  box.style.height = `${top + height + 5}px`;
  canvas.dataset.painted = `${sheet.stamp} ${box.alone ? box.alone.join('.') : 'all'}`;
};
"""
