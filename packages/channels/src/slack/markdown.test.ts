import { escapeMarkdown, toPlainText } from './markdown';

const values = [
  ['[Sign in](https://evil.org)', '\\[Sign in\\](https://evil.org)'],
  ['![x](https://evil.org/i.png)', '!\\[x\\](https://evil.org/i.png)'],
  ['*a* __b__ ~~c~~ `d`', '\\*a\\* \\_\\_b\\_\\_ \\~\\~c\\~\\~ \\`d\\`'],
  ['# a\n- b\n+ c\n1. d\n2) e\n==', '\\# a\n\\- b\n\\+ c\n1\\. d\n2\\) e\n\\=='],
  ['2024-01-02, 1.5 + 1', '2024-01-02, 1.5 + 1'],
  ['<!channel> & <https://x.org|x>', '&lt;!channel&gt; &amp; &lt;https://x.org\\|x&gt;'],
  ['\\[a](b)', '\\\\\\[a\\](b)'],
] as const;

test.each(values)('the value %j becomes %j, so that it is not markup', (value, markdown) => {
  expect(escapeMarkdown(value)).toBe(markdown);
});

test.each(values)('and shows as %j', (value, markdown) => {
  expect(toPlainText(markdown)).toBe(value);
});
