import { type Run, runsOfMrkdwn, runsOfPlain, runsOfTelegram, runsOfWhatsapp } from './runs';

/** `text` for plain, `text:looks` for the rest. */
const told = (runs: Run[]) =>
  runs.map(({ text, looks }) => (looks.length > 0 ? `${text}:${looks.join('+')}` : text));

describe('the words of a preview', () => {
  test.each<[string, (text: string) => Run[], string, string[]]>([
    ['Slack’s bold', runsOfMrkdwn, 'Order *88213* shipped', ['Order ', '88213:strong', ' shipped']],
    ['Slack’s link', runsOfMrkdwn, 'at <https://e.com/t|DHL> now', ['at ', 'DHL:link', ' now']],
    ['Slack’s mention', runsOfMrkdwn, '<!here> <@U012>', ['@here:link', ' ', '@U012:link']],
    ['Slack’s escapes', runsOfMrkdwn, '&lt;b&gt; &amp;lt;', ['<b> &lt;']],
    ['Slack’s quote', runsOfMrkdwn, 'a\n&gt; b', ['a\n', 'b:quote']],
    ['marks in code', runsOfMrkdwn, '`*a*`', ['*a*:code']],
    ['nested marks', runsOfWhatsapp, '_a *b* c_', ['a :em', 'b:em+strong', ' c:em']],
    ['WhatsApp’s strike', runsOfWhatsapp, '~old~ new', ['old:strike', ' new']],
    ['a mark within a word', runsOfWhatsapp, '2*3*4 a_b_c', ['2*3*4 a_b_c']],
    ['marks with nothing between', runsOfWhatsapp, '** __ * a *', ['** __ * a *']],
    ['a link', runsOfPlain, 'Track: https://e.com/t.', ['Track: ', 'https://e.com/t:link', '.']],
    ['Telegram’s tags', runsOfTelegram, '<b>a <i>b</i></b> c', ['a :strong', 'b:strong+em', ' c']],
    ['Telegram’s link', runsOfTelegram, '<a href="https://e.com">T</a>', ['T:link']],
    ['Telegram’s spoiler', runsOfTelegram, '<tg-spoiler>x</tg-spoiler>', ['x:hidden']],
    ['what is no tag', runsOfTelegram, '1 &lt; 2 &amp;amp; &#8364;', ['1 < 2 &amp; €']],
    ['a tag that Telegram lacks', runsOfTelegram, '<script>a</script>', ['a']],
    ['an end without a beginning', runsOfTelegram, 'a</b> b', ['a', ' b']],
  ])('shows %s', (_what, runsOf, text, runs) => {
    expect(told(runsOf(text))).toEqual(runs);
  });

  test('reads a long text of nothing but marks in time', () => {
    for (const unit of ['*', '_a', '`', '<', '<b>', '&', 'https://']) {
      const text = unit.repeat(20_000);
      for (const runsOf of [runsOfMrkdwn, runsOfWhatsapp, runsOfPlain, runsOfTelegram]) {
        expect(runsOf(text).length).toBeGreaterThan(-1);
      }
    }
  });
});
