// Unpacks Plotly, which the file holds compressed, and draws every figure in the colors of the scheme: black on white on paper.
// Text and tables are painted before, since Plotly takes a second to start.
(async () => {
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
  const charts = [...document.querySelectorAll('.chart')];
  const figures = charts.map((chart) => JSON.parse(chart.querySelector('script').textContent));
  try {
    const packed = document.getElementById('plotly').textContent.trim();
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const source = document.createElement('script');
    source.textContent = await new Response(stream).text();
    document.head.append(source);
  } catch {
    for (const chart of charts) chart.textContent = 'This browser is too old to draw the figure; open the file in a newer one.';
    return;
  }
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const template = (isDark) => {
    const ink = isDark ? '#E8ECF1' : '#0C131D';
    const axis = { gridcolor: isDark ? '#2C3643' : '#dde2e9', linecolor: ink, tickcolor: ink, zerolinecolor: isDark ? '#465364' : '#c3cad4', automargin: true };
    return { layout: {
      font: { color: ink, family: 'system-ui, sans-serif', size: 13 }, paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)',
      colorway: CATEGORICAL, xaxis: axis, yaxis: axis, hoverlabel: { align: 'left' },
    } };
  };
  const draw = (isDark) => charts.map((chart, at) => Plotly.react(chart, figures[at].data,
    { ...figures[at].layout, template: template(isDark) },
    { displaylogo: false, responsive: true, scrollZoom: false, displayModeBar: false }));
  for (const chart of charts) chart.textContent = '';
  await Promise.all(draw(dark.matches));
  document.documentElement.dataset.drawn = charts.length;
  dark.addEventListener('change', () => draw(dark.matches));
  addEventListener('beforeprint', () => draw(false));
  addEventListener('afterprint', () => draw(dark.matches));
})();
