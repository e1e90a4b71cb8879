import { renderBarChart } from './chart';

const chart = {
  title: 'Calls "a" <b>',
  unit: 'ms',
  series: ['p50', 'p99'],
  groups: [
    { label: 'Express & queue', values: [10, 40] },
    { label: 'Belfry', values: [5, 1_234.5] },
  ],
};

describe('a chart', () => {
  test('has a bar and a value for each figure, and the largest fills the width', () => {
    const svg = renderBarChart(chart);
    const lengths = [...svg.matchAll(/<rect x="290" [^>]*width="(\d+)"/g)].map((match) =>
      Number(match[1]),
    );
    expect(lengths).toHaveLength(4);
    expect(Math.max(...lengths)).toBe(380);
    expect(lengths.at(-1)).toBe(380);
    expect(svg).toContain('>1,235<');
  });

  test('is readable in light and dark mode, and escapes its texts', () => {
    const svg = renderBarChart(chart);
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg).toContain('Express &amp; queue');
    expect(svg).toContain('Calls &quot;a&quot; &lt;b>');
  });
});
