import { judgeLinks } from './examine-links';

test.each<[string, boolean, string, string]>([
  ['https://notify.example.com', true, 'ok', 'They lead to https://notify.example.com.'],
  ['http://localhost:4000', false, 'ok', 'No live event sends optional e-mail.'],
  ['http://localhost:4000', true, 'warning', 'PUBLIC_URL is http://localhost:4000.'],
  ['', true, 'warning', 'PUBLIC_URL is not set for this command.'],
])('doctor judges PUBLIC_URL %j, needed for links: %s, as %s', (url, isNeeded, state, text) => {
  expect(judgeLinks(url, isNeeded)).toEqual([
    { name: 'unsubscribe links', state, detail: expect.stringContaining(text) },
  ]);
});
