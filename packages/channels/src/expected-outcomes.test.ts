import { closers } from './provider-subject.fixture';
import { subjects } from './provider-subjects.fixture';

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const telegram = (errorCode: number, description: string) => ({ errorCode, description });
const unregistered = { http: 404, status: 'NOT_FOUND', errorCode: 'UNREGISTERED' };
const notSubscribed = { errors: ['All included players are not subscribed'], id: '' };
const blocked = 'Forbidden: bot was blocked by the user';
const deactivated = 'Forbidden: user is deactivated';

describe('a refusal because the person opted out or the address is gone', () => {
  test.each<[string, unknown, string, string]>([
    ['sms/twilio', { code: 21610 }, 'opted_out', '21610'],
    ['whatsapp/twilio', { code: 63014 }, 'opted_out', '63014'],
    ['whatsapp/meta', { code: 131_050 }, 'opted_out', '131050'],
    ['telegram/telegram', telegram(403, blocked), 'opted_out', 'bot_blocked'],
    ['telegram/telegram', telegram(403, 'Forbidden: bot was kicked'), 'opted_out', 'bot_kicked'],
    ['telegram/telegram', telegram(403, deactivated), 'device_gone', 'user_deactivated'],
    ['onesignal/onesignal', notSubscribed, 'opted_out', 'no_subscription'],
    ['push/fcm', unregistered, 'device_gone', 'unregistered'],
    ['push/web_push', { status: 404, errno: 102 }, 'device_gone', 'expired'],
    ['push/web_push', { status: 410, errno: 106 }, 'device_gone', 'gone'],
  ])('from %s, %j, skips the message: %s', async (name, fault, skip, reason) => {
    const { outcome, response } = await sendAgainst(name, fault);
    expect(outcome).toMatchObject({ outcome: 'rejected', scope: 'recipient', skip, reason });
    expect(response).toEqual(expect.any(Object));
  });
});

describe('a refusal for another reason', () => {
  test.each<[string, unknown]>([
    ['sms/twilio', { code: 21211 }],
    ['sms/twilio', { code: 30004 }],
    ['whatsapp/twilio', { code: 63016 }],
    ['whatsapp/meta', { code: 131_047 }],
    ['whatsapp/meta', { code: 131_049 }],
    ['telegram/telegram', telegram(400, 'Bad Request: chat not found')],
    ['telegram/telegram', telegram(403, "Forbidden: bot can't initiate conversation")],
    ['onesignal/onesignal', { errors: ['external_id is restricted'], status: 400 }],
    ['push/fcm', { http: 404, status: 'NOT_FOUND' }],
    ['push/web_push', { status: 401, errno: 109 }],
    ['push/web_push', { status: 413, errno: 104 }],
    ['push/fcm', { http: 403, status: 'PERMISSION_DENIED', errorCode: 'SENDER_ID_MISMATCH' }],
  ])('from %s, %j, fails the message', async (name, fault) => {
    const { outcome } = await sendAgainst(name, fault);
    expect(outcome.outcome).toBe('rejected');
    expect(outcome).not.toHaveProperty('skip');
  });
});

async function sendAgainst(name: string, fault: unknown) {
  const stage = await subjects[name]?.start();
  if (!stage) throw new Error(`No subject ${name}`);
  stage.fail(fault);
  const signal = AbortSignal.timeout(5_000);
  return stage.sender.send({ ...stage.call, signal, deadlineAt: Date.now() + 5_000 });
}
