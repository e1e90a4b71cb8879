import { createApi } from './api';
import { formatMoment } from './dates';

const now = Date.parse('2026-11-29T12:00:00.400Z');

beforeEach(() => void jest.useFakeTimers({ now, doNotFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void jest.useRealTimers());

async function readProblem(error: string, headers: Record<string, string>) {
  const api = createApi({
    root: new URL('http://127.0.0.1/'),
    fetch: async () => Response.json({ error, code: 'unavailable' }, { status: 503, headers }),
    onSignedOut: () => undefined,
  });
  const result = await api.call('GET /api/session');
  return 'problem' in result ? result.problem.error : undefined;
}

test.each([1, 891])(
  'a wait of %d s is shown as the time of its end, never too early',
  async (seconds) => {
    const unit = seconds === 1 ? 'second' : 'seconds';
    const end = formatMoment(Date.parse('2026-11-29T12:00:01Z') + seconds * 1_000);
    const error = `Too many attempts. Try again in ${seconds} ${unit}.`;
    expect(await readProblem(error, { 'Retry-After': String(seconds) })).toBe(
      `Too many attempts. Try again at ${end}.`,
    );
  },
);

test.each([{}, { 'Retry-After': '2' }, { 'Retry-After': 'Tue, 01 Dec 2026 17:00:00 GMT' }])(
  'a problem without a wait in its text is shown as it is, with %j',
  async (headers) => {
    expect(await readProblem('PostgreSQL does not answer.', headers)).toBe(
      'PostgreSQL does not answer.',
    );
  },
);

test('an error of the gateway is shown as a sentence', async () => {
  const error = 'the JSON is refused: U+0000 or a lone surrogate, at user';
  expect(await readProblem(error, {})).toBe(
    'The JSON is refused: U+0000 or a lone surrogate, at user.',
  );
});
