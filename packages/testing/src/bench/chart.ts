export type Chart = {
  title: string;
  unit: string;
  /** Names of the bars of each group, in order. */
  series: readonly string[];
  groups: readonly { label: string; values: readonly number[] }[];
};

const width = 760;
const labelWidth = 290;
const valueWidth = 90;
const barHeight = 16;
const groupGap = 12;
const top = 64;
/** Readable on white and on black; the text follows the reader's color scheme. */
const colours = ['#2f81f7', '#d29922'];

/** A grouped bar chart as an SVG that is readable on a light and on a dark page. */
export function renderBarChart({ title, unit, series, groups }: Chart): string {
  const largest = Math.max(...groups.flatMap(({ values }) => values));
  const groupHeight = series.length * barHeight + groupGap;
  const height = top + groups.length * groupHeight;
  const rows = groups.flatMap(({ label, values }, index) => {
    const y = top + index * groupHeight;
    const middle = y + (series.length * barHeight) / 2 + 4;
    return [
      `<text class="name" x="${labelWidth - 10}" y="${middle}" text-anchor="end">${escapeXml(label)}</text>`,
      ...values.map((value, bar) => renderBar({ value, largest, bar, y: y + bar * barHeight })),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<style>${style}</style>`,
    `<text class="title" x="0" y="20">${escapeXml(title)} (${escapeXml(unit)})</text>`,
    ...(series.length > 1 ? series.map(renderLegend) : []),
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

const style = [
  'text{font:13px system-ui,sans-serif;fill:#1f2328}',
  '.title{font-weight:600;font-size:15px}',
  '@media(prefers-color-scheme:dark){text{fill:#e6edf3}}',
].join('');

type Bar = { value: number; largest: number; bar: number; y: number };

function renderBar({ value, largest, bar, y }: Bar): string {
  const barSpace = width - labelWidth - valueWidth;
  const length = Math.max(1, Math.round((value / largest) * barSpace));
  return (
    `<rect x="${labelWidth}" y="${y}" width="${length}" height="${barHeight - 3}" fill="${colours[bar]}"/>` +
    `<text x="${labelWidth + length + 8}" y="${y + barHeight - 5}">${formatValue(value)}</text>`
  );
}

function renderLegend(name: string, index: number): string {
  const x = index * 90;
  return (
    `<rect x="${x}" y="34" width="12" height="12" fill="${colours[index]}"/>` +
    `<text x="${x + 18}" y="45">${escapeXml(name)}</text>`
  );
}

function formatValue(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(value);
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
