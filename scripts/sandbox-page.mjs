// The generated page about the sandbox.
import { code, list, page, table } from './markdown.mjs';

const waitParameters = {
  channel: 'only this channel',
  to: 'only this address, with a phone number in any notation; a `user_id` for `in_app`',
  request_id: 'only this request',
  after: 'only captures newer than the response that returned this value as `next`',
  count: 'how many captures to wait for: 1 to 100, default 1',
  timeout: 'seconds: 0 to 30, default 10; 0 returns at once',
};

export function sandbox({ channels, magicBehaviours, listMagicRecipients }) {
  const words = Object.keys(magicBehaviours);
  const getRecipient = (word, name) => listMagicRecipients(word, channels)[name];
  const names = Object.keys(listMagicRecipients('ok', channels));
  const patterns = names.filter((name) => hasPattern(words, (word) => getRecipient(word, name)));
  const [listed = '', ...others] = names.filter((name) => !patterns.includes(name));
  if (
    others.some((name) =>
      words.some((word) => getRecipient(word, name) !== getRecipient(word, listed)),
    )
  )
    throw new Error('Give each channel without a pattern its own column');
  return page('Sandbox', 'packages/channels/src/sandbox.ts', [
    'An app in sandbox delivery sends nothing. Belfry stores what each provider would have received as a capture, and the attempt counts ' +
      'as accepted. The demo app of `npm start` is in sandbox delivery. Belfry keeps the newest 500 captures of an app, for 7 days.',
    'The dashboard renders captures under _Sandbox_. Tests read them from `GET /v1/apps/{app_id}/sandbox/wait`, which responds as ' +
      'soon as enough captures match: see [Test your service](../how-to/test-your-service.md).',
    list(Object.entries(waitParameters).map(([name, meaning]) => `${code(name)}: ${meaning}`)),
    'All parameters are optional. The response is `{"messages": [...], "next": "..."}`, newest first. After the timeout it holds what ' +
      'there is, perhaps nothing. Reading removes nothing. An account can have 20 waiting calls; the next one gets a 429. Captures of a ' +
      '[sensitive event](../decisions/0015-sensitive-events.md) have no content: test such an event in an app where it is not sensitive.',
    '## Magic recipients',
    'These recipients simulate failures, or success with `ok`. Write the word of the table in place of `ok`:',
    list(patterns.map((name) => `${channels[name].label}: ${code(getRecipient('ok', name))}`)),
    'For e-mail, only the part before the @ matters.',
    table(
      ['word', [listed, ...others].map((name) => channels[name].label).join(', '), 'the message'],
      Object.entries(magicBehaviours).map(([word, { sentence }]) => [
        code(word),
        code(getRecipient(word, listed)),
        sentence,
      ]),
    ),
  ]);
}

/** Whether every recipient is the one for `ok` with its word in place of `ok`, in either case. */
function hasPattern(words, getRecipient) {
  const pattern = getRecipient('ok');
  return words.every(
    (word) => getRecipient(word) === pattern.replace('ok', word).replace('OK', word.toUpperCase()),
  );
}
