// Unpacks Plotly, which the file holds compressed, and draws the figures one after the other in the colors of the scheme:
// black on white on paper. Text and tables are painted before, since Plotly takes a moment to start.
(async () => {
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
  const charts = [...document.querySelectorAll('.chart')];
  const figures = charts.map((chart) => JSON.parse(chart.querySelector('script').textContent));
  try {
    const packed = atob(document.getElementById('plotly').textContent.trim());
    const bytes = new Uint8Array(packed.length);
    for (let at = 0; at < packed.length; at++) bytes[at] = packed.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const source = document.createElement('script');
    source.textContent = await new Response(stream).text();
    document.head.append(source);
  } catch {
    for (const chart of charts) chart.textContent = 'This browser is too old to draw the figure; open the file in a newer one.';
    return;
  }
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let isDark = dark.matches;
  const template = () => {
    const ink = isDark ? '#E8ECF1' : '#0C131D';
    const axis = { gridcolor: isDark ? '#2C3643' : '#dde2e9', linecolor: ink, tickcolor: ink, zerolinecolor: isDark ? '#465364' : '#c3cad4', automargin: true };
    return { layout: {
      font: { color: ink, family: 'system-ui, sans-serif', size: 13 }, paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)',
      colorway: CATEGORICAL, xaxis: axis, yaxis: axis, hoverlabel: { align: 'left' },
    } };
  };
  const draw = (at) => {
    charts[at].querySelector(':scope > script')?.remove();
    return Plotly.react(charts[at], figures[at].data, { ...figures[at].layout, template: template() },
      { displaylogo: false, responsive: true, scrollZoom: false, displayModeBar: false });
  };
  const drawAll = (inDark) => {
    isDark = inDark;
    return Promise.all(charts.map((_, at) => draw(at)));
  };
  dark.addEventListener('change', () => drawAll(dark.matches));
  addEventListener('beforeprint', () => drawAll(false));
  addEventListener('afterprint', () => drawAll(dark.matches));
  for (const at of charts.keys()) {
    await draw(at);
    await new Promise((painted) => setTimeout(painted));
  }
  document.documentElement.dataset.drawn = charts.length;
})();
