import { readFileSync } from 'node:fs';
import path from 'node:path';
import { series } from './states';

/** WCAG 2.2, 1.4.11: graphics. */
const minContrast = 3;
type Color = readonly number[];

const read = (file: string) => readFileSync(path.join(__dirname, file), 'utf8');
const tokens = read('../styles/tokens.css');
const styles = read('overview.module.css');

function readToken(name: string, theme: 0 | 1): Color {
  const match = new RegExp(`--${name}: light-dark\\(#(\\w{6}), #(\\w{6})\\)`).exec(tokens);
  const hex = match?.[theme + 1] ?? '';
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
}

/** The color of a series on the background. */
function readFill(name: string, theme: 0 | 1, background: Color): Color {
  const rule = new RegExp(`\\n\\.${name} \\{([^}]*)\\}`).exec(styles)?.[1] ?? '';
  const fill = readToken(/fill: var\(--([\w-]+)\)/.exec(rule)?.[1] ?? '', theme);
  const opacity = Number(/fill-opacity: ([\d.]+)/.exec(rule)?.[1] ?? 1);
  return fill.map((value, index) => value * opacity + (background[index] ?? 0) * (1 - opacity));
}

function measureLuminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function measureContrast(one: Color, other: Color): number {
  const [low = 0, high = 0] = [one, other].map(measureLuminance).sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe.each([
  ['light', 0],
  ['dark', 1],
] as const)('in the %s theme', (_name, theme) => {
  test.each(series.map(({ name }) => name))(
    'a bar of %s messages has a contrast of 3:1 to the chart, also under the pointer',
    (name) => {
      for (const surface of ['bg', 'bg-hover']) {
        const background = readToken(surface, theme);
        const contrast = measureContrast(readFill(name, theme, background), background);
        expect(contrast).toBeGreaterThanOrEqual(minContrast);
      }
    },
  );
});
