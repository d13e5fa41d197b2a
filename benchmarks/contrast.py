"""The contrast of every text on a page with its background, as Chromium computes both."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

KEPT = 5

# Colors are read through a canvas, which parses every notation. The background of a text is what its ancestors paint,
# from
# the root down, each with its alpha and the opacity of all above it. WCAG 2.1, 1.4.3: 4.5, or 3 from 24 px (bold: 18.66
# px) on.
# Left out: disabled controls, icon fonts, images (svg, canvas), elements outside the screen or of one pixel, the
# value of a slider (it stands next to the thumb, its parent).
WALK = """kept => {
  const canvas = Object.assign(document.createElement('canvas'), {width: 1, height: 1});
  const context = canvas.getContext('2d', {willReadFrequently: true});
  const known = new Map();
  const once = (key, compute) => (known.has(key) || known.set(key, compute()), known.get(key));
  const read = color => once(color, () => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  });
  const over = ([r, g, b, a], below) => [r, g, b].map((part, i) => a * part + (1 - a) * below[i]);
  const bright = color => {
    const linear = part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = color.map(part => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [high, low] = [bright(one), bright(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const faded = ([r, g, b, a], opacity) => [r, g, b, a * opacity];
  const painted = element => element ? once(element, () => {
    const below = painted(element.parentElement), style = getComputedStyle(element);
    const opacity = below.opacity * Number(style.opacity);
    return {ground: over(faded(read(style.backgroundColor), opacity), below.ground), opacity};
  }) : {ground: [255, 255, 255], opacity: 1};
  const isLeftOut = element =>
    element.closest('svg, canvas, script, style, noscript, [disabled], [aria-disabled=true]')
    || element.closest('[data-testid=stIconMaterial], [data-testid=stSliderThumbValue]')
    || /Material Symbols/.test(getComputedStyle(element).fontFamily)
    || !element.checkVisibility({opacityProperty: true, visibilityProperty: true});
  const isSeen = box => box.width > 1.5 && box.height > 1.5 && box.right > 0 && box.bottom > 0 && box.left < innerWidth;
  const place = element => {
    const named = element.closest('[data-testid], [class*=st-key-]');
    const name = named?.dataset.testid || named?.className.match(/st-key-[\\w-]+/)?.[0] || '';
    return `${name} ${element.tagName.toLowerCase()}`;
  };
  const found = new Map();
  const measure = (element, text, box, color) => {
    if (!text.trim() || isLeftOut(element) || !isSeen(box)) return;
    const style = getComputedStyle(element), {ground, opacity} = painted(element), size = parseFloat(style.fontSize);
    const needs = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const value = ratio(over(faded(read(color), opacity), ground), ground);
    const key = `${place(element)} ${value.toFixed(2)}`;
    if (!found.has(key))
      found.set(key, {
        ratio: Math.round(value * 100) / 100, needs, text: text.trim().slice(0, 40), place: place(element),
      });
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    measure(node.parentElement, node.data, range.getBoundingClientRect(), getComputedStyle(node.parentElement).color);
  }
  for (const box of document.querySelectorAll('input, textarea')) {
    if (['checkbox', 'radio', 'file', 'range', 'hidden'].includes(box.type)) continue;
    const color = box.value ? getComputedStyle(box).color : getComputedStyle(box, '::placeholder').color;
    measure(box, box.value || box.placeholder, box.getBoundingClientRect(), color);
  }
  return [...found.values()].sort((a, b) => a.ratio / a.needs - b.ratio / b.needs).slice(0, kept);
}"""


def lowest(page: Page) -> list[dict[str, Any]]:
    """The texts with the lowest contrast relative to what they need, worst first: `ratio`, `needs`, `text`, `place`."""
    found: list[dict[str, Any]] = page.evaluate(WALK, KEPT)
    return found
