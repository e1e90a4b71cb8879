import { createHmac } from 'node:crypto';
import { isSignedByMailgun, mailgunReceipts } from './mailgun-receipts';

const key = 'key-1';
const nowMs = 1_800_000_000_000;
const hourMs = 3_600_000;

function signToken(token: string, timeMs: number, signingKey = key) {
  const timestamp = String(timeMs / 1_000);
  const signature = createHmac('sha256', signingKey)
    .update(timestamp + token)
    .digest('hex');
  return { timestamp, token, signature };
}

describe('a signature of Mailgun', () => {
  const signed = signToken('token', nowMs);

  test.each([
    ['within the window', signed, true],
    ['as old as the last repetition', signToken('token', nowMs - 8 * hourMs), true],
    ['older', signToken('token', nowMs - 10 * hourMs), false],
    ['from the future', signToken('token', nowMs + 10 * hourMs), false],
    ['with another key', signToken('token', nowMs, 'key-2'), false],
    ['with another token', { ...signed, token: 'tokem' }, false],
    ['with another time', { ...signed, timestamp: '1800000001' }, false],
    [
      'with a part of the time in the token',
      { ...signed, timestamp: '180000000', token: '0token' },
      false,
    ],
    ['without a token', { ...signed, token: '' }, false],
    ['without a signature', { ...signed, signature: undefined }, false],
    ['that is no text', { ...signed, signature: {} }, false],
  ])('%s is accepted: %s', (_what, signature, isAccepted) => {
    expect(isSignedByMailgun(signature, key, nowMs)).toBe(isAccepted);
  });

  test('is never that of an absent key', () => {
    expect(isSignedByMailgun(signToken('token', nowMs, ''), '', nowMs)).toBe(false);
    expect(isSignedByMailgun(signed, undefined, nowMs)).toBe(false);
  });
});

// By the examples of documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads.
describe('an event of Mailgun', () => {
  const failed = (reason: string, status: object = {}) => ({
    event: 'failed',
    severity: 'permanent',
    reason,
    'delivery-status': status,
  });

  test.each<[object, object | undefined]>([
    [{ event: 'accepted' }, { state: 'sent' }],
    [{ event: 'delivered' }, { state: 'delivered' }],
    [{ event: 'failed', severity: 'temporary', reason: 'generic' }, { state: 'queued' }],
    [failed('bounce', { code: 550 }), { reason: 'bounced', changes: [{ reason: 'bounced' }] }],
    [
      failed('bounce', { 'bounce-type': 'soft' }),
      { reason: 'bounced', changes: [{ reason: 'bounced', minBounces: 3 }] },
    ],
    [failed('old'), { reason: 'bounced', changes: [{ reason: 'bounced', minBounces: 3 }] }],
    [failed('generic'), { reason: 'bounced', changes: [{ reason: 'bounced', minBounces: 3 }] }],
    [failed('suppress-bounce'), { reason: 'rejected_recipient' }],
    [failed('suppress-unsubscribe'), { reason: 'opted_out', changes: [{ reason: 'opted_out' }] }],
    [failed('suppress-complaint'), { reason: 'opted_out', changes: [{ reason: 'opted_out' }] }],
    [{ event: 'rejected', reject: { reason: 'virus' } }, { reason: 'rejected_content' }],
    [{ event: 'complained' }, { state: 'delivered', changes: [{ reason: 'complained' }] }],
    [{ event: 'unsubscribed' }, { state: 'delivered', changes: [{ reason: 'opted_out' }] }],
    [{ event: 'opened' }, undefined],
    [{ event: 'delivered', 'user-variables': {} }, undefined],
  ])('%j', (change, expected) => {
    const event = {
      recipient: 'ada@example.org',
      'user-variables': { belfry_message: 'm1' },
      ...change,
    };
    const signature = signToken('token', Math.floor(Date.now() / 1_000) * 1_000);
    const reports = mailgunReceipts.read({
      url: 'https://x.example/',
      settings: {},
      credentials: { webhook_key: key },
      headers: {},
      rawBody: Buffer.from(JSON.stringify({ signature, 'event-data': event })),
    });
    if (!expected) return expect(reports).toEqual([]);
    // A token counts once, because the signature does not cover the event.
    const facts = { identity: '["token"]', identifiesCall: true, recipient: 'ada@example.org' };
    expect(reports).toEqual([expect.objectContaining(facts)]);
    expect(reports).toMatchObject([expected]);
    expect('changes' in ((reports as object[])[0] ?? {})).toBe('changes' in expected);
    return undefined;
  });
});
