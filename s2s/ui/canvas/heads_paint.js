// Draws the heads: bytes in, pixels out. Read before heads.js, as one module with it; knows nothing of clicks.
const ROLE_HEIGHT = 19;  // pixels below each head
const PALETTE = [4, 772];  // bytes of 256 RGB colors, after four bytes with the header's length
const unpack = (data) => {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data.buffer ?? data);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true), rgb = bytes.subarray(...PALETTE);
  const sheet = JSON.parse(new TextDecoder().decode(bytes.subarray(PALETTE[1], PALETTE[1] + length)));
  sheet.pixels = bytes.subarray(PALETTE[1] + length);
  sheet.colors = Uint32Array.from({ length: 256 }, (_, byte) => {
    const at = 3 * Math.round(byte * byte / 255);  // a byte is the square root of a weight
    return 0xff000000 | rgb[at + 2] << 16 | rgb[at + 1] << 8 | rgb[at];
  });
  return sheet;
};
const byteAt = (sheet, { layer, head, row, key }) =>
  sheet.pixels[((layer * sheet.heads + head) * sheet.rows.length + row) * sheet.keys.length + key];
const place = (element, [left, top, width, height]) => {
  Object.assign(element.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
};

// The layout in CSS pixels: one tile per head, or one for an enlarged head.
const layOut = (sheet, width, enlarged) => {
  const rows = sheet.rows.length, keys = sheet.keys.length;
  if (enlarged) {
    const longest = Math.max(...sheet.rows.map((token) => token.length));
    const left = Math.min(96, width / 4, 14 + 7 * longest), top = 78, cell = Math.min(40, (width - left) / keys);
    const wide = Math.floor(cell * keys), high = Math.round(Math.min(1.2 * width, Math.max(cell, 3) * rows));
    return { left, top, gap: 0, below: 0, wide, high, layers: [enlarged[0]], heads: [enlarged[1]] };
  }
  const gap = sheet.heads > 12 ? 3 : 6, left = 34, top = 30;
  const below = sheet.roles.length ? ROLE_HEIGHT : 0;
  const wide = Math.max(6, Math.min(200, Math.floor((width - left - 5) / sheet.heads) - gap));
  const high = Math.round(wide * Math.min(1.4, Math.max(0.7, rows / keys)));
  return { left, top, gap, below, wide, high, layers: [...Array(sheet.layers).keys()], heads: [...Array(sheet.heads).keys()] };
};
const tileOf = (layout, layer, head) => {  // -1 stands for all of them
  const { left, top, gap, below, wide, high, layers, heads } = layout, line = high + gap + below;
  const [row, column] = [Math.max(0, layers.indexOf(layer)), Math.max(0, heads.indexOf(head))];
  const [n_rows, n_columns] = [layer < 0 ? layers.length : 1, head < 0 ? heads.length : 1];
  return [left + column * (wide + gap), top + row * line, n_columns * (wide + gap) - gap, n_rows * line - gap - below];
};

// A pixel that covers several weights shows the largest of them: a thin diagonal must not fall between two.
const spansOf = (n, size) => Array.from({ length: size }, (_, at) => {
  const start = Math.floor(at * n / size);
  return [start, size >= n ? start + 1 : Math.max(start + 1, Math.ceil((at + 1) * n / size))];
});
const drawHead = (sheet, out, stride, [left, top, width, height], head, perRow) => {
  const n = sheet.keys.length, rows = sheet.rows.length, line = new Uint8Array(n);
  const down = spansOf(rows, height), across = spansOf(n, width);
  const first = head * rows * n, pixels = sheet.pixels;
  for (let y = 0; y < height; y++) {
    const to = (top + y) * stride + left, [start, end] = down[y];
    if (y && start === down[y - 1][0] && end === down[y - 1][1]) {
      out.copyWithin(to, to - stride, to - stride + width);
      continue;
    }
    line.fill(0);
    for (let row = start; row < end; row++) {
      const from = first + row * n;
      let largest = 255;
      if (perRow) {
        largest = 1;
        for (let key = 0; key < n; key++) if (pixels[from + key] > largest) largest = pixels[from + key];
      }
      for (let key = 0; key < n; key++) {
        const value = largest === 255 ? pixels[from + key] : Math.round(255 * pixels[from + key] / largest);
        if (value > line[key]) line[key] = value;
      }
    }
    for (let x = 0; x < width; x++) {
      let value = line[across[x][0]];
      for (let key = across[x][0] + 1; key < across[x][1]; key++) if (line[key] > value) value = line[key];
      out[to + x] = sheet.colors[value];
    }
  }
};
const paint = (box) => {
  const { sheet, layout, canvas, perRow } = box, ratio = Math.min(2, window.devicePixelRatio || 1);
  const [left, top, width, height] = tileOf(layout, -1, -1);
  place(canvas, [left, top, width, height]);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d'), image = context.createImageData(canvas.width, canvas.height);
  const out = new Uint32Array(image.data.buffer);
  for (const layer of layout.layers) for (const head of layout.heads) {
    const [x, y, wide, high] = tileOf(layout, layer, head);
    const [tileX, tileY] = [x - left, y - top].map((value) => Math.round(value * ratio));
    const tileWide = Math.min(Math.round(wide * ratio), canvas.width - tileX);
    const tileHigh = Math.min(Math.round(high * ratio), canvas.height - tileY);
    drawHead(sheet, out, canvas.width, [tileX, tileY, tileWide, tileHigh], layer * sheet.heads + head, perRow);
  }
  context.putImageData(image, 0, 0);
  box.style.height = `${top + height + layout.below + 5}px`;
  canvas.dataset.painted = `${sheet.stamp} ${box.enlarged ? box.enlarged.join('.') : 'all'}`;
};
