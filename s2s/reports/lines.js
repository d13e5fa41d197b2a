// Hovering or tapping a token keeps only its lines. A heatmap has no such tokens: its cells show their weights.
for (const picture of document.querySelectorAll('figure svg')) {
  const lines = [...picture.querySelectorAll('g[data-row]')];
  const keep = (side, at) => {
    picture.classList.toggle('one', at !== undefined);
    for (const line of lines) line.classList.toggle('own', line.dataset[side] === at);
  };
  for (const token of picture.querySelectorAll('text[data-row], text[data-key]')) {
    const side = 'row' in token.dataset ? 'row' : 'key';
    token.onpointerenter = () => keep(side, token.dataset[side]);
    token.onpointerleave = () => keep(side);
  }
}
