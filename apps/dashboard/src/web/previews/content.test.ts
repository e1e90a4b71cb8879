import { fieldsOf, runsOfHtml, runsOfMrkdwn } from './content';

describe('the text of a preview', () => {
  test('shows what Slack would: bold words, the label of a link, and no escapes', () => {
    expect(runsOfMrkdwn('Order *88213* at <https://example.com/t|DHL> &amp; more')).toEqual([
      { text: 'Order ', isStrong: false },
      { text: '88213', isStrong: true },
      { text: ' at DHL & more', isStrong: false },
    ]);
  });

  test('never holds markup of a Telegram text', () => {
    const runs = runsOfHtml('<b>Hi</b> <script>alert(1)</script>&lt;b&gt;');
    expect(runs.map(({ text }) => text).join('')).toBe('Hi alert(1)<b>');
  });

  test.each([[null], [undefined], ['text'], [[1]], [7]])('survives %p as content', (content) => {
    expect(fieldsOf(content)).toEqual({});
  });
});
