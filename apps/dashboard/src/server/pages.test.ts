import { forceTheme } from './pages';

describe('a mail in the theme of its reader', () => {
  const html =
    '<style>@media screen and (prefers-color-scheme: DARK) { a { color: #fff } }</style>';

  test.each([
    ['dark', '@media screen and (min-width: 0)'],
    ['light', '@media screen and (max-width: 0)'],
  ] as const)('has its rules for it: %s', (theme, rule) => {
    expect(forceTheme(html, theme)).toContain(rule);
  });

  test('keeps everything else', () => {
    const otherHtml = '<p>prefers-color-scheme: dark</p>';
    expect(forceTheme(otherHtml, 'dark')).toBe(otherHtml);
  });
});
