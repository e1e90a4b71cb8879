import { parseMrkdwn, parsePlain, parseTelegram, parseWhatsapp, type Run } from './runs';

/** `text` for plain runs, `text:style` for others. */
const formatRuns = (runs: Run[]) =>
  runs.map(({ text, looks }) => (looks.length > 0 ? `${text}:${looks.join('+')}` : text));

describe('a preview text', () => {
  test.each<[string, (text: string) => Run[], string, string[]]>([
    ['Slack’s bold', parseMrkdwn, 'Order *88213* shipped', ['Order ', '88213:strong', ' shipped']],
    ['Slack’s link', parseMrkdwn, 'at <https://e.com/t|DHL> now', ['at ', 'DHL:link', ' now']],
    ['Slack’s mention', parseMrkdwn, '<!here> <@U012>', ['@here:link', ' ', '@U012:link']],
    ['Slack’s escapes', parseMrkdwn, '&lt;b&gt; &amp;lt;', ['<b> &lt;']],
    ['Slack’s quote', parseMrkdwn, 'a\n&gt; b', ['a\n', 'b:quote']],
    ['marks in code', parseMrkdwn, '`*a*`', ['*a*:code']],
    ['nested marks', parseWhatsapp, '_a *b* c_', ['a :em', 'b:em+strong', ' c:em']],
    ['WhatsApp’s strike', parseWhatsapp, '~old~ new', ['old:strike', ' new']],
    ['a mark within a word', parseWhatsapp, '2*3*4 a_b_c', ['2*3*4 a_b_c']],
    ['marks with nothing between', parseWhatsapp, '** __ * a *', ['** __ * a *']],
    ['a link', parsePlain, 'Track: https://e.com/t.', ['Track: ', 'https://e.com/t:link', '.']],
    ['Telegram’s tags', parseTelegram, '<b>a <i>b</i></b> c', ['a :strong', 'b:strong+em', ' c']],
    ['Telegram’s link', parseTelegram, '<a href="https://e.com">T</a>', ['T:link']],
    ['Telegram’s spoiler', parseTelegram, '<tg-spoiler>x</tg-spoiler>', ['x:hidden']],
    ['text that is not a tag', parseTelegram, '1 &lt; 2 &amp;amp; &#8364;', ['1 < 2 &amp; €']],
    ['a tag that Telegram lacks', parseTelegram, '<script>a</script>', ['a']],
    ['an end without a beginning', parseTelegram, 'a</b> b', ['a', ' b']],
  ])('shows %s', (_what, parse, text, runs) => {
    expect(formatRuns(parse(text))).toEqual(runs);
  });

  test('parses a long text of only marks in time', () => {
    for (const unit of ['*', '_a', '`', '<', '<b>', '&', 'https://']) {
      const text = unit.repeat(20_000);
      for (const parse of [parseMrkdwn, parseWhatsapp, parsePlain, parseTelegram]) {
        expect(parse(text).length).toBeGreaterThan(-1);
      }
    }
  });
});
