import { createTelegramSimulator, findClosedPort, type TelegramFault } from '@belfry/testing';
import type { Provider } from '../channel';
import {
  closers,
  credential,
  deps,
  listenAndDrop,
  rejected,
  type Subject,
} from '../provider-subject.fixture';
import { telegramBotApi } from './bot-api';
import { type TelegramCode, telegramCodes } from './codes';
import type { TelegramContent } from './template';

/**
 * In the form of Telegram's tokens; the secret half contains the text that the suite searches for.
 */
const botToken = `123456789:${credential}-padding`;
const content: TelegramContent = { text: 'Hello' };

const refusal = (errorCode: number, description: string): TelegramFault => ({
  errorCode,
  description,
});
const reply = (status: number, body: string | object = '', headers = {}): TelegramFault => ({
  reply: { status, body, headers },
});
const throttle = (parameters: object) => ({
  errorCode: 429,
  description: 'Too Many Requests: retry after 7',
  parameters,
});

const phrases = { 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found' };

/** Each row with each of its wordings, as Telegram writes them and in capitals. */
function createRows([reason, code]: [string, TelegramCode]): Subject['rows'] {
  const expected = { ...rejected(code.scope), reason, detail: code.sentence };
  return code.starts.flatMap((start): Subject['rows'] => {
    const description = `${phrases[code.errorCode]}: ${start}`;
    return [
      [`${reason}: ${description}`, refusal(code.errorCode, `${description} and more`), expected],
      [`${reason}: in capitals ${start}`, refusal(code.errorCode, start.toUpperCase()), expected],
    ];
  });
}

/** The contract suite's subject for Telegram. */
export const telegramSubject: Subject = {
  // The suite passes only the content defined here.
  provider: telegramBotApi as Provider<unknown>,
  id: /^4242:\d+$/,
  async start() {
    const simulator = await createTelegramSimulator();
    const senderTo = (url: string) => {
      const sender = telegramSubject.provider.createSender({
        ...deps,
        baseUrls: { telegram: url },
      });
      closers.push(sender.close);
      return sender;
    };
    closers.push(simulator.close);
    const call = {
      messageId: '0193-telegram',
      target: '4242',
      content,
      settings: {},
      integrationId: 'i4',
      integrationVersion: '1',
      credentials: { bot_token: botToken },
    };
    return {
      sender: senderTo(simulator.url),
      call,
      sends: () => simulator.sends,
      requests: () => simulator.requests,
      fail: (fault) => simulator.fail(fault as TelegramFault),
      async callTo(place) {
        const isClosed = place === 'closed port';
        const port = isClosed ? await findClosedPort() : await listenAndDrop();
        const scheme = isClosed ? 'http' : 'https';
        return { ...call, sender: senderTo(`${scheme}://127.0.0.1:${port}`) };
      },
    };
  },
  faultsBefore: [],
  faultsAfter: [{ reset: 'before' }, { reset: 'after' }, { truncated: true }],
  hang: { hang: true },
  redirectTo: (url) => ({ redirectTo: url }),
  refusal: refusal(401, `Unauthorized: bot${botToken}`),
  echoes: [
    refusal(400, `Bad Request: https://api.telegram.org/bot${botToken}/sendMessage`),
    refusal(401, `Unauthorized: ${credential}-padding`),
    refusal(403, Buffer.from(botToken).toString('base64')),
    reply(500, botToken),
    reply(200, botToken),
    reply(200, { ok: true, result: { message_id: botToken, chat: { id: 1 } } }),
    reply(400, { ok: false, error_code: botToken, description: botToken }),
  ],
  rows: [
    ...Object.entries<TelegramCode>(telegramCodes).flatMap(createRows),
    [
      'an unknown 400',
      refusal(400, 'Bad Request: SOMETHING_NEW'),
      { ...rejected('content'), reason: 'telegram_400' },
    ],
    [
      'an unknown 403',
      refusal(403, 'Forbidden: something new'),
      { ...rejected('recipient'), reason: 'telegram_403' },
    ],
    ['an unknown 409', refusal(409, 'Conflict'), { ...rejected('content'), reason: 'http_409' }],
    [
      'an error with status 200',
      { errorCode: 403, description: 'Forbidden: bot was blocked by the user', status: 200 },
      { ...rejected('recipient'), reason: 'bot_blocked' },
    ],
    ['429', throttle({ retry_after: 7 }), { outcome: 'retry', afterMs: 8_000 }],
    ['429 for hours', throttle({ retry_after: 18_053 }), { outcome: 'retry', afterMs: 18_054_000 }],
    ['429 without a wait', throttle({}), { outcome: 'retry', reason: 'too_many_requests' }],
    [
      '429 with Retry-After',
      reply(429, { ok: false, error_code: 429, description: '' }, { 'retry-after': '3' }),
      { outcome: 'retry', afterMs: 3_000 },
    ],
    ['429 as a page', reply(429, '<html>', { 'retry-after': '3' }), { afterMs: 3_000 }],
    ['500', refusal(500, 'Internal Server Error'), { outcome: 'unknown' }],
    ['502', refusal(502, 'Bad Gateway'), { outcome: 'unknown' }],
    ['502 as a page', reply(502, '<html>'), { outcome: 'unknown' }],
    ['503', reply(503), { outcome: 'retry' }],
    ['504', reply(504, '<html>'), { outcome: 'unknown' }],
    ['HTML with status 200', reply(200, '<html>Hello</html>'), { outcome: 'unknown' }],
    ['no message with status 200', reply(200, { ok: true, result: {} }), { outcome: 'unknown' }],
    ['true with status 200', reply(200, { ok: true, result: true }), { outcome: 'unknown' }],
    ['401 as a page', reply(401, '<html>'), rejected('integration')],
  ],
};
