import { findSafeUrl } from './links';

const base = 'https://shop.example.com/orders/7';

describe('findSafeUrl', () => {
  test.each([
    ['https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['http://example.com', 'http://example.com/'],
    ['HTTPS://EXAMPLE.COM/A', 'https://example.com/A'],
    ['/orders/8', 'https://shop.example.com/orders/8'],
    ['8', 'https://shop.example.com/orders/8'],
    ['?page=2', 'https://shop.example.com/orders/7?page=2'],
    ['#top', 'https://shop.example.com/orders/7#top'],
    ['//example.com/a', 'https://example.com/a'],
  ])('accepts %s', (url, expected) => {
    expect(findSafeUrl(url, base)).toBe(expected);
  });

  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'blob:https://example.com/1',
    'file:///etc/passwd',
    'mailto:ana@example.com',
    'https://',
    '',
    undefined,
  ])('refuses %j', (url) => {
    expect(findSafeUrl(url, base)).toBeUndefined();
  });
});
