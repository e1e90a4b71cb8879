import { forceTheme } from './pages';

describe('an e-mail in the theme of the reader', () => {
  const html =
    '<style>@media screen and (prefers-color-scheme: DARK) { a { color: #fff } }</style>';

  test.each([
    ['dark', '@media screen and (min-width: 0)'],
    ['light', '@media screen and (max-width: 0)'],
  ] as const)('applies its theme rules: %s', (theme, rule) => {
    expect(forceTheme(html, theme)).toContain(rule);
  });

  test('keeps all other content', () => {
    const otherHtml = '<p>prefers-color-scheme: dark</p>';
    expect(forceTheme(otherHtml, 'dark')).toBe(otherHtml);
  });
});
